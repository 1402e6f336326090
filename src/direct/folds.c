/* Direct learner: dealing rows into folds (M9).
 *
 * Rows are ordered by a hash of what they hold.  The result of learning then does not depend on the order of
 * the records in the file, down to the order in which sums are formed. */
#include "direct/folds.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"

#include <assert.h>
#include <string.h>

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

static void hash_rows(const eqp_training *training, uint64_t seed, eqp_keyed *rows)
{
    const eqp_block *block = training->block;
    eqp_random random = eqp_random_from(seed, 1);
    uint64_t start = eqp_random_bits(&random);
    for (size_t i = 0; i < block->rows; i++)
        rows[i] = (eqp_keyed){stir(start, double_bits(training->sample->weight[i])), i};
    for (size_t f = 0; f < block->feature_count; f++)
        for (size_t i = 0; i < block->rows; i++) {
            uint64_t value = block->codes[f] ? block->codes[f][i] : double_bits(block->numbers[f][i]);
            rows[i].key = stir(rows[i].key, value);
        }
}

/* Deals the sorted rows round and round.  Not cell by cell: folds whose cells have fixed sizes vary less than
 * samples do, and then less than their sampling variance would have to be taken from what they show. */
static void deal(const eqp_keyed *dealt, size_t rows, size_t *order, size_t *start)
{
    size_t at = 0;
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        start[f] = at;
        for (size_t i = f; i < rows; i += EQP_FOLDS) order[at++] = dealt[i].item;
    }
    start[EQP_FOLDS] = at;
    assert(at == rows);
}

static eqp_status order_rows(eqp_direct_folds *folds, uint64_t seed, eqp_error *error)
{
    const eqp_sample *sample = folds->training->sample;
    size_t rows = folds->training->block->rows;
    folds->order = eqp_take(&folds->arena, rows, sizeof *folds->order);
    folds->cell = eqp_take(&folds->arena, rows, sizeof *folds->cell);
    folds->weight = eqp_take(&folds->arena, rows, sizeof *folds->weight);
    folds->fold = eqp_take(&folds->arena, rows, sizeof *folds->fold);
    eqp_keyed *scratch = folds->arena.failed ? NULL : eqp_alloc(rows, 2 * sizeof *scratch);
    if (scratch == NULL) return eqp_fail_memory(error);
    hash_rows(folds->training, seed, scratch);
    deal(eqp_order_by_key(scratch, scratch + rows, rows), rows, folds->order, folds->start);
    free(scratch);
    for (size_t i = 0; i < rows; i++) {
        folds->cell[i] = sample->cell[folds->order[i]];
        folds->weight[i] = sample->weight[folds->order[i]];
    }
    for (size_t f = 0; f < EQP_FOLDS; f++)
        memset(folds->fold + folds->start[f], (int)f, folds->start[f + 1] - folds->start[f]);
    return EQP_OK;
}

eqp_status eqp_direct_folds_new(const eqp_training *training, uint64_t seed, eqp_progress *progress,
                                eqp_direct_folds **folds, eqp_error *error)
{
    *folds = NULL;
    eqp_direct_folds *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->training = training;
    made->progress = progress;
    eqp_status status = eqp_progress_add(progress, 0, error);
    if (status == EQP_OK) status = order_rows(made, seed, error);
    if (status == EQP_OK) status = eqp_progress_add(progress, 0, error);
    if (status == EQP_OK)
        status = eqp_design_new(training->encoding, training->block, made->order, training->block->rows,
                                &made->design, error);
    if (status == EQP_OK) *folds = made;
    if (status != EQP_OK) eqp_direct_folds_free(made);
    return status;
}

void eqp_direct_folds_free(eqp_direct_folds *folds)
{
    if (folds == NULL) return;
    eqp_design_free(folds->design);
    eqp_arena_free(&folds->arena);
    free(folds);
}

size_t eqp_direct_folds_count(const eqp_direct_folds *folds, size_t held)
{
    size_t rows = folds->design->rows;
    return held == EQP_NO_FOLD ? rows : rows - (folds->start[held + 1] - folds->start[held]);
}

eqp_status eqp_direct_folds_rows(const eqp_direct_folds *folds, size_t held, eqp_direct_rows **rows,
                                 eqp_error *error)
{
    *rows = NULL;
    size_t all = folds->design->rows, count = eqp_direct_folds_count(folds, held);
    size_t first = held == EQP_NO_FOLD ? all : folds->start[held];
    size_t after = first + (all - count);
    size_t *order = eqp_alloc(all, sizeof *order);
    if (order == NULL) return eqp_fail_memory(error);
    memcpy(order, folds->order, first * sizeof *order);
    memcpy(order + first, folds->order + after, (all - after) * sizeof *order);
    memcpy(order + count, folds->order + first, (after - first) * sizeof *order);
    eqp_status status = eqp_direct_rows_new(folds->training->sample, order, count, all - count, rows, error);
    free(order);
    return status;
}
