/* What a certificate costs in labels, and how often it is wrong (M11), by simulation at 95 %, budget 0.10.
 *
 *     bench-certificate power    labels with which four of five audits certify a rule of half the budget
 *     bench-certificate level    how often a rule at the budget is certified all the same
 *     bench-certificate looks    the same while labels arrive, with ten looks
 *
 * A number behind it is that of samples.  Prints the tables of docs/audit.md.  "two bounds" is what was done
 * before: exact bounds of leaf and base rate apart, at 0.9 and 0.1 of the error. */
#include "audit/certificate.h"
#include "audit/difference.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET        0.10
#define ERROR         0.025 /* of the first attempt at 95 % */
#define MOST_LEAVES   8
#define MOST_GROUPS   12
#define LOOKS         10
#define ROWS_EACH     3  /* of a person in several rows */
#define WRONGLY_EVERY 20 /* what is wrong to do is simulated for one audit in so many */

/* ---- people -------------------------------------------------------------------------------------------- */

typedef struct population {
    size_t leaves, groups;
    double share[MOST_LEAVES][MOST_GROUPS]; /* of the groups in a leaf; leaves are equally large */
    double base[MOST_GROUPS];
} population;

/* Groups of falling size. */
static population people_alike(size_t leaves, size_t groups)
{
    population made = {.leaves = leaves, .groups = groups};
    for (size_t k = 0; k < groups; k++)
        made.base[k] = 2 * (double)(groups - k) / (double)(groups * (groups + 1));
    for (size_t j = 0; j < leaves; j++) memcpy(made.share[j], made.base, sizeof made.base);
    return made;
}

/* Leaves in pairs: every leaf is at the disclosure, in the largest group and one other. */
static population people_everywhere(size_t leaves, size_t groups, double disclosure)
{
    population made = people_alike(leaves, groups);
    for (size_t j = 0; j < leaves; j++) {
        double side = j % 2 == 0 ? disclosure : -disclosure;
        made.share[j][0] += side;
        made.share[j][1] -= side;
    }
    return made;
}

/* One leaf and the largest group: the one case that can be wrong, so that no other failing helps. */
static population people_once(size_t leaves, size_t groups, double disclosure)
{
    population made = people_alike(leaves, groups);
    for (size_t j = 0; j < leaves; j++) {
        double part = j == 0 ? disclosure : -disclosure / (double)(leaves - 1);
        for (size_t k = 0; k < groups; k++)
            made.share[j][k] += k == 0 ? part : -part * made.base[k] / (1 - made.base[0]);
    }
    return made;
}

/* ---- labels -------------------------------------------------------------------------------------------- */

typedef struct labels {
    double cell[MOST_LEAVES * MOST_GROUPS], leaf[MOST_LEAVES], group[MOST_GROUPS], rows;
} labels;

static size_t draw_from(const double *share, size_t count, eqp_random *random)
{
    double unit = eqp_random_unit(random);
    size_t at = 0;
    for (; at + 1 < count && unit >= share[at]; at++) unit -= share[at];
    return at;
}

static size_t draw_leaf(const population *of, eqp_random *random)
{
    size_t leaf = (size_t)(eqp_random_unit(random) * (double)of->leaves);
    return leaf < of->leaves ? leaf : of->leaves - 1;
}

static void count(const population *of, labels *taken, size_t leaf, size_t group)
{
    taken->cell[leaf * of->groups + group] += 1;
    taken->leaf[leaf] += 1;
    taken->group[group] += 1;
    taken->rows += 1;
}

static void draw_rows(const population *of, size_t rows, labels *taken, eqp_random *random)
{
    for (size_t i = 0; i < rows; i++) {
        size_t leaf = draw_leaf(of, random);
        count(of, taken, leaf, draw_from(of->share[leaf], of->groups, random));
    }
}

/* Each person's rows are copies of one; of them one is kept. */
static void draw_repeated(const population *of, size_t persons, labels *all, labels *kept, eqp_random *random)
{
    for (size_t i = 0; i < persons; i++) {
        size_t leaf = draw_leaf(of, random), group = draw_from(of->share[leaf], of->groups, random);
        for (int copy = 0; copy < ROWS_EACH; copy++) count(of, all, leaf, group);
        count(of, kept, leaf, group);
    }
}

