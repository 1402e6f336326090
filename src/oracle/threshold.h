/* The best threshold of a score: among all h = 1[score < t], the one of least total cost.
 *
 *     min over t of  sum_i cost_i 1[score_i < t]
 *
 * Exact: the minimum over every cut between distinct scores, h ≡ 0 and h ≡ 1 among them (up to the rounding
 * of the sums; of equal costs the cut that chooses least wins). */
#ifndef EQP_ORACLE_THRESHOLD_H
#define EQP_ORACLE_THRESHOLD_H

#include "base/status.h"

typedef struct eqp_cut {
    double cost;      /* of the rows below the threshold */
    double threshold; /* midway between neighbouring scores; -inf chooses nothing, +inf everything */
} eqp_cut;

/* Bytes of scratch for that many rows, from eqp_alloc; nothing is allocated inside. */
size_t eqp_threshold_scratch(size_t rows);

/* Scores must be finite.  O(rows) unless the scores crowd together, O(8 rows) then. */
eqp_cut eqp_best_threshold(const double *scores, const double *costs, size_t rows, void *scratch);

/* The same of narrow scores, for callers who want a cut below `must_beat` or none.  Where none is, which
 * mostly shows after one pass over the rows, the threshold is -inf and the cost a bound: >= must_beat and no
 * more than that of any cut. */
eqp_cut eqp_threshold_below(const float *scores, const double *costs, size_t rows, double must_beat,
                            void *scratch);

#endif
