/* Xᵀ R for a dense matrix R with one row a row of the design: the gradient half of iterative fits. */
#include "design/design.h"

static void add_scaled(double *out, const double *in, size_t columns, double factor)
{
    for (size_t c = 0; c < columns; c++) out[c] += factor * in[c];
}

static void transpose_number(const eqp_design *design, size_t feature, const double *right, size_t columns,
                             size_t first, size_t count, double *out)
{
    const double *value = design->standard[feature] + first;
    const uint8_t *missing = design->missing[feature];
    double *slot = out + design->encoding->features[feature].slot * columns;
    for (size_t i = 0; i < count; i++) add_scaled(slot, right + i * columns, columns, value[i]);
    if (missing == NULL) return;
    for (size_t i = 0; i < count; i++)
        if (missing[first + i]) add_scaled(slot + columns, right + i * columns, columns, 1);
}

static void transpose_codes(const eqp_design *design, size_t feature, const double *right, size_t columns,
                            size_t first, size_t count, double *out)
{
    const uint32_t *code = design->codes[feature] + first;
    double *slot = out + design->encoding->features[feature].slot * columns;
    for (size_t i = 0; i < count; i++) add_scaled(slot + code[i] * columns, right + i * columns, columns, 1);
}

void eqp_design_transpose(const eqp_design *design, const double *right, size_t columns, size_t first,
                          size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) add_scaled(out, right + i * columns, columns, 1); /* intercept */
    for (size_t f = 0; f < design->encoding->feature_count; f++) {
        if (design->codes[f] != NULL)
            transpose_codes(design, f, right, columns, first, count, out);
        else
            transpose_number(design, f, right, columns, first, count, out);
    }
}
