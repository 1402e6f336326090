/* P = X B: a coded cell adds one row of B, a number adds a multiple of one.
 *
 * Vectorised over the columns of B, in panels of 8, 4 and 1 columns.  A block of rows runs feature by
 * feature, its sums in the nearest cache: what kind a feature has is asked once per block, and no addition
 * waits for the one before it. */
#include "design/design.h"

#include "base/wide.h"

#define BLOCK 128 /* rows */

typedef double lanes_8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef double lanes_4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double lanes_1 __attribute__((may_alias));

/* The entries of one panel for `count` listed rows, `columns` apart; `lanes` is the panel. */
#define PANEL_SCORES(name, lanes)                                                                            \
    EQP_WIDE static void name(const eqp_design *design, const double *b, size_t columns,                     \
                              const uint32_t *row, size_t count, double *p)                                  \
    {                                                                                                        \
        lanes sum[BLOCK];                                                                                    \
        for (size_t i = 0; i < count; i++) sum[i] = *(const lanes *)b;                                       \
        for (size_t f = 0; f < design->encoding->feature_count; f++) {                                       \
            const double *term = b + design->encoding->features[f].slot * columns;                           \
            const double *value = design->standard[f];                                                       \
            const uint32_t *code = design->codes[f];                                                         \
            const uint8_t *missing = design->missing[f];                                                     \
            const lanes slope = *(const lanes *)term;                                                        \
            if (code != NULL)                                                                                \
                for (size_t i = 0; i < count; i++)                                                           \
                    sum[i] += *(const lanes *)(term + code[row[i]] * columns);                               \
            else if (missing == NULL)                                                                        \
                for (size_t i = 0; i < count; i++) sum[i] += value[row[i]] * slope;                          \
            else                                                                                             \
                for (size_t i = 0; i < count; i++) { /* a missing value stands as 0 */                       \
                    if (missing[row[i]])                                                                     \
                        sum[i] += *(const lanes *)(term + columns);                                          \
                    else                                                                                     \
                        sum[i] += value[row[i]] * slope;                                                     \
                }                                                                                            \
        }                                                                                                    \
        for (size_t i = 0; i < count; i++) *(lanes *)(p + i * columns) = sum[i];                             \
    }

PANEL_SCORES(scores_of_8, lanes_8)
PANEL_SCORES(scores_of_4, lanes_4)
PANEL_SCORES(scores_of_1, lanes_1)

void eqp_design_scores_of(const eqp_design *design, const double *coefficients, size_t columns,
                          const uint32_t *row, size_t count, double *scores)
{
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t size = count - first < BLOCK ? count - first : BLOCK, c = 0;
        double *p = scores + first * columns;
        for (; c + 8 <= columns; c += 8)
            scores_of_8(design, coefficients + c, columns, row + first, size, p + c);
        for (; c + 4 <= columns; c += 4)
            scores_of_4(design, coefficients + c, columns, row + first, size, p + c);
        for (; c < columns; c++) scores_of_1(design, coefficients + c, columns, row + first, size, p + c);
    }
}

void eqp_design_scores(const eqp_design *design, const double *coefficients, size_t columns, size_t first,
                       size_t count, double *scores)
{
    uint32_t row[BLOCK];
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t size = count - at < BLOCK ? count - at : BLOCK;
        for (size_t i = 0; i < size; i++) row[i] = (uint32_t)(first + at + i);
        eqp_design_scores_of(design, coefficients, columns, row, size, scores + at * columns);
    }
}
