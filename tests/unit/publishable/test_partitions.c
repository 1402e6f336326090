/* The search against every partition of tiny tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../encode/hand_table.h"
#include "base/random.h"
#include "learn/method.h"
#include "publishable/publishable.h"

#include <math.h>
#include <string.h>

enum { ROWS = 600, LEVELS = 4 };

static const char *const NAMES[] = {"a", "b", "c", "d"};
static const char *town[ROWS], *trade[ROWS], *group[ROWS];

static eqp_table *tiny_table(uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, 0);
    double lean[LEVELS], other[LEVELS];
    for (size_t l = 0; l < LEVELS; l++)
        lean[l] = 0.5 * eqp_random_unit(&random), other[l] = 0.4 * eqp_random_unit(&random) - 0.2;
    for (size_t i = 0; i < ROWS; i++) {
        size_t t = eqp_random_below(&random, LEVELS), w = eqp_random_below(&random, LEVELS);
        town[i] = NAMES[t];
        trade[i] = NAMES[w];
        group[i] = eqp_random_unit(&random) < lean[t] + other[w] ? "few" : "many";
    }
    eqp_table *table = hand_table(ROWS, 3);
    hand_texts(table, "town", town);
    hand_texts(table, "trade", trade);
    hand_texts(table, "group", group);
    return table;
}

typedef struct tiny {
    eqp_table *table;
    eqp_training *training;
    eqp_asked_columns *columns;
    uint32_t row[ROWS];
    double target[2];
    eqp_partition_search search;
} tiny;

static void open_tiny(tiny *t, uint64_t seed, double risk)
{
    static const char *const sensitive[] = {"group"};
    eqp_learn_options options = {.sensitive = sensitive, .sensitive_count = 1};
    t->table = tiny_table(seed);
    assert_int_equal(
        eqp_training_new(t->table, NULL, &options, (eqp_training_needs){0}, NULL, &t->training, NULL),
        EQP_OK);
    assert_int_equal(eqp_asked_columns_new(t->training, &t->columns, NULL), EQP_OK);
    for (size_t i = 0; i < ROWS; i++) t->row[i] = (uint32_t)i;
    t->target[0] = t->target[1] = 0.5;
    t->search = (eqp_partition_search){.columns = t->columns,
                                       .rows = ROWS,
                                       .row = t->row,
                                       .weight = t->training->sample->weight,
                                       .most_questions = 2,
                                       .threads = 1,
                                       .to = 1,
                                       .judge = {.groups = 2,
                                                 .base_rate = t->training->sample->base_rate,
                                                 .target = t->target,
                                                 .budget = 0.15,
                                                 .risk = risk,
                                                 .rows = ROWS,
                                                 .least_rows = 20,
                                                 .least_yield = 0.05,
                                                 .spread = 1}};
}

static void close_tiny(tiny *t)
{
    eqp_asked_columns_free(t->columns);
    eqp_training_free(t->training);
    eqp_table_free(t->table);
}

static double loss_of(const tiny *t, const eqp_partition *partition)
{
    uint8_t cell[ROWS];
    double mass[4], group_mass[8], scratch[10];
    eqp_partition_masses(&t->search, partition, cell, mass, group_mass);
    return eqp_judge_cells(&t->search.judge, (size_t)1 << partition->count, mass, group_mass, scratch, NULL);
}

/* Every set of levels of either column, as one question and as two. */
static void try_everything(const tiny *t, double best[3])
{
    eqp_question all[2 * (1 << LEVELS)];
    size_t count = 0;
    for (uint32_t c = 0; c < 2; c++)
        for (uint64_t set = 1; set < 1u << (LEVELS - 1); set++)
            all[count++] = (eqp_question){.column = c, .yes = {set << 1}};
    eqp_partition partition = {0};
    best[0] = loss_of(t, &partition);
    best[1] = best[2] = best[0];
    for (size_t i = 0; i < count; i++) {
        partition.count = 1;
        partition.questions[0] = all[i];
        best[1] = fmin(best[1], loss_of(t, &partition));
        partition.count = 2;
        for (size_t j = i + 1; j < count; j++) {
            partition.questions[1] = all[j];
            best[2] = fmin(best[2], loss_of(t, &partition));
        }
    }
    best[2] = fmin(best[2], best[1]);
}

static void the_best_partition_is_found(void **state)
{
    (void)state;
    size_t gained = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        tiny t;
        double every[3];
        eqp_partition found[EQP_MOST_QUESTIONS + 1];
        open_tiny(&t, seed, seed % 2 ? 0.05 : 0);
        try_everything(&t, every);
        assert_int_equal(eqp_search_partitions(&t.search, found, NULL), EQP_OK);
        for (size_t m = 0; m < 3; m++) {
            assert_true(fabs(loss_of(&t, &found[m]) - found[m].loss) < 1e-6);
            assert_true(found[m].loss >= every[m] - 1e-6); /* nothing can be better */
        }
        for (size_t m = 1; m < 3; m++) assert_true(found[m].loss <= every[m] + 1e-6);
        gained += every[2] < every[1] - 1e-6;
        close_tiny(&t);
    }
    assert_true(gained > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_partition_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
