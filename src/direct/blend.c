/* Direct learner: four columns at a time, so that sums are fetched and put back a quarter as often. */
#include "direct/pool.h"

#include "base/wide.h"

#include <stdbool.h>
#include <string.h>

/* The first columns need not wait for zeros to be written. */
static inline void add_four(float *restrict sum, bool first, const float *restrict a, const float *restrict b,
                            const float *restrict c, const float *restrict d, const float factor[4],
                            size_t rows)
{
    float fa = factor[0], fb = factor[1], fc = factor[2], fd = factor[3];
    for (size_t i = 0; i < rows; i++)
        sum[i] = (first ? 0 : sum[i]) + ((fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]));
}

static inline void add_one(float *restrict sum, bool first, const float *restrict a, float factor,
                           size_t rows)
{
    for (size_t i = 0; i < rows; i++) sum[i] = (first ? 0 : sum[i]) + factor * a[i];
}

EQP_WIDE void eqp_direct_blend(const float *columns, size_t stride, size_t count, const double *factor,
                               size_t rows, float *sum)
{
    enum { FOUR = 4 };
    size_t c = 0;
    if (count == 0) memset(sum, 0, rows * sizeof *sum);
    for (; c + FOUR <= count; c += FOUR) {
        const float *a = columns + c * stride;
        float four[FOUR];
        for (size_t l = 0; l < FOUR; l++) four[l] = (float)factor[c + l];
        add_four(sum, c == 0, a, a + stride, a + 2 * stride, a + 3 * stride, four, rows);
    }
    for (; c < count; c++) add_one(sum, c == 0, columns + c * stride, (float)factor[c], rows);
}
