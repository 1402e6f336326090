/* Direct learner: class scores by boosting, each row by fits without it. */
#include "direct/boosted.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

/* ---- what each fit leaves out -------------------------------------------------------------------------- */

/* Fits without a part are nearly as sharp as the one on all rows, for which they stand when thresholds are
 * sought. */
enum { PARTS_OF_A_FOLD = 4, PARTS = EQP_FOLDS * PARTS_OF_A_FOLD };
enum { PAIRS = EQP_FOLDS * (EQP_FOLDS - 1) / 2, FITS = PARTS + PAIRS + 1 };

/* Rows from `first` to `after`, of one part or fold. */
typedef struct row_span {
    size_t first, after;
} row_span;

static row_span part_span(const eqp_direct_folds *folds, size_t part)
{
    size_t fold = part / PARTS_OF_A_FOLD, at = part % PARTS_OF_A_FOLD, start = folds->start[fold];
    size_t rows = folds->start[fold + 1] - start;
    return (row_span){start + rows * at / PARTS_OF_A_FOLD, start + rows * (at + 1) / PARTS_OF_A_FOLD};
}

static row_span fold_span(const eqp_direct_folds *folds, size_t fold)
{
    return (row_span){folds->start[fold], folds->start[fold + 1]};
}

/* Two folds a < b. */
static void find_pair(size_t index, size_t *a, size_t *b)
{
    *a = 0;
    *b = 1;
    while (index-- > 0)
        if (++*b == EQP_FOLDS) *b = ++*a + 1;
}

/* ---- fits ---------------------------------------------------------------------------------------------- */

/* docs/held-out.md.  More and smaller steps are better, and so are deeper trees of many cells; but all leaves
 * of a score are in every export of it, and some engines plan for minutes or run out of memory.  Fewer trees
 * where there are many cells, which all take time. */
static eqp_boost_options class_options(size_t cells, uint64_t seed)
{
    enum { FEW_CELLS = 8 };
    bool few = cells <= FEW_CELLS;
    return (eqp_boost_options){.rounds = few ? 128 : 64,
                               .depth = few ? 4 : 5,
                               .rate = few ? 0.08 : 0.16,
                               .ridge = 2,
                               .min_weight = 5,
                               .row_share = 0.8,
                               .column_share = 0.8,
                               .seed = seed};
}

typedef struct cell_fit {
    const eqp_direct_boosted *boosted;
    eqp_arena arena; /* of the arrays below */
    double *weight;
    double *fitted; /* [row][cell] */
    eqp_shared_trees trees;
} cell_fit;

static void leave_out(cell_fit *fit, row_span span)
{
    memset(fit->weight + span.first, 0, (span.after - span.first) * sizeof *fit->weight);
}

static void keep_scores(const cell_fit *fit, row_span span, float *score)
{
    size_t cells = fit->boosted->cells, rows = fit->boosted->folds->design->rows;
    for (size_t e = 0; e < cells; e++)
        for (size_t i = span.first; i < span.after; i++)
            score[e * rows + i] = (float)fit->fitted[i * cells + e];
}

static eqp_status fit_cells(cell_fit *fit, eqp_error *error)
{
    const eqp_direct_boosted *boosted = fit->boosted;
    const eqp_direct_folds *folds = boosted->folds;
    eqp_boost_options options = class_options(boosted->cells, boosted->seed);
    return eqp_boost_fit_cells(boosted->rows, folds->cell, boosted->cells, fit->weight, &options,
                               folds->progress, &fit->trees, fit->fitted, error);
}

static eqp_status fit_without_part(cell_fit *fit, size_t part, eqp_error *error)
{
    row_span span = part_span(fit->boosted->folds, part);
    leave_out(fit, span);
    eqp_status status = fit_cells(fit, error);
    if (status == EQP_OK) keep_scores(fit, span, fit->boosted->own);
    return status;
}

static eqp_status fit_without_pair(cell_fit *fit, size_t pair, eqp_error *error)
{
    size_t a, b;
    find_pair(pair, &a, &b);
    row_span first = fold_span(fit->boosted->folds, a), second = fold_span(fit->boosted->folds, b);
    leave_out(fit, first);
    leave_out(fit, second);
    eqp_status status = fit_cells(fit, error);
    if (status != EQP_OK) return status;
    keep_scores(fit, second, fit->boosted->without[a]);
    keep_scores(fit, first, fit->boosted->without[b]);
    return EQP_OK;
}

