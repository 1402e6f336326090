/* What the population may be like, given the rows learned from (outlook.h). */
#include "direct/outlook.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { MOST_DRAWS = 2000, LEAST_DRAWS = 200, NUMBERS = 8000000, STEPS = 30, MARGIN_STEPS = 12 };
enum { ROUGH_SHARE = 4 }; /* a rough outlook draws so many times fewer */

struct eqp_noise {
    size_t cells, draws;
    float *normal; /* [draw][cell][2] */
};

eqp_status eqp_noise_new(size_t cells, eqp_noise **noise, eqp_error *error)
{
    eqp_noise *made = *noise = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->cells = cells;
    made->draws = NUMBERS / (2 * cells); /* fewer where there are very many cells */
    if (made->draws > MOST_DRAWS) made->draws = MOST_DRAWS;
    if (made->draws < LEAST_DRAWS) made->draws = LEAST_DRAWS;
    made->normal = eqp_alloc(made->draws * cells, 2 * sizeof *made->normal);
    if (made->normal == NULL) return eqp_fail_memory(error);
    eqp_random random = eqp_random_from(1, 9);
    for (size_t i = 0; i < 2 * made->draws * cells; i++) made->normal[i] = (float)eqp_random_normal(&random);
    return EQP_OK;
}

void eqp_noise_free(eqp_noise *noise)
{
    if (noise == NULL) return;
    free(noise->normal);
    free(noise);
}

struct eqp_outlook {
    const eqp_noise *noise;
    size_t draws;
    const eqp_groups *groups;
    double ratio;                    /* NaN: none */
    eqp_arena arena;                 /* of the arrays below */
    double yield, *shift, *rate;     /* on the rows: y, and of each group m_k and r_k */
    double *yields, *shifts, *rates; /* [draw], [draw][group] */
    double *largest;                 /* [draw]: max_k |m_k| */
    double *use, *error;             /* K: what each group uses of the budget, and its standard error */
    double *rise;                    /* [draw][group]: how much more it uses there */
    double *mass, *weight;           /* scratch: E each */
    double *accepted, *base;         /* scratch: K each */
    double *sorted;                  /* scratch: [draw] */
};

eqp_status eqp_outlook_new(const eqp_noise *noise, const eqp_groups *groups, double ratio, bool rough,
                           eqp_outlook **outlook, eqp_error *error)
{
    size_t K = groups->group_count, E = groups->cell_count;
    eqp_outlook *made = *outlook = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->noise = noise;
    made->groups = groups;
    made->ratio = ratio;
    made->draws = rough ? noise->draws / ROUGH_SHARE : noise->draws;
    made->shift = eqp_take(&made->arena, K, sizeof(double));
    made->rate = eqp_take(&made->arena, K, sizeof(double));
    made->yields = eqp_take(&made->arena, made->draws, sizeof(double));
    made->shifts = eqp_take(&made->arena, made->draws * K, sizeof(double));
    made->rates = eqp_take(&made->arena, made->draws * K, sizeof(double));
    made->largest = eqp_take(&made->arena, made->draws, sizeof(double));
    made->error = eqp_take(&made->arena, K, sizeof(double));
    made->use = eqp_take(&made->arena, K, sizeof(double));
    made->rise = eqp_take(&made->arena, made->draws * K, sizeof(double));
    made->mass = eqp_take(&made->arena, E, sizeof(double));
    made->weight = eqp_take(&made->arena, E, sizeof(double));
    made->accepted = eqp_take(&made->arena, K, sizeof(double));
    made->base = eqp_take(&made->arena, K, sizeof(double));
    made->sorted = eqp_take(&made->arena, made->draws, sizeof(double));
    return made->arena.failed ? eqp_fail_memory(error) : EQP_OK;
}

void eqp_outlook_free(eqp_outlook *outlook)
{
    if (outlook == NULL) return;
    eqp_arena_free(&outlook->arena);
    free(outlook);
}

/* ---- looking ------------------------------------------------------------------------------------------- */

/* Yield and shifts from the masses of the cells, whose sum is brought to 1. */
static double find_shifts(eqp_outlook *o, const double *mass, const double *weight, double *shift,
                          double *rate)
{
    double all = 0, accepted = 0;
    for (size_t e = 0; e < o->groups->cell_count; e++) {
        all += weight[e];
        accepted += mass[e];
    }
    eqp_groups_sum(o->groups, mass, o->accepted);
    eqp_groups_sum(o->groups, weight, o->base);
    double yield = accepted / all;
    for (size_t k = 0; k < o->groups->group_count; k++) {
        rate[k] = o->base[k] / all;
        shift[k] = o->accepted[k] / all - rate[k] * yield;
    }
    return yield;
}

