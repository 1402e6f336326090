/* P = X B in single precision, for many columns at once: all class scores of a row in one pass.
 *
 * A coded cell adds one line of B, a number adds a multiple of one, LANES columns at a time.  A block of rows
 * runs feature by feature, its sums in the nearest cache, and is then written column by column. */
#include "design/design.h"

#include "base/wide.h"

enum { BLOCK = 128, LANES = EQP_SINGLE_LANES };

typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* The entries of LANES columns for `count` rows from `first` on; lines of `b` are `pitch` apart. */
EQP_WIDE static void sum_block(const eqp_design *design, const float *b, size_t pitch, size_t first,
                               size_t count, lanes *sum)
{
    for (size_t i = 0; i < count; i++) sum[i] = *(const lanes *)b;
    for (size_t f = 0; f < design->encoding->feature_count; f++) {
        const float *term = b + design->encoding->features[f].slot * pitch;
        const lanes slope = *(const lanes *)term, absent = *(const lanes *)(term + pitch);
        if (design->codes[f] != NULL) {
            const uint32_t *code = design->codes[f] + first;
            for (size_t i = 0; i < count; i++) sum[i] += *(const lanes *)(term + code[i] * pitch);
            continue;
        }
        const double *value = design->standard[f] + first;
        for (size_t i = 0; i < count; i++) sum[i] += (float)value[i] * slope;
        if (design->missing[f] == NULL) continue;
        const uint8_t *missing = design->missing[f] + first;
        for (size_t i = 0; i < count; i++) sum[i] += (float)missing[i] * absent;
    }
}

EQP_WIDE static void write_columns(const lanes *sum, size_t count, size_t columns, size_t stride, float *p)
{
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < count; i++) p[c * stride + i] = sum[i][c];
}

void eqp_design_scores_single(const eqp_design *design, const float *coefficients, size_t columns,
                              size_t first, size_t count, float *scores, size_t stride)
{
    size_t pitch = EQP_SINGLE_PITCH(columns);
    _Alignas(64) lanes sum[BLOCK];
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t size = count - at < BLOCK ? count - at : BLOCK;
        for (size_t c = 0; c < columns; c += LANES) {
            sum_block(design, coefficients + c, pitch, first + at, size, sum);
            write_columns(sum, size, columns - c < LANES ? columns - c : LANES, stride,
                          scores + c * stride + at);
        }
    }
}
