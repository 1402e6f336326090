/* The audit: the independent witness of what learning claims.  It sees a table, a model and nothing of how
 * the model came about, recomputes every figure from raw counts, and says what holds, how surely, and what a
 * stranger learns.
 *
 *     table --> routing --> counts --> measures, certificate, attacker's view, distortion, drift --> report
 */
#ifndef EQP_AUDIT_AUDIT_H
#define EQP_AUDIT_AUDIT_H

#include "audit/certificate.h"
#include "audit/distortion.h"
#include "audit/drift.h"
#include "audit/measures.h"
#include "audit/privacy.h"
#include "audit/proxy_leaves.h"

#include <jansson.h>

typedef struct eqp_audit_result {
    const eqp_model *model;    /* borrowed; NULL when a proxy column was audited */
    const eqp_table *table;    /* borrowed */
    double budget, confidence; /* budget: NaN when there is none */
    unsigned attempt;

    eqp_proxy *proxy;         /* with a proxy column only */
    eqp_block *block;         /* with a model only */
    eqp_groups *own_groups;   /* found in the table, when they are not the model's */
    const eqp_groups *groups; /* NULL: no labels, drift only */
    eqp_sample *sample;
    bool *used; /* leaves that the certificate covers */

    eqp_counts *counts;
    eqp_measures measures;
    eqp_certificate certificate;
    eqp_theorem theorem;      /* the gaps, to be added to the measured figures */
    double labels_needed;     /* NaN: no number of labels would do */
    double *score_disclosure; /* of each score in the model file; NULL without a model */
    eqp_attacker attacker;
    eqp_distortion *distortion; /* NULL without acceptance */
    eqp_drift drift;            /* with a model only */
    eqp_privacy *privacy;

    json_t *warnings; /* texts */
    bool certified, pass;
} eqp_audit_result;

/* Model and table are borrowed by the result. */
eqp_status eqp_audit_run(const eqp_model *model, const eqp_table *table, const eqp_audit_options *options,
                         const eqp_watch *watch, eqp_audit_result **result, eqp_error *error);
void eqp_audit_result_free(eqp_audit_result *result);

/* The report's document (docs/json.md), the statement of a certificate file; NULL when memory was short. */
json_t *eqp_audit_document(const eqp_audit_result *result);
json_t *eqp_audit_statement(const eqp_audit_result *result);

#endif
