/* Direct learner: pricing by boosted class scores, deploying refitted components. */
#include "direct/cross_fit.h"

#include "base/memory.h"
#include "base/threads.h"
#include "oracle/boosting.h"
#include "oracle/threshold.h"

#include <math.h>
#include <string.h>

/* ---- fitting without some folds ---------------------------------------------------------------------- */

/* The rows outside two folds, ready for fits. */
typedef struct boost_base {
    const eqp_direct_folds *folds;
    eqp_boost_options options;
    size_t count;
    eqp_arena arena; /* of the arrays below */
    size_t *row;     /* of the sample, fitted on */
    double *target, *weight;
    eqp_boost_rows *rows;
} boost_base;

static void close_base(boost_base *base)
{
    eqp_boost_rows_free(base->rows);
    eqp_arena_free(&base->arena);
}

static eqp_status open_base(const eqp_direct_folds *folds, size_t without, size_t and_without, uint64_t seed,
                            boost_base *base, eqp_error *error)
{
    const eqp_training *training = folds->training;
    size_t all = folds->design->rows;
    *base = (boost_base){.folds = folds, .options = eqp_boost_defaults()};
    base->options.seed = seed;
    base->row = eqp_take(&base->arena, all, sizeof *base->row);
    base->target = eqp_take(&base->arena, all, sizeof *base->target);
    base->weight = eqp_take(&base->arena, all, sizeof *base->weight);
    if (base->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < all; i++) {
        if (folds->fold[i] == without || folds->fold[i] == and_without) continue;
        base->weight[base->count] = folds->weight[i];
        base->row[base->count++] = folds->order[i];
    }
    return eqp_boost_rows_new(training->encoding, training->block, base->row, base->count, &base->rows,
                              error);
}

/* Regresses price[cell] on the base's rows. */
static eqp_status fit_prices(boost_base *base, const double *price, eqp_score *score, eqp_error *error)
{
    const uint32_t *cell = base->folds->training->sample->cell;
    for (size_t i = 0; i < base->count; i++) base->target[i] = price[cell[base->row[i]]];
    return eqp_boost_fit(base->rows, base->target, base->weight, &base->options, score, error);
}

/* Scores the rows of a fold into out[0 …]. */
static void score_fold(const eqp_direct_folds *folds, const eqp_score *score, size_t fold, float *out)
{
    const eqp_training *training = folds->training;
    for (size_t i = folds->start[fold]; i < folds->start[fold + 1]; i++)
        *out++ = (float)eqp_score_row(training->encoding, score, training->block, folds->order[i]);
}

/* ---- class scores ------------------------------------------------------------------------------------ */

struct eqp_direct_boosted {
    const eqp_direct_folds *folds;
    size_t cells;
    uint64_t seed;
    eqp_arena arena;         /* of the scores */
    float *score[EQP_FOLDS]; /* [a][cell × rows]: row of fold b by the fit without a and b */
};

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

static eqp_status fit_pair(void *context, size_t index, eqp_error *error)
{
    eqp_direct_boosted *boosted = context;
    const eqp_direct_folds *folds = boosted->folds;
    fold_pair pair = pair_of(index);
    size_t rows = folds->design->rows;
    boost_base base;
    double *indicator = eqp_alloc_zero(boosted->cells, sizeof *indicator);
    eqp_status status = open_base(folds, pair.a, pair.b, boosted->seed, &base, error);
    if (status == EQP_OK && indicator == NULL) status = eqp_fail_memory(error);
    for (size_t e = 0; e < boosted->cells && status == EQP_OK; e++) {
        eqp_score score = {0};
        memset(indicator, 0, boosted->cells * sizeof *indicator);
        indicator[e] = 1;
        status = fit_prices(&base, indicator, &score, error);
        if (status == EQP_OK) {
            score_fold(folds, &score, pair.b, boosted->score[pair.a] + e * rows + folds->start[pair.b]);
            score_fold(folds, &score, pair.a, boosted->score[pair.b] + e * rows + folds->start[pair.a]);
        }
        eqp_score_clear(&score);
    }
    close_base(&base);
    free(indicator);
    return status;
}

eqp_status eqp_direct_boosted_new(const eqp_direct_folds *folds, uint64_t seed, eqp_direct_boosted **boosted,
                                  eqp_error *error)
{
    *boosted = NULL;
    eqp_direct_boosted *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->folds = folds;
    made->seed = seed;
    made->cells = folds->training->groups->cell_count;
    for (size_t a = 0; a < EQP_FOLDS; a++)
        made->score[a] = eqp_take(&made->arena, made->cells, folds->design->rows * sizeof(float));
    eqp_status status = made->arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) status = eqp_parallel(PAIRS, folds->training->threads, fit_pair, made, error);
    if (status == EQP_OK) *boosted = made;
    if (status != EQP_OK) eqp_direct_boosted_free(made);
    return status;
}

void eqp_direct_boosted_free(eqp_direct_boosted *boosted)
{
    if (boosted == NULL) return;
    eqp_arena_free(&boosted->arena);
    free(boosted);
}

/* Copies the design's rows of a fold to place `at` of every cell's column. */
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

/* ---- refits ------------------------------------------------------------------------------------------ */

struct eqp_direct_refits {
    size_t count;
    eqp_direct_scores *scores; /* "cell" j is component j */
    eqp_score *deployed;       /* one per component, empty when a fold is held out */
    eqp_direct_scores *linear; /* borrowed: priced along as well */
    double *unit;              /* scratch: a direction that picks one component */
};

