/* Weighted sums of encoded rows, by cell or in all: the right sides of every least-squares fit (M6). */
#include "design/design.h"

#include <string.h>

/* Adds weight · x to column `column` of a width × columns matrix.  Feature by feature within a row, so that
 * neighbouring additions go to different places and do not wait for each other. */
static void add_row(const eqp_design *design, size_t row, double weight, size_t columns, double *column)
{
    const eqp_feature *features = design->encoding->features;
    column[0] += weight;
    for (size_t f = 0; f < design->encoding->feature_count; f++) {
        size_t slot = features[f].slot;
        if (design->codes[f] != NULL) {
            column[(slot + design->codes[f][row]) * columns] += weight;
            continue;
        }
        column[slot * columns] += weight * design->standard[f][row];
        if (design->missing[f] != NULL && design->missing[f][row]) column[(slot + 1) * columns] += weight;
    }
}

void eqp_design_moments(const eqp_design *design, const double *weight, const uint32_t *cell, size_t cells,
                        size_t first, size_t count, double *moments)
{
    memset(moments, 0, design->encoding->width * cells * sizeof *moments);
    for (size_t i = first; i < first + count; i++) {
        double w = weight ? weight[i] : 1.0;
        if (w != 0) add_row(design, i, w, cells, moments + cell[i]);
    }
}

void eqp_design_moments_of(const eqp_design *design, const uint32_t *row, size_t rows, const double *weight,
                           const uint32_t *cell, size_t cells, double *moments)
{
    memset(moments, 0, design->encoding->width * cells * sizeof *moments);
    for (size_t i = 0; i < rows; i++) add_row(design, row[i], weight[i], cells, moments + cell[row[i]]);
}

void eqp_design_sum(const eqp_design *design, const double *target, double *sum)
{
    memset(sum, 0, design->encoding->width * sizeof *sum);
    for (size_t i = 0; i < design->rows; i++)
        if (target[i] != 0) add_row(design, i, target[i], 1, sum);
}
