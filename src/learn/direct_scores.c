/* Direct learner: class scores by least squares, and the search for rules along them (M6, M9).
 *
 * Least squares is linear in its targets: the fit to prices v over the cells is P v, where the columns of P
 * are the fits to the cells' indicators.  So an oracle call is one pass over P and the best threshold. */
#include "learn/direct_scores.h"

#include "base/memory.h"
#include "oracle/threshold.h"

#include <math.h>
#include <string.h>

enum { RUN = 1024 }; /* rows scored at a time */
static const double RIDGE = 1e-3;

/* ---- fits ---------------------------------------------------------------------------------------------- */

/* sums of all folds but two, for the chosen slots: entry (i, j) of a matrix with `columns` columns. */
static double left(const double *sums, size_t size, size_t at, size_t without, size_t and_without)
{
    double value = sums[EQP_FOLDS * size + at];
    if (without != EQP_NO_FOLD) value -= sums[without * size + at];
    if (and_without != EQP_NO_FOLD && and_without != without) value -= sums[and_without * size + at];
    return value;
}

typedef struct fit_work {
    size_t width, cells, count; /* count: slots of the basis */
    const uint32_t *slots;      /* NULL: all */
    double *gram, *factor, *right;
} fit_work;

static void gather(const eqp_direct_fits *fits, fit_work *work, size_t without, size_t and_without)
{
    size_t width = work->width, cells = work->cells, count = work->count;
    for (size_t i = 0; i < count; i++) {
        size_t row = work->slots ? work->slots[i] : i;
        for (size_t j = 0; j < count; j++) {
            size_t column = work->slots ? work->slots[j] : j;
            work->gram[i * count + j] =
                left(fits->gram, width * width, row * width + column, without, and_without);
        }
        for (size_t e = 0; e < cells; e++)
            work->right[i * cells + e] =
                left(fits->moments, width * cells, row * cells + e, without, and_without);
    }
}

eqp_status eqp_direct_fit(const eqp_direct_fits *fits, size_t basis, size_t without, size_t and_without,
                          double *coefficients, eqp_error *error)
{
    bool all = basis + 1 == fits->bases;
    fit_work work = {.width = fits->training->encoding->width,
                     .cells = fits->training->groups->cell_count,
                     .slots = all ? NULL : fits->slots};
    work.count = all ? work.width : fits->slot_count;
    work.gram = eqp_alloc(work.count, work.count * sizeof(double));
    work.factor = eqp_alloc(work.count, work.count * sizeof(double));
    work.right = eqp_alloc(work.count, work.cells * sizeof(double));
    eqp_status status = work.gram && work.factor && work.right ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) {
        gather(fits, &work, without, and_without);
        status = eqp_ridge_solve(work.gram, work.count, RIDGE, work.factor, work.right, work.cells, error);
    }
    if (status == EQP_OK) {
        memset(coefficients, 0, work.width * work.cells * sizeof *coefficients);
        for (size_t i = 0; i < work.count; i++)
            memcpy(coefficients + (work.slots ? work.slots[i] : i) * work.cells, work.right + i * work.cells,
                   work.cells * sizeof *coefficients);
    }
    free(work.gram);
    free(work.factor);
    free(work.right);
    return status;
}

/* ---- scores -------------------------------------------------------------------------------------------- */

eqp_status eqp_direct_scores_new(size_t rows, size_t count, size_t cells, size_t bases,
                                 eqp_direct_scores **scores, eqp_error *error)
{
    *scores = NULL;
    eqp_direct_scores *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    *made = (eqp_direct_scores){.rows = rows, .count = count, .cells = cells, .bases = bases};
    made->score = eqp_alloc(bases * cells, rows * sizeof *made->score);
    made->part = eqp_alloc(RUN, sizeof *made->part);
    made->line = eqp_alloc(rows, sizeof *made->line);
    made->scratch = eqp_alloc(eqp_threshold_scratch(count), 1);
    if (!made->score || !made->part || !made->line || !made->scratch) {
        eqp_direct_scores_free(made);
        return eqp_fail_memory(error);
    }
    *scores = made;
    return EQP_OK;
}