/* Scores `fold` at place `at` by fits without it and `held`. */
static eqp_status refit_fold(eqp_direct_refits *refits, const eqp_direct_folds *folds, size_t held,
                             size_t fold, size_t at, const double *directions, uint64_t seed,
                             eqp_error *error)
{
    boost_base base;
    size_t cells = folds->training->groups->cell_count;
    eqp_status status = open_base(folds, held, fold, seed, &base, error);
    for (size_t j = 0; j < refits->count && status == EQP_OK; j++) {
        eqp_score score = {0};
        status = fit_prices(&base, directions + j * cells, &score, error);
        if (status == EQP_OK)
            score_fold(folds, &score, fold, refits->scores->score + j * folds->design->rows + at);
        eqp_score_clear(&score);
    }
    close_base(&base);
    return status;
}

static eqp_status refit_deployed(eqp_direct_refits *refits, const eqp_direct_folds *folds,
                                 const double *directions, uint64_t seed, eqp_error *error)
{
    boost_base base;
    size_t cells = folds->training->groups->cell_count;
    eqp_status status = open_base(folds, EQP_NO_FOLD, EQP_NO_FOLD, seed, &base, error);
    for (size_t j = 0; j < refits->count && status == EQP_OK; j++)
        status = fit_prices(&base, directions + j * cells, &refits->deployed[j], error);
    close_base(&base);
    return status;
}

static eqp_status refit_all(eqp_direct_refits *refits, const eqp_direct_folds *folds, size_t held,
                            const double *directions, uint64_t seed, eqp_error *error)
{
    size_t at = 0;
    eqp_status status = EQP_OK;
    for (size_t g = 0; g < EQP_FOLDS && status == EQP_OK; g++) {
        if (g == held) continue;
        status = refit_fold(refits, folds, held, g, at, directions, seed, error);
        at += folds->start[g + 1] - folds->start[g];
    }
    if (status != EQP_OK) return status;
    if (held == EQP_NO_FOLD) return refit_deployed(refits, folds, directions, seed, error);
    return refit_fold(refits, folds, held, held, at, directions, seed, error);
}

eqp_status eqp_direct_refits_new(const eqp_direct_folds *folds, size_t held, const double *directions,
                                 size_t count, uint64_t seed, eqp_direct_refits **refits, eqp_error *error)
{
    *refits = NULL;
    eqp_direct_refits *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->count = count;
    made->deployed = eqp_alloc_zero(count, sizeof *made->deployed);
    made->unit = eqp_alloc_zero(count, sizeof *made->unit);
    eqp_status status = made->deployed && made->unit ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK)
        status = eqp_direct_scores_new(folds->design->rows, eqp_direct_folds_count(folds, held), count, 1,
                                       &made->scores, error);
    if (status == EQP_OK) status = refit_all(made, folds, held, directions, seed, error);
    if (status == EQP_OK) *refits = made;
    if (status != EQP_OK) eqp_direct_refits_free(made);
    return status;
}

void eqp_direct_refits_free(eqp_direct_refits *refits)
{
    if (refits == NULL) return;
    for (size_t j = 0; j < refits->count && refits->deployed != NULL; j++)
        eqp_score_clear(&refits->deployed[j]);
    free(refits->deployed);
    free(refits->unit);
    eqp_direct_scores_free(refits->scores);
    free(refits);
}

eqp_status eqp_direct_refits_strict(eqp_direct_refits *refits, const eqp_direct_rows *rows, eqp_error *error)
{
    return eqp_direct_scores_strict(refits->scores, rows, error);
}

static eqp_status price_linear(eqp_direct_refits *refits, const eqp_direct_quote *quote,
                               eqp_direct_pool *pool, double *least, eqp_error *error)
{
    eqp_direct_pricer pricer = eqp_direct_score_pricer(refits->linear);
    double found;
    eqp_status status = pricer.price(pricer.self, quote, pool, &found, error);
    *least = fmin(*least, found);
    return status;
}

static eqp_status price_refits(void *self, const eqp_direct_quote *quote, eqp_direct_pool *pool,
                               double *least, eqp_error *error)
{
    eqp_direct_refits *refits = self;
    eqp_direct_scores *s = refits->scores;
    *least = 0;
    for (size_t j = 0; j < refits->count; j++) {
        refits->unit[j] = 1;
        eqp_direct_scores_project(s, 0, refits->unit);
        refits->unit[j] = 0;
        eqp_cut cut = s->ranks != NULL
                          ? eqp_direct_strict_cut(s->ranks, s->line, quote->cost, quote->strict_budget)
                          : eqp_best_threshold(s->line, quote->cost, s->count, s->scratch);
        *least = fmin(*least, cut.cost);
        uint8_t *chosen = eqp_direct_pool_next(pool);
        if (cut.cost >= quote->must_beat || !isfinite(cut.threshold) || chosen == NULL) continue;
        for (size_t i = 0; i < s->rows; i++) chosen[i] = s->line[i] < cut.threshold;
        eqp_direct_pool_add(pool,
                            &(eqp_direct_rule){.score = &refits->deployed[j], .threshold = cut.threshold});
    }
    return *least < quote->must_beat ? EQP_OK : price_linear(refits, quote, pool, least, error);
}

eqp_direct_pricer eqp_direct_refit_pricer(eqp_direct_refits *refits, eqp_direct_scores *linear)
{
    refits->linear = linear;
    return (eqp_direct_pricer){.price = price_refits, .self = refits};
}
