/* Direct learner: what cross-fitted scores say of each row's cell (M9).
 *
 * A program that accepts one row in fifty judges each rule by a few hundred labels, and of all rules takes
 * the one whose labels flatter it most.  The class scores come from fits that have not seen the row's own
 * label; read as chances they say who belongs to which cell without that luck, though not without error.  So
 * the program believes them in part.
 *
 * The chance of a cell is a logistic curve of its own score (the mean over the bases), fitted to the labels;
 * the chances of a row are scaled to sum to 1, and moved so that every cell keeps its mass. */
#include "learn/direct_chances.h"

#include "base/elementary.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { NODES = 257, NEWTON_STEPS = 30 };
/* How far to trust chances: docs/held-out.md. */
static const double MOST_TRUST = 0.5, ROWS_A_COEFFICIENT = 20, TRUSTED_ROWS = 12500;
static const double REACH = 8; /* the curve is tabled this many standard deviations each way */
static const double STIFFNESS =
    1e-2; /* of the slope, in rows; keeps it finite where a score parts the cells */

/* A score's curve at nodes of equal distance, straight in between. */
typedef struct chance_curve {
    double first, per_unit;        /* place of a score = (score - first) · per_unit */
    double all[NODES], own[NODES]; /* weight of the rows near a node, and of those of the cell */
    double chance[NODES];
} chance_curve;

static double mean_score(const eqp_direct_scores *scores, size_t cell, size_t row)
{
    double sum = 0;
    for (size_t b = 0; b < scores->bases; b++)
        sum += (double)scores->score[(b * scores->cells + cell) * scores->rows + row];
    return sum / (double)scores->bases;
}

static double place_on(const chance_curve *curve, double score)
{
    return fmin(fmax((score - curve->first) * curve->per_unit, 0), NODES - 1);
}

static void scale_curve(const double *score, const double *weight, size_t count, chance_curve *curve)
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < count; i++) mean += weight[i] * score[i];
    for (size_t i = 0; i < count; i++) variance += weight[i] * (score[i] - mean) * (score[i] - mean);
    double deviation = sqrt(variance);
    curve->first = mean - REACH * deviation;
    curve->per_unit = deviation > 0 ? (NODES - 1) / (2 * REACH * deviation) : 0;
}

static void count_rows(const double *score, const eqp_direct_rows *rows, uint32_t cell, chance_curve *curve)
{
    memset(curve->all, 0, sizeof curve->all);
    memset(curve->own, 0, sizeof curve->own);
    for (size_t i = 0; i < rows->count; i++) {
        size_t node = (size_t)(place_on(curve, score[i]) + 0.5);
        curve->all[node] += rows->weight[i];
        if (rows->cell[i] == cell) curve->own[node] += rows->weight[i];
    }
}

static double logistic(double x)
{
    return 1 / (1 + eqp_exp(-x));
}

static double node_value(size_t node)
{
    return REACH * (2.0 * (double)node / (NODES - 1) - 1);
}

typedef struct logit_line {
    double intercept, slope; /* over standard deviations from the mean */
} logit_line;

/* One step of Newton's method, kept short where the curve is flat; returns its length. */
static double improve(const chance_curve *curve, double stiffness, logit_line *line)
{
    double g0 = 0, g1 = -stiffness * line->slope, h00 = 1e-12, h01 = 0, h11 = stiffness;
    for (size_t n = 0; n < NODES; n++) {
        if (curve->all[n] == 0) continue;
        double x = node_value(n), p = logistic(line->intercept + line->slope * x);
        double h = curve->all[n] * p * (1 - p), left = curve->own[n] - curve->all[n] * p;
        g0 += left, g1 += left * x;
        h00 += h, h01 += h * x, h11 += h * x * x;
    }
    double determinant = h00 * h11 - h01 * h01;
    double move0 = (h11 * g0 - h01 * g1) / determinant, move1 = (h00 * g1 - h01 * g0) / determinant;
    double length = fmax(fabs(move0), fabs(move1)), scale = fmax(1, length);
    line->intercept += move0 / scale;
    line->slope += move1 / scale;
    return length;
}

