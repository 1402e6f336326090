/* Direct learner: from boosted class scores to few single scores.
 *
 *     directions that programs took -> the few that stand for most -> thresholds along these */
#include "direct/boosted.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double ALIKE_COSINE = 0.99; /* of directions that stand for each other */
static const double LEAST_USE = 0.02;    /* of a direction that is kept, among all */

/* ---- directions ---------------------------------------------------------------------------------------- */

eqp_status eqp_direct_library_new(const eqp_direct_boosted *boosted, size_t most_traits,
                                  eqp_direct_library **library, eqp_error *error)
{
    *library = NULL;
    eqp_direct_library *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->boosted = boosted;
    made->trait_capacity = most_traits;
    made->traits = eqp_take_zero(&made->arena, most_traits, sizeof *made->traits);
    double *directions = eqp_take(&made->arena, most_traits, boosted->cells * sizeof *directions);
    made->deployed = eqp_take_zero(&made->arena, EQP_LIBRARY_SCORES, sizeof *made->deployed);
    made->score =
        eqp_take(&made->arena, EQP_LIBRARY_SCORES, boosted->folds->design->rows * sizeof *made->score);
    if (made->arena.failed) {
        eqp_direct_library_free(made);
        return eqp_fail_memory(error);
    }
    for (size_t t = 0; t < most_traits; t++) made->traits[t].direction = directions + t * boosted->cells;
    *library = made;
    return EQP_OK;
}

void eqp_direct_library_free(eqp_direct_library *library)
{
    if (library == NULL) return;
    for (size_t j = 0; j < library->count; j++) eqp_score_clear(&library->deployed[j]);
    eqp_arena_free(&library->arena);
    free(library);
}

/* Class scores of a row sum to about 1: what is common to all prices only moves the threshold. */
static bool make_trait(const double *direction, size_t cells, eqp_direct_trait *trait)
{
    double mean = 0, square = 0;
    for (size_t e = 0; e < cells; e++) mean += direction[e] / (double)cells;
    for (size_t e = 0; e < cells; e++) {
        trait->direction[e] = direction[e] - mean;
        square += trait->direction[e] * trait->direction[e];
    }
    if (!(square > 0)) return false;
    for (size_t e = 0; e < cells; e++) trait->direction[e] /= sqrt(square);
    return true;
}

void eqp_direct_library_note(eqp_direct_library *library, const eqp_direct_pool *pool,
                             const eqp_direct_solution *solution, size_t point)
{
    for (size_t j = 0; j < pool->count && library->trait_count < library->trait_capacity; j++) {
        if (solution->part[j] <= 0 || pool->rules[j].direction == NULL) continue;
        eqp_direct_trait *trait = &library->traits[library->trait_count];
        if (!make_trait(pool->rules[j].direction, library->boosted->cells, trait)) continue;
        trait->point = point;
        trait->use = solution->part[j] * pool->total[j] / solution->yield;
        library->trait_count++;
    }
}

void eqp_direct_library_weigh(eqp_direct_library *library, const double *importance)
{
    for (size_t t = 0; t < library->trait_count; t++)
        library->traits[t].use *= importance[library->traits[t].point];
}

static bool alike(const eqp_direct_library *library, const eqp_direct_trait *a, const eqp_direct_trait *b)
{
    double cosine = 0;
    for (size_t e = 0; e < library->boosted->cells; e++) cosine += a->direction[e] * b->direction[e];
    return cosine >= ALIKE_COSINE;
}

/* The use of all directions that this one could stand for and no other does yet. */
static double stands_for(const eqp_direct_library *library, size_t t, const uint8_t *covered)
{
    double use = 0;
    for (size_t u = 0; u < library->trait_count; u++)
        if (!covered[u] && alike(library, &library->traits[t], &library->traits[u]))
            use += library->traits[u].use;
    return use;
}

static size_t most_standing(const eqp_direct_library *library, size_t first, const uint8_t *covered,
                            double *most)
{
    size_t best = first;
    *most = 0;
    for (size_t t = first; t < library->trait_count; t++) {
        double use = covered[t] ? 0 : stands_for(library, t, covered);
        if (use > *most) *most = use, best = t;
    }
    return best;
}

/* Puts the directions to keep first. */
static eqp_status choose_traits(eqp_direct_library *library, eqp_error *error)
{
    double all = 0, most;
    size_t count = library->trait_count, kept = 0;
    uint8_t *covered = eqp_alloc_zero(count + 1, sizeof *covered);
    if (covered == NULL) return eqp_fail_memory(error);
    for (size_t t = 0; t < count; t++) all += library->traits[t].use;
    for (; kept < EQP_LIBRARY_SCORES && kept < count; kept++) {
        size_t best = most_standing(library, kept, covered, &most);
        if (!(most > LEAST_USE * all)) break;
        for (size_t u = 0; u < count; u++)
            covered[u] |= alike(library, &library->traits[best], &library->traits[u]);
        eqp_direct_trait moved = library->traits[kept];
        library->traits[kept] = library->traits[best];
        library->traits[best] = moved;
        covered[best] = covered[kept];
    }
    free(covered);
    library->count = kept;
    return EQP_OK;
}

