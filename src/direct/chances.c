/* Direct learner: what cross-fitted scores say of each row's cell (M9).
 *
 * A program that accepts one row in fifty judges each rule by a few hundred labels, and of all rules takes
 * the one whose labels flatter it most.  The class scores come from fits that have not seen the row's own
 * label; read as chances they say who belongs to which cell without that luck, though not without error.  So
 * the program believes them in part.
 *
 * The chances are a multinomial logistic regression of the cell on all cells' scores, each the mean over the
 * bases of least squares; half and half with those of logits; and these half and half with a regression on
 * boosted scores.  Then they are moved so that every cell keeps its mass. */
#include "direct/class_scores.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/wide.h"
#include "solve/multinomial.h"

#include <math.h>
#include <string.h>

/* How far to trust chances: docs/held-out.md. */
static const double MOST_TRUST = 0.8, ROWS_A_COEFFICIENT = 20, TRUSTED_ROWS = 20000;

EQP_WIDE static void add_scores(float *restrict sum, const float *restrict score, float share, size_t count)
{
    for (size_t i = 0; i < count; i++) sum[i] += share * score[i];
}

static bool is_least_squares(const eqp_direct_scores *scores, size_t basis)
{
    return basis != scores->logits && basis != scores->boosted;
}

/* [cell][row learned from]: the mean over the bases of least squares. */
static void average_bases(const eqp_direct_scores *scores, size_t count, float *mean)
{
    size_t bases = 0;
    memset(mean, 0, scores->cells * count * sizeof *mean);
    for (size_t b = 0; b < scores->bases; b++) bases += is_least_squares(scores, b);
    for (size_t b = 0; b < scores->bases; b++)
        for (size_t e = 0; e < scores->cells && is_least_squares(scores, b); e++)
            add_scores(mean + e * count, scores->score + (b * scores->cells + e) * scores->rows,
                       1 / (float)bases, count);
}

/* Half of what logits say, and half of what was there. */
static void add_logits(const eqp_direct_scores *scores, const eqp_direct_rows *rows)
{
    const float *logit = scores->score + scores->logits * scores->cells * scores->rows;
    double power[EQP_DIRECT_LOGIT_CELLS];
    for (size_t i = 0; i < rows->count; i++) {
        double total = 0;
        for (size_t e = 0; e < scores->cells; e++)
            total += power[e] = eqp_exp((double)logit[e * scores->rows + i]);
        for (size_t e = 0; e < scores->cells; e++) {
            float *chance = &rows->chance[e * rows->count + i];
            *chance = (float)(0.5 * (double)*chance + 0.5 * power[e] / total);
        }
    }
}

/* Half of what boosted scores say by themselves: where lines do not tell who is where, chances of lines would
 * not let a program see what boosted rules gain. */
static eqp_status add_boosted(const eqp_direct_scores *scores, const eqp_direct_rows *rows, eqp_error *error)
{
    size_t cells = scores->cells, count = rows->count;
    const float *score = scores->score + scores->boosted * cells * scores->rows;
    float *own = eqp_alloc(cells * count, sizeof *own);
    if (own == NULL) return eqp_fail_memory(error);
    for (size_t e = 0; e < cells; e++) memcpy(own + e * count, score + e * scores->rows, count * sizeof *own);
    eqp_status status = eqp_direct_logit(own, rows->cell, rows->weight, count, cells, error);
    for (size_t i = 0; i < cells * count && status == EQP_OK; i++)
        rows->chance[i] = 0.5F * (rows->chance[i] + own[i]);
    free(own);
    return status;
}

/* Moves each cell's chances so that they add up to its mass. */
static void keep_masses(const eqp_direct_rows *rows, size_t cells)
{
    for (size_t e = 0; e < cells; e++) {
        float *own = rows->chance + e * rows->count;
        double shift = 0;
        for (size_t i = 0; i < rows->count; i++)
            shift += rows->weight[i] * ((rows->cell[i] == e) - (double)own[i]);
        for (size_t i = 0; i < rows->count; i++) own[i] = (float)((double)own[i] + shift);
    }
}

/* Chances are worse with fewer rows per coefficient; with more rows there is less luck about labels. */
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
    rows->trust = 0;
    if (scores->cells > EQP_DIRECT_LOGIT_CELLS) return EQP_OK;
    rows->chance = eqp_alloc(scores->cells * rows->count, sizeof *rows->chance);
    if (rows->chance == NULL) return eqp_fail_memory(error);
    average_bases(scores, rows->count, rows->chance);
    eqp_status status =
        eqp_direct_logit(rows->chance, rows->cell, rows->weight, rows->count, scores->cells, error);
    if (status != EQP_OK) return status;
    if (scores->logits < scores->bases) add_logits(scores, rows);
    if (scores->boosted < scores->bases) status = add_boosted(scores, rows, error);
    if (status != EQP_OK) return status;
    keep_masses(rows, scores->cells);
    rows->trust = trust_of(rows, scores->coefficients);
    return EQP_OK;
}
