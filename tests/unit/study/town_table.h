/* A small labelled table for tests of studies: numbers and a town that know something of the group, a label
 * that depends on both. */
#ifndef EQP_TESTS_TOWN_TABLE_H
#define EQP_TESTS_TOWN_TABLE_H

#include "../encode/hand_table.h"
#include "base/random.h"

enum { TOWN_ROWS = 900 };

static inline eqp_table *town_table(uint64_t seed)
{
    static const char *const groups[] = {"north", "south", "west"}, *const towns[] = {"A", "B", "C", "D"};
    static const char *const answers[] = {"no", "yes"};
    eqp_random random = eqp_random_from(seed, 0);
    static double number[3][TOWN_ROWS], grade[TOWN_ROWS];
    static const char *group[TOWN_ROWS], *town[TOWN_ROWS], *answer[TOWN_ROWS];
    for (size_t i = 0; i < TOWN_ROWS; i++) {
        double u = eqp_random_unit(&random);
        size_t g = u < 0.65 ? 0 : u < 0.88 ? 1 : 2;
        group[i] = groups[g];
        town[i] = towns[(g + eqp_random_below(&random, 3)) % 4];
        for (size_t f = 0; f < 3; f++) number[f][i] = eqp_random_normal(&random) + (f == g);
        grade[i] = number[0][i] + 0.5 * eqp_random_normal(&random);
        answer[i] = answers[grade[i] > 0.5];
    }
    eqp_table *table = hand_table(TOWN_ROWS, 8);
    hand_numbers(table, "age", number[0]);
    hand_numbers(table, "income", number[1]);
    hand_numbers(table, "hours", number[2]);
    hand_texts(table, "town", town);
    hand_texts(table, "group", group);
    hand_texts(table, "answer", answer);
    hand_numbers(table, "grade", grade);
    return table;
}

static inline eqp_study_options town_options(const double *budgets, size_t count)
{
    static const char *const sensitive[] = {"group"};
    eqp_study_options options;
    eqp_study_options_init(&options);
    options.learn.sensitive = sensitive;
    options.learn.sensitive_count = 1;
    options.learn.ignore = "answer,grade";
    options.learn.oracle = "linear"; /* a tenth of the time */
    options.learn.threads = 2;
    options.budgets = budgets;
    options.budget_count = count;
    return options;
}

#endif
