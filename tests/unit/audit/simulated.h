/* A population with a known disclosure, 8 leaves and 4 groups, and samples from it: how often does a
 * certificate at some budget succeed?  Shared by the unit test (short) and bench/certificate.c (long). */
#ifndef EQP_TEST_AUDIT_SIMULATED_H
#define EQP_TEST_AUDIT_SIMULATED_H

#include "audit/certificate.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

#define LEAVES 8
#define GROUPS 4

typedef struct population {
    double leaf[LEAVES];
    double share[LEAVES][GROUPS]; /* A */
    double base[GROUPS];
} population;

/* Leaves in pairs around the base rates: every leaf is at the disclosure in two groups. */
static inline population even_population(double disclosure)
{
    population made = {.base = {0.4, 0.3, 0.2, 0.1}};
    for (size_t j = 0; j < LEAVES; j++) {
        double side = j % 2 == 0 ? disclosure : -disclosure;
        made.leaf[j] = 1.0 / LEAVES;
        memcpy(made.share[j], made.base, sizeof made.base);
        made.share[j][0] += side;
        made.share[j][1 + j / 2 % 2] -= side;
    }
    return made;
}

/* One leaf and one group at the disclosure, all else far below: the hardest case for the error rate. */
static inline population single_population(double disclosure)
{
    population made = {.base = {0.4, 0.3, 0.2, 0.1}};
    for (size_t j = 0; j < LEAVES; j++) {
        double part = j == 0 ? disclosure : -disclosure / (LEAVES - 1);
        made.leaf[j] = 1.0 / LEAVES;
        for (size_t k = 0; k < GROUPS; k++)
            made.share[j][k] = made.base[k] + (k == 0 ? part : -part / (GROUPS - 1));
    }
    return made;
}

static inline double true_disclosure(const population *people)
{
    double largest = 0;
    for (size_t j = 0; j < LEAVES; j++)
        for (size_t k = 0; k < GROUPS; k++)
            largest = fmax(largest, fabs(people->share[j][k] - people->base[k]));
    return largest;
}

typedef struct drawn_sample {
    double cell[LEAVES * GROUPS], leaf[LEAVES], group[GROUPS], rows;
} drawn_sample;

static inline size_t draw_from(const double *share, size_t count, double unit)
{
    size_t at = 0;
    for (; at + 1 < count && unit >= share[at]; at++) unit -= share[at];
    return at;
}

static inline drawn_sample draw_sample(const population *people, size_t rows, eqp_random *random)
{
    drawn_sample sample = {.rows = (double)rows};
    for (size_t i = 0; i < rows; i++) {
        size_t j = draw_from(people->leaf, LEAVES, eqp_random_unit(random));
        size_t k = draw_from(people->share[j], GROUPS, eqp_random_unit(random));
        sample.cell[j * GROUPS + k] += 1;
        sample.leaf[j] += 1;
        sample.group[k] += 1;
    }
    return sample;
}

static inline double exact_bound(const drawn_sample *sample, double error)
{
    return eqp_disclosure_bound(sample->cell, sample->leaf, sample->group, sample->rows, LEAVES, GROUPS, NULL,
                                error, NULL, NULL);
}

static inline bool exact_within(const drawn_sample *sample, double error, double budget)
{
    return eqp_disclosure_within(sample->cell, sample->leaf, sample->group, sample->rows, LEAVES, GROUPS,
                                 NULL, error, budget);
}

/* What one would do without thinking further: Hoeffding for every cell and base rate, both sides, union
 * bound. */
static inline double hoeffding_bound(const drawn_sample *sample, double error)
{
    double largest = 0, base_slack = sqrt(log(2 * GROUPS / (0.1 * error)) / (2 * sample->rows));
    for (size_t j = 0; j < LEAVES; j++) {
        double slack = sqrt(log(2 * LEAVES * GROUPS / (0.9 * error)) / (2 * sample->leaf[j]));
        for (size_t k = 0; k < GROUPS; k++) {
            double distance =
                fabs(sample->cell[j * GROUPS + k] / sample->leaf[j] - sample->group[k] / sample->rows);
            largest = fmax(largest, distance + slack + base_slack);
        }
    }
    return largest;
}

typedef struct pass_rates {
    double exact, hoeffding;
} pass_rates;

static inline pass_rates simulate(const population *people, size_t rows, double budget, double error,
                                  size_t samples, uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, rows);
    pass_rates passed = {0, 0};
    for (size_t s = 0; s < samples; s++) {
        drawn_sample sample = draw_sample(people, rows, &random);
        passed.exact += exact_within(&sample, error, budget);
        passed.hoeffding += hoeffding_bound(&sample, error) <= budget;
    }
    return (pass_rates){passed.exact / (double)samples, passed.hoeffding / (double)samples};
}

#endif
