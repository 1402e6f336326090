/* The largest shift over many sets of rows, with bounds that hold although it was picked. */
#include "audit/shift.h"

#include "audit/certificate.h"

#include <math.h>
#include <string.h>

#define CELL_PART 0.9 /* of the error, as in the certificate */
#define BASE_PART 0.1

eqp_shift_tally eqp_shift_tally_take(eqp_arena *arena, size_t groups)
{
    return (eqp_shift_tally){0, eqp_take_zero(arena, groups, sizeof(double))};
}

void eqp_shift_tally_clear(eqp_shift_tally *tally, size_t groups)
{
    tally->rows = 0;
    memset(tally->hits, 0, groups * sizeof *tally->hits);
}

void eqp_shift_begin(eqp_shift_search *search, size_t groups, eqp_shift_tally all, eqp_shift_tally half,
                     double error, eqp_arena *arena)
{
    *search = (eqp_shift_search){
        .groups = groups,
        .all = all,
        .half = half,
        .base_low = eqp_take(arena, groups, sizeof(double)),
        .base_high = eqp_take(arena, groups, sizeof(double)),
        .error = CELL_PART * error,
        .reach = sqrt(log(1 / (CELL_PART * error)) / 2),
        .upper = NAN,
        .found.disclosure = NAN,
        .picked.disclosure = NAN,
    };
    if (arena->failed || isnan(error)) return;
    /* the side and the group of the worst set are not known beforehand */
    double base_error = BASE_PART * error / (2 * (double)groups);
    for (size_t k = 0; k < groups; k++) {
        search->base_low[k] = eqp_share_lower(all.hits[k], all.rows, base_error);
        search->base_high[k] = eqp_share_upper(all.hits[k], all.rows, base_error);
    }
}

/* Whether the set's group is farther from its base rate than any before. */
static bool take_largest(eqp_shift *largest, eqp_set set, const eqp_shift_tally *part,
                         const eqp_shift_tally *whole, size_t groups)
{
    bool larger = false;
    for (size_t k = 0; k < groups; k++) {
        double shift = fabs(part->hits[k] / part->rows - whole->hits[k] / whole->rows);
        if (shift <= largest->disclosure) continue; /* NaN at first */
        *largest = (eqp_shift){shift, k, part->rows, part->hits[k], set};
        larger = true;
    }
    return larger;
}

/* Whether the upper bound of `hits` of `rows` lies above `share`: there, so few hits are not yet unlikely. */
static bool is_above(double hits, double rows, double share, double error)
{
    if (share < 0) return true;
    return share < 1 && hits < rows && 1 - eqp_beta_tail(hits + 1, rows - hits, share) > error;
}

/* First the bound that is quick and never smaller, then whether the exact one is larger than the largest so
 * far, and only then the exact one itself. */
static void take_upper(eqp_shift_search *search, const eqp_shift_tally *all)
{
    double reach = search->reach / sqrt(all->rows), error = search->error;
    if (isnan(search->upper)) search->upper = 0;
    for (size_t k = 0; k < search->groups; k++) {
        double hits = all->hits[k], misses = all->rows - hits, share = hits / all->rows;
        double low = search->base_low[k], high = search->base_high[k];
        if (share + reach - low > search->upper &&
            (misses <= 0 || is_above(hits, all->rows, search->upper + low, error)))
            search->upper = fmax(search->upper, eqp_share_upper(hits, all->rows, error) - low);
        if (high - share + reach > search->upper &&
            (hits <= 0 || is_above(misses, all->rows, search->upper + 1 - high, error)))
            search->upper = fmax(search->upper, high - eqp_share_lower(hits, all->rows, error));
    }
}

void eqp_shift_look(eqp_shift_search *search, eqp_set set, const eqp_shift_tally *all,
                    const eqp_shift_tally *half)
{
    if (all->rows < EQP_SET_ROWS) return;
    take_largest(&search->found, set, all, &search->all, search->groups);
    if (!isnan(search->error)) take_upper(search, all);
    if (half == NULL || half->rows < EQP_SET_ROWS) return;
    if (!take_largest(&search->picked, set, half, &search->half, search->groups)) return;
    search->fresh_rows = all->rows - half->rows;
    search->fresh_hits = all->hits[search->picked.group] - half->hits[search->picked.group];
}

void eqp_shift_join(eqp_shift_search *search, const eqp_shift_search *other)
{
    search->upper = fmax(search->upper, other->upper); /* passes over NaN */
    if (other->found.disclosure > search->found.disclosure || isnan(search->found.disclosure))
        search->found = other->found;
    if (!(other->picked.disclosure > search->picked.disclosure || isnan(search->picked.disclosure))) return;
    search->picked = other->picked;
    search->fresh_rows = other->fresh_rows;
    search->fresh_hits = other->fresh_hits;
}

/* Set, group and side are those of the first half, so nothing but these two bounds can fail. */
double eqp_shift_lower(const eqp_shift_search *search)
{
    size_t k = search->picked.group;
    if (isnan(search->picked.disclosure) || isnan(search->error) || !(search->fresh_rows > 0)) return NAN;
    double rows = search->all.rows - search->half.rows, hits = search->all.hits[k] - search->half.hits[k];
    double error = search->error, base_error = error / CELL_PART * BASE_PART;
    bool rises = search->picked.hits / search->picked.rows > search->half.hits[k] / search->half.rows;
    double lower = rises ? eqp_share_lower(search->fresh_hits, search->fresh_rows, error) -
                               eqp_share_upper(hits, rows, base_error)
                         : eqp_share_lower(hits, rows, base_error) -
                               eqp_share_upper(search->fresh_hits, search->fresh_rows, error);
    return fmax(0, lower);
}
