/* Protected columns: cells divided by their values, bonds by the definition, and what that does on fresh
 * rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "direct/bonds.h"
#include "direct_people.h"

static eqp_training *training_of(const eqp_table *table, const eqp_learn_options *options)
{
    eqp_training *training;
    eqp_error error = {0};
    if (eqp_training_new(table, NULL, options, (eqp_training_needs){0}, NULL, &training, &error) != EQP_OK)
        fail_msg("%s", error.message);
    return training;
}

/* ---- by the definition --------------------------------------------------------------------------------- */

typedef double (*value_of)(const people *p, size_t row);

static double is_jena(const people *p, size_t row)
{
    return strcmp(p->city[row], "Jena") == 0;
}

static double is_x(const people *p, size_t row)
{
    return strcmp(p->second[row], "x") == 0;
}

static double weight_as_value(const people *p, size_t row)
{
    return p->weight[row];
}

/* Of many values. */
static double age_of(const people *p, size_t row)
{
    return p->age[row];
}

/* sum of a (x - mean) / (sd · sum of a) within a group. */
static double moved(const people *p, const char *group, const double *accept, value_of value)
{
    double rows = 0, sum = 0, squares = 0, mass = 0, taken = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(p->group[i], group) != 0) continue;
        double x = value(p, i);
        rows += 1, sum += x, squares += x * x, mass += accept[i], taken += accept[i] * x;
    }
    double mean = sum / rows;
    return (taken / mass - mean) / sqrt(squares / rows - mean * mean);
}

/* ---- bonds --------------------------------------------------------------------------------------------- */

/* The largest sum of any bond over those accepted, which is not above 0 when all are kept. */
static double largest_bond(const eqp_protection *protection, const double *accept)
{
    size_t order[ROWS], cells = protection->groups.cell_count;
    double mass[256] = {0}, largest = -INFINITY;
    eqp_direct_rows *rows;
    for (size_t i = 0; i < ROWS; i++) order[i] = i;
    assert_int_equal(eqp_direct_rows_new(&protection->sample, order, ROWS, 0, &rows, NULL), EQP_OK);
    assert_int_equal(eqp_protection_bind(protection, rows, NULL), EQP_OK);
    for (size_t i = 0; i < ROWS; i++) mass[rows->cell[i]] += rows->weight[i] * accept[i];
    for (size_t b = 0; b < rows->bonds; b++) {
        double sum = 0;
        for (size_t e = 0; e < cells; e++) sum += rows->bond[b].cell[e] * mass[e];
        for (size_t i = 0; i < ROWS; i++)
            sum += rows->weight[i] * accept[i] * eqp_bond_excess(rows, &rows->bond[b], i);
        largest = fmax(largest, sum);
    }
    eqp_direct_rows_free(rows);
    return largest;
}

/* Kept or broken exactly as the definition says, for two levels, a number of three values and one of
 * many. */
static void bonds_are_those_of_the_definition(void **state)
{
    (void)state;
    const struct {
        const char *column;
        value_of value;
        size_t classes;
        double tilt;
    } CASES[] = {{"second", is_x, 2, 1.2}, {"weight", weight_as_value, 3, 1.2}, {"age", age_of, 8, -0.022}};
    static const char *const GROUPS[] = {"a", "b", "c"};
    people *p = make_people(1);
    eqp_table *table = table_of(p);
    eqp_random random = eqp_random_from(11, 0);
    double accept[ROWS];
    for (size_t c = 0; c < 3; c++) {
        int kept = 0;
        eqp_learn_options options = options_of(0.2);
        options.protect = CASES[c].column;
        options.max_distortion = 0.2;
        eqp_training *training = training_of(table, &options);
        eqp_protection *protection;
        assert_int_equal(eqp_protection_new(training, &options, &protection, NULL), EQP_OK);
        assert_true(protection->groups.cell_count <= 3 * CASES[c].classes); /* those that occur */
        assert_true(protection->groups.cell_count > 3 * CASES[c].classes - 3);
        assert_int_equal(protection->aspect_count, 1);
        for (int round = 0; round < 60; round++) {
            double most = 0, tilt = CASES[c].tilt * eqp_random_unit(&random);
            for (size_t i = 0; i < ROWS; i++)
                accept[i] = eqp_random_unit(&random) * fmax(0.01, 1 + tilt * CASES[c].value(p, i));
            for (size_t k = 0; k < 3; k++)
                most = fmax(most, fabs(moved(p, GROUPS[k], accept, CASES[c].value)));
            assert_true((largest_bond(protection, accept) <= 0) == (most <= 0.2));
            kept += most <= 0.2;
        }
        assert_true(kept > 5 && kept < 55);
        eqp_protection_free(protection);
        eqp_training_free(training);
    }
    eqp_table_free(table);
    free(p);
}

