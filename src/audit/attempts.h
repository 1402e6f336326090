/* Attempts and certificates on file.
 *
 * "Audit until it passes" is answered by counting: attempt a with the same labels may err with (1 -
 * confidence) / 2^a only, so that all attempts together stay within 1 - confidence.  The log is append-only,
 * one JSON object per line; an attempt is written down before its result is known.  Attempts are counted by
 * the digest of the labelled data, whatever the model, seed or budget: all of them are choices one could make
 * after having seen the labels. */
#ifndef EQP_AUDIT_ATTEMPTS_H
#define EQP_AUDIT_ATTEMPTS_H

#include "audit/certificate.h"

#include <jansson.h>

/* Writes the attempt down and gives its number: one more than the entries with this data digest.  The log is
 * created when missing and locked while it is used. */
eqp_status eqp_attempts_begin(const char *log, const char *data_digest, const char *model_id,
                              unsigned *attempt, eqp_error *error);

/* Takes `statement` over and writes it with the digests of model and data, the date, and a digest over all of
 * it. */
eqp_status eqp_certificate_write(const char *path, json_t *statement, const eqp_model *model,
                                 const eqp_table *table, eqp_error *error);

/* What a certificate file says, and whether it is about this model and this data; NULL for what is not at
 * hand. `difference` is a static text naming the first thing that does not match, or NULL. */
eqp_status eqp_certificate_read(const char *path, const eqp_model *model, const eqp_table *table,
                                json_t **statement, const char **difference, eqp_error *error);

#endif
