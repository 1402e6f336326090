/* Verifying a draw: everything that was committed to is compared, then the draw is repeated and compared with
 * its published result, byte for byte. */
#ifndef EQP_VERIFY_VERIFY_H
#define EQP_VERIFY_VERIFY_H

#include "base/buffer.h"
#include "model/rule.h"
#include "select/select.h"
#include <jansson.h>

/* ---- commitments -------------------------------------------------------------------------------------- */

/* A commitment: what is published before a draw, so that anybody can check the draw afterwards.
 *
 *     before   commitment = digests of model and pool, SHA-256 of the key, the announced randomness, the time
 *     draw     with the key, or with the key mixed with randomness that was not known before (eqp_key_mix)
 *     after    the key is revealed; verify.c repeats the draw
 *
 * The randomness of a commitment is an announcement ("numbers of the lottery of 1 May"), recorded as it is;
 * its value, once known, goes into the draw as `randomness` of eqp_filter_options.  A log of commitments can
 * only be added to: each line holds the digest of the line before it. */
typedef struct eqp_commitment {
    char model_id[17];
    char model_digest[65];
    char input_digest[65]; /* of the bytes, after decompression */
    uint64_t input_bytes;
    char key_commitment[65];
    char *randomness; /* announced, or NULL */
    char time[32];    /* UTC, as 2026-05-01T12:00:00Z */
    uint64_t draws;   /* in the log before this one */
    char digest[65];  /* of all of the above */
} eqp_commitment;

void eqp_commitment_clear(eqp_commitment *commitment);

/* Reads the whole pool to digest it.  `log` may be NULL. */
eqp_status eqp_commitment_make(const eqp_model *model, const eqp_key *key, const char *input,
                               const char *randomness, const char *log, eqp_commitment *commitment,
                               eqp_error *error);
/* Adds its members to a document; NULL when memory is short. */
void eqp_commitment_document(const eqp_commitment *commitment, json_t **object);
/* EQP_DATA when the file is not a commitment.  `intact` says whether its digest is right. */
eqp_status eqp_commitment_read(const char *path, eqp_commitment *commitment, bool *intact, eqp_error *error);

/* The digest and size of a file's bytes. */
eqp_status eqp_input_digest(const char *input, char digest[65], uint64_t *bytes, eqp_error *error);

/* Checks the whole chain of a log, adds the commitment as one line and says how many were there before it;
 * the log is locked while it is used.  EQP_DATA when the log was changed. */
eqp_status eqp_log_add(const char *path, eqp_commitment *commitment, eqp_error *error);

typedef struct eqp_verification {
    uint64_t records;     /* read from the pool */
    uint64_t draws;       /* in the log before this one, as committed */
    char difference[512]; /* the first one; empty when the draw is verified */
} eqp_verification;

eqp_status eqp_verify_run(const eqp_model *model, const eqp_key *key, const char *commitment,
                          const char *input, const char *result, const eqp_select_options *options,
                          eqp_verification *verification, eqp_error *error);

#endif