/* Accepted and whole mass of a cell vary together: variances `square` and `weight_square`, covariance
 * `linear`. */
static void draw_masses(eqp_outlook *o, const eqp_tally *t, double share, const float *normal)
{
    for (size_t e = 0; e < t->cells; e++, normal += 2) {
        double whole = sqrt(share * t->weight_square[e]);
        double slope = t->weight_square[e] > 0 ? t->linear[e] / t->weight_square[e] : 0;
        double rest = share * (t->square[e] - slope * t->linear[e]);
        double moved = whole * (double)normal[0];
        o->weight[e] = fmax(0, t->weight[e] + moved);
        o->mass[e] =
            fmin(o->weight[e], fmax(0, t->mass[e] + slope * moved + sqrt(fmax(0, rest)) * (double)normal[1]));
    }
}

static double scale_one(double side)
{
    return 1 / fmax(1e-12, side);
}

static double scale_of(double yield)
{
    return scale_one(fmin(yield, 1 - yield));
}

/* How much of the ratio a group uses: 1 is all of it. */
static double ratio_use(double ratio, double shift, double rate, double yield)
{
    double accepted = shift * scale_one(yield), rejected = -shift * scale_one(1 - yield);
    double rise = fmax(accepted, rejected), fall = -fmin(accepted, rejected);
    if (shift == 0) return 0;
    return fmax(rise / ((ratio - 1) * rate), fall / ((1 - 1 / ratio) * rate));
}

/* How much of the budget a group uses, signed as its shift. */
static double use_of(const eqp_outlook *o, double shift, double rate, double yield, double scale,
                     double budget)
{
    double use = shift * scale;
    if (isnan(o->ratio)) return use;
    return copysign(fmax(fabs(use), budget * ratio_use(o->ratio, shift, rate, yield)), shift);
}

static void find_errors(eqp_outlook *o, double budget)
{
    size_t K = o->groups->group_count;
    double scale = scale_of(o->yield);
    for (size_t k = 0; k < K; k++) {
        double square = 0, now = use_of(o, o->shift[k], o->rate[k], o->yield, scale, budget);
        o->use[k] = fabs(now);
        for (size_t b = 0; b < o->draws; b++) {
            size_t at = b * K + k;
            double drawn = scale_of(o->yields[b]);
            double then = use_of(o, o->shifts[at], o->rates[at], o->yields[b], drawn, budget);
            square += (then - now) * (then - now);
            o->rise[at] = fabs(then) - o->use[k];
        }
        o->error[k] = sqrt(square / (double)o->draws);
    }
}

void eqp_outlook_look(eqp_outlook *o, const eqp_tally *tally, double share)
{
    size_t K = o->groups->group_count;
    o->yield = find_shifts(o, tally->mass, tally->weight, o->shift, o->rate);
    for (size_t b = 0; b < o->draws; b++) {
        draw_masses(o, tally, share, o->noise->normal + b * 2 * tally->cells);
        o->yields[b] = find_shifts(o, o->mass, o->weight, o->shifts + b * K, o->rates + b * K);
        o->largest[b] = 0;
        for (size_t k = 0; k < K; k++) o->largest[b] = fmax(o->largest[b], fabs(o->shifts[b * K + k]));
    }
}

/* ---- what follows -------------------------------------------------------------------------------------- */

static double largest_shift(const eqp_outlook *o)
{
    double largest = 0;
    for (size_t k = 0; k < o->groups->group_count; k++) largest = fmax(largest, fabs(o->shift[k]));
    return largest;
}

double eqp_outlook_disclosure(const eqp_outlook *o)
{
    return largest_shift(o) * scale_of(o->yield);
}

/* Whether the ratio holds in a draw after a dilution. */
static bool keeps_ratio(const eqp_outlook *o, size_t draw, eqp_dilution d)
{
    size_t K = o->groups->group_count;
    double yield = d.kept * o->yields[draw] + d.chance;
    for (size_t k = 0; k < K && !isnan(o->ratio); k++) {
        double shift = d.kept * o->shifts[draw * K + k];
        if (ratio_use(o->ratio, shift, o->rates[draw * K + k], yield) > 1 - 1e-6) return false;
    }
    return true;
}

/* The chance that the budget holds after a dilution, with room for acceptances kept in single precision. */
static double chance_after(const eqp_outlook *o, eqp_dilution d, double budget)
{
    size_t within = 0;
    budget *= 1 - 1e-6;
    for (size_t b = 0; b < o->draws; b++)
        within += d.kept * o->largest[b] * scale_of(d.kept * o->yields[b] + d.chance) <= budget &&
                  keeps_ratio(o, b, d);
    return (double)within / (double)o->draws;
}