void eqp_direct_scores_free(eqp_direct_scores *scores)
{
    if (scores == NULL) return;
    free(scores->score);
    free(scores->part);
    free(scores->line);
    free(scores->scratch);
    eqp_direct_ranks_free(scores->ranks);
    free(scores->pull);
    free(scores->tried);
    free(scores);
}

/* Scores the design's rows first … last-1 into places at … of the scores. */
static void score_range(const eqp_direct_fits *fits, const double *coefficients, size_t first, size_t last,
                        double *run, eqp_direct_scores *scores, size_t basis, size_t at)
{
    size_t cells = scores->cells;
    while (first < last) {
        size_t count = last - first < RUN ? last - first : RUN;
        eqp_design_scores(fits->design, coefficients, cells, first, count, run);
        for (size_t e = 0; e < cells; e++) {
            float *column = scores->score + (basis * cells + e) * scores->rows + at;
            for (size_t i = 0; i < count; i++) column[i] = (float)run[i * cells + e];
        }
        first += count;
        at += count;
    }
}

static eqp_status score_basis(const eqp_direct_fits *fits, size_t held, size_t basis, double *coefficients,
                              double *run, eqp_direct_scores *scores, eqp_error *error)
{
    size_t at = 0;
    for (size_t g = 0; g < EQP_FOLDS; g++) {
        if (g == held) continue;
        eqp_status status = eqp_direct_fit(fits, basis, held, g, coefficients, error);
        if (status != EQP_OK) return status;
        score_range(fits, coefficients, fits->start[g], fits->start[g + 1], run, scores, basis, at);
        at += fits->start[g + 1] - fits->start[g];
    }
    if (held == EQP_NO_FOLD) return EQP_OK;
    eqp_status status = eqp_direct_fit(fits, basis, held, EQP_NO_FOLD, coefficients, error);
    if (status == EQP_OK)
        score_range(fits, coefficients, fits->start[held], fits->start[held + 1], run, scores, basis, at);
    return status;
}

eqp_status eqp_direct_cross_fit(const eqp_direct_fits *fits, size_t held, eqp_direct_scores **scores,
                                eqp_error *error)
{
    size_t rows = fits->design->rows, cells = fits->training->groups->cell_count;
    size_t count = held == EQP_NO_FOLD ? rows : rows - (fits->start[held + 1] - fits->start[held]);
    eqp_status status = eqp_direct_scores_new(rows, count, cells, fits->bases, scores, error);
    if (status != EQP_OK) return status;
    double *coefficients = eqp_alloc(fits->training->encoding->width, cells * sizeof *coefficients);
    double *run = eqp_alloc(RUN, cells * sizeof *run);
    if (coefficients == NULL || run == NULL) status = eqp_fail_memory(error);
    for (size_t basis = 0; basis < fits->bases && status == EQP_OK; basis++)
        status = score_basis(fits, held, basis, coefficients, run, *scores, error);
    free(coefficients);
    free(run);
    if (status != EQP_OK) {
        eqp_direct_scores_free(*scores);
        *scores = NULL;
    }
    return status;
}

eqp_status eqp_direct_scores_strict(eqp_direct_scores *scores, const eqp_direct_rows *rows, eqp_error *error)
{
    scores->pull = eqp_alloc(rows->groups->group_count, sizeof *scores->pull);
    scores->tried = eqp_alloc(rows->groups->cell_count, sizeof *scores->tried);
    if (scores->pull == NULL || scores->tried == NULL) return eqp_fail_memory(error);
    return eqp_direct_ranks_new(rows, &scores->ranks, error);
}

/* ---- pricing ------------------------------------------------------------------------------------------- */