static void columns_divide_cells_and_groups_stay(void **state)
{
    (void)state;
    people *p = make_people(2);
    eqp_table *table = table_of(p);
    eqp_learn_options options = options_of(0.2);
    options.protect = "city, age";
    options.max_distortion = 0.1;
    eqp_training *training = training_of(table, &options);
    eqp_protection *protection;
    assert_int_equal(eqp_protection_new(training, &options, &protection, NULL), EQP_OK);
    assert_int_equal(protection->aspect_count, 5); /* four cities and the mean of age */
    assert_true(protection->groups.cell_count > 48 && protection->groups.cell_count <= 96);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(protection->groups.membership[protection->sample.cell[i]],
                         training->groups->membership[training->sample->cell[i]]);
    for (size_t k = 0; k < 3; k++)
        assert_true(fabs(protection->sample.base_rate[k] - training->sample->base_rate[k]) < 1e-15);
    eqp_protection_free(protection);
    eqp_training_free(training);
    eqp_table_free(table);
    free(p);
}

static void what_cannot_be_protected_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *protect, *message;
        double distortion;
        eqp_status status;
    } CASES[] = {
        {"name", "cells, more than", 0.1, EQP_USAGE},    {"town", "no column \"town\"", 0.1, EQP_DATA},
        {" , ", "no column to protect", 0.1, EQP_USAGE}, {"city", "go together", NAN, EQP_USAGE},
        {NULL, "go together", 0.1, EQP_USAGE},           {"city", "must be above 0", 0, EQP_USAGE},
    };
    people *p = make_people(3);
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        eqp_learn_options options = options_of(0.2);
        eqp_learning *learning;
        eqp_error error = {0};
        options.protect = CASES[c].protect;
        options.max_distortion = CASES[c].distortion;
        assert_int_equal(learn(p, &options, NULL, &learning, &error), CASES[c].status);
        assert_non_null(strstr(error.message, CASES[c].message));
        assert_null(learning);
    }
    free(p);
}

/* ---- learned ------------------------------------------------------------------------------------------- */

static void chances_of(const eqp_model *model, const people *p, double *accept)
{
    eqp_table *table = table_of(p);
    assert_int_equal(eqp_model_probabilities(model, table, accept, NULL), EQP_OK);
    eqp_table_free(table);
}

/* On fresh people, mean over samples: within the groups a and b the city moves no further than allowed, but
 * for sampling. */
static void fresh_people_keep_the_protected_column(void **state)
{
    (void)state;
    enum { SAMPLES = 8 };
    const double ALLOWED = 0.05;
    static const char *const GROUPS[] = {"a", "b"};
    double mean[2] = {0}, square[2] = {0}, without[2] = {0}, accept[ROWS];
    for (uint64_t s = 0; s < SAMPLES; s++) {
        people *p = make_people(100 + s), *fresh = make_people(200 + s);
        eqp_learn_options options = options_of(0.3);
        options.min_yield = 0.2;
        options.confidence = 0;
        for (int bound = 0; bound < 2; bound++) {
            options.protect = bound ? "city" : NULL;
            options.max_distortion = bound ? ALLOWED : NAN;
            eqp_learning *learning = learn_well(p, &options);
            chances_of(learning->model, fresh, accept);
            for (size_t k = 0; k < 2; k++) {
                double by = moved(fresh, GROUPS[k], accept, is_jena);
                if (bound) mean[k] += by / SAMPLES, square[k] += by * by / SAMPLES;
                if (!bound) without[k] += by / SAMPLES;
            }
            if (bound) assert_true(learning->cross_fitted.distortion < ALLOWED + 1e-4);
            assert_true(isnan(learning->cross_fitted.distortion) == !bound);
            eqp_learning_free(learning);
        }
        free(p);
        free(fresh);
    }
    for (size_t k = 0; k < 2; k++) {
        double error = sqrt(fmax(0, square[k] - mean[k] * mean[k]) / (SAMPLES - 1));
        print_message("group %s: %.3f ± %.3f, without protection %.3f\n", GROUPS[k], mean[k], error,
                      without[k]);
        assert_true(fabs(mean[k]) < ALLOWED + 3 * error);
    }
    assert_true(fabs(without[0]) > 2 * ALLOWED);
}

static void the_order_of_records_does_not_matter(void **state)
{
    (void)state;
    people *p = make_people(5), *other = make_people(5);
    char *text[2];
    for (size_t i = 0; i < ROWS / 2; i++) { /* swap the two ends */
        size_t j = ROWS - 1 - i;
        double number = other->age[i];
        other->age[i] = other->age[j], other->age[j] = number;
        number = other->hours[i], other->hours[i] = other->hours[j], other->hours[j] = number;
        const char *word = other->city[i];
        other->city[i] = other->city[j], other->city[j] = word;
        word = other->group[i], other->group[i] = other->group[j], other->group[j] = word;
    }
    for (int o = 0; o < 2; o++) {
        eqp_learn_options options = options_of(0.2);
        options.ignore = "weight,second,id,name";
        options.protect = "city";
        options.max_distortion = 0.1;
        eqp_learning *learning = learn_well(o ? other : p, &options);
        assert_int_equal(eqp_model_text(learning->model, &text[o], NULL), EQP_OK);
        eqp_learning_free(learning);
    }
    assert_string_equal(text[0], text[1]);
    for (int o = 0; o < 2; o++) eqp_text_free(text[o]);
    free(p);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bonds_are_those_of_the_definition),
        cmocka_unit_test(columns_divide_cells_and_groups_stay),
        cmocka_unit_test(what_cannot_be_protected_is_refused),
        cmocka_unit_test(fresh_people_keep_the_protected_column),
        cmocka_unit_test(the_order_of_records_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