static eqp_status fit_on_all(cell_fit *fit, eqp_shared_trees *trees, eqp_error *error)
{
    eqp_status status = fit_cells(fit, error);
    *trees = fit->trees;
    fit->trees = (eqp_shared_trees){0};
    return status;
}

static eqp_status fit_one(void *context, size_t index, eqp_error *error)
{
    eqp_direct_boosted *boosted = context;
    const eqp_direct_folds *folds = boosted->folds;
    size_t rows = folds->design->rows;
    cell_fit fit = {.boosted = boosted};
    fit.weight = eqp_take(&fit.arena, rows, sizeof *fit.weight);
    fit.fitted = eqp_take(&fit.arena, rows * boosted->cells, sizeof *fit.fitted);
    eqp_status status = fit.arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) {
        memcpy(fit.weight, folds->weight, rows * sizeof *fit.weight);
        status = index < PARTS           ? fit_without_part(&fit, index, error)
                 : index < PARTS + PAIRS ? fit_without_pair(&fit, index - PARTS, error)
                                         : fit_on_all(&fit, &boosted->trees, error);
    }
    if (status == EQP_OK) status = eqp_progress_add(folds->progress, 1.0 / FITS, error);
    eqp_shared_trees_clear(&fit.trees);
    eqp_arena_free(&fit.arena);
    return status;
}

eqp_status eqp_direct_boosted_new(const eqp_direct_folds *folds, uint64_t seed, eqp_direct_boosted **boosted,
                                  eqp_error *error)
{
    const eqp_training *training = folds->training;
    size_t rows = folds->design->rows;
    *boosted = NULL;
    eqp_direct_boosted *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->folds = folds;
    made->cells = training->groups->cell_count;
    made->seed = seed;
    made->own = eqp_take(&made->arena, made->cells, rows * sizeof *made->own);
    for (size_t f = 0; f < EQP_FOLDS; f++)
        made->without[f] = eqp_take(&made->arena, made->cells, rows * sizeof *made->without[f]);
    eqp_status status = made->arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK)
        status = eqp_boost_rows_new(training->encoding, training->block, folds->order, rows, folds->progress,
                                    &made->rows, error);
    if (status == EQP_OK) status = eqp_parallel(FITS, training->threads, fit_one, made, error);
    if (status == EQP_OK) *boosted = made;
    if (status != EQP_OK) eqp_direct_boosted_free(made);
    return status;
}

void eqp_direct_boosted_free(eqp_direct_boosted *boosted)
{
    if (boosted == NULL) return;
    eqp_boost_rows_free(boosted->rows);
    eqp_shared_trees_clear(&boosted->trees);
    eqp_arena_free(&boosted->arena);
    free(boosted);
}

/* ---- in one program ------------------------------------------------------------------------------------ */

/* Only rows that the program learns from are asked for their chances: of those held out the fit without their
 * part will do. */
eqp_status eqp_direct_boosted_add(const eqp_direct_boosted *boosted, size_t held, eqp_direct_scores *scores,
                                  eqp_error *error)
{
    const eqp_direct_folds *folds = boosted->folds;
    size_t rows = folds->design->rows;
    scores->boosted = scores->bases;
    float *basis = eqp_direct_scores_add_basis(scores);
    if (basis == NULL) return eqp_fail_memory(error);
    for (size_t e = 0; e < boosted->cells; e++)
        for (size_t g = 0, at = 0; g <= EQP_FOLDS; g++) { /* the fold held out goes last */
            size_t fold = g < EQP_FOLDS ? g : held;
            if ((g < EQP_FOLDS && g == held) || fold == EQP_NO_FOLD) continue;
            row_span span = fold_span(folds, fold);
            const float *from = fold == held || held == EQP_NO_FOLD ? boosted->own : boosted->without[held];
            memcpy(basis + e * rows + at, from + e * rows + span.first,
                   (span.after - span.first) * sizeof *from);
            at += span.after - span.first;
        }
    return EQP_OK;
}
