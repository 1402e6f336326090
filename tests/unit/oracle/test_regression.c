/* prc and linear: the identity against two explicit regressions, the threshold against every cut, the
 * deployed score against `chosen`, and what must not matter: order, copies, rows without weight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../design/made_rows.h"
#include "model/rule.h"
#include "oracle/kinds.h"
#include "oracle/oracle.h"

#define CELLS 4

static const double prices[CELLS] = {0.7, -0.4, 0.2, -0.9};

typedef struct opened {
    eqp_oracle_shared *shared;
    eqp_oracle *oracle;
} opened;

static opened open_oracle(const char *kind, const made_rows *made, const double *run_weight)
{
    opened open;
    eqp_leaf_rows leaf = {.design = made->design,
                          .block = &made->block,
                          .weight = made->weight,
                          .cell = made->cell,
                          .cells = made->cells};
    assert_int_equal(
        eqp_oracle_shared_new(kind, made->design, &made->block, run_weight, 1, &open.shared, NULL), 0);
    assert_int_equal(eqp_oracle_new(open.shared, &leaf, &open.oracle, NULL), EQP_OK);
    return open;
}

static void close_oracle(opened open)
{
    eqp_oracle_free(open.oracle);
    eqp_oracle_shared_free(open.shared);
}

static double cost_of(const made_rows *made, const double *extra, size_t row)
{
    return made->weight[row] * (prices[made->cell[row]] + (extra ? extra[row] : 0));
}

static double total_cost(const made_rows *made, const double *extra, const uint8_t *chosen)
{
    double sum = 0;
    for (size_t i = 0; i < made->block.rows; i++)
        if (chosen[i]) sum += cost_of(made, extra, i);
    return sum;
}

static void assert_masses(const made_rows *made, const eqp_splitter *splitter)
{
    double mass[CELLS] = {0};
    for (size_t i = 0; i < made->block.rows; i++)
        if (splitter->chosen[i]) mass[made->cell[i]] += made->weight[i];
    for (size_t e = 0; e < made->cells; e++) assert_true(fabs(mass[e] - splitter->mass[e]) < 1e-14);
}

/* Explicit ridge regression on expanded rows, by Gaussian elimination: the fitted values. */
static void explicit_fit(const made_rows *made, const double *target, double ridge, double *fitted)
{
    size_t n = made->block.rows, d = made->encoding.width;
    double *x = eqp_alloc(n, d * sizeof *x), *a = eqp_alloc_zero(d, (d + 1) * sizeof *a);
    double trace = 0;
    for (size_t i = 0; i < n; i++) {
        made_expand(made, i, x + i * d);
        for (size_t s = 0; s < d; s++) {
            for (size_t t = 0; t < d; t++) a[s * (d + 1) + t] += x[i * d + s] * x[i * d + t];
            a[s * (d + 1) + d] += x[i * d + s] * target[i];
        }
    }
    for (size_t s = 0; s < d; s++) trace += a[s * (d + 1) + s];
    for (size_t s = 0; s < d; s++) a[s * (d + 1) + s] += ridge * trace / (double)d;
    for (size_t s = 0; s < d; s++)
        for (size_t t = 0; t < d; t++) {
            if (t == s) continue;
            double factor = a[t * (d + 1) + s] / a[s * (d + 1) + s];
            for (size_t k = s; k <= d; k++) a[t * (d + 1) + k] -= factor * a[s * (d + 1) + k];
        }
    for (size_t i = 0; i < n; i++) {
        fitted[i] = 0;
        for (size_t s = 0; s < d; s++) fitted[i] += x[i * d + s] * a[s * (d + 1) + d] / a[s * (d + 1) + s];
    }
    free(x);
    free(a);
}

/* The paper's reading: regress the cost of accepting and the cost of rejecting, take the smaller prediction.
 */
