/* Multinomial logistic regression by L-BFGS (M10), in coordinates that are round at the start.  A pass over
 * the rows costs two lookups a feature: scores X b, then the gradient Xᵀ(probability - indicator). */
#include "baseline/logit.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "solve/slow_gain.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

#define ROWS_AT_ONCE 512
#define LBFGS_STRIDE 16                 /* vectors padded to this, as SIMD builds of liblbfgs demand */
static const double LEAST_SHARE = 1e-6; /* of a class, where its logarithm is taken */
static const double LEAST_GAIN = 1e-5;  /* of the loss, by a few steps together */

typedef struct logit_problem {
    eqp_slow_gain gain; /* first: the descent is watched through it */
    const eqp_design *design;
    const uint32_t *class_of;
    const double *weight;
    size_t classes;
    double penalty; /* ridge / n */
    eqp_logit_metric *metric;
    size_t padded;        /* the coefficients, as many as liblbfgs wants */
    eqp_arena arena;      /* of the arrays below */
    double *c, *gradient; /* of the search, padded */
    double *b;            /* the coefficients of the current evaluation */
    double *residual;     /* ROWS_AT_ONCE × classes */
    double *share;        /* mass of each class */
    double loss;          /* of the last evaluation, without the penalty */
    const eqp_watch *watch;
    eqp_status stopped; /* by the watch, which is then the error */
    eqp_error *error;
} logit_problem;

/* Turns one row's scores into p_i (probability - indicator) and returns its log-loss. */
static double row_residual(double *score, size_t classes, uint32_t own, double weight)
{
    double top = score[0], total = 0;
    for (size_t k = 1; k < classes; k++) top = score[k] > top ? score[k] : top;
    double margin = score[own] - top;
    for (size_t k = 0; k < classes; k++) total += score[k] = eqp_exp(score[k] - top);
    for (size_t k = 0; k < classes; k++) score[k] *= weight / total;
    score[own] -= weight;
    return eqp_log(total) - margin;
}

static double add_penalty(const logit_problem *problem, const double *b, double *gradient)
{
    double squares = 0;
    size_t last = problem->design->encoding->width * problem->classes;
    for (size_t i = problem->classes; i < last; i++) { /* slot 0 is the intercept: free */
        squares += b[i] * b[i];
        gradient[i] += problem->penalty * b[i];
    }
    return problem->penalty * squares / 2;
}

/* Loss and gradient in the coefficients themselves. */
static double evaluate_plain(logit_problem *problem, const double *b, double *gradient)
{
    size_t rows = problem->design->rows, classes = problem->classes;
    memset(gradient, 0, problem->design->encoding->width * classes * sizeof *gradient);
    problem->loss = 0;
    for (size_t first = 0; first < rows; first += ROWS_AT_ONCE) {
        size_t count = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
        eqp_design_scores(problem->design, b, classes, first, count, problem->residual);
        for (size_t i = 0; i < count; i++)
            problem->loss += problem->weight[first + i] * row_residual(problem->residual + i * classes,
                                                                       classes, problem->class_of[first + i],
                                                                       problem->weight[first + i]);
        eqp_design_transpose(problem->design, problem->residual, classes, first, count, gradient);
    }
    return problem->loss + add_penalty(problem, b, gradient);
}

/* The same for L-BFGS, in the metric's coordinates. */
static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *c, lbfgsfloatval_t *gradient,
                                const int size, const lbfgsfloatval_t step)
{
    logit_problem *problem = instance;
    size_t used = problem->design->encoding->width * problem->classes;
    (void)step;
    memcpy(problem->b, c, used * sizeof *c);
    eqp_logit_metric_leave(problem->metric, problem->b);
    double value = evaluate_plain(problem, problem->b, gradient);
    eqp_logit_metric_pull(problem->metric, gradient);
    for (size_t i = used; i < (size_t)size; i++) gradient[i] = 0; /* padding */
    eqp_slow_gain_begin(&problem->gain, value);
    return value;
}

static double largest_gradient(logit_problem *problem, const double *b, double *gradient)
{
    double largest = 0;
    evaluate_plain(problem, b, gradient);
    for (size_t i = 0; i < problem->design->encoding->width * problem->classes; i++)
        largest = fmax(largest, fabs(gradient[i]));
    return largest;
}

