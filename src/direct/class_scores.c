/* Direct learner: pricing by scores. */
#include "direct/class_scores.h"

#include "base/memory.h"
#include "base/wide.h"
#include "direct/pool.h"
#include "oracle/threshold.h"

#include <math.h>
#include <string.h>

eqp_status eqp_direct_scores_new(size_t rows, size_t count, size_t cells, size_t bases,
                                 eqp_direct_scores **scores, eqp_error *error)
{
    *scores = NULL;
    eqp_direct_scores *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    *made = (eqp_direct_scores){.rows = rows,
                                .count = count,
                                .cells = cells,
                                .bases = bases,
                                .logits = EQP_NO_BASIS,
                                .boosted = EQP_NO_BASIS};
    made->score = eqp_alloc(bases * cells, rows * sizeof *made->score);
    made->narrow = eqp_take(&made->arena, rows, sizeof *made->narrow);
    made->line = eqp_take(&made->arena, rows, sizeof *made->line);
    made->scratch = eqp_take(&made->arena, eqp_threshold_scratch(count), 1);
    if (made->score == NULL || made->arena.failed) {
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
    for (size_t b = 0; b < EQP_LINEAR_BASES; b++) free(scores->deployed[b]);
    eqp_arena_free(&scores->arena);
    eqp_direct_ranks_free(scores->ranks);
    free(scores);
}

float *eqp_direct_scores_add_basis(eqp_direct_scores *scores)
{
    size_t basis = scores->cells * scores->rows;
    float *grown = eqp_resize(scores->score, scores->bases + 1, basis * sizeof *grown);
    if (grown == NULL) return NULL;
    scores->score = grown;
    return grown + scores->bases++ * basis;
}

bool eqp_direct_scores_bend(eqp_direct_scores *scores, size_t basis)
{
    scores->logits = basis;
    scores->place = eqp_take(&scores->arena, scores->cells, sizeof *scores->place);
    scores->bent = eqp_take(&scores->arena, scores->cells, sizeof *scores->bent);
    return !scores->arena.failed;
}

void eqp_direct_scores_only_last(eqp_direct_scores *scores)
{
    scores->first = scores->turn = scores->bases - 1;
}

void eqp_direct_scores_drop_last(eqp_direct_scores *scores)
{
    scores->bases--;
    scores->first = scores->turn = 0;
}

eqp_status eqp_direct_scores_strict(eqp_direct_scores *scores, const eqp_direct_rows *rows, eqp_error *error)
{
    scores->pull = eqp_take(&scores->arena, rows->groups->group_count, sizeof *scores->pull);
    scores->tried = eqp_take(&scores->arena, rows->groups->cell_count, sizeof *scores->tried);
    if (scores->arena.failed) return eqp_fail_memory(error);
    return eqp_direct_ranks_new(rows, &scores->ranks, error);
}

/* ---- pricing ----------------------------------------------------------------------------------------- */

/* Run by run, so that sums stay in the cache. */
static void project(eqp_direct_scores *s, size_t basis, const double *price)
{
    const float *columns = s->score + basis * s->cells * s->rows;
    for (size_t first = 0; first < s->rows; first += EQP_BLEND_RUN) {
        size_t count = s->rows - first < EQP_BLEND_RUN ? s->rows - first : EQP_BLEND_RUN;
        eqp_direct_blend(columns + first, s->rows, s->cells, price, count, s->narrow + first);
    }
}

EQP_WIDE static void widen(double *restrict line, const float *restrict narrow, size_t count)
{
    for (size_t i = 0; i < count; i++) line[i] = (double)narrow[i];
}

void eqp_direct_scores_project(eqp_direct_scores *s, size_t basis, const double *price)
{
    project(s, basis, price);
    widen(s->line, s->narrow, s->rows);
}

EQP_WIDE static void choose_below(uint8_t *restrict chosen, const float *restrict score, double threshold,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) chosen[i] = (double)score[i] < threshold;
}

static void add_rule(const eqp_direct_scores *s, size_t basis, const double *price, double threshold,
                     eqp_direct_pool *pool)
{
    uint8_t *chosen = eqp_direct_pool_next(pool);
    if (chosen == NULL) return;
    choose_below(chosen, s->narrow, threshold, s->rows);
    eqp_direct_rule source = {.basis = (uint32_t)basis, .direction = price, .threshold = threshold};
    eqp_direct_pool_add(pool, &source);
}

