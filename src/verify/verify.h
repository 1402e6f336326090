/* Verifying a draw: everything that was committed to is compared, then the draw is repeated and compared with
 * its published result, byte for byte. */
#ifndef EQP_VERIFY_VERIFY_H
#define EQP_VERIFY_VERIFY_H

#include "select/select.h"
#include "verify/commitment.h"

typedef struct eqp_verification {
    uint64_t records;     /* read from the pool */
    uint64_t draws;       /* in the log before this one, as committed */
    char difference[512]; /* the first one; empty when the draw is verified */
} eqp_verification;

eqp_status eqp_verify_run(const eqp_model *model, const eqp_key *key, const char *commitment,
                          const char *input, const char *result, const eqp_select_options *options,
                          eqp_verification *verification, eqp_error *error);

#endif