static void prc_is_two_regressions(void **state)
{
    (void)state;
    enum { ROWS = 1500 };
    made_rows made;
    made_new(&made, ROWS, CELLS, 21);
    static double accept[ROWS], reject[ROWS], fit_accept[ROWS], fit_reject[ROWS], score[ROWS], extra[ROWS];
    eqp_random random = eqp_random_from(21, 9);
    opened open = open_oracle("prc", &made, NULL);
    for (int with_extra = 0; with_extra < 2; with_extra++) {
        for (size_t i = 0; i < ROWS; i++) {
            extra[i] = 0.3 * eqp_random_normal(&random);
            reject[i] = eqp_random_normal(&random) / ROWS;
            accept[i] = reject[i] + cost_of(&made, with_extra ? extra : NULL, i);
        }
        explicit_fit(&made, accept, EQP_ORACLE_RIDGE, fit_accept);
        explicit_fit(&made, reject, EQP_ORACLE_RIDGE, fit_reject);

        eqp_splitter *splitter;
        assert_int_equal(eqp_oracle_best(open.oracle, prices, with_extra ? extra : NULL, &splitter, NULL),
                         EQP_OK);
        eqp_score_rows(&made.encoding, &splitter->score, &made.block, 0, ROWS, score);
        size_t near = 0;
        for (size_t i = 0; i < ROWS; i++) {
            double difference = fit_accept[i] - fit_reject[i];
            assert_true(fabs(score[i] - difference) < 1e-10 * (1 + fabs(difference)));
            if (fabs(difference) < 1e-12)
                near++;
            else
                assert_int_equal(splitter->chosen[i], difference < 0);
        }
        assert_true(near < 5);
        assert_true(splitter->threshold == 0 && splitter->constant == 0);
        assert_masses(&made, splitter);
        eqp_splitter_free(splitter);
    }
    close_oracle(open);
    made_free(&made);
}

/* No cut of the same score is cheaper, and the two constants are no cheaper either. */
/* The paper's definition: the right label has no penalty, the wrong one the weight of the row. */
static void prc_weights_is_two_regressions_on_weights(void **state)
{
    (void)state;
    enum { ROWS = 1500 };
    made_rows made;
    made_new(&made, ROWS, CELLS, 22);
    static double zero[ROWS], one[ROWS], fit_zero[ROWS], fit_one[ROWS], extra[ROWS];
    eqp_random random = eqp_random_from(22, 9);
    opened open = open_oracle("prc-weights", &made, NULL), costs = open_oracle("prc", &made, NULL);
    for (int with_extra = 0; with_extra < 2; with_extra++) {
        for (size_t i = 0; i < ROWS; i++) {
            extra[i] = 0.3 * eqp_random_normal(&random);
            bool accept = cost_of(&made, with_extra ? extra : NULL, i) < 0;
            zero[i] = accept ? made.weight[i] : 0;
            one[i] = accept ? 0 : made.weight[i];
        }
        explicit_fit(&made, zero, EQP_ORACLE_RIDGE, fit_zero);
        explicit_fit(&made, one, EQP_ORACLE_RIDGE, fit_one);
        eqp_splitter *splitter, *other;
        const double *given = with_extra ? extra : NULL;
        assert_int_equal(eqp_oracle_best(open.oracle, prices, given, &splitter, NULL), EQP_OK);
        assert_int_equal(eqp_oracle_best(costs.oracle, prices, given, &other, NULL), EQP_OK);
        size_t near = 0, differ = 0;
        for (size_t i = 0; i < ROWS; i++) {
            differ += splitter->chosen[i] != other->chosen[i];
            if (fabs(fit_one[i] - fit_zero[i]) < 1e-12)
                near++;
            else
                assert_int_equal(splitter->chosen[i], fit_one[i] < fit_zero[i]);
        }
        assert_true(near < 5 && differ > 50); /* the two readings are two classifiers */
        assert_masses(&made, splitter);
        eqp_splitter_free(splitter);
        eqp_splitter_free(other);
    }
    close_oracle(open);
    close_oracle(costs);
    made_free(&made);
}

static void linear_takes_the_best_cut(void **state)
{
    (void)state;
    enum { ROWS = 700 };
    made_rows made;
    made_new(&made, ROWS, CELLS, 22);
    double score[ROWS], extra[ROWS];
    eqp_random random = eqp_random_from(22, 9);
    for (size_t i = 0; i < ROWS; i++) extra[i] = eqp_random_normal(&random);
    opened open = open_oracle("linear", &made, NULL);
    for (int with_extra = 0; with_extra < 2; with_extra++) {
        const double *more = with_extra ? extra : NULL;
        eqp_splitter *splitter;
        assert_int_equal(eqp_oracle_best(open.oracle, prices, more, &splitter, NULL), EQP_OK);
        assert_int_equal(splitter->constant, 0);
        assert_masses(&made, splitter);
        eqp_score_rows(&made.encoding, &splitter->score, &made.block, 0, ROWS, score);
        double found = total_cost(&made, more, splitter->chosen);
        for (size_t k = 0; k < ROWS; k++) {
            double cost = 0;
            for (size_t i = 0; i < ROWS; i++)
                if (score[i] <= score[k]) cost += cost_of(&made, more, i);
            assert_true(found <= cost + 1e-12);
        }
        assert_true(found < 0);
        for (size_t i = 0; i < ROWS; i++) {
            assert_true(fabs(score[i] - splitter->threshold) > 1e-15);
            assert_int_equal(splitter->chosen[i], score[i] < splitter->threshold);
        }
        eqp_splitter_free(splitter);
    }
    close_oracle(open);
    made_free(&made);
}

