/* Direct learner: chances from scores, by L-BFGS.
 *
 * A pass over the rows takes runs of them, one lane per row: logits, their softmax, the gradient.  The search
 * is in coordinates in which the loss is round where it begins, at the base rates: scores nearly repeat each
 * other (those of a row sum to 1), so that it would take long in any other.  Floats suffice, since
 * chances are only partly believed. */
#include "solve/multinomial.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/wide.h"
#include "solve/cholesky.h"
#include "solve/slow_gain.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

enum { CELLS = EQP_DIRECT_LOGIT_CELLS, RUN = 512, LANES = 16, LBFGS_STRIDE = 16 };
enum { ROWS_A_COEFFICIENT = 512 };     /* of more rows some runs are left out */
static const double RIDGE = 1;         /* in rows, of a coefficient over a standard deviation */
static const double LEAST_GAIN = 1e-3; /* of the loss, by a few steps together */
static const double LEAST_SHARE = 1e-6, LEAST_VARIANCE = 1e-6, TRACE = 1e-4;

typedef struct logit_run {
    const float *x[CELLS]; /* the columns' */
    float chance[CELLS][RUN], padded[CELLS][RUN];
    float weight[RUN]; /* 0 behind the last row */
    float loss[RUN];
    uint32_t cell[RUN];
} logit_run;

typedef struct score_logit {
    eqp_slow_gain gain; /* first: the descent is watched through it */
    float *column;      /* [cell][row] */
    const uint32_t *cell;
    const double *weight;
    size_t rows, cells;
    double total, used;                  /* weight and number of the rows looked at */
    double mean[CELLS], variance[CELLS]; /* of the columns */
    double share[CELLS];                 /* of the cells */
    double factor[CELLS * CELLS];        /* U, where U'U is the covariance of the columns, and a trace */
    double intercept[CELLS], slope[CELLS * CELLS]; /* [cell][column], of the evaluation at hand */
    logit_run run;                                 /* the one at hand */
} score_logit;

/* ---- one run of rows ----------------------------------------------------------------------------------- */

static void load_run(score_logit *logit, size_t first)
{
    logit_run *run = &logit->run;
    size_t count = logit->rows - first < RUN ? logit->rows - first : RUN;
    for (size_t f = 0; f < logit->cells; f++) {
        run->x[f] = logit->column + f * logit->rows + first;
        if (count == RUN) continue;
        memset(run->padded[f], 0, sizeof run->padded[f]);
        memcpy(run->padded[f], run->x[f], count * sizeof run->padded[f][0]);
        run->x[f] = run->padded[f];
    }
    memset(run->weight, 0, sizeof run->weight);
    memset(run->cell, 0, sizeof run->cell);
    for (size_t i = 0; i < count; i++) run->weight[i] = (float)logit->weight[first + i];
    memcpy(run->cell, logit->cell + first, count * sizeof run->cell[0]);
}

