/* Multinomial logistic regression by L-BFGS (M10).  A pass over the rows costs two lookups a feature: scores
 * X b, then the gradient Xᵀ(probability - indicator). */
#include "learn/logit.h"

#include "base/memory.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

#define ROWS_AT_ONCE 512
#define LBFGS_STRIDE 16 /* vectors padded to this, as SIMD builds of liblbfgs demand */

typedef struct logit_problem {
    const eqp_design *design;
    const uint32_t *class_of;
    const double *weight;
    size_t classes;
    double penalty;   /* ridge / n */
    double *residual; /* ROWS_AT_ONCE × classes */
    double loss;      /* of the last evaluation, without the penalty */
} logit_problem;

/* Turns one row's scores into p_i (probability - indicator) and returns its log-loss. */
static double row_residual(double *score, size_t classes, uint32_t own, double weight)
{
    double top = score[0], total = 0;
    for (size_t k = 1; k < classes; k++) top = score[k] > top ? score[k] : top;
    double margin = score[own] - top;
    for (size_t k = 0; k < classes; k++) total += score[k] = exp(score[k] - top);
    for (size_t k = 0; k < classes; k++) score[k] *= weight / total;
    score[own] -= weight;
    return log(total) - margin;
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

static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *b, lbfgsfloatval_t *gradient,
                                const int size, const lbfgsfloatval_t step)
{
    logit_problem *problem = instance;
    size_t rows = problem->design->rows, classes = problem->classes;
    (void)step;
    memset(gradient, 0, (size_t)size * sizeof *gradient);
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

static double largest_gradient(logit_problem *problem, const double *b, double *gradient, int size)
{
    double largest = 0;
    evaluate(problem, b, gradient, size, 0);
    for (int i = 0; i < size; i++) largest = fmax(largest, fabs(gradient[i]));
    return largest;
}

static void minimise(logit_problem *problem, size_t max_iterations, double *b, double *gradient, int size,
                     eqp_logit *logit)
{
    lbfgs_parameter_t parameter;
    lbfgs_parameter_init(&parameter);
    parameter.max_iterations = (int)max_iterations;
    parameter.epsilon = 1e-6;
    parameter.past = 5; /* also stop when five steps gain less than 1e-7 of the loss */
    parameter.delta = 1e-7;
    lbfgs(size, b, NULL, evaluate, NULL, problem, &parameter);
    logit->gradient = largest_gradient(problem, b, gradient, size);
    logit->loss = problem->loss;
    memcpy(logit->coefficients, b, logit->width * logit->classes * sizeof *b);
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
    eqp_logit *logit = eqp_alloc_zero(1, sizeof *logit);
    double *b = lbfgs_malloc((int)padded), *gradient = lbfgs_malloc((int)padded);
    double *residual = eqp_alloc(ROWS_AT_ONCE * classes, sizeof *residual);
    if (logit != NULL) logit->coefficients = eqp_alloc(width * classes, sizeof *logit->coefficients);
    bool ready =
        logit != NULL && logit->coefficients != NULL && b != NULL && gradient != NULL && residual != NULL;

    if (ready) {
        logit_problem problem = {design,   class_of, weight, classes, ridge / (double)design->rows,
                                 residual, 0};
        logit->width = width;
        logit->classes = classes;
        memset(b, 0, padded * sizeof *b);
        minimise(&problem, max_iterations, b, gradient, (int)padded, logit);
        *fitted = logit;
    }
    lbfgs_free(b);
    lbfgs_free(gradient);
    free(residual);
    if (ready) return EQP_OK;
    eqp_logit_free(logit);
    return eqp_fail_memory(error);
}

void eqp_logit_free(eqp_logit *logit)
{
    if (logit == NULL) return;
    free(logit->coefficients);
    free(logit);
}
