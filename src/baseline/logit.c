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
    const eqp_logit_metric *metric;
    double *b;        /* the coefficients of the evaluation at hand */
    double *residual; /* ROWS_AT_ONCE × classes */
    double loss;      /* of the last evaluation, without the penalty */
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

static void sum_classes(const uint32_t *class_of, const double *weight, size_t rows, size_t classes,
                        double *share)
{
    memset(share, 0, classes * sizeof *share);
    for (size_t i = 0; i < rows; i++) share[class_of[i]] += weight[i];
}

/* `c` and `gradient` are padded to `size`; the search begins with intercepts alone. */
static eqp_status minimise(logit_problem *problem, const double *share, size_t max_iterations, double *c,
                           double *gradient, int size, eqp_logit *logit, eqp_error *error)
{
    lbfgs_parameter_t parameter;
    lbfgs_parameter_init(&parameter);
    parameter.max_iterations = (int)max_iterations;
    parameter.epsilon = 1e-5;
    memset(c, 0, (size_t)size * sizeof *c);
    for (size_t k = 0; k < problem->classes; k++) c[k] = eqp_log(fmax(share[k], LEAST_SHARE));
    eqp_logit_metric_enter(problem->metric, c);
    int answer = lbfgs(size, c, NULL, evaluate, eqp_slow_gain_watch, problem, &parameter);
    if (answer == LBFGSERR_OUTOFMEMORY) return eqp_fail_memory(error);
    memcpy(logit->coefficients, c, logit->width * logit->classes * sizeof *c);
    eqp_logit_metric_leave(problem->metric, logit->coefficients);
    logit->gradient = largest_gradient(problem, logit->coefficients, gradient);
    logit->loss = problem->loss;
    return EQP_OK;
}

/* Room for a search over `padded` numbers. */
typedef struct search_memory {
    double *c, *gradient; /* aligned as liblbfgs wants them */
    double *b, *residual, *share;
} search_memory;

static bool allocate(size_t padded, size_t classes, search_memory *memory)
{
    memory->c = lbfgs_malloc((int)padded);
    memory->gradient = lbfgs_malloc((int)padded);
    memory->b = eqp_alloc(padded, sizeof *memory->b);
    memory->residual = eqp_alloc(ROWS_AT_ONCE * classes, sizeof *memory->residual);
    memory->share = eqp_alloc(classes, sizeof *memory->share);
    return memory->c && memory->gradient && memory->b && memory->residual && memory->share;
}

static void release(search_memory *memory)
{
    lbfgs_free(memory->c);
    lbfgs_free(memory->gradient);
    free(memory->b);
    free(memory->residual);
    free(memory->share);
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
                         const double *weight, double ridge, size_t max_iterations, eqp_logit **fitted,
                         eqp_error *error)
{
    *fitted = NULL;
    size_t width = design->encoding->width;
    size_t padded = (width * classes + LBFGS_STRIDE - 1) / LBFGS_STRIDE * LBFGS_STRIDE;
    if (padded > INT32_MAX)
        return eqp_fail(error, EQP_DATA, "too many columns and groups for logistic regression");
    eqp_logit *logit;
    eqp_logit_metric *metric = NULL;
    search_memory memory = {0};
    double penalty = ridge / (double)design->rows;
    eqp_status status = logit_new(width, classes, &logit, error);
    if (status == EQP_OK && !allocate(padded, classes, &memory)) status = eqp_fail_memory(error);
    if (status == EQP_OK) {
        sum_classes(class_of, weight, design->rows, classes, memory.share);
        status = eqp_logit_metric_new(design, weight, memory.share, classes, penalty, &metric, error);
    }
    if (status == EQP_OK) {
        logit_problem problem = {.gain = eqp_slow_gain_of(LEAST_GAIN),
                                 .design = design,
                                 .class_of = class_of,
                                 .weight = weight,
                                 .classes = classes,
                                 .penalty = penalty,
                                 .metric = metric,
                                 .b = memory.b,
                                 .residual = memory.residual};
        status = minimise(&problem, memory.share, max_iterations, memory.c, memory.gradient, (int)padded,
                          logit, error);
    }
    if (status == EQP_OK) *fitted = logit;
    if (status != EQP_OK) eqp_logit_free(logit);
    eqp_logit_metric_free(metric);
    release(&memory);
    return status;
}

void eqp_logit_free(eqp_logit *logit)
{
    if (logit == NULL) return;
    free(logit->coefficients);
    free(logit);
}
