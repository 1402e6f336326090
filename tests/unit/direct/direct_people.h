/* Made-up people for tests of the direct learner from table to model. */
#ifndef TEST_DIRECT_PEOPLE_H
#define TEST_DIRECT_PEOPLE_H

#include "../encode/hand_table.h"
#include "base/random.h"
#include "method/methods.h"
#include "model/measure.h"

#include <stdio.h>

enum { ROWS = 1500 };

typedef struct people {
    double age[ROWS], hours[ROWS], id[ROWS], same[ROWS], weight[ROWS];
    const char *city[ROWS], *name[ROWS], *group[ROWS], *second[ROWS];
    char names[ROWS][12];
} people;

static const char *const CITIES[] = {"Ulm", "Bonn", "Kiel", "Jena"};

/* Groups differ in age, hours and city; the smallest are rare. */
static inline people *make_people(uint64_t seed)
{
    people *p = eqp_alloc_zero(1, sizeof *p);
    eqp_random random = eqp_random_from(seed, 0);
    for (size_t i = 0; i < ROWS; i++) {
        double u = eqp_random_unit(&random);
        int group = u < 0.75 ? 0 : u < 0.93 ? 1 : 2;
        p->group[i] = (const char *[]){"a", "b", "c"}[group];
        p->second[i] = eqp_random_below(&random, 3) ? "x" : "y";
        p->age[i] = 40 + 8 * group + 10 * eqp_random_normal(&random);
        p->hours[i] = 38 - 6 * (group == 2) + 6 * eqp_random_normal(&random);
        if (eqp_random_below(&random, 20) == 0) p->hours[i] = NAN;
        size_t home = group == 1 && eqp_random_below(&random, 2) ? 3 : eqp_random_below(&random, 4);
        p->city[i] = CITIES[home];
        p->id[i] = 1000 + (double)i;
        p->same[i] = 7;
        p->weight[i] = 1 + (double)eqp_random_below(&random, 3);
        snprintf(p->names[i], sizeof p->names[i], "n%zu", i);
        p->name[i] = p->names[i];
    }
    return p;
}

static inline eqp_table *table_of(const people *p)
{
    eqp_table *table = hand_table(ROWS, 9);
    hand_numbers(table, "age", p->age);
    hand_texts(table, "city", p->city);
    hand_numbers(table, "hours", p->hours);
    hand_texts(table, "group", p->group);
    hand_texts(table, "second", p->second);
    hand_numbers(table, "weight", p->weight);
    hand_numbers(table, "id", p->id);
    hand_texts(table, "name", p->name);
    hand_numbers(table, "same", p->same);
    memset(table->digest, '0', 64);
    return table;
}

static const char *const GROUP[] = {"group", "second"};

/* Linear scores, a tenth of the time, where a test does not say otherwise. */
static inline eqp_learn_options options_of(double budget)
{
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.oracle = "linear";
    options.sensitive = GROUP;
    options.sensitive_count = 1;
    options.ignore = "weight,second";
    options.max_disclosure = budget;
    options.threads = 2;
    return options;
}

static inline eqp_status learn(const people *p, const eqp_learn_options *options, const eqp_watch *watch,
                               eqp_learning **learning, eqp_error *error)
{
    eqp_table *table = table_of(p);
    eqp_training *training;
    eqp_status status = eqp_learn_table(table, options, watch, &training, learning, error);
    eqp_training_free(training);
    eqp_table_free(table);
    return status;
}

static inline eqp_learning *learn_well(const people *p, const eqp_learn_options *options)
{
    eqp_learning *learning;
    eqp_error error = {0};
    if (learn(p, options, NULL, &learning, &error) != EQP_OK) fail_msg("%s", error.message);
    return learning;
}

#endif