/* The best rule along one direction; added when it helps. Returns its cost, or a bound that does not help. */
static double try_direction(eqp_direct_scores *s, size_t basis, const double *direction,
                            const eqp_direct_quote *quote, eqp_direct_pool *pool)
{
    project(s, basis, direction);
    eqp_cut cut = eqp_threshold_below(s->narrow, quote->cost, s->count, quote->must_beat, s->scratch);
    if (cut.cost < quote->must_beat && isfinite(cut.threshold))
        add_rule(s, basis, direction, cut.threshold, pool);
    return cut.cost;
}

/* Along logits a row's price is sum of p v, which is not linear.  Near chances p it is: its slope by logit e
 * is p_e (v_e - p·v). */
static void bend(eqp_direct_scores *s, const double *price)
{
    double middle = 0;
    for (size_t e = 0; e < s->cells; e++) middle += s->place[e] * price[e];
    for (size_t e = 0; e < s->cells; e++) s->bent[e] = s->place[e] * (price[e] - middle);
}

/* place = the composition of the rows that a mixture or, where it is given, a rule accepts. */
static void find_place(const eqp_direct_scores *s, const eqp_direct_rows *rows, const float *mix,
                       const uint8_t *chosen)
{
    const double LEAST = 1e-4;
    double all = 0;
    memset(s->place, 0, s->cells * sizeof *s->place);
    for (size_t i = 0; i < rows->count; i++) {
        double share = rows->weight[i] * (chosen != NULL ? (double)chosen[i] : (double)mix[i]);
        s->place[rows->cell[i]] += share;
        all += share;
    }
    for (size_t e = 0; e < s->cells; e++) s->place[e] = fmax(LEAST, all > 0 ? s->place[e] / all : 0);
}

/* First near the rows accepted now, then near those that the rule found would accept. */
static double try_logits(eqp_direct_scores *s, const eqp_direct_quote *quote, eqp_direct_pool *pool)
{
    enum { TRIES = 3 };
    double least = 0;
    find_place(s, pool->rows, quote->mix, NULL);
    for (int i = 0; i < TRIES; i++) {
        size_t known = pool->count;
        bend(s, quote->price);
        least = fmin(least, try_direction(s, s->logits, s->bent, quote, pool));
        if (pool->count == known) break; /* it helps no more */
        find_place(s, pool->rows, NULL, pool->chosen + known * s->rows);
    }
    return least;
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
        eqp_direct_scores_project(s, basis, s->tried);
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

static double try_basis(eqp_direct_scores *s, size_t basis, const eqp_direct_quote *quote,
                        eqp_direct_pool *pool)
{
    if (s->ranks != NULL) return try_strictly(s, basis, quote, pool);
    if (basis == s->logits) return try_logits(s, quote, pool);
    return try_direction(s, basis, quote->price, quote, pool);
}

/* First along the prices, basis by basis in turn until a rule helps; where none does, and it is asked for,
 * along the directions of the rules in use: least squares is no exact oracle, and their thresholds were best
 * at prices that have changed since. */
static eqp_status price_scores(void *self, const eqp_direct_quote *quote, eqp_direct_pool *pool,
                               double *least, eqp_error *error)
{
    eqp_direct_scores *s = self;
    (void)error;
    *least = 0; /* h ≡ 0 */
    for (size_t tried = s->first; tried < s->bases && *least >= quote->must_beat; tried++) {
        size_t basis = s->turn;
        *least = fmin(*least, try_basis(s, basis, quote, pool));
        if (*least >= quote->must_beat) s->turn = basis + 1 < s->bases ? basis + 1 : s->first;
    }
    bool again = quote->thorough && s->ranks == NULL;
    for (size_t j = 0; again && j < pool->count && *least >= quote->must_beat; j++) {
        const eqp_direct_rule *source = &pool->rules[j];
        if (quote->part[j] > 0 && source->direction != NULL)
            *least = fmin(*least, try_direction(s, source->basis, source->direction, quote, pool));
    }
    return EQP_OK;
}

eqp_direct_pricer eqp_direct_score_pricer(eqp_direct_scores *scores)
{
    return (eqp_direct_pricer){.price = price_scores, .self = scores};
}