/* e^x for x <= 0, to 7 digits: 2^k e^r with |r| <= ln 2 / 2. */
static inline float exp_below(float x)
{
    const float to_whole = 0x1.8p23f;
    x = x > -87 ? x : -87;
    float k = x * 0x1.715476p0f + to_whole - to_whole;
    float r = x - k * 0x1.63p-1f + k * 0x1.bd0106p-13f;
    float sum = 1 + r * (1 + r * (0.5f + r * (0x1.555556p-3f + r * (0x1.555556p-5f + r * 0x1.111112p-7f))));
    uint32_t bits = (uint32_t)((int32_t)k + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

/* ln x for x >= 1, to 7 digits: k ln 2 + ln m with m within a factor √2 of 1. */
static inline float log_above(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += 0x3f800000 - 0x3f3504f3;
    float k = (float)((int32_t)(bits >> 23) - 127), m;
    bits = (bits & 0x7fffff) + 0x3f3504f3;
    memcpy(&m, &bits, sizeof m);
    float s = (m - 1) / (m + 1), square = s * s;
    return k * 0x1.62e43p-1f + 2 * s * (1 + square * (1.0f / 3 + square * (0.2f + square * (1.0f / 7))));
}

EQP_WIDE static void add_scaled(float *restrict sum, const float *restrict x, float factor)
{
    for (size_t i = 0; i < RUN; i++) sum[i] += factor * x[i];
}

EQP_WIDE static void keep_top_and_own(float *restrict top, float *restrict own, const float *restrict sum,
                                      const uint32_t *restrict cell, uint32_t k)
{
    for (size_t i = 0; i < RUN; i++) {
        top[i] = top[i] > sum[i] ? top[i] : sum[i];
        own[i] = cell[i] == k ? sum[i] : own[i];
    }
}

EQP_WIDE static void softmax(float *restrict logit, const float *restrict top, float *restrict total)
{
    for (size_t i = 0; i < RUN; i++) total[i] += logit[i] = exp_below(logit[i] - top[i]);
}

EQP_WIDE static void add_loss(float *restrict loss, const float *restrict weight, float *restrict total,
                              const float *restrict top, const float *restrict own)
{
    for (size_t i = 0; i < RUN; i++) {
        loss[i] = weight[i] * (log_above(total[i]) - (own[i] - top[i]));
        total[i] = 1 / total[i];
    }
}

EQP_WIDE static void scale(float *restrict chance, const float *restrict factor)
{
    for (size_t i = 0; i < RUN; i++) chance[i] *= factor[i];
}

/* Chances and losses of the run's rows. */
static void find_chances(logit_run *run, size_t cells, const double *intercept, const double *slope)
{
    float top[RUN], own[RUN], total[RUN] = {0};
    for (size_t i = 0; i < RUN; i++) top[i] = -INFINITY, own[i] = 0;
    for (size_t k = 0; k < cells; k++) {
        float *logit = run->chance[k];
        for (size_t i = 0; i < RUN; i++) logit[i] = (float)intercept[k];
        for (size_t f = 0; f < cells; f++) add_scaled(logit, run->x[f], (float)slope[k * cells + f]);
        keep_top_and_own(top, own, logit, run->cell, (uint32_t)k);
    }
    for (size_t k = 0; k < cells; k++) softmax(run->chance[k], top, total);
    add_loss(run->loss, run->weight, total, top, own);
    for (size_t k = 0; k < cells; k++) scale(run->chance[k], total);
}

static inline double sum_of(const float *lane)
{
    double sum = 0;
    for (size_t l = 0; l < LANES; l++) sum += (double)lane[l];
    return sum;
}

/* Adds the run's part of the gradient, by intercepts and slopes; lanes keep the order of the sums fixed. */
EQP_WIDE static void add_gradient(const logit_run *restrict run, size_t cells, double *restrict intercept,
                                  double *restrict slope)
{
    for (size_t k = 0; k < cells; k++) {
        float left[RUN], lane[LANES] = {0};
        for (size_t i = 0; i < RUN; i++)
            left[i] = run->weight[i] * (run->chance[k][i] - (run->cell[i] == k ? 1 : 0));
        for (size_t i = 0; i < RUN; i += LANES)
            for (size_t l = 0; l < LANES; l++) lane[l] += left[i + l];
        intercept[k] += sum_of(lane);
        for (size_t f = 0; f < cells; f++) {
            const float *x = run->x[f];
            float product[LANES] = {0};
            for (size_t i = 0; i < RUN; i += LANES)
                for (size_t l = 0; l < LANES; l++) product[l] += left[i + l] * x[i + l];
            slope[k * cells + f] += sum_of(product);
        }
    }
}

/* Adds the run's columns and products of columns, as far as they differ from the origin. */
EQP_WIDE static void add_moments(const logit_run *restrict run, size_t cells, const float *restrict origin,
                                 double *restrict mean, double *restrict product)
{
    for (size_t f = 0; f < cells; f++) {
        const float *x = run->x[f];
        float part[RUN], lane[LANES] = {0};
        for (size_t i = 0; i < RUN; i++) part[i] = run->weight[i] * (x[i] - origin[f]);
        for (size_t i = 0; i < RUN; i += LANES)
            for (size_t l = 0; l < LANES; l++) lane[l] += part[i + l];
        mean[f] += sum_of(lane);
        for (size_t g = f; g < cells; g++) {
            const float *y = run->x[g];
            float both[LANES] = {0};
            for (size_t i = 0; i < RUN; i += LANES)
                for (size_t l = 0; l < LANES; l++) both[l] += part[i + l] * (y[i + l] - origin[g]);
            product[f * cells + g] += sum_of(both);
        }
    }
}

/* ---- coordinates --------------------------------------------------------------------------------------- */

/* From one run that is looked at to the next. */
static size_t stride_of(const score_logit *logit)
{
    return RUN * (1 + logit->rows / (ROWS_A_COEFFICIENT * logit->cells * (logit->cells + 1)));
}

static void count_cells(score_logit *logit)
{
    const logit_run *run = &logit->run;
    for (size_t i = 0; i < RUN; i++) {
        logit->share[run->cell[i]] += (double)run->weight[i];
        logit->total += (double)run->weight[i];
        logit->used += run->weight[i] > 0;
    }
}

/* Shares of the cells; means of the columns and, where the factor will be, their covariance. */
static void measure(score_logit *logit)
{
    size_t cells = logit->cells;
    float origin[CELLS]; /* near the columns, so that little cancels */
    for (size_t f = 0; f < cells; f++) origin[f] = logit->column[f * logit->rows];
    for (size_t first = 0; first < logit->rows; first += stride_of(logit)) {
        load_run(logit, first);
        add_moments(&logit->run, cells, origin, logit->mean, logit->factor);
        count_cells(logit);
    }
    for (size_t f = 0; f < cells; f++) {
        logit->share[f] = fmax(logit->share[f] / logit->total, LEAST_SHARE);
        logit->mean[f] /= logit->total;
    }
    for (size_t f = 0; f < cells; f++)
        for (size_t g = f; g < cells; g++) {
            double *entry = &logit->factor[f * cells + g];
            *entry = *entry / logit->total - logit->mean[f] * logit->mean[g];
        }
    for (size_t f = 0; f < cells; f++) logit->mean[f] += (double)origin[f];
}

/* A column that never changes, except for rounding, gets the variance of one that may. */
static eqp_status find_coordinates(score_logit *logit, eqp_error *error)
{
    double largest = 0;
    for (size_t f = 0; f < logit->cells; f++) largest = fmax(largest, logit->factor[f * (logit->cells + 1)]);
    for (size_t f = 0; f < logit->cells; f++) {
        double *entry = &logit->factor[f * (logit->cells + 1)];
        logit->variance[f] = largest > 0 ? fmax(*entry, LEAST_VARIANCE * largest) : 1;
        *entry = logit->variance[f] * (1 + TRACE);
    }
    if (!eqp_cholesky(logit->factor, logit->cells))
        return eqp_fail(error, EQP_DATA, "scores that are not numbers");
    return EQP_OK;
}

/* Intercepts and slopes at a place of the search. */
static void leave_coordinates(score_logit *logit, const double *c)
{
    size_t cells = logit->cells;
    memcpy(logit->slope, c + cells, cells * cells * sizeof *c);
    for (size_t k = 0; k < cells; k++) {
        eqp_cholesky_backward(logit->factor, cells, logit->slope + k * cells);
        double scale = 1 / sqrt(logit->share[k]);
        logit->intercept[k] = eqp_log(logit->share[k]) + scale * c[k];
        for (size_t f = 0; f < cells; f++) {
            logit->slope[k * cells + f] *= scale;
            logit->intercept[k] -= logit->slope[k * cells + f] * logit->mean[f];
        }
    }
}

/* The gradient by intercepts and slopes becomes the one by coordinates. */
static void pull_gradient(const score_logit *logit, double *gradient)
{
    size_t cells = logit->cells;
    for (size_t k = 0; k < cells; k++) {
        double scale = 1 / sqrt(logit->share[k]);
        for (size_t f = 0; f < cells; f++) {
            double *entry = &gradient[cells + k * cells + f];
            *entry = scale * (*entry - gradient[k] * logit->mean[f]);
        }
        gradient[k] *= scale;
        eqp_cholesky_forward(logit->factor, cells, gradient + cells + k * cells);
    }
}

/* ---- search -------------------------------------------------------------------------------------------- */

static double add_penalty(const score_logit *logit, double *gradient)
{
    size_t cells = logit->cells;
    double penalty = 0, ridge = RIDGE / logit->used;
    for (size_t k = 0; k < cells; k++)
        for (size_t f = 0; f < cells; f++) {
            double slope = logit->slope[k * cells + f], pull = ridge * logit->variance[f] * slope;
            penalty += pull * slope / 2;
            gradient[cells + k * cells + f] += pull;
        }
    return penalty;
}

static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *c, lbfgsfloatval_t *gradient,
                                const int size, const lbfgsfloatval_t step)
{
    score_logit *logit = instance;
    size_t cells = logit->cells, used = cells * (cells + 1);
    double loss = 0;
    (void)step;
    leave_coordinates(logit, c);
    memset(gradient, 0, (size_t)size * sizeof *gradient);
    for (size_t first = 0; first < logit->rows; first += stride_of(logit)) {
        load_run(logit, first);
        find_chances(&logit->run, cells, logit->intercept, logit->slope);
        add_gradient(&logit->run, cells, gradient, gradient + cells);
        for (size_t i = 0; i < RUN; i++) loss += (double)logit->run.loss[i];
    }
    for (size_t i = 0; i < used; i++) gradient[i] /= logit->total;
    loss = loss / logit->total + add_penalty(logit, gradient);
    pull_gradient(logit, gradient);
    eqp_slow_gain_begin(&logit->gain, loss);
    return loss;
}

static eqp_status search(score_logit *logit, eqp_error *error)
{
    size_t padded = (logit->cells * (logit->cells + 1) + LBFGS_STRIDE - 1) / LBFGS_STRIDE * LBFGS_STRIDE;
    double *c = lbfgs_malloc((int)padded);
    if (c == NULL) return eqp_fail_memory(error);
    lbfgs_parameter_t parameter;
    lbfgs_parameter_init(&parameter);
    parameter.max_iterations = 40;
    parameter.epsilon = 1e-2;
    memset(c, 0, padded * sizeof *c);
    int answer = lbfgs((int)padded, c, NULL, evaluate, eqp_slow_gain_watch, logit, &parameter);
    leave_coordinates(logit, c);
    lbfgs_free(c);
    return answer == LBFGSERR_OUTOFMEMORY ? eqp_fail_memory(error) : EQP_OK;
}

static void fill_chances(score_logit *logit)
{
    logit_run *run = &logit->run;
    for (size_t first = 0; first < logit->rows; first += RUN) {
        size_t count = logit->rows - first < RUN ? logit->rows - first : RUN;
        load_run(logit, first);
        find_chances(run, logit->cells, logit->intercept, logit->slope);
        for (size_t k = 0; k < logit->cells; k++)
            memcpy(logit->column + k * logit->rows + first, run->chance[k], count * sizeof run->chance[k][0]);
    }
}

eqp_status eqp_direct_logit(float *column, const uint32_t *cell, const double *weight, size_t rows,
                            size_t cells, eqp_error *error)
{
    score_logit *logit = eqp_alloc_zero(1, sizeof *logit);
    if (logit == NULL) return eqp_fail_memory(error);
    logit->gain = eqp_slow_gain_of(LEAST_GAIN);
    logit->column = column;
    logit->cell = cell;
    logit->weight = weight;
    logit->rows = rows;
    logit->cells = cells;
    measure(logit);
    eqp_status status = find_coordinates(logit, error);
    if (status == EQP_OK) status = search(logit, error);
    if (status == EQP_OK) fill_chances(logit);
    free(logit);
    return status;
}
