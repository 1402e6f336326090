/* What the draw promises (M12), measured on many made-up records: acceptance by the leaf's probability, draws
 * independent of everything else about a record, exact sizes, inclusion in proportion to acceptance.
 *
 *     bench-draws [RECORDS] [KEYS]      1,000,000 and 2,000 when not given
 *
 * The rule is a tree of fifteen leaves over age and town, with mixtures at every node.  Prints the lines of
 * docs/draws.md; the exit code is 1 when a deviation is beyond five standard deviations. */
#include "../tests/unit/model/hand_model.h"
#include "select/select.h"

#include <stdio.h>

enum { NODES = 14, LEAVES = NODES + 1, DECILES = 10, BATCH = 1000, POOL = 2000, COHORT = 200 };

static const eqp_key first_key = {"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"};

/* A chain of splits, two linear scores and a constant at each; leaf i accepts (i + 1) / 16. */
static eqp_rule *comb(const eqp_encoding *encoding)
{
    eqp_random random = eqp_random_from(41, 0);
    eqp_rule *rule = hand_rule(EQP_ROUTE_TREE, 2 * NODES, 3 * NODES, NODES, LEAVES);
    for (uint32_t n = 0; n < NODES; n++) {
        hand_linear(encoding, &rule->scores[2 * n], &random);
        hand_linear(encoding, &rule->scores[2 * n + 1], &random);
        rule->components[3 * n] = (eqp_component){0.4, 2 * n, 0};
        rule->components[3 * n + 1] = (eqp_component){0.4, 2 * n + 1, 0};
        rule->components[3 * n + 2] = (eqp_component){0.2, EQP_SCORE_ALWAYS, 0};
        rule->nodes[n] = (eqp_node){3 * n, 3, {~(int32_t)n, n + 1 < NODES ? (int32_t)n + 1 : ~NODES}};
    }
    for (size_t leaf = 0; leaf < LEAVES; leaf++) rule->accept[leaf] = (double)(leaf + 1) / 16;
    return rule;
}

typedef struct bench {
    eqp_table *people;
    eqp_encoding *encoding;
    eqp_block *block;
    eqp_model model;
    bool bad;
} bench;

static eqp_runner *runner_with(const bench *at, const eqp_key *key)
{
    eqp_runner *runner = NULL;
    if (eqp_runner_new(&at->model, key, &runner, NULL) != EQP_OK) exit(4);
    return runner;
}

/* Outcomes of records from … from+count-1; record i has the features of row i modulo the rows. */
static void decide(const bench *at, const eqp_runner *runner, size_t from, size_t count,
                   eqp_outcome *outcomes)
{
    static char ids[BATCH * 16];
    size_t start[BATCH];
    uint32_t length[BATCH];
    for (size_t i = 0; i < count; i++) {
        start[i] = 16 * i;
        length[i] = (uint32_t)snprintf(ids + start[i], 16, "%zu", from + i);
    }
    eqp_runner_outcomes(runner, at->block, from % HAND_ROWS, count, ids, start, length, outcomes);
}

/* A χ² with so many degrees of freedom, as standard deviations of a normal (Wilson and Hilferty). */
static double as_normal(double chi_square, double freedom)
{
    return (cbrt(chi_square / freedom) - 1 + 2 / (9 * freedom)) / sqrt(2 / (9 * freedom));
}

static void report(bench *at, const char *what, double chi_square, double freedom)
{
    double deviations = as_normal(chi_square, freedom);
    at->bad |= !(fabs(deviations) < 5);
    printf("%-52s %8.1f %5.0f %8.2f\n", what, chi_square, freedom, deviations);
}

static double binomial_square(double hits, double all, double chance)
{
    return pow(hits - all * chance, 2) / (all * chance * (1 - chance));
}

/* ---- acceptance -------------------------------------------------------------------------------------- */

typedef struct tally {
    double accepted[LEAVES], all[LEAVES];
    double deciles[8][DECILES]; /* of draw 0, by town and by missing town */
} tally;

static void count_outcomes(const bench *at, size_t from, const eqp_outcome *outcomes, tally *counts)
{
    const uint32_t *towns = at->people->columns[1].codes;
    for (size_t i = 0; i < BATCH; i++) {
        eqp_outcome one = outcomes[i];
        uint32_t town = towns[(from + i) % HAND_ROWS];
        counts->all[one.leaf]++;
        counts->accepted[one.leaf] += one.draw < eqp_draw_threshold(at->model.rule->accept[one.leaf]);
        counts->deciles[town < 7 ? town : 7][one.draw * DECILES >> EQP_DRAW_BITS]++;
    }
}