static void constants_are_found(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 300, CELLS, 23);
    const double dear[CELLS] = {1, 1, 1, 1}, cheap[CELLS] = {-1, -1, -1, -1};
    const char *kinds[] = {"linear", "stump", "boost"};
    for (size_t k = 0; k < 3; k++) {
        opened open = open_oracle(kinds[k], &made, NULL);
        eqp_splitter *never, *always, *made_always;
        assert_int_equal(eqp_oracle_best(open.oracle, dear, NULL, &never, NULL), EQP_OK);
        assert_int_equal(eqp_oracle_best(open.oracle, cheap, NULL, &always, NULL), EQP_OK);
        assert_int_equal(eqp_oracle_constant(open.oracle, true, &made_always, NULL), EQP_OK);
        assert_true(never->constant == EQP_SCORE_NEVER && always->constant == EQP_SCORE_ALWAYS);
        assert_masses(&made, never);
        assert_masses(&made, always);
        assert_memory_equal(always->chosen, made_always->chosen, 300);
        for (size_t e = 0; e < CELLS; e++) assert_true(fabs(always->mass[e] - made_always->mass[e]) < 1e-14);
        eqp_splitter_free(never);
        eqp_splitter_free(always);
        eqp_splitter_free(made_always);
        close_oracle(open);
    }
    made_free(&made);
}

/* Swaps rows i and j of everything. */
static void swap_rows(made_rows *made, size_t i, size_t j)
{
    for (size_t f = 0; f < MADE_FEATURES; f++) {
        if (made->numbers[f]) {
            double kept = made->numbers[f][i];
            made->numbers[f][i] = made->numbers[f][j];
            made->numbers[f][j] = kept;
        } else {
            uint32_t kept = made->codes[f][i];
            made->codes[f][i] = made->codes[f][j];
            made->codes[f][j] = kept;
        }
    }
    uint32_t cell = made->cell[i];
    made->cell[i] = made->cell[j];
    made->cell[j] = cell;
    double weight = made->weight[i];
    made->weight[i] = made->weight[j];
    made->weight[j] = weight;
}

static void order_does_not_matter(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    const char *kinds[] = {"prc", "linear", "stump"};
    for (size_t k = 0; k < 3; k++) {
        made_rows made;
        made_new(&made, ROWS, CELLS, 24);
        opened open = open_oracle(kinds[k], &made, NULL);
        eqp_splitter *before, *after;
        assert_int_equal(eqp_oracle_best(open.oracle, prices, NULL, &before, NULL), EQP_OK);
        close_oracle(open);

        for (size_t i = 0; i < ROWS / 2; i++) swap_rows(&made, i, ROWS - 1 - i);
        eqp_design_free(made.design);
        eqp_design_new(&made.encoding, &made.block, NULL, 0, &made.design, NULL);
        open = open_oracle(kinds[k], &made, NULL);
        assert_int_equal(eqp_oracle_best(open.oracle, prices, NULL, &after, NULL), EQP_OK);
        for (size_t i = 0; i < ROWS; i++) assert_int_equal(before->chosen[i], after->chosen[ROWS - 1 - i]);
        for (size_t e = 0; e < CELLS; e++) assert_true(fabs(before->mass[e] - after->mass[e]) < 1e-13);
        eqp_splitter_free(before);
        eqp_splitter_free(after);
        close_oracle(open);
        made_free(&made);
    }
}

/* Other values in rows without weight: the same rule.  (The bins of stumps belong to the run, not to the
 * leaf, so the values stay among those that occur.) */
static void rows_without_weight_do_not_matter(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    const char *kinds[] = {"prc", "prc-weights", "linear", "stump", "boost"};
    for (size_t k = 0; k < 5; k++) {
        made_rows made;
        double score[2][ROWS];
        eqp_splitter *splitter[2];
        for (int changed = 0; changed < 2; changed++) {
            made_new(&made, ROWS, CELLS, 25);
            for (size_t i = 0; i < ROWS; i += 3) made.weight[i] = 0;
            for (size_t i = 0; changed && i < ROWS; i += 3) made.cell[i] = (made.cell[i] + 1) % CELLS;
            opened open = open_oracle(kinds[k], &made, made.weight);
            assert_int_equal(eqp_oracle_best(open.oracle, prices, NULL, &splitter[changed], NULL), EQP_OK);
            eqp_score_rows(&made.encoding, &splitter[changed]->score, &made.block, 0, ROWS, score[changed]);
            close_oracle(open);
            made_free(&made);
        }
        assert_memory_equal(score[0], score[1], sizeof score[0]);
        assert_memory_equal(splitter[0]->chosen, splitter[1]->chosen, ROWS);
        assert_memory_equal(splitter[0]->mass, splitter[1]->mass, CELLS * sizeof(double));
        for (size_t i = 0; i < ROWS; i++)
            assert_int_equal(splitter[0]->chosen[i], score[0][i] < splitter[0]->threshold);
        eqp_splitter_free(splitter[0]);
        eqp_splitter_free(splitter[1]);
    }
}

