/* Direct learner: pricing by the stump oracle.  The oracle sees the training's rows in their own order,
 * held-out ones with weight 0; the program sees its own order. */
#include "direct/class_scores.h"

#include "base/memory.h"
#include "oracle/oracle.h"

#include <math.h>

struct eqp_direct_stumps {
    const eqp_direct_rows *rows;
    eqp_oracle_shared *shared;
    eqp_oracle *oracle;
    eqp_arena arena;    /* of the next three */
    double *weight;     /* by row of the sample, 0 where held out */
    double *extra;      /* scratch, by row of the sample */
    double *group_mass; /* scratch, K */
    size_t count, capacity;
    eqp_splitter **found; /* their scores live as long as the pricer */
};

static eqp_status open_oracle(eqp_direct_stumps *s, const eqp_training *training, uint64_t seed,
                              eqp_error *error)
{
    size_t all = training->block->rows;
    s->weight = eqp_take_zero(&s->arena, all, sizeof *s->weight);
    s->extra = eqp_take_zero(&s->arena, all, sizeof *s->extra);
    s->group_mass = eqp_take(&s->arena, training->groups->group_count, sizeof *s->group_mass);
    if (s->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < s->rows->count; i++) s->weight[s->rows->row[i]] = s->rows->weight[i];
    eqp_status status =
        eqp_oracle_shared_new("stump", training->design, training->block, s->weight, seed, &s->shared, error);
    if (status != EQP_OK) return status;
    eqp_leaf_rows leaf = {.design = training->design,
                          .block = training->block,
                          .weight = s->weight,
                          .cell = training->sample->cell,
                          .cells = training->groups->cell_count};
    return eqp_oracle_new(s->shared, &leaf, &s->oracle, error);
}

eqp_status eqp_direct_stumps_new(const eqp_training *training, const eqp_direct_rows *rows, uint64_t seed,
                                 eqp_direct_stumps **stumps, eqp_error *error)
{
    *stumps = NULL;
    eqp_direct_stumps *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->rows = rows;
    eqp_status status = open_oracle(made, training, seed, error);
    if (status == EQP_OK) *stumps = made;
    if (status != EQP_OK) eqp_direct_stumps_free(made);
    return status;
}

void eqp_direct_stumps_free(eqp_direct_stumps *stumps)
{
    if (stumps == NULL) return;
    for (size_t i = 0; i < stumps->count; i++) eqp_splitter_free(stumps->found[i]);
    free(stumps->found);
    eqp_oracle_free(stumps->oracle);
    eqp_oracle_shared_free(stumps->shared);
    eqp_arena_free(&stumps->arena);
    free(stumps);
}

static double cost_of(const eqp_direct_stumps *s, const eqp_splitter *splitter, const double *cost)
{
    double sum = 0;
    for (size_t i = 0; i < s->rows->count; i++) sum += splitter->chosen[s->rows->row[i]] ? cost[i] : 0;
    return sum;
}

static bool is_strict(eqp_direct_stumps *s, const eqp_splitter *splitter, double budget)
{
    double total = 0;
    eqp_groups_sum(s->rows->groups, splitter->mass, s->group_mass);
    for (size_t e = 0; e < s->rows->groups->cell_count; e++) total += splitter->mass[e];
    return eqp_direct_within(s->rows, s->group_mass, total, budget);
}

static eqp_status keep(eqp_direct_stumps *s, eqp_splitter *splitter, eqp_direct_pool *pool, eqp_error *error)
{
    eqp_splitter **found = eqp_reserve(s->found, &s->capacity, s->count + 1, sizeof *found);
    if (found == NULL) {
        eqp_splitter_free(splitter);
        return eqp_fail_memory(error);
    }
    s->found = found;
    s->found[s->count++] = splitter;
    uint8_t *chosen = eqp_direct_pool_next(pool);
    if (chosen == NULL) return EQP_OK;
    for (size_t i = 0; i < s->rows->count + s->rows->held; i++) chosen[i] = splitter->chosen[s->rows->row[i]];
    eqp_direct_pool_add(pool,
                        &(eqp_direct_rule){.score = &splitter->score, .threshold = splitter->threshold});
    return EQP_OK;
}

static eqp_status price_stumps(void *self, const eqp_direct_quote *quote, eqp_direct_pool *pool,
                               double *least, eqp_error *error)
{
    eqp_direct_stumps *s = self;
    eqp_splitter *splitter;
    *least = 0;
    for (size_t i = 0; i < s->rows->count; i++)
        s->extra[s->rows->row[i]] = 2 * quote->spread * s->rows->weight[i] * (double)quote->mix[i];
    eqp_status status = eqp_oracle_best(s->oracle, quote->price, s->extra, &splitter, error);
    if (status != EQP_OK) return status;
    *least = fmin(0, cost_of(s, splitter, quote->cost));
    if (!isnan(quote->strict_budget) && !is_strict(s, splitter, quote->strict_budget)) *least = 0;
    if (*least < quote->must_beat && splitter->constant == 0) return keep(s, splitter, pool, error);
    eqp_splitter_free(splitter);
    return EQP_OK;
}

eqp_direct_pricer eqp_direct_stump_pricer(eqp_direct_stumps *stumps)
{
    return (eqp_direct_pricer){.price = price_stumps, .self = stumps};
}
