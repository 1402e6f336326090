/* Linear scores of many rows, each row with a score of its own (M13).
 *
 * Rows of a batch stand at different nodes and their draws pick different components, so every row adds up
 * terms of another score.  The terms of all scores lie one behind the other, and a row knows where its own
 * begin.  No row's sum is reordered: one pass per feature, each adding one term to every row.  Each kernel
 * exists with AVX-512, with AVX2 and in portable C and gives the same bits; the processor decides at run
 * time. */
#ifndef EQP_MODEL_SUMS_H
#define EQP_MODEL_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct eqp_summands {
    const double *terms;  /* of all scores */
    const int32_t *begin; /* of the terms of row i's score */
    const int32_t *row;   /* where row i stands in the arrays of the block; NULL: at i */
    size_t count;
} eqp_summands;

/* sum[i] += terms[begin[i] + slot + code of row i], or the like for a number with its two slots. */
typedef struct eqp_sum_kernels {
    void (*levels)(const eqp_summands *rows, int32_t slot, const uint32_t *codes, double *sum);
    void (*numbers)(const eqp_summands *rows, int32_t slot, const double *values, double *sum);
} eqp_sum_kernels;

eqp_sum_kernels eqp_sums_best(void);
/* Those that this processor can run, the best last; the first is the portable one. */
#define EQP_SUM_KERNELS 3
size_t eqp_sums_all(eqp_sum_kernels kernels[EQP_SUM_KERNELS]);

#endif
