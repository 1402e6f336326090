/* Logistic regression: the loss is what the formula says, and no direction lowers it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../design/made_rows.h"
#include "baseline/logit.h"

/* The objective written out with expanded rows: log-loss, and the ridge apart. */
static double plain_loss(const made_rows *made, const double *b, double *penalty, double ridge)
{
    size_t width = made->encoding.width, classes = made->cells;
    double *x = eqp_alloc(width, sizeof *x), loss = 0;
    for (size_t i = 0; i < made->block.rows; i++) {
        double total = 0, own = 0;
        made_expand(made, i, x);
        for (size_t k = 0; k < classes; k++) {
            double score = 0;
            for (size_t s = 0; s < width; s++) score += x[s] * b[s * classes + k];
            total += exp(score);
            if (k == made->cell[i]) own = score;
        }
        loss += made->weight[i] * (log(total) - own);
    }
    *penalty = 0;
    for (size_t j = classes; j < width * classes; j++) *penalty += b[j] * b[j];
    *penalty *= ridge / (double)made->block.rows / 2;
    free(x);
    return loss;
}

static void normalise(made_rows *made)
{
    double total = 0;
    for (size_t i = 0; i < made->block.rows; i++) total += made->weight[i];
    for (size_t i = 0; i < made->block.rows; i++) made->weight[i] /= total;
}

static void test_minimum(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 400, 3, 7);
    normalise(&made);
    eqp_logit *logit;
    assert_int_equal(
        eqp_logit_fit(made.design, made.cell, made.cells, made.weight, 1, 500, NULL, &logit, NULL), EQP_OK);
    double penalty, loss = plain_loss(&made, logit->coefficients, &penalty, 1), best = loss + penalty;
    assert_true(fabs(loss - logit->loss) < 1e-12);
    assert_true(logit->gradient < 1e-4);

    eqp_random random = eqp_random_from(3, 3);
    size_t count = logit->width * logit->classes;
    double *moved = eqp_alloc(count, sizeof *moved);
    for (int trial = 0; trial < 50; trial++) {
        for (size_t j = 0; j < count; j++)
            moved[j] = logit->coefficients[j] + 0.05 * eqp_random_normal(&random);
        loss = plain_loss(&made, moved, &penalty, 1);
        assert_true(loss + penalty > best);
    }
    free(moved);
    eqp_logit_free(logit);
    made_free(&made);
}

/* Duplicating every row with half the weight changes nothing but the share of the ridge. */
static void test_weights_count_as_rows(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 200, 3, 11);
    normalise(&made);
    for (size_t i = 100; i < 200; i++) made.weight[i] = 0;
    normalise(&made);
    eqp_logit *weighted, *fewer;
    assert_int_equal(eqp_logit_fit(made.design, made.cell, 3, made.weight, 2, 500, NULL, &weighted, NULL),
                     EQP_OK);
    made.design->rows = 100;
    assert_int_equal(eqp_logit_fit(made.design, made.cell, 3, made.weight, 1, 500, NULL, &fewer, NULL),
                     EQP_OK);
    assert_true(fabs(weighted->loss - fewer->loss) < 1e-5);
    eqp_logit_free(weighted);
    eqp_logit_free(fewer);
    made_free(&made);
}

/* ---- the metric -------------------------------------------------------------------------------------- */

/* Entering and leaving undo each other, and a gradient pulled over is the old one seen from there:
 * <gradient, b> = <pulled, c>. */
static void check_metric(const made_rows *made, size_t classes, eqp_logit_metric **metric)
{
    size_t count = made->encoding.width * classes;
    double *share = eqp_alloc(classes, sizeof *share), *b = eqp_alloc(count, sizeof *b);
    double *c = eqp_alloc(count, sizeof *c), *gradient = eqp_alloc(count, sizeof *gradient);
    eqp_random random = eqp_random_from(5, 5);
    for (size_t k = 0; k < classes; k++) share[k] = 1 / (double)classes;
    eqp_error error = {0};
    assert_int_equal(eqp_logit_metric_new(made->design, made->weight, share, classes, 0.01, metric, &error),
                     EQP_OK);
    double before = 0, after = 0;
    for (size_t j = 0; j < count; j++) {
        b[j] = c[j] = eqp_random_normal(&random);
        gradient[j] = eqp_random_normal(&random);
        before += b[j] * gradient[j];
    }
    eqp_logit_metric_enter(*metric, c);
    eqp_logit_metric_pull(*metric, gradient);
    for (size_t j = 0; j < count; j++) after += c[j] * gradient[j];
    assert_true(fabs(before - after) < 1e-9 * (double)count);
    eqp_logit_metric_leave(*metric, c);
    for (size_t j = 0; j < count; j++) assert_true(fabs(b[j] - c[j]) < 1e-9);
    free(share);
    free(b);
    free(c);
    free(gradient);
}

/* With so many classes that whole matrices have no room, a unit vector grows by the root of the curvature. */
static void test_metric_of_the_diagonal(void **state)
{
    (void)state;
    enum { MANY = 60000 };
    made_rows made;
    made_new(&made, 300, 3, 7);
    normalise(&made);
    eqp_logit_metric *few, *many;
    check_metric(&made, 3, &few);
    check_metric(&made, MANY, &many);
    size_t width = made.encoding.width;
    double *gram = eqp_alloc(width, width * sizeof *gram), *b = eqp_alloc_zero(width, MANY * sizeof *b);
    assert_int_equal(eqp_design_gram(made.design, made.weight, 0, 300, gram, NULL), EQP_OK);
    for (size_t s = 0; s < width; s++) b[s * MANY] = 1;
    eqp_logit_metric_enter(many, b);
    double curvature = 1.0 / MANY * (1 - 1.0 / MANY);
    for (size_t s = 0; s < width; s++) {
        double square = curvature * gram[s * width + s] + (s > 0 ? 0.01 : 0) + 1e-9;
        assert_true(fabs(b[s * MANY] * b[s * MANY] - square) < 1e-12);
        assert_true(b[s * MANY + 1] == 0);
    }
    free(gram);
    free(b);
    eqp_logit_metric_free(few);
    eqp_logit_metric_free(many);
    made_free(&made);
}

static bool stop_at_last(void *context, const char *stage, double done)
{
    (void)stage;
    (void)done;
    return --*(int *)context > 0;
}

static void test_stops(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 400, 3, 7);
    normalise(&made);
    int left = 2;
    eqp_watch watch = {stop_at_last, &left};
    eqp_logit *logit;
    assert_int_equal(
        eqp_logit_fit(made.design, made.cell, made.cells, made.weight, 1, 500, &watch, &logit, NULL),
        EQP_CANCELLED);
    assert_null(logit);
    assert_int_equal(left, 0);
    made_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimum), cmocka_unit_test(test_weights_count_as_rows),
        cmocka_unit_test(test_metric_of_the_diagonal), cmocka_unit_test(test_stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