/* The progress function of lbfgs(): what is not 0 ends the search. */
static int look_around(void *instance, const lbfgsfloatval_t *x, const lbfgsfloatval_t *gradient,
                       lbfgsfloatval_t value, lbfgsfloatval_t length, lbfgsfloatval_t gradient_length,
                       lbfgsfloatval_t step, int size, int steps, int evaluations)
{
    logit_problem *problem = instance;
    problem->stopped = eqp_watch_step(problem->watch, "learning", 0, problem->error);
    if (problem->stopped != EQP_OK) return 1;
    return eqp_slow_gain_watch(instance, x, gradient, value, length, gradient_length, step, size, steps,
                               evaluations);
}

/* The search begins with intercepts alone. */
static eqp_status minimise(logit_problem *problem, size_t max_iterations, eqp_logit *logit, eqp_error *error)
{
    double *c = problem->c;
    lbfgs_parameter_t parameter;
    lbfgs_parameter_init(&parameter);
    parameter.max_iterations = (int)max_iterations;
    parameter.epsilon = 1e-5;
    memset(c, 0, problem->padded * sizeof *c);
    for (size_t k = 0; k < problem->classes; k++) c[k] = eqp_log(fmax(problem->share[k], LEAST_SHARE));
    eqp_logit_metric_enter(problem->metric, c);
    int answer = lbfgs((int)problem->padded, c, NULL, evaluate, look_around, problem, &parameter);
    if (problem->stopped != EQP_OK) return problem->stopped;
    if (answer == LBFGSERR_OUTOFMEMORY) return eqp_fail_memory(error);
    memcpy(logit->coefficients, c, logit->width * logit->classes * sizeof *c);
    eqp_logit_metric_leave(problem->metric, logit->coefficients);
    logit->gradient = largest_gradient(problem, logit->coefficients, problem->gradient);
    logit->loss = problem->loss;
    return EQP_OK;
}

static eqp_status prepare(logit_problem *problem, eqp_error *error)
{
    eqp_arena *arena = &problem->arena;
    problem->c = eqp_take(arena, problem->padded, sizeof *problem->c);
    problem->gradient = eqp_take(arena, problem->padded, sizeof *problem->gradient);
    problem->b = eqp_take(arena, problem->padded, sizeof *problem->b);
    problem->residual = eqp_take(arena, ROWS_AT_ONCE * problem->classes, sizeof *problem->residual);
    problem->share = eqp_take_zero(arena, problem->classes, sizeof *problem->share);
    if (arena->failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < problem->design->rows; i++)
        problem->share[problem->class_of[i]] += problem->weight[i];
    return eqp_logit_metric_new(problem->design, problem->weight, problem->share, problem->classes,
                                problem->penalty, &problem->metric, error);
}

static eqp_status logit_new(size_t width, size_t classes, eqp_logit **logit, eqp_error *error)
{
    *logit = eqp_alloc_zero(1, sizeof **logit);
    if (*logit == NULL) return eqp_fail_memory(error);
    (*logit)->width = width;
    (*logit)->classes = classes;
    (*logit)->coefficients = eqp_alloc(width * classes, sizeof *(*logit)->coefficients);
    return (*logit)->coefficients != NULL ? EQP_OK : eqp_fail_memory(error);
}

eqp_status eqp_logit_fit(const eqp_design *design, const uint32_t *class_of, size_t classes,
                         const double *weight, double ridge, size_t max_iterations, const eqp_watch *watch,
                         eqp_logit **fitted, eqp_error *error)
{
    *fitted = NULL;
    size_t width = design->encoding->width;
    size_t padded = (width * classes + LBFGS_STRIDE - 1) / LBFGS_STRIDE * LBFGS_STRIDE;
    if (padded > INT32_MAX)
        return eqp_fail(error, EQP_DATA, "too many columns and groups for logistic regression");
    eqp_logit *logit;
    logit_problem problem = {.gain = eqp_slow_gain_of(LEAST_GAIN),
                             .design = design,
                             .class_of = class_of,
                             .weight = weight,
                             .classes = classes,
                             .penalty = ridge / (double)design->rows,
                             .padded = padded,
                             .watch = watch,
                             .error = error};
    eqp_status status = logit_new(width, classes, &logit, error);
    if (status == EQP_OK) status = prepare(&problem, error);
    if (status == EQP_OK) status = minimise(&problem, max_iterations, logit, error);
    if (status == EQP_OK) *fitted = logit;
    if (status != EQP_OK) eqp_logit_free(logit);
    eqp_logit_metric_free(problem.metric);
    eqp_arena_free(&problem.arena);
    return status;
}

void eqp_logit_free(eqp_logit *logit)
{
    if (logit == NULL) return;
    free(logit->coefficients);
    free(logit);
}
