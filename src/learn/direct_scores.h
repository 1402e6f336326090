/* Cross-fitted class scores (M9): a row's scores come from a fit that has not seen it.
 *
 * Rows are dealt into folds, group by group, in an order that depends on what a row holds and not on where it
 * stands, and sorted by fold.  One pass gives a Gram matrix a fold; every fit that leaves folds out is a
 * difference of these: one on all rows, one without each fold, one without each two.
 *
 * A basis is a choice of features: 0 without the bins of numbers, 1 with them.  Rules from all bases compete
 * in the same program. */
#ifndef EQP_LEARN_DIRECT_SCORES_H
#define EQP_LEARN_DIRECT_SCORES_H

#include "learn/direct_program.h"
#include "learn/direct_strict.h"
#include "learn/training.h"

enum { EQP_FOLDS = 5, EQP_NO_FOLD = EQP_FOLDS, EQP_BASES = 2 };

typedef struct eqp_direct_fits {
    const eqp_training *training; /* borrowed */
    eqp_design *design;           /* the training's rows, sorted by fold */
    size_t *order;                /* row of the sample behind each row of the design */
    uint32_t *cell;               /* of each row of the design */
    size_t start[EQP_FOLDS + 1];  /* fold f is rows start[f] … start[f+1]-1 */
    size_t bases;
    uint32_t *slots; /* the slots of basis 0, rising */
    size_t slot_count;
    double *gram, *moments; /* [fold], and the sum of all behind them */
} eqp_direct_fits;

/* Folds, and for `linear` scores the sums. */
eqp_status eqp_direct_fits_new(const eqp_training *training, uint64_t seed, bool linear,
                               eqp_direct_fits **fits, eqp_error *error);
void eqp_direct_fits_free(eqp_direct_fits *fits);

/* Coefficients (width × E) of the least-squares class scores without the rows of two folds (EQP_NO_FOLD:
 * none). */
eqp_status eqp_direct_fit(const eqp_direct_fits *fits, size_t basis, size_t without, size_t and_without,
                          double *coefficients, eqp_error *error);

/* The rows of a program that leaves `held` out: all others, then those of fold `held`. */
eqp_status eqp_direct_fits_rows(const eqp_direct_fits *fits, size_t held, eqp_direct_rows **rows,
                                eqp_error *error);

/* Scores of these rows, and the pricer that looks for rules along them. */
typedef struct eqp_direct_scores {
    size_t rows, count, cells, bases;
    float *score;            /* [basis][cell][row] */
    float *part;             /* scratch of a run of rows */
    double *line;            /* scratch: one score a row */
    eqp_direct_ranks *ranks; /* for strict rules; else NULL */
    double *pull, *tried;    /* scratch of strict rules: K, E */
    void *scratch;           /* of eqp_best_threshold */
} eqp_direct_scores;

eqp_status eqp_direct_scores_new(size_t rows, size_t count, size_t cells, size_t bases,
                                 eqp_direct_scores **scores, eqp_error *error);
void eqp_direct_scores_free(eqp_direct_scores *scores);
/* Learnt rows get scores from fits without their own fold and `held`, held rows from the fit without `held`.
 */
eqp_status eqp_direct_cross_fit(const eqp_direct_fits *fits, size_t held, eqp_direct_scores **scores,
                                eqp_error *error);
/* From now on only rules that are within the budget by themselves are found; `rows` is borrowed. */
eqp_status eqp_direct_scores_strict(eqp_direct_scores *scores, const eqp_direct_rows *rows, eqp_error *error);
eqp_direct_pricer eqp_direct_score_pricer(eqp_direct_scores *scores);

#endif
