/* The limit that no proxy can beat (M3): the target projected onto the compositions within the budget.
 *
 *     min |a - U|   s.t.  max(0, r_k - budget) <= a_k <= min(1, r_k + budget),  sum a = 1 for every attribute
 *
 * At a yield y a group cannot be more than r_k / y of the accepted; and the rejected shift by y / (1 - y) of
 * what the accepted do, within the same budget.
 *
 * A ratio R and a least chance X narrow the box further: r_k / R <= a_k <= R r_k, the same for the rejected,
 * and X r_k <= a_k <= X r_k + 1 - X.
 *
 * The projection is a_k = clip(U_k + shift) with one shift per attribute.  Where the groups of an attribute
 * overlap, its simplex is the hull of what people can be: limit_overlap.c. */
#include "balance/limit_box.h"

#include <math.h>

typedef eqp_limit_box box;

#define HULL_ROUNDING 1e-9 /* of a program, where a formula has 1e-14 */

double eqp_limit_low(const box *b, size_t k)
{
    double rate = b->base_rate[k], low = fmax(0, rate - b->budget);
    double others = b->yield > 0 ? (1 - b->yield) / b->yield : INFINITY;
    if (!isnan(b->ratio)) low = fmax(low, rate - rate * fmin(1 - 1 / b->ratio, (b->ratio - 1) * others));
    return isnan(b->min_chance) ? low : fmax(low, b->min_chance * rate);
}

double eqp_limit_high(const box *b, size_t k)
{
    double rate = b->base_rate[k], all = b->yield > 0 ? rate / b->yield : 1;
    double high = fmin(fmin(1, all), rate + b->budget);
    double others = b->yield > 0 ? (1 - b->yield) / b->yield : INFINITY;
    if (!isnan(b->ratio)) high = fmin(high, rate + rate * fmin(b->ratio - 1, (1 - 1 / b->ratio) * others));
    return isnan(b->min_chance) ? high : fmin(high, b->min_chance * rate + 1 - b->min_chance);
}

static double clipped(const box *b, size_t k, double shift)
{
    return fmin(eqp_limit_high(b, k), fmax(eqp_limit_low(b, k), b->groups->groups[k].target + shift));
}

static double total(const box *b, double shift)
{
    double sum = 0;
    for (size_t k = 0; k < b->groups->group_count; k++)
        if (b->groups->groups[k].attribute == b->attribute) sum += clipped(b, k, shift);
    return sum;
}

/* Bisection down to rounding; then the groups off their bounds take the last difference. */
static double find_shift(const box *b)
{
    double low = -2, high = 2;
    for (int i = 0; i < 64; i++) {
        double middle = (low + high) / 2;
        if (total(b, middle) < 1)
            low = middle;
        else
            high = middle;
    }
    double shift = (low + high) / 2;
    size_t inside = 0;
    for (size_t k = 0; k < b->groups->group_count; k++) {
        double moved = b->groups->groups[k].target + shift;
        inside += b->groups->groups[k].attribute == b->attribute && moved > eqp_limit_low(b, k) &&
                  moved < eqp_limit_high(b, k);
    }
    return inside > 0 ? shift + (1 - total(b, shift)) / (double)inside : shift;
}

double eqp_limit_within(const eqp_groups *groups, const double *base_rate, eqp_limits within, double *nearest)
{
    double budget = within.budget, yield = within.yield;
    double squares = 0, accepted = yield > 0.5 ? budget * (1 - yield) / yield : budget;
    for (uint32_t attribute = 0; attribute < groups->attribute_count; attribute++) {
        box b = {groups, base_rate, accepted, yield, within.ratio, within.min_chance, attribute};
        double found[EQP_OVERLAP_MAX];
        bool overlap = eqp_groups_shared(groups, attribute);
        double shift = overlap ? 0 : find_shift(&b);
        size_t next = 0;
        if (overlap) overlap = eqp_limit_in_hull(&b, found);
        for (size_t k = 0; k < groups->group_count; k++) {
            if (groups->groups[k].attribute != attribute) continue;
            double value = overlap ? found[next++] : clipped(&b, k, shift);
            double off = value - groups->groups[k].target;
            if (fabs(off) < (overlap ? HULL_ROUNDING : 1e-14)) off = 0;
            if (nearest != NULL) nearest[k] = value;
            squares += off * off;
        }
    }
    return sqrt(squares);
}

double eqp_limit_at_yield(const eqp_groups *groups, const double *base_rate, double budget, double yield,
                          double *nearest)
{
    return eqp_limit_within(groups, base_rate, (eqp_limits){budget, yield, NAN, NAN}, nearest);
}

double eqp_limit(const eqp_groups *groups, const double *base_rate, double budget, double *nearest)
{
    return eqp_limit_at_yield(groups, base_rate, budget, 0, nearest);
}

double eqp_limit_budget(const eqp_groups *groups, const double *base_rate)
{
    double most = 0;
    for (uint32_t a = 0; a < groups->attribute_count; a++)
        if (eqp_groups_shared(groups, a) && eqp_limit(groups, base_rate, 1, NULL) > 0) return NAN;
    for (size_t k = 0; k < groups->group_count; k++)
        most = fmax(most, fabs(base_rate[k] - groups->groups[k].target));
    return most;
}