/* ---- certificates -------------------------------------------------------------------------------------- */

typedef bool (*certifier)(const population *of, const labels *taken);

static bool by_difference(const population *of, const labels *taken)
{
    return eqp_disclosure_within(taken->cell, taken->leaf, taken->group, taken->rows, of->leaves, of->groups,
                                 NULL, ERROR, BUDGET);
}

static bool by_two_bounds(const population *of, const labels *taken)
{
    for (size_t k = 0; k < of->groups; k++) {
        double low = eqp_share_lower(taken->group[k], taken->rows, 0.1 * ERROR),
               high = eqp_share_upper(taken->group[k], taken->rows, 0.1 * ERROR);
        for (size_t j = 0; j < of->leaves; j++) {
            double hits = taken->cell[j * of->groups + k], rows = taken->leaf[j];
            if (eqp_share_upper(hits, rows, 0.9 * ERROR) - low > BUDGET) return false;
            if (high - eqp_share_lower(hits, rows, 0.9 * ERROR) > BUDGET) return false;
        }
    }
    return true;
}

/* As eqp_disclosure_bound_always, but that the first case above the budget ends it. */
static bool at_any_time(const population *of, const labels *taken)
{
    for (size_t k = 0; k < of->groups; k++)
        for (size_t j = 0; j < of->leaves; j++) {
            double hits = taken->cell[j * of->groups + k];
            eqp_fourfold table = {taken->rows, taken->leaf[j], hits, taken->group[k] - hits},
                         others = eqp_fourfold_others(table);
            if (!eqp_shift_refuted_always(&table, BUDGET, ERROR)) return false;
            if (!eqp_shift_refuted_always(&others, BUDGET, ERROR)) return false;
        }
    return true;
}

/* ---- labels needed ------------------------------------------------------------------------------------- */

static double power(const population *of, certifier certifies, size_t rows, size_t samples)
{
    eqp_random random = eqp_random_from(1, rows);
    size_t certified = 0;
    for (size_t s = 0; s < samples; s++) {
        labels taken = {.rows = 0};
        draw_rows(of, rows, &taken, &random);
        certified += certifies(of, &taken);
    }
    return (double)certified / (double)samples;
}

/* Least rows with which four of five are certified, to 2 %. */
static size_t labels_for_power(const population *of, certifier certifies, size_t samples)
{
    double low = 100, high = 200;
    while (power(of, certifies, (size_t)high, samples) < 0.8 && high < 1e6) {
        low = high;
        high *= 2;
    }
    while (high / low > 1.02) {
        double middle = sqrt(low * high);
        if (power(of, certifies, (size_t)middle, samples) >= 0.8)
            high = middle;
        else
            low = middle;
    }
    return (size_t)high;
}

static void print_power(size_t samples)
{
    static const size_t LEAVES[] = {2, 4, 8}, GROUPS[] = {2, 4, 12};
    printf("labels for four of five audits; true disclosure %.2f, budget %.2f, %zu samples a try\n\n",
           BUDGET / 2, BUDGET, samples);
    printf("%6s %6s %11s %11s %7s %12s %15s\n", "leaves", "groups", "two bounds", "difference", "ratio",
           "at any time", "3 rows a person");
    for (size_t l = 0; l < sizeof LEAVES / sizeof *LEAVES; l++)
        for (size_t g = 0; g < sizeof GROUPS / sizeof *GROUPS; g++) {
            population people = people_everywhere(LEAVES[l], GROUPS[g], BUDGET / 2);
            size_t old = labels_for_power(&people, by_two_bounds, samples),
                   now = labels_for_power(&people, by_difference, samples),
                   always = labels_for_power(&people, at_any_time, samples);
            printf("%6zu %6zu %11zu %11zu %7.2f %12zu %15zu\n", LEAVES[l], GROUPS[g], old, now,
                   (double)old / (double)now, always, ROWS_EACH * now);
            fflush(stdout);
        }
}