/* A leaf that lists its rows answers as one in which the others have no weight. */
static void listed_rows_are_all_that_counts(void **state)
{
    (void)state;
    enum { ROWS = 500, LISTED = 250 };
    const char *kinds[] = {"prc", "prc-weights", "linear", "stump", "boost"};
    for (size_t k = 0; k < 5; k++) {
        made_rows made;
        uint32_t row[LISTED];
        double weight[LISTED], extra[ROWS], own_extra[LISTED];
        made_new(&made, ROWS, CELLS, 27);
        for (size_t i = 0; i < LISTED; i++) {
            row[i] = (uint32_t)(2 * i);
            weight[i] = made.weight[2 * i];
            own_extra[i] = extra[2 * i] = 0.3 * sin((double)i);
            made.weight[2 * i + 1] = extra[2 * i + 1] = 0;
        }
        opened open = open_oracle(kinds[k], &made, NULL);
        eqp_leaf_rows leaf = {.design = made.design,
                              .block = &made.block,
                              .weight = weight,
                              .cell = made.cell,
                              .cells = CELLS,
                              .row = row,
                              .rows = LISTED};
        for (int with_extra = 0; with_extra < 2; with_extra++) {
            eqp_splitter *all, *some, *masses;
            eqp_oracle *listed, *weighed;
            leaf.masses_only = false;
            assert_int_equal(eqp_oracle_new(open.shared, &leaf, &listed, NULL), EQP_OK);
            leaf.masses_only = true;
            assert_int_equal(eqp_oracle_new(open.shared, &leaf, &weighed, NULL), EQP_OK);
            assert_int_equal(eqp_oracle_best(open.oracle, prices, with_extra ? extra : NULL, &all, NULL), 0);
            assert_int_equal(eqp_oracle_best(listed, prices, with_extra ? own_extra : NULL, &some, NULL), 0);
            assert_int_equal(eqp_oracle_best(weighed, prices, with_extra ? own_extra : NULL, &masses, NULL),
                             0);
            for (size_t i = 0; i < LISTED; i++) assert_int_equal(some->chosen[i], all->chosen[2 * i]);
            for (size_t e = 0; e < CELLS; e++) assert_true(fabs(some->mass[e] - all->mass[e]) < 1e-13);
            assert_null(masses->chosen);
            assert_memory_equal(masses->mass, some->mass, CELLS * sizeof(double));
            eqp_splitter_free(all);
            eqp_splitter_free(some);
            eqp_splitter_free(masses);
            eqp_oracle_free(listed);
            eqp_oracle_free(weighed);
        }
        close_oracle(open);
        made_free(&made);
    }
}

static void empty_leaves_choose_something_harmless(void **state)
{
    (void)state;
    const char *kinds[] = {"prc", "prc-weights", "linear", "stump", "boost"};
    for (size_t k = 0; k < 5; k++) {
        made_rows made;
        made_new(&made, 50, CELLS, 26);
        for (size_t i = 0; i < 50; i++) made.weight[i] = 0;
        opened open = open_oracle(kinds[k], &made, NULL);
        eqp_splitter *splitter;
        assert_int_equal(eqp_oracle_best(open.oracle, prices, NULL, &splitter, NULL), EQP_OK);
        for (size_t e = 0; e < CELLS; e++) assert_true(splitter->mass[e] == 0);
        eqp_splitter_free(splitter);
        close_oracle(open);
        made_free(&made);
    }
}

static void unknown_oracles_are_refused(void **state)
{
    (void)state;
    eqp_oracle_shared *shared = (void *)1;
    eqp_error error = {0};
    assert_int_equal(eqp_oracle_shared_new("forest", NULL, NULL, NULL, 0, &shared, &error), EQP_USAGE);
    assert_null(shared);
    assert_string_equal(error.message, "unknown oracle \"forest\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prc_is_two_regressions),
        cmocka_unit_test(prc_weights_is_two_regressions_on_weights),
        cmocka_unit_test(linear_takes_the_best_cut),
        cmocka_unit_test(constants_are_found),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(rows_without_weight_do_not_matter),
        cmocka_unit_test(listed_rows_are_all_that_counts),
        cmocka_unit_test(empty_leaves_choose_something_harmless),
        cmocka_unit_test(unknown_oracles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