eqp_status eqp_direct_library_settle(eqp_direct_library *library, eqp_error *error)
{
    const eqp_direct_boosted *boosted = library->boosted;
    size_t rows = boosted->folds->design->rows;
    eqp_status status = choose_traits(library, error);
    for (size_t j = 0; j < library->count && status == EQP_OK; j++) {
        const double *direction = library->traits[j].direction;
        for (size_t first = 0; first < rows; first += EQP_BLEND_RUN) {
            size_t count = rows - first < EQP_BLEND_RUN ? rows - first : EQP_BLEND_RUN;
            eqp_direct_blend(boosted->own + first, rows, boosted->cells, direction, count,
                             library->score + j * rows + first);
        }
        status = eqp_shared_trees_sum(&boosted->trees, direction, boosted->folds->training->encoding->width,
                                      &library->deployed[j], error);
    }
    return status;
}

/* ---- in one program ------------------------------------------------------------------------------------ */

/* The library's scores in the order of the program that leaves `held` out. */
static void order_scores(const eqp_direct_library *library, size_t held, float *score)
{
    const eqp_direct_folds *folds = library->boosted->folds;
    size_t rows = folds->design->rows;
    size_t first = held == EQP_NO_FOLD ? rows : folds->start[held];
    size_t after = held == EQP_NO_FOLD ? rows : folds->start[held + 1];
    for (size_t j = 0; j < library->count; j++) {
        const float *from = library->score + j * rows;
        float *to = score + j * rows;
        memcpy(to, from, first * sizeof *to);
        memcpy(to + first, from + after, (rows - after) * sizeof *to);
        memcpy(to + rows - (after - first), from + first, (after - first) * sizeof *to);
    }
}

eqp_status eqp_direct_shelf_new(const eqp_direct_library *library, size_t held, eqp_direct_scores *linear,
                                const eqp_direct_rows *rows, bool strict, eqp_direct_shelf **shelf,
                                eqp_error *error)
{
    *shelf = NULL;
    eqp_direct_shelf *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->library = library;
    made->linear = linear;
    made->unit = eqp_alloc_zero(library->count + 1, sizeof *made->unit);
    eqp_status status = made->unit != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK)
        status = eqp_direct_scores_new(rows->count + rows->held, rows->count, library->count, 1,
                                       &made->scores, error);
    if (status == EQP_OK) order_scores(library, held, made->scores->score);
    if (status == EQP_OK && strict) status = eqp_direct_scores_strict(made->scores, rows, error);
    if (status == EQP_OK) *shelf = made;
    if (status != EQP_OK) eqp_direct_shelf_free(made);
    return status;
}

void eqp_direct_shelf_free(eqp_direct_shelf *shelf)
{
    if (shelf == NULL) return;
    free(shelf->unit);
    eqp_direct_scores_free(shelf->scores);
    free(shelf);
}

/* The best threshold along score j. */
static eqp_cut best_cut(eqp_direct_shelf *shelf, size_t j, const eqp_direct_quote *quote)
{
    eqp_direct_scores *s = shelf->scores;
    const float *column = s->score + j * s->rows;
    if (s->ranks == NULL)
        return eqp_threshold_below(column, quote->cost, s->count, quote->must_beat, s->scratch);
    shelf->unit[j] = 1;
    eqp_direct_scores_project(s, 0, shelf->unit);
    shelf->unit[j] = 0;
    return eqp_direct_strict_cut(s->ranks, s->line, quote->cost, quote->strict_budget);
}

static eqp_status price_shelf(void *self, const eqp_direct_quote *quote, eqp_direct_pool *pool, double *least,
                              eqp_error *error)
{
    eqp_direct_shelf *shelf = self;
    const eqp_direct_scores *s = shelf->scores;
    *least = 0;
    for (size_t j = 0; j < shelf->library->count; j++) {
        eqp_cut cut = best_cut(shelf, j, quote);
        *least = fmin(*least, cut.cost);
        uint8_t *chosen = eqp_direct_pool_next(pool);
        if (cut.cost >= quote->must_beat || !isfinite(cut.threshold) || chosen == NULL) continue;
        for (size_t i = 0; i < s->rows; i++) chosen[i] = (double)s->score[j * s->rows + i] < cut.threshold;
        eqp_direct_pool_add(pool, &(eqp_direct_rule){.basis = (uint32_t)j,
                                                     .score = &shelf->library->deployed[j],
                                                     .threshold = cut.threshold});
    }
    if (*least < quote->must_beat) return EQP_OK;
    eqp_direct_pricer linear = eqp_direct_score_pricer(shelf->linear);
    double found;
    eqp_status status = linear.price(linear.self, quote, pool, &found, error);
    *least = fmin(*least, found);
    return status;
}

eqp_direct_pricer eqp_direct_shelf_pricer(eqp_direct_shelf *shelf)
{
    return (eqp_direct_pricer){.price = price_shelf, .self = shelf};
}