/* line = scores of the basis times the prices, run by run so that sums stay in the cache. */
static void project(eqp_direct_scores *s, size_t basis, const double *price)
{
    for (size_t first = 0; first < s->rows; first += RUN) {
        size_t count = s->rows - first < RUN ? s->rows - first : RUN;
        memset(s->part, 0, count * sizeof *s->part);
        for (size_t e = 0; e < s->cells; e++) {
            const float *column = s->score + (basis * s->cells + e) * s->rows + first;
            float factor = (float)price[e];
            for (size_t i = 0; i < count; i++) s->part[i] += factor * column[i];
        }
        for (size_t i = 0; i < count; i++) s->line[first + i] = (double)s->part[i];
    }
}

static void add_rule(const eqp_direct_scores *s, size_t basis, const double *price, double threshold,
                     eqp_direct_pool *pool)
{
    uint8_t *chosen = eqp_direct_pool_next(pool);
    if (chosen == NULL) return;
    for (size_t i = 0; i < s->rows; i++) chosen[i] = s->line[i] < threshold;
    eqp_direct_source source = {.basis = (uint32_t)basis, .direction = price, .threshold = threshold};
    eqp_direct_pool_add(pool, &source);
}

/* The best rule along one direction; added when it helps.  Returns its cost. */
static double try_direction(eqp_direct_scores *s, size_t basis, const double *direction,
                            const eqp_direct_quote *quote, eqp_direct_pool *pool)
{
    project(s, basis, direction);
    eqp_cut cut = eqp_best_threshold(s->line, quote->cost, s->count, s->scratch);
    if (cut.cost < quote->must_beat && isfinite(cut.threshold))
        add_rule(s, basis, direction, cut.threshold, pool);
    return cut.cost;
}

/* Strict rules: the direction is bent until its best cut keeps the budget, and the best cut within the budget
 * that was met on the way counts. */
static double try_strictly(eqp_direct_scores *s, size_t basis, const eqp_direct_quote *quote,
                           eqp_direct_pool *pool)
{
    enum { TRIES = 12 };
    const eqp_groups *groups = pool->rows->groups;
    double least = 0;
    memset(s->pull, 0, groups->group_count * sizeof *s->pull);
    memcpy(s->tried, quote->price, groups->cell_count * sizeof *s->tried);
    for (int i = 0; i < TRIES; i++) {
        project(s, basis, s->tried);
        eqp_cut cut = eqp_direct_strict_cut(s->ranks, s->line, quote->cost, quote->strict_budget);
        if (cut.cost < least && cut.cost < quote->must_beat)
            add_rule(s, basis, s->tried, cut.threshold, pool);
        least = fmin(least, cut.cost);
        eqp_cut free_cut = eqp_best_threshold(s->line, quote->cost, s->count, s->scratch);
        if (free_cut.cost >= cut.cost) break; /* the budget does not bind along this direction */
        eqp_direct_strict_prices(s->ranks, s->line, free_cut.threshold, quote->strict_budget, quote->price,
                                 s->pull, s->tried);
    }
    return least;
}

/* First along the prices; where that finds nothing, along the directions of the rules in use: least squares
 * is no exact oracle, and their thresholds were best at prices that have changed since. */
static eqp_status price_scores(void *self, const eqp_direct_quote *quote, eqp_direct_pool *pool,
                               double *least, eqp_error *error)
{
    eqp_direct_scores *s = self;
    size_t known = pool->count;
    (void)error;
    *least = 0; /* h ≡ 0 */
    for (size_t basis = 0; basis < s->bases; basis++)
        *least = fmin(*least, s->ranks != NULL ? try_strictly(s, basis, quote, pool)
                                               : try_direction(s, basis, quote->price, quote, pool));
    if (s->ranks != NULL) return EQP_OK;
    for (size_t j = 0; j < known && *least >= quote->must_beat; j++) {
        const eqp_direct_source *source = &pool->sources[j];
        if (quote->part[j] > 0 && source->direction != NULL)
            *least = fmin(*least, try_direction(s, source->basis, source->direction, quote, pool));
    }
    return EQP_OK;
}

eqp_direct_pricer eqp_direct_score_pricer(eqp_direct_scores *scores)
{
    return (eqp_direct_pricer){.price = price_scores, .self = scores};
}
