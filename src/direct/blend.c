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

/* cost = w (price of the label + price of the chances + 2 κ w A), all weights alike or each its own. */
EQP_WIDE static void weigh_alike(const uint32_t *restrict cell, const double *restrict price,
                                 const float *restrict chances, const float *restrict mix, double weight,
                                 double spread, size_t count, double *restrict cost)
{
    double pull = 2 * spread * weight;
    for (size_t i = 0; i < count; i++)
        cost[i] = weight * (price[cell[i]] + (double)chances[i] + pull * (double)mix[i]);
}

EQP_WIDE static void weigh_each(const uint32_t *restrict cell, const double *restrict price,
                                const float *restrict chances, const float *restrict mix,
                                const double *restrict weight, double spread, size_t count,
                                double *restrict cost)
{
    for (size_t i = 0; i < count; i++) {
        double pull = 2 * spread * weight[i];
        cost[i] = weight[i] * (price[cell[i]] + (double)chances[i] + pull * (double)mix[i]);
    }
}

void eqp_direct_cost(const eqp_direct_rows *rows, size_t first, size_t count, const double *price,
                     const float *chances, const float *mix, double spread, double *cost)
{
    if (rows->equal > 0)
        weigh_alike(rows->cell + first, price, chances, mix, rows->equal, spread, count, cost);
    else
        weigh_each(rows->cell + first, price, chances, mix, rows->weight + first, spread, count, cost);
}
