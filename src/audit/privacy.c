/* The counts of a report as they may be told (base/sdc.h): rounded, and small ones replaced by the same
 * nominal count.  Everything that is measured for publication is measured on them, with the same code. */
#include "audit/audit.h"

#include <math.h>

/* Kinds of counts, so that each has choices of its own. */
enum { OF_LEAF = 1, OF_CELL, OF_BASE, OF_YIELD, OF_ACCEPTED, OF_REJECTED, OF_BIT, OF_BIT_CELL, OF_SMALL };

typedef struct telling {
    const eqp_sdc *sdc;
    uint64_t key;
    double rows;
} telling;

/* A mass as a rounded count; `hidden` says whether it is withheld. */
static double told_count(const telling *tell, uint64_t kind, size_t index, double mass, bool *hidden)
{
    double rounded = eqp_sdc_count(tell->sdc, tell->key, kind << 48 | index, mass * tell->rows);
    *hidden = eqp_sdc_withholds(tell->sdc, rounded);
    return *hidden ? eqp_sdc_nominal(tell->sdc) : rounded;
}

/* A part of something whose count was told is at most as large. */
static double told_part(const telling *tell, uint64_t kind, size_t index, double mass, double whole,
                        bool *hidden)
{
    return fmin(told_count(tell, kind, index, mass, hidden) / tell->rows, whole);
}

static void tell_leaves(const telling *tell, const eqp_counts *exact, eqp_privacy *privacy)
{
    eqp_counts *told = privacy->told;
    for (size_t j = 0; j < exact->leaves; j++) {
        told->leaf[j] = told_count(tell, OF_LEAF, j, exact->leaf[j], &privacy->leaf_hidden[j]) / tell->rows;
        if (privacy->leaf_hidden[j]) told->leaf[j] = 0;
        privacy->leaves_hidden += privacy->leaf_hidden[j];
        for (size_t k = 0; k < exact->groups; k++) {
            size_t cell = j * exact->groups + k;
            told->joint[cell] = told_part(tell, OF_CELL, cell, exact->joint[cell], told->leaf[j],
                                          &privacy->cell_hidden[cell]);
            privacy->anything_hidden |= privacy->cell_hidden[cell];
        }
    }
}

/* Accepted people of the groups of an attribute that are withheld, and how many such groups there are. */
static double sum_withheld(const eqp_groups *groups, const eqp_counts *exact, const bool *hidden,
                           size_t attribute, size_t *count)
{
    double sum = 0;
    *count = 0;
    for (size_t k = 0; k < exact->groups; k++) {
        if (!hidden[k] || groups->groups[k].attribute != attribute) continue;
        sum += exact->accepted[k];
        ++*count;
    }
    return sum;
}

/* Several withheld counts of an attribute are together what the others leave over.  Where that may be told,
 * its mean stands for each of them instead of the nominal count.  The counts behind it differ at least by
 * chance, as those of people who are accepted one by one with the same probability. */
static void tell_withheld_together(const telling *tell, const eqp_groups *groups, const eqp_counts *exact,
                                   eqp_privacy *privacy)
{
    eqp_counts *told = privacy->told;
    for (size_t a = 0; a < groups->attribute_count; a++) {
        size_t count;
        bool small;
        double sum = sum_withheld(groups, exact, privacy->outcome_hidden, a, &count);
        if (count < 2 || eqp_overlaps(groups, a)) continue;
        double mean = told_count(tell, OF_SMALL, a, sum, &small) / (double)count / tell->rows;
        if (small) continue;
        told->rounding -= (double)(count - 1) * mean * exact->squares / exact->yield;
        for (size_t k = 0; k < exact->groups; k++)
            if (privacy->outcome_hidden[k] && groups->groups[k].attribute == a)
                told->accepted[k] = fmin(mean, fmin(told->base[k], told->yield));
    }
}

/* Rounding at random moves a count by base²/6 in the mean square. */
static double rounding_variance(const telling *tell, const eqp_privacy *privacy)
{
    double told = 0;
    for (size_t k = 0; k < privacy->told->groups; k++) told += !privacy->outcome_hidden[k];
    return told * tell->sdc->base * tell->sdc->base / 6 / (tell->rows * tell->rows);
}

static void tell_groups(const telling *tell, const eqp_groups *groups, const eqp_counts *exact,
                        eqp_privacy *privacy)
{
    eqp_counts *told = privacy->told;
    bool rare;
    for (size_t k = 0; k < exact->groups; k++) {
        told->base[k] = told_part(tell, OF_BASE, k, exact->base[k], 1, &privacy->group_hidden[k]);
        privacy->anything_hidden |= privacy->group_hidden[k];
    }
    eqp_groups_leave_room(groups, tell->sdc, tell->rows, 1, told->base);
    if (isnan(exact->yield)) return;
    told->yield = fmin(
        eqp_sdc_count(tell->sdc, tell->key, (uint64_t)OF_YIELD << 48, exact->yield * tell->rows) / tell->rows,
        1);
    for (size_t k = 0; k < exact->groups; k++)
        told->accepted[k] = told_part(tell, OF_ACCEPTED, k, exact->accepted[k],
                                      fmin(told->base[k], told->yield), &privacy->outcome_hidden[k]);
    told->rounding = rounding_variance(tell, privacy);
    tell_withheld_together(tell, groups, exact, privacy);
    for (size_t k = 0; k < exact->groups; k++) {
        told_count(tell, OF_REJECTED, k, exact->base[k] - exact->accepted[k], &rare);
        privacy->outcome_hidden[k] |= rare;
        privacy->anything_hidden |= privacy->outcome_hidden[k];
    }
    eqp_groups_leave_room(groups, tell->sdc, tell->rows, told->yield, told->accepted);
    for (size_t k = 0; k < exact->groups; k++) told->accepted[k] = fmin(told->accepted[k], told->base[k]);
}

