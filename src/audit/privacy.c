/* The counts of a report as they may be told (base/sdc.h): rounded, and small ones replaced by the same
 * nominal count.  Everything that is measured for publication is measured on them, with the same code. */
#include "audit/audit.h"

#include <math.h>

/* Kinds of counts, so that each has choices of its own. */
enum { OF_LEAF = 1, OF_CELL, OF_BASE, OF_YIELD, OF_ACCEPTED, OF_REJECTED, OF_BIT, OF_BIT_CELL };

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
    for (size_t k = 0; k < exact->groups; k++) {
        told_count(tell, OF_REJECTED, k, exact->base[k] - exact->accepted[k], &rare);
        told->accepted[k] = told_part(tell, OF_ACCEPTED, k, exact->accepted[k],
                                      fmin(told->base[k], told->yield), &privacy->outcome_hidden[k]);
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
static const double TOO_COARSE = 0.05, TOO_COARSE_COHORT = 0.1;

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

bool eqp_privacy_withholds_outcome(const eqp_privacy *privacy, size_t group)
{
    double yield = privacy->told->yield;
    return privacy->outcome_hidden[group] && is_coarse(privacy, fmin(yield, 1 - yield), TOO_COARSE);
}

bool eqp_privacy_withholds_cohort(const eqp_privacy *privacy)
{
    bool nominal = false;
    for (size_t k = 0; k < privacy->told->groups; k++) nominal |= privacy->outcome_hidden[k];
    return nominal && is_coarse(privacy, privacy->told->yield, TOO_COARSE_COHORT);
}
