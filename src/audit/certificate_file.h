/* The certificate as a file: what was found, about which model and rows, signed.
 *
 * Canonical JSON: members sorted, one spelling of every number, so that a file has exactly one form and any
 * other byte is a change.  `digest` covers all members but itself and the signature; the signature covers all
 * but itself.  Verifying recomputes every figure from the labelled rows where they are at hand. */
#ifndef EQP_AUDIT_CERTIFICATE_FILE_H
#define EQP_AUDIT_CERTIFICATE_FILE_H

#include "audit/audit.h"

/* Takes the statement over, dates it, signs it when a key is given, and writes it.  `written` is the
 * statement as it is in the file; the caller's. */
eqp_status eqp_statement_write(const char *path, json_t *statement, const char *signing_key, json_t **written,
                               eqp_error *error);

/* What could be checked.  `difference` is the first thing that does not hold, or empty. */
typedef struct eqp_statement_check {
    json_t *statement; /* what the file says */
    bool recomputed;   /* from labelled rows */
    bool is_signed;    /* and the signature belongs to the signer that the file names */
    bool signer_known; /* who is the one that was asked for */
    char difference[256];
} eqp_statement_check;

/* `table` and `signer` (a .pub file) may be NULL.  The caller drops the statement. */
eqp_status eqp_statement_verify(const char *path, const eqp_model *model, const eqp_table *table,
                                const char *signer, eqp_statement_check *check, eqp_error *error);

#endif
