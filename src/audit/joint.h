/* Several models at once: what someone learns of a person's group who knows the outcomes of all of them.
 *
 * Draws are keyed by the model, so outcomes of different models are independent given the record: a record
 * that model t accepts with chance a_t shows the pattern b with chance Π a_t^b_t (1 - a_t)^(1 - b_t).  They
 * are not independent given the group, as rules look at the same columns; that is why single figures cannot
 * be multiplied.
 *
 * Permanent draws are shared by the models, so that outcomes are not independent given the record either; the
 * patterns are then counted over many keys. */
#ifndef EQP_AUDIT_JOINT_H
#define EQP_AUDIT_JOINT_H

#include "audit/shift.h"
#include "audit/thinning.h"
#include "base/sdc.h"
#include "model/rule.h"
#include "table/table.h"

#include <jansson.h>

#define EQP_JOINT_MODELS 12 /* at most; 2^12 patterns */

typedef struct eqp_joint {
    size_t model_count;
    const eqp_model **models; /* borrowed */
    eqp_arena arena;          /* of the arrays here */
    double budget;
    double *group_rows; /* expected, by weight */
    eqp_shift *single;  /* of the outcome of each model by itself */
    /* The largest over patterns of at least EQP_SET_ROWS expected rows, of all or some of the models: bit t
     * of set.tests says that model t counts, of set.index that it accepts. */
    eqp_shift found;
    size_t patterns; /* of all models, so frequent */
    double upper;    /* from one draw a row, as in the certificate; NaN: no pattern is frequent enough */
} eqp_joint;

/* The models in order.  EQP_USAGE for too many, one twice, or models for different attributes. */
eqp_status eqp_joint_check(const eqp_model *const *models, size_t model_count, eqp_error *error);

/* `budget` NaN: the smallest of the models' own. */
eqp_status eqp_joint_new(const eqp_model *const *models, size_t model_count, const eqp_table *table,
                         const eqp_audited *audited, double budget, double error, eqp_joint **joint,
                         eqp_error *error_record);
void eqp_joint_free(eqp_joint *joint);

/* The bound as it is printed: rounded up where small counts are behind it. */
double eqp_joint_upper(const eqp_joint *joint, const eqp_sdc *sdc);
/* Likewise what was measured. */
double eqp_joint_measured(const eqp_joint *joint, const eqp_sdc *sdc);
/* {"models", "budget", "disclosure", "upper", "rows", "group", "pattern", "patterns"} */
json_t *eqp_joint_json(const eqp_joint *joint, const eqp_groups *groups, const eqp_sdc *sdc);

#endif
