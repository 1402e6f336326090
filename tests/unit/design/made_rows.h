/* Random rows for tests of design and oracle: numbers with and without gaps, levels, bins, weights, cells,
 * put together by hand so that these tests need neither tables nor a fitted encoding. */
#ifndef EQP_TESTS_MADE_ROWS_H
#define EQP_TESTS_MADE_ROWS_H

#include "base/memory.h"
#include "base/random.h"
#include "design/design.h"

#include <math.h>
#include <string.h>

#define MADE_FEATURES 5

typedef struct made_rows {
    eqp_feature features[MADE_FEATURES];
    eqp_encoding encoding;
    double *numbers[MADE_FEATURES];
    uint32_t *codes[MADE_FEATURES];
    eqp_block block;
    eqp_design *design;
    size_t cells;
    uint32_t *cell;
    double *weight;
} made_rows;

static inline eqp_feature made_feature(eqp_feature_kind kind, uint32_t levels, uint32_t *width)
{
    eqp_feature feature = {.kind = kind, .mean = 0, .scale = 1, .level_count = levels, .slot = *width};
    feature.slots = kind == EQP_FEATURE_NUMBER ? 2 : levels + 2;
    *width += feature.slots;
    return feature;
}

static inline void made_column(made_rows *made, size_t f, eqp_random *random)
{
    eqp_feature *feature = &made->features[f];
    size_t rows = made->block.rows;
    if (feature->kind != EQP_FEATURE_NUMBER) {
        made->codes[f] = eqp_alloc(rows, sizeof(uint32_t));
        for (size_t i = 0; i < rows; i++) {
            uint32_t code = (uint32_t)eqp_random_below(random, feature->level_count + 2);
            if (code == feature->level_count) code = 0; /* "other" stays empty: a slot without rows */
            made->codes[f][i] = code;
        }
        return;
    }
    made->numbers[f] = eqp_alloc(rows, sizeof(double));
    for (size_t i = 0; i < rows; i++) {
        double value = 40 + 10 * eqp_random_normal(random) + 5 * (made->cell[i] % 2);
        if (f == 1) value = floor(value / 5);
        made->numbers[f][i] = f == 1 && eqp_random_below(random, 8) == 0 ? NAN : value;
    }
    feature->mean = f == 1 ? 8 : 40;
    feature->scale = f == 1 ? 2 : 10;
}

/* Features: number, rough number with gaps, 4 levels, 6 bins, number. */
static inline void made_new(made_rows *made, size_t rows, size_t cells, uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, 1);
    *made = (made_rows){.cells = cells};
    uint32_t width = 1;
    made->features[0] = made_feature(EQP_FEATURE_NUMBER, 0, &width);
    made->features[1] = made_feature(EQP_FEATURE_NUMBER, 0, &width);
    made->features[2] = made_feature(EQP_FEATURE_LEVELS, 4, &width);
    made->features[3] = made_feature(EQP_FEATURE_BINS, 6, &width);
    made->features[4] = made_feature(EQP_FEATURE_NUMBER, 0, &width);
    made->encoding =
        (eqp_encoding){.feature_count = MADE_FEATURES, .features = made->features, .width = width};
    made->block = (eqp_block){
        .rows = rows, .feature_count = MADE_FEATURES, .numbers = made->numbers, .codes = made->codes};

    made->cell = eqp_alloc(rows, sizeof *made->cell);
    made->weight = eqp_alloc(rows, sizeof *made->weight);
    for (size_t i = 0; i < rows; i++) {
        made->cell[i] = (uint32_t)eqp_random_below(&random, cells);
        made->weight[i] = eqp_random_unit(&random) / (double)rows;
    }
    for (size_t f = 0; f < MADE_FEATURES; f++) made_column(made, f, &random);
    eqp_design_new(&made->encoding, &made->block, NULL, 0, &made->design, NULL);
}

static inline void made_free(made_rows *made)
{
    eqp_design_free(made->design);
    for (size_t f = 0; f < MADE_FEATURES; f++) {
        free(made->numbers[f]);
        free(made->codes[f]);
    }
    free(made->cell);
    free(made->weight);
}

/* x_i written out, the plain way: what every fast path is compared with. */
static inline void made_expand(const made_rows *made, size_t row, double *x)
{
    memset(x, 0, made->encoding.width * sizeof *x);
    x[0] = 1;
    for (size_t f = 0; f < MADE_FEATURES; f++) {
        const eqp_feature *feature = &made->features[f];
        if (feature->kind != EQP_FEATURE_NUMBER)
            x[feature->slot + made->codes[f][row]] = 1;
        else if (isnan(made->numbers[f][row]))
            x[feature->slot + 1] = 1;
        else
            x[feature->slot] = (made->numbers[f][row] - feature->mean) / feature->scale;
    }
}

#endif