double eqp_outlook_chance(const eqp_outlook *o, double budget)
{
    return chance_after(o, (eqp_dilution){1, 0}, budget);
}

/* Of one number per draw, the one that is not exceeded with the confidence. */
static double not_exceeded(eqp_outlook *o, double confidence)
{
    eqp_sort_numbers(o->sorted, o->draws);
    size_t at = (size_t)ceil(confidence * (double)o->draws);
    return o->sorted[at > 0 ? at - 1 : 0];
}

double eqp_outlook_bound(eqp_outlook *o, double confidence)
{
    for (size_t b = 0; b < o->draws; b++) o->sorted[b] = o->largest[b] * scale_of(o->yields[b]);
    return not_exceeded(o, confidence);
}

double eqp_outlook_ratio_bound(eqp_outlook *o, double confidence)
{
    size_t K = o->groups->group_count;
    for (size_t b = 0; b < o->draws; b++) {
        o->sorted[b] = 1;
        for (size_t k = 0; k < K; k++)
            o->sorted[b] =
                fmax(o->sorted[b], eqp_share_ratio(o->shifts[b * K + k], o->rates[b * K + k], o->yields[b]));
    }
    return not_exceeded(o, confidence);
}

double eqp_outlook_yield_bound(eqp_outlook *o, double confidence)
{
    for (size_t b = 0; b < o->draws; b++) o->sorted[b] = o->yields[b] * scale_one(o->yield);
    return not_exceeded(o, confidence);
}

/* The chance that all groups stay within the budget when each gives up `errors` of its standard errors, as
 * far as it presses. */
static double chance_with_margin(const eqp_outlook *o, double budget, double errors)
{
    size_t K = o->groups->group_count, within = 0;
    for (size_t b = 0; b < o->draws; b++) {
        bool all = true;
        for (size_t k = 0; k < K && all; k++)
            all = o->rise[b * K + k] + fmin(o->use[k], budget - errors * o->error[k]) <= budget;
        within += all;
    }
    return (double)within / (double)o->draws;
}

void eqp_outlook_targets(eqp_outlook *o, double budget, double confidence, double *target)
{
    const double MOST_ERRORS = 6, LEAST_TARGET = 0.05;
    double low = 0, high = MOST_ERRORS;
    find_errors(o, budget);
    for (int i = 0; i < MARGIN_STEPS; i++) {
        double middle = (low + high) / 2;
        if (chance_with_margin(o, budget, middle) >= confidence)
            high = middle;
        else
            low = middle;
    }
    for (size_t k = 0; k < o->groups->group_count; k++)
        target[k] = fmax(LEAST_TARGET * budget, budget - high * o->error[k]);
}

/* Both sides within the budget on the rows: with m the largest shift, t = s A and 1 - s - t = s B for
 * A = max(0, m / budget - y) and B = max(0, m / budget - (1 - y)), so s = 1 / (1 + A + B).  A ratio, of which
 * only `share` may be used, presses on the two sides by different amounts. */
static eqp_dilution dilute_to(const eqp_outlook *o, double budget, double share)
{
    double pressed = largest_shift(o) / budget, pressing = pressed;
    for (size_t k = 0; k < o->groups->group_count && !isnan(o->ratio); k++) {
        double more = share * (o->ratio - 1) * o->rate[k], less = share * (1 - 1 / o->ratio) * o->rate[k];
        if (o->shift[k] == 0) continue;
        pressed = fmax(pressed, fabs(o->shift[k]) / (o->shift[k] > 0 ? more : less));
        pressing = fmax(pressing, fabs(o->shift[k]) / (o->shift[k] > 0 ? less : more));
    }
    double accepted = fmax(0, pressed - o->yield), rejected = fmax(0, pressing - (1 - o->yield));
    double kept = 1 / (1 + accepted + rejected);
    return (eqp_dilution){kept, accepted * kept};
}

eqp_dilution eqp_outlook_dilution(const eqp_outlook *o, double budget, double confidence)
{
    double low = budget * 1e-6, high = budget;
    if (confidence == 0) return dilute_to(o, budget, 1);
    if (eqp_outlook_chance(o, budget) >= confidence) return (eqp_dilution){1, 0};
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        if (chance_after(o, dilute_to(o, middle, middle / budget), budget) >= confidence)
            low = middle;
        else
            high = middle;
    }
    return dilute_to(o, low, low / budget);
}
