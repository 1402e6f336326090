/* Block -> design: numbers standardised as the encoding says, codes as they are.  And back: coefficients that
 * were fitted on standardised slots become terms on raw values. */
#include "design/design.h"

#include <math.h>
#include <string.h>

static void take_number(eqp_design *design, size_t feature, const double *numbers, const size_t *row)
{
    const eqp_feature *about = &design->encoding->features[feature];
    double *standard = eqp_take(&design->arena, design->rows, sizeof *standard);
    design->standard[feature] = standard;
    size_t absent = 0;
    if (standard == NULL) return;
    for (size_t i = 0; i < design->rows; i++) {
        double value = numbers[row ? row[i] : i];
        absent += isnan(value) != 0;
        standard[i] = isnan(value) ? 0.0 : (value - about->mean) / about->scale;
    }
    if (absent == 0) return;
    uint8_t *missing = design->missing[feature] = eqp_take(&design->arena, design->rows, 1);
    for (size_t i = 0; missing != NULL && i < design->rows; i++)
        missing[i] = (uint8_t)(isnan(numbers[row ? row[i] : i]) != 0);
}

static void take_codes(eqp_design *design, size_t feature, uint32_t *codes, const size_t *row)
{
    uint32_t *taken = row ? eqp_take(&design->arena, design->rows, sizeof *taken) : codes;
    design->codes[feature] = taken;
    for (size_t i = 0; row != NULL && taken != NULL && i < design->rows; i++) taken[i] = codes[row[i]];
}

static void take_features(eqp_design *design, const eqp_block *block, const size_t *row)
{
    size_t count = design->encoding->feature_count;
    design->standard = eqp_take_zero(&design->arena, count, sizeof *design->standard);
    design->missing = eqp_take_zero(&design->arena, count, sizeof *design->missing);
    design->codes = eqp_take_zero(&design->arena, count, sizeof *design->codes);
    for (size_t f = 0; f < count && !design->arena.failed; f++)
        if (block->numbers[f] != NULL)
            take_number(design, f, block->numbers[f], row);
        else
            take_codes(design, f, block->codes[f], row);
}

eqp_status eqp_design_new(const eqp_encoding *encoding, const eqp_block *block, const size_t *row,
                          size_t rows, eqp_design **design, eqp_error *error)
{
    *design = NULL;
    eqp_design *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->encoding = encoding;
    made->rows = row ? rows : block->rows;
    take_features(made, block, row);
    if (made->arena.failed) {
        eqp_design_free(made);
        return eqp_fail_memory(error);
    }
    *design = made;
    return EQP_OK;
}

void eqp_design_free(eqp_design *design)
{
    if (design == NULL) return;
    eqp_arena_free(&design->arena);
    free(design);
}

/* A missing number has no value to multiply, but keeps the shift that the intercept took from the mean; its
 * own term gives that back. */
void eqp_design_deploy(const eqp_encoding *encoding, const double *coefficients, double *terms)
{
    memcpy(terms, coefficients, encoding->width * sizeof *terms);
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (feature->kind != EQP_FEATURE_NUMBER) continue;
        double slope = coefficients[feature->slot] / feature->scale;
        double shift = slope * feature->mean;
        terms[feature->slot] = slope;
        terms[feature->slot + 1] = coefficients[feature->slot + 1] + shift;
        terms[0] -= shift;
    }
}
