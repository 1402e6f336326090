/* The folds of cross-fitting and cross-validation (M9).
 *
 * Rows are dealt into folds in an order that depends on what a row holds and not on where it stands, and
 * sorted by fold. */
#ifndef EQP_DIRECT_FOLDS_H
#define EQP_DIRECT_FOLDS_H

#include "base/threads.h"
#include "direct/pool.h"
#include "learn/training.h"

enum { EQP_FOLDS = 5, EQP_NO_FOLD = EQP_FOLDS };

typedef struct eqp_direct_folds {
    const eqp_training *training; /* borrowed */
    eqp_progress *progress;       /* borrowed; asked after every pass over rows whether to go on; or NULL */
    eqp_design *design;           /* the training's rows, sorted by fold */
    eqp_arena arena;              /* of the arrays below */
    size_t *order; /* row of the sample behind each row of the design; what follows is by those rows */
    uint32_t *cell;
    double *weight;
    uint8_t *fold;
    size_t start[EQP_FOLDS + 1]; /* fold f is rows start[f] … start[f+1]-1 */
} eqp_direct_folds;

eqp_status eqp_direct_folds_new(const eqp_training *training, uint64_t seed, eqp_progress *progress,
                                eqp_direct_folds **folds, eqp_error *error);
void eqp_direct_folds_free(eqp_direct_folds *folds);

/* How many rows a program that leaves `held` out (EQP_NO_FOLD: none) learns from. */
size_t eqp_direct_folds_count(const eqp_direct_folds *folds, size_t held);
/* Its rows: those of all other folds in order, then those of fold `held`. */
eqp_status eqp_direct_folds_rows(const eqp_direct_folds *folds, size_t held, eqp_direct_rows **rows,
                                 eqp_error *error);

#endif