static void report_acceptance(bench *at, const tally *counts)
{
    double sum = 0, leaves = 0;
    for (size_t leaf = 0; leaf < LEAVES; leaf++) {
        if (counts->all[leaf] == 0) continue;
        leaves++;
        sum += binomial_square(counts->accepted[leaf], counts->all[leaf], at->model.rule->accept[leaf]);
    }
    report(at, "accepted in each leaf against its probability", sum, leaves);
}

/* Draw 0 in tenths: even in every town. */
static void report_independence(bench *at, const tally *counts)
{
    double sum = 0, freedom = 0;
    for (size_t town = 0; town < 8; town++) {
        double all = 0;
        for (size_t d = 0; d < DECILES; d++) all += counts->deciles[town][d];
        if (all == 0) continue;
        freedom += DECILES - 1;
        for (size_t d = 0; d < DECILES; d++)
            sum += pow(counts->deciles[town][d] - all / DECILES, 2) / (all / DECILES);
    }
    report(at, "draws in tenths, in each town", sum, freedom);
}

static void try_acceptance(bench *at, size_t records)
{
    static tally counts;
    eqp_outcome outcomes[BATCH];
    eqp_runner *runner = runner_with(at, &first_key);
    for (size_t from = 0; from < records; from += BATCH) {
        decide(at, runner, from, BATCH, outcomes);
        count_outcomes(at, from, outcomes, &counts);
    }
    report_acceptance(at, &counts);
    report_independence(at, &counts);
    eqp_runner_free(runner);
}

/* ---- inclusion --------------------------------------------------------------------------------------- */

typedef struct inclusion {
    double selected[LEAVES], expected[LEAVES], spread[LEAVES];
} inclusion;

/* The cohort of one key; what each leaf should have of it is its share of all acceptance. */
static bool select_once(const bench *at, const eqp_outcome *outcomes, inclusion *sums)
{
    const double *accept = at->model.rule->accept;
    eqp_ranking ranking = {.most = COHORT};
    double mass = 0;
    for (size_t i = 0; i < POOL; i++) {
        eqp_ranked like = {.rank = (double)outcomes[i].draw / accept[outcomes[i].leaf], .position = i};
        if (eqp_ranking_enter(&ranking, &like, (eqp_cell){"", 0}, (eqp_cell){"", 0}, NULL) != EQP_OK) exit(4);
        mass += accept[outcomes[i].leaf];
    }
    for (size_t i = 0; i < ranking.count; i++) sums->selected[outcomes[ranking.entries[i].position].leaf]++;
    for (size_t i = 0; i < POOL; i++) {
        double chance = COHORT * accept[outcomes[i].leaf] / mass;
        sums->expected[outcomes[i].leaf] += chance;
        sums->spread[outcomes[i].leaf] += chance * (1 - chance);
    }
    bool exact = ranking.count == COHORT;
    eqp_ranking_free(&ranking);
    return exact;
}

static void try_inclusion(bench *at, size_t keys)
{
    static eqp_outcome outcomes[POOL];
    inclusion sums = {0};
    size_t exact = 0;
    double sum = 0;
    for (size_t k = 0; k < keys; k++) {
        eqp_key key = first_key;
        snprintf(key.hex, sizeof key.hex, "%064zx", k + 1);
        eqp_runner *runner = runner_with(at, &key);
        for (size_t from = 0; from < POOL; from += BATCH) decide(at, runner, from, BATCH, outcomes + from);
        exact += select_once(at, outcomes, &sums);
        eqp_runner_free(runner);
    }
    for (size_t leaf = 0; leaf < LEAVES; leaf++)
        sum += pow(sums.selected[leaf] - sums.expected[leaf], 2) / sums.spread[leaf];
    at->bad |= exact != keys;
    printf("%zu of %zu cohorts have exactly %d of %d records\n", exact, keys, COHORT, POOL);
    report(at, "selected from each leaf against its acceptance", sum, LEAVES - 1);
}

int main(int argc, char **argv)
{
    size_t records = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    size_t keys = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000;
    bench at = {.people = hand_people(5)};
    at.encoding = hand_encoding(at.people, false);
    if (eqp_block_from_table(at.encoding, at.people, &at.block, NULL) != EQP_OK) return 4;
    at.model = (eqp_model){.encoding = at.encoding, .rule = comb(at.encoding), .id = "0123456789abcdef"};
    printf("%zu records, %zu keys %32s %5s %8s\n", records, keys, "chi^2", "df", "std dev");
    try_acceptance(&at, records);
    try_inclusion(&at, keys);
    eqp_rule_free(at.model.rule);
    eqp_block_free(at.block);
    eqp_encoding_free(at.encoding);
    eqp_table_free(at.people);
    return at.bad;
}
