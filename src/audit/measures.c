/* Measured figures (M2) from the audit's counts.  Nothing here looks at a row or a model. */
#include "audit/measures.h"

#include "base/memory.h"

#include <math.h>

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

double eqp_leaf_disclosure(const double *joint, double mass, const double *base, size_t groups, size_t *worst)
{
    double largest = -1;
    for (size_t k = 0; k < groups; k++) {
        double distance = fabs(share_of(joint[k], mass) - base[k]);
        if (distance <= largest) continue;
        largest = distance;
        *worst = k;
    }
    return largest;
}

static void take_cell(eqp_disclosed *disclosed, double share, double floor, double base, size_t leaf,
                      size_t group)
{
    double distance = fabs(share - base);
    if (distance > disclosed->disclosure) {
        disclosed->disclosure = distance;
        disclosed->leaf = leaf;
        disclosed->group = group;
    }
    if (!(base > 0)) return;
    double counted = fmax(share, fmin(floor, base));
    double ratio = fmax(counted / base, base / counted);
    if (ratio > disclosed->ratio) {
        disclosed->ratio = ratio;
        disclosed->ratio_leaf = leaf;
        disclosed->ratio_group = group;
    }
    double gain = (share - base) / base;
    if (gain > disclosed->beta) {
        disclosed->beta = gain;
        disclosed->beta_leaf = leaf;
        disclosed->beta_group = group;
    }
}

/* Per attribute: the groups of one attribute are a distribution, those of all attributes together are not.
 * Where groups overlap, each is one by itself, with the people outside it. */
static double leaf_total_variation(const double *joint, double mass, const double *base,
                                   const eqp_groups *groups)
{
    double largest = 0;
    for (size_t a = 0; a < groups->attribute_count; a++) {
        double sum = 0, most = 0;
        for (size_t k = 0; k < groups->group_count; k++) {
            if (groups->groups[k].attribute != a) continue;
            double shift = fabs(share_of(joint[k], mass) - base[k]);
            sum += shift;
            most = fmax(most, shift);
        }
        largest = fmax(largest, eqp_overlaps(groups, a) ? most : sum / 2);
    }
    return largest;
}

void eqp_disclosed_by(const double *joint, const double *mass, size_t leaves, const double *base,
                      const eqp_groups *groups, size_t rows, eqp_disclosed *disclosed)
{
    *disclosed = (eqp_disclosed){.ratio = 1};
    for (size_t j = 0; j < leaves; j++) {
        if (!(mass[j] > 0)) continue;
        const double *leaf = joint + j * groups->group_count;
        double half_a_row = 0.5 / ((double)rows * mass[j]);
        for (size_t k = 0; k < groups->group_count; k++)
            take_cell(disclosed, leaf[k] / mass[j], half_a_row, base[k], j, k);
        double variation = leaf_total_variation(leaf, mass[j], base, groups);
        if (variation <= disclosed->total_variation) continue;
        disclosed->total_variation = variation;
        disclosed->variation_leaf = j;
    }
    disclosed->delta = log(disclosed->ratio);
}

/* Leaf 0 of the outcome is "rejected", leaf 1 "accepted"; likewise for a bit. */
static void measure_bit(const double *one_joint, double one_mass, const eqp_counts *counts,
                        const eqp_groups *groups, double *joint, eqp_disclosed *disclosed)
{
    double mass[2] = {fmax(0, 1 - one_mass), one_mass};
    for (size_t value = 0; value < 2; value++)
        if (mass[value] < 1e-12) mass[value] = 0; /* what rounding left of nothing */
    for (size_t k = 0; k < counts->groups; k++) {
        joint[k] = fmax(0, counts->base[k] - one_joint[k]);
        joint[counts->groups + k] = one_joint[k];
    }
    eqp_disclosed_by(joint, mass, 2, counts->base, groups, counts->rows, disclosed);
}

static void measure_bits(const eqp_counts *counts, const eqp_groups *groups, double *joint,
                         eqp_measures *measures)
{
    for (size_t b = 0; b < counts->bits; b++) {
        eqp_disclosed disclosed;
        measure_bit(counts->bit_joint + b * counts->groups, counts->bit[b], counts, groups, joint,
                    &disclosed);
        measures->bit_disclosure[b] = disclosed.disclosure;
    }
}

static void measure_acceptance(const eqp_counts *counts, const eqp_groups *groups, double *joint,
                               eqp_measures *measures)
{
    measure_bit(counts->accepted, counts->yield, counts, groups, joint, &measures->outcome);
    double squares = 0;
    for (size_t k = 0; k < counts->groups; k++) {
        measures->composition[k] = share_of(counts->accepted[k], counts->yield);
        double distance = measures->composition[k] - groups->groups[k].target;
        squares += distance * distance;
    }
    measures->yield = counts->yield;
    if (!(counts->yield > 0)) return;
    measures->imbalance = sqrt(fmax(0, squares - counts->rounding / (counts->yield * counts->yield)));
    measures->effective_size = counts->yield * counts->yield / counts->squares;
    measures->design_effect = (double)counts->rows / measures->effective_size;
}

eqp_status eqp_measures_from(const eqp_counts *counts, const eqp_groups *groups, eqp_measures *measures,
                             eqp_error *error)
{
    *measures = (eqp_measures){.outcome.disclosure = NAN,
                               .imbalance = NAN,
                               .yield = NAN,
                               .effective_size = NAN,
                               .design_effect = NAN};
    double *joint = eqp_take(&measures->arena, 2 * counts->groups, sizeof *joint);
    measures->bit_disclosure = eqp_take(&measures->arena, counts->bits, sizeof(double));
    measures->composition = eqp_take(&measures->arena, counts->groups, sizeof(double));
    if (measures->arena.failed) {
        eqp_measures_clear(measures);
        return eqp_fail_memory(error);
    }
    eqp_disclosed_by(counts->joint, counts->leaf, counts->leaves, counts->base, groups, counts->rows,
                     &measures->leaves);
    measure_bits(counts, groups, joint, measures);
    if (!isnan(counts->yield)) measure_acceptance(counts, groups, joint, measures);
    return EQP_OK;
}

void eqp_measures_clear(eqp_measures *measures)
{
    eqp_arena_free(&measures->arena);
    *measures = (eqp_measures){0};
}
