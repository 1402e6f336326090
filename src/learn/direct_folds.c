/* Direct learner: folds, and the sums that every fit is made of (M9).
 *
 * Rows are ordered by a hash of what they hold.  The result of learning then does not depend on the order of
 * the records in the file, down to the order in which sums are formed. */
#include "learn/direct_scores.h"

#include "base/memory.h"
#include "base/random.h"

#include <string.h>

typedef struct dealt_row {
    uint64_t hash;
    uint32_t cell;
    size_t row;
} dealt_row;

static uint64_t stir(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void hash_rows(const eqp_training *training, uint64_t seed, dealt_row *dealt)
{
    const eqp_block *block = training->block;
    eqp_random random = eqp_random_from(seed, 1);
    uint64_t start = eqp_random_bits(&random);
    for (size_t i = 0; i < block->rows; i++)
        dealt[i] =
            (dealt_row){stir(start, double_bits(training->sample->weight[i])), training->sample->cell[i], i};
    for (size_t f = 0; f < block->feature_count; f++)
        for (size_t i = 0; i < block->rows; i++) {
            uint64_t value = block->codes[f] ? block->codes[f][i] : double_bits(block->numbers[f][i]);
            dealt[i].hash = stir(dealt[i].hash, value);
        }
}

static int compare_dealt(const void *a, const void *b)
{
    const dealt_row *x = a, *y = b;
    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Deals the sorted rows round and round, without starting anew at a cell, so that folds differ by one row. */
static void deal(const dealt_row *dealt, size_t rows, size_t *order, size_t *start)
{
    size_t at = 0;
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        start[f] = at;
        for (size_t i = f; i < rows; i += EQP_FOLDS) order[at++] = dealt[i].row;
    }
    start[EQP_FOLDS] = at;
}

static eqp_status order_rows(eqp_direct_fits *fits, uint64_t seed, eqp_error *error)
{
    size_t rows = fits->training->block->rows;
    dealt_row *dealt = eqp_alloc(rows, sizeof *dealt);
    fits->order = eqp_alloc(rows, sizeof *fits->order);
    fits->cell = eqp_alloc(rows, sizeof *fits->cell);
    if (dealt == NULL || fits->order == NULL || fits->cell == NULL) {
        free(dealt);
        return eqp_fail_memory(error);
    }
    hash_rows(fits->training, seed, dealt);
    qsort(dealt, rows, sizeof *dealt, compare_dealt);
    deal(dealt, rows, fits->order, fits->start);
    for (size_t i = 0; i < rows; i++) fits->cell[i] = fits->training->sample->cell[fits->order[i]];
    free(dealt);
    return EQP_OK;
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

/* sums[folds] = sums[0] + … + sums[folds-1], each of `size` doubles. */
static void add_folds(double *sums, size_t size)
{
    double *total = sums + EQP_FOLDS * size;
    memset(total, 0, size * sizeof *total);
    for (size_t f = 0; f < EQP_FOLDS; f++)
        for (size_t i = 0; i < size; i++) total[i] += sums[f * size + i];
}

static eqp_status sum_rows(eqp_direct_fits *fits, const double *weight, const uint8_t *fold, eqp_error *error)
{
    size_t width = fits->training->encoding->width, cells = fits->training->groups->cell_count;
    fits->gram = eqp_alloc((EQP_FOLDS + 1) * width, width * sizeof *fits->gram);
    fits->moments = eqp_alloc((EQP_FOLDS + 1) * width, cells * sizeof *fits->moments);
    if (fits->gram == NULL || fits->moments == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_design_gram(fits->design, weight, fold, EQP_FOLDS, fits->gram, error);
    if (status != EQP_OK) return status;
    eqp_design_moments(fits->design, weight, fits->cell, cells, fold, EQP_FOLDS, fits->moments);
    add_folds(fits->gram, width * width);
    add_folds(fits->moments, width * cells);
    return EQP_OK;
}

static eqp_status sum_folds(eqp_direct_fits *fits, eqp_error *error)
{
    size_t rows = fits->design->rows;
    uint8_t *fold = eqp_alloc(rows, sizeof *fold);
    double *weight = eqp_alloc(rows, sizeof *weight);
    eqp_status status = fold != NULL && weight != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) {
        for (size_t f = 0; f < EQP_FOLDS; f++)
            memset(fold + fits->start[f], (int)f, fits->start[f + 1] - fits->start[f]);
        for (size_t i = 0; i < rows; i++) weight[i] = fits->training->sample->weight[fits->order[i]];
        status = sum_rows(fits, weight, fold, error);
    }
    free(fold);
    free(weight);
    return status;
}

/* Basis 0: every slot but those of bins. */
static eqp_status find_slots(eqp_direct_fits *fits, eqp_error *error)
{
    const eqp_encoding *encoding = fits->training->encoding;
    fits->slots = eqp_alloc(encoding->width, sizeof *fits->slots);
    if (fits->slots == NULL) return eqp_fail_memory(error);
    fits->slots[fits->slot_count++] = 0;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (feature->kind == EQP_FEATURE_BINS) continue;
        for (uint32_t s = 0; s < feature->slots; s++) fits->slots[fits->slot_count++] = feature->slot + s;
    }
    fits->bases = fits->slot_count < encoding->width ? 2 : 1;
    return EQP_OK;
}

eqp_status eqp_direct_fits_new(const eqp_training *training, uint64_t seed, bool linear,
                               eqp_direct_fits **fits, eqp_error *error)
{
    *fits = NULL;
    eqp_direct_fits *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->training = training;
    eqp_status status = order_rows(made, seed, error);
    if (status == EQP_OK)
        status = eqp_design_new(training->encoding, training->block, made->order, training->block->rows,
                                &made->design, error);
    if (status == EQP_OK && linear) status = find_slots(made, error);
    if (status == EQP_OK && linear) status = sum_folds(made, error);
    if (status != EQP_OK) {
        eqp_direct_fits_free(made);
        return status;
    }
    *fits = made;
    return EQP_OK;
}

void eqp_direct_fits_free(eqp_direct_fits *fits)
{
    if (fits == NULL) return;
    eqp_design_free(fits->design);
    free(fits->order);
    free(fits->cell);
    free(fits->slots);
    free(fits->gram);
    free(fits->moments);
    free(fits);
}

eqp_status eqp_direct_fits_rows(const eqp_direct_fits *fits, size_t held, eqp_direct_rows **rows,
                                eqp_error *error)
{
    *rows = NULL;
    size_t all = fits->design->rows, first = held < EQP_FOLDS ? fits->start[held] : all;
    size_t after = held < EQP_FOLDS ? fits->start[held + 1] : all;
    size_t *order = eqp_alloc(all, sizeof *order);
    if (order == NULL) return eqp_fail_memory(error);
    memcpy(order, fits->order, first * sizeof *order);
    memcpy(order + first, fits->order + after, (all - after) * sizeof *order);
    memcpy(order + first + (all - after), fits->order + first, (after - first) * sizeof *order);
    eqp_status status =
        eqp_direct_rows_new(fits->training->sample, order, all - (after - first), after - first, rows, error);
    free(order);
    return status;
}
