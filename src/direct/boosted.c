/* Direct learner: class scores by boosting, each row by fits that leave out its own fold and one more. */
#include "direct/boosted.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

typedef struct fold_pair {
    size_t a, b;
} fold_pair;

enum { PAIRS = EQP_FOLDS * (EQP_FOLDS + 1) / 2 };

static fold_pair pair_of(size_t index)
{
    fold_pair pair = {0, 0};
    while (index-- > 0)
        if (++pair.b == EQP_FOLDS) pair.b = ++pair.a;
    return pair;
}

/* docs/held-out.md.  More and smaller steps are better, and take longer for every cell. */
static eqp_boost_options class_options(size_t cells, uint64_t seed)
{
    enum { FEW_CELLS = 8 };
    eqp_boost_options options = eqp_boost_defaults();
    if (cells <= FEW_CELLS) {
        options.rounds *= 2;
        options.rate /= 2;
    }
    options.row_share = options.column_share = 0.8;
    options.seed = seed;
    return options;
}

static void keep_fold(const eqp_direct_boosted *boosted, const double *fitted, size_t cell, size_t without,
                      size_t fold)
{
    const eqp_direct_folds *folds = boosted->folds;
    float *score = boosted->score[without] + cell * folds->design->rows;
    for (size_t i = folds->start[fold]; i < folds->start[fold + 1]; i++) score[i] = (float)fitted[i];
}

/* Regresses the cells' indicators on the rows outside the two folds, and scores these. */
static eqp_status fit_cells(const eqp_direct_boosted *boosted, fold_pair pair, double *weight, double *target,
                            double *fitted, eqp_error *error)
{
    const eqp_direct_folds *folds = boosted->folds;
    size_t rows = folds->design->rows;
    eqp_boost_options options = class_options(boosted->cells, boosted->seed);
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < rows; i++)
        weight[i] = folds->fold[i] == pair.a || folds->fold[i] == pair.b ? 0 : folds->weight[i];
    for (size_t e = 0; e < boosted->cells && status == EQP_OK; e++) {
        eqp_score score;
        for (size_t i = 0; i < rows; i++) target[i] = folds->cell[i] == e;
        status =
            eqp_boost_fit(boosted->rows, target, weight, &options, folds->progress, &score, fitted, error);
        if (status != EQP_OK) break;
        keep_fold(boosted, fitted, e, pair.a, pair.b);
        keep_fold(boosted, fitted, e, pair.b, pair.a);
        eqp_score_clear(&score);
        status = eqp_progress_add(folds->progress, 0.5 / (double)(PAIRS * boosted->cells), error);
    }
    return status;
}

static eqp_status fit_pair(void *context, size_t index, eqp_error *error)
{
    const eqp_direct_boosted *boosted = context;
    size_t rows = boosted->folds->design->rows;
    eqp_arena arena = {0};
    double *weight = eqp_take(&arena, rows, sizeof *weight), *target = eqp_take(&arena, rows, sizeof *target);
    double *fitted = eqp_take(&arena, rows, sizeof *fitted);
    eqp_status status = arena.failed ? eqp_fail_memory(error)
                                     : fit_cells(boosted, pair_of(index), weight, target, fitted, error);
    eqp_arena_free(&arena);
    return status;
}

eqp_status eqp_direct_boosted_new(const eqp_direct_folds *folds, uint64_t seed, eqp_direct_boosted **boosted,
                                  eqp_error *error)
{
    const eqp_training *training = folds->training;
    *boosted = NULL;
    eqp_direct_boosted *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->folds = folds;
    made->cells = training->groups->cell_count;
    made->seed = seed;
    for (size_t a = 0; a < EQP_FOLDS; a++)
        made->score[a] = eqp_take(&made->arena, made->cells, folds->design->rows * sizeof(float));
    eqp_status status = made->arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK)
        status = eqp_boost_rows_new(training->encoding, training->block, folds->order, folds->design->rows,
                                    folds->progress, &made->rows, error);
    if (status == EQP_OK) status = eqp_parallel(PAIRS, training->threads, fit_pair, made, error);
    if (status == EQP_OK) *boosted = made;
    if (status != EQP_OK) eqp_direct_boosted_free(made);
    return status;
}

void eqp_direct_boosted_free(eqp_direct_boosted *boosted)
{
    if (boosted == NULL) return;
    eqp_boost_rows_free(boosted->rows);
    eqp_arena_free(&boosted->arena);
    free(boosted);
}

/* Copies the rows of a fold to place `at` of every cell's column. */
static void copy_fold(const eqp_direct_boosted *boosted, size_t without, size_t fold, float *basis, size_t at)
{
    const size_t *start = boosted->folds->start, rows = boosted->folds->design->rows;
    for (size_t e = 0; e < boosted->cells; e++)
        memcpy(basis + e * rows + at, boosted->score[without] + e * rows + start[fold],
               (start[fold + 1] - start[fold]) * sizeof(float));
}

eqp_status eqp_direct_boosted_add(const eqp_direct_boosted *boosted, size_t held, eqp_direct_scores *scores,
                                  eqp_error *error)
{
    const eqp_direct_folds *folds = boosted->folds;
    size_t at = 0;
    scores->boosted = scores->bases;
    float *basis = eqp_direct_scores_add_basis(scores);
    if (basis == NULL) return eqp_fail_memory(error);
    for (size_t g = 0; g < EQP_FOLDS; g++) {
        if (g == held) continue;
        copy_fold(boosted, held == EQP_NO_FOLD ? g : held, g, basis, at);
        at += folds->start[g + 1] - folds->start[g];
    }
    if (held != EQP_NO_FOLD) copy_fold(boosted, held, held, basis, at);
    return EQP_OK;
}