static void tell_bits(const telling *tell, const eqp_counts *exact, eqp_privacy *privacy)
{
    eqp_counts *told = privacy->told;
    bool rare;
    for (size_t b = 0; b < exact->bits; b++) {
        double rounded =
            eqp_sdc_count(tell->sdc, tell->key, (uint64_t)OF_BIT << 48 | b, exact->bit[b] * tell->rows);
        told->bit[b] = fmin(rounded / tell->rows, 1);
        privacy->bit_hidden[b] = eqp_sdc_withholds(tell->sdc, fmin(rounded, tell->rows - rounded));
        for (size_t k = 0; k < exact->groups; k++) {
            size_t cell = b * exact->groups + k;
            told->bit_joint[cell] = told_part(tell, OF_BIT_CELL, cell, exact->bit_joint[cell],
                                              fmin(told->bit[b], told->base[k]), &rare);
        }
    }
}

static bool take_arrays(eqp_privacy *privacy, const eqp_counts *exact)
{
    eqp_arena *arena = &privacy->arena;
    privacy->group_hidden = eqp_take_zero(arena, exact->groups, sizeof(bool));
    privacy->outcome_hidden = eqp_take_zero(arena, exact->groups, sizeof(bool));
    privacy->leaf_hidden = eqp_take_zero(arena, exact->leaves, sizeof(bool));
    privacy->cell_hidden = eqp_take_zero(arena, exact->leaves, exact->groups * sizeof(bool));
    privacy->bit_hidden = eqp_take_zero(arena, exact->bits, sizeof(bool));
    privacy->told = eqp_counts_copy(exact);
    return !arena->failed && privacy->told != NULL;
}

eqp_status eqp_privacy_from(const eqp_counts *counts, const eqp_groups *groups, const eqp_sdc *sdc,
                            uint64_t key, eqp_privacy **privacy, eqp_error *error)
{
    *privacy = NULL;
    eqp_privacy *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    if (!take_arrays(made, counts)) {
        eqp_privacy_free(made);
        return eqp_fail_memory(error);
    }
    telling tell = {sdc, key, (double)counts->rows};
    made->sdc = *sdc;
    if (eqp_sdc_hides(sdc)) {
        tell_groups(&tell, groups, counts, made);
        tell_leaves(&tell, counts, made);
        tell_bits(&tell, counts, made);
    }
    *privacy = made;
    return EQP_OK;
}

void eqp_privacy_free(eqp_privacy *privacy)
{
    if (privacy == NULL) return;
    eqp_counts_free(privacy->told);
    eqp_arena_free(&privacy->arena);
    free(privacy);
}

/* ---- what rests on few --------------------------------------------------------------------------------- */

/* How far a nominal count may be off, as a share.  No verdict rests on the imbalance, and what is said of so
 * small a cohort has an error of that size anyway. */
static const double TOO_COARSE = 0.075, TOO_COARSE_COHORT = 0.15;

static bool is_coarse(const eqp_privacy *privacy, double share, double most)
{
    double rows = share * (double)privacy->told->rows;
    return eqp_sdc_hides(&privacy->sdc) && !(eqp_sdc_nominal(&privacy->sdc) <= most * rows);
}

bool eqp_privacy_withholds_cell(const eqp_privacy *privacy, size_t leaf, size_t group)
{
    const eqp_counts *told = privacy->told;
    bool nominal = privacy->cell_hidden[leaf * told->groups + group] || privacy->group_hidden[group];
    return nominal && is_coarse(privacy, told->leaf[leaf], TOO_COARSE);
}

bool eqp_privacy_names_cell(const eqp_privacy *privacy, size_t leaf, size_t group)
{
    return !privacy->cell_hidden[leaf * privacy->told->groups + group] && !privacy->group_hidden[group];
}

/* The shares of all groups depend on a nominal one, because they leave room for it. */
static bool rests_on_nominal(const eqp_privacy *privacy, double share, double most)
{
    bool nominal = false;
    for (size_t k = 0; k < privacy->told->groups; k++) nominal |= privacy->outcome_hidden[k];
    return nominal && is_coarse(privacy, share, most);
}

bool eqp_privacy_withholds_outcome(const eqp_privacy *privacy)
{
    double yield = privacy->told->yield;
    return rests_on_nominal(privacy, fmin(yield, 1 - yield), TOO_COARSE);
}

bool eqp_privacy_withholds_cohort(const eqp_privacy *privacy)
{
    return rests_on_nominal(privacy, privacy->told->yield, TOO_COARSE_COHORT);
}