static void fit_curve(size_t rows, chance_curve *curve)
{
    double share = 0;
    for (size_t n = 0; n < NODES; n++) share += curve->own[n];
    share = fmin(fmax(share, 1e-9), 1 - 1e-9);
    logit_line line = {.intercept = eqp_log(share / (1 - share))};
    for (int step = 0; step < NEWTON_STEPS; step++)
        if (improve(curve, STIFFNESS / (double)rows, &line) < 1e-7) break;
    for (size_t n = 0; n < NODES; n++)
        curve->chance[n] = logistic(line.intercept + line.slope * node_value(n));
}

static double chance_at(const chance_curve *curve, double score)
{
    double place = place_on(curve, score);
    size_t node = (size_t)place < NODES - 1 ? (size_t)place : NODES - 2;
    double part = place - (double)node;
    return (1 - part) * curve->chance[node] + part * curve->chance[node + 1];
}

/* The chances of one cell, before a row's are scaled. */
static void fill_chances(const eqp_direct_scores *scores, const eqp_direct_rows *rows, uint32_t cell,
                         double *score, chance_curve *curve, float *chance)
{
    for (size_t i = 0; i < rows->count; i++) score[i] = mean_score(scores, cell, i);
    scale_curve(score, rows->weight, rows->count, curve);
    count_rows(score, rows, cell, curve);
    fit_curve(rows->count, curve);
    for (size_t i = 0; i < rows->count; i++) chance[i] = (float)chance_at(curve, score[i]);
}

/* Makes the chances of a row sum to 1, then each cell's add up to its mass. */
static void scale_chances(const eqp_direct_rows *rows, size_t cells, double *sum, float *chance)
{
    memset(sum, 0, rows->count * sizeof *sum);
    for (size_t e = 0; e < cells; e++)
        for (size_t i = 0; i < rows->count; i++) sum[i] += (double)chance[e * rows->count + i];
    for (size_t e = 0; e < cells; e++) {
        float *own = chance + e * rows->count;
        double shift = 0;
        for (size_t i = 0; i < rows->count; i++) {
            own[i] = (float)((double)own[i] / sum[i]);
            shift += rows->weight[i] * ((rows->cell[i] == e) - (double)own[i]);
        }
        for (size_t i = 0; i < rows->count; i++) own[i] = (float)((double)own[i] + shift);
    }
}

/* The fewer rows a coefficient, the worse are chances; the more rows, the less is luck about labels. */
static double trust_of(const eqp_direct_rows *rows, size_t coefficients)
{
    double squares = 0;
    for (size_t i = 0; i < rows->count; i++) squares += rows->weight[i] * rows->weight[i];
    double count = 1 / squares, needed = ROWS_A_COEFFICIENT * (double)coefficients;
    return fmin(MOST_TRUST * count / (count + needed), TRUSTED_ROWS / count);
}

eqp_status eqp_direct_estimate_chances(const eqp_direct_scores *scores, eqp_direct_rows *rows,
                                       eqp_error *error)
{
    chance_curve *curve = eqp_alloc(1, sizeof *curve);
    double *score = eqp_alloc(rows->count, sizeof *score);
    rows->chance = eqp_alloc(scores->cells * rows->count, sizeof *rows->chance);
    eqp_status status = curve && score && rows->chance ? EQP_OK : eqp_fail_memory(error);
    for (size_t e = 0; e < scores->cells && status == EQP_OK; e++)
        fill_chances(scores, rows, (uint32_t)e, score, curve, rows->chance + e * rows->count);
    rows->trust = trust_of(rows, scores->coefficients);
    if (status == EQP_OK) scale_chances(rows, scores->cells, score, rows->chance);
    free(curve);
    free(score);
    return status;
}