/* ---- false passes -------------------------------------------------------------------------------------- */

/* How often audits of one kind certify what they should not. */
typedef struct passes {
    size_t two_bounds, difference, clusters, no_cluster, always, peeking;
} passes;

typedef void (*auditor)(const population *of, size_t rows, bool wrongly, passes *found, eqp_random *random);

static void audit_once(const population *of, size_t rows, bool wrongly, passes *found, eqp_random *random)
{
    labels taken = {.rows = 0}, all = {.rows = 0}, kept = {.rows = 0};
    draw_rows(of, rows, &taken, random);
    found->two_bounds += by_two_bounds(of, &taken);
    found->difference += by_difference(of, &taken);
    draw_repeated(of, rows, &all, &kept, random);
    found->clusters += by_difference(of, &kept);
    found->no_cluster += wrongly && by_difference(of, &all);
}

/* Twice as many labels arrive in ten batches, and each time someone looks. */
static void audit_often(const population *of, size_t rows, bool wrongly, passes *found, eqp_random *random)
{
    labels taken = {.rows = 0};
    bool always = false, peeked = false;
    for (int look = 0; look < LOOKS; look++) {
        draw_rows(of, 2 * rows / LOOKS, &taken, random);
        always = always || at_any_time(of, &taken);
        peeked = peeked || (wrongly && by_difference(of, &taken));
    }
    found->always += always;
    found->peeking += peeked;
}

static passes count_passes(const population *of, auditor audit, size_t rows, size_t samples)
{
    eqp_random random = eqp_random_from(2, rows + of->leaves * 100 + of->groups);
    passes found = {0};
    for (size_t s = 0; s < samples; s++) audit(of, rows, s % WRONGLY_EVERY == 0, &found, &random);
    return found;
}

static void print_share(size_t passed, size_t samples)
{
    printf(" %9.2f %%", 100 * (double)passed / (double)samples);
}

static void print_line(const population *of, bool everywhere, bool often, size_t samples)
{
    size_t rows = 800 * of->leaves, wrongly = (samples + WRONGLY_EVERY - 1) / WRONGLY_EVERY;
    passes found = count_passes(of, often ? audit_often : audit_once, rows, samples);
    printf("%-10s %6zu %6zu %6zu", everywhere ? "everywhere" : "one leaf", of->leaves, of->groups, rows);
    if (often) {
        print_share(found.always, samples);
        print_share(found.peeking, wrongly);
    } else {
        print_share(found.two_bounds, samples);
        print_share(found.difference, samples);
        print_share(found.clusters, samples);
        print_share(found.no_cluster, wrongly);
    }
    printf("\n");
    fflush(stdout);
}

static void print_level(bool often, size_t samples)
{
    static const struct {
        size_t leaves, groups;
        bool everywhere;
    } LINES[] = {{2, 2, false}, {2, 4, false}, {2, 12, false}, {4, 4, false},
                 {4, 4, true},  {8, 4, false}, {8, 12, false}};
    printf("certified at the budget: at most %.1f %% may be; true disclosure %.2f, budget %.2f, %zu audits a "
           "line\n\n",
           100 * ERROR, BUDGET, BUDGET, samples);
    printf("%-10s %6s %6s %6s%s\n", "at budget", "leaves", "groups", "rows",
           often ? "    any time     peeking" : "  two bounds  difference    clusters  no cluster");
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        population people = LINES[i].everywhere ? people_everywhere(LINES[i].leaves, LINES[i].groups, BUDGET)
                                                : people_once(LINES[i].leaves, LINES[i].groups, BUDGET);
        print_line(&people, LINES[i].everywhere, often, samples);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool level = strcmp(what, "level") == 0, looks = strcmp(what, "looks") == 0;
    size_t samples = argc > 2 ? strtoul(argv[2], NULL, 10) : level || looks ? 20000 : 200;
    if (!level && !looks && strcmp(what, "power") != 0) {
        fprintf(stderr, "usage: bench-certificate power|level|looks [SAMPLES]\n");
        return 2;
    }
    if (level || looks)
        print_level(looks, samples);
    else
        print_power(samples);
    return 0;
}
