/* Direct learner: logits of the cells (logits.h).
 *
 *     sweeps over the cells: a step of Newton's for each, with the others as they are
 *         -> fits without a fold begin at the fit on all rows and take its curvatures
 *         -> a fit without a small part of the rows is a few steps away from the fit with it
 *
 * The largest cell is the reference: its logit is 0. */
#include "direct/logits.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"
#include "solve/cholesky.h"

#include <math.h>
#include <string.h>

enum { FITS = EQP_FOLDS + 1, CURVED_SWEEPS = 3, SWEEPS = 5, FOLD_SWEEPS = 4 };
enum { PARTS_OF_A_FOLD = 5, PART_STEPS = 3, MOST_CELLS = 48 };
static const size_t MOST_CURVATURE = (size_t)1 << 24; /* doubles: 128 MB of factors */
static const double RIDGE = 12;                       /* rows, on every coefficient but intercepts */
static const double MOST_MOVE = 3, MOST_LOGIT = 30;   /* of a row in one step, and at all */
static const double FREE_RIDGE = 1e-9, LEAST_SHARE = 1e-9;

struct eqp_direct_logits {
    const eqp_direct_folds *folds;
    size_t width, cells, reference;
    double penalty;       /* of half a coefficient's square, where all weights sum to 1 */
    eqp_arena arena;      /* of the arrays below */
    double *coefficients; /* [fit][cell][slot] */
    double *factor;       /* [cell]: width × width, of the curvature on all rows */
};

/* One fit at work. */
typedef struct logit_fit {
    const eqp_direct_logits *logits;
    size_t held;
    double *b;       /* [cell][slot]: its coefficients */
    double kept;     /* share of the weight that is learned from */
    eqp_arena arena; /* of the arrays below */
    double *power;   /* [cell][row]: e to the logit */
    double *total;   /* [row]: sum of these over the cells */
    double *row;     /* scratch: one per row */
    double *step;    /* scratch: one per slot */
    double *moved;   /* scratch: [cell][slot] */
    double *chance;  /* scratch: [cell][row of a fold] */
} logit_fit;

/* ---- one fit ------------------------------------------------------------------------------------------- */

static double clamped(double logit)
{
    return fmin(fmax(logit, -MOST_LOGIT), MOST_LOGIT);
}

static void find_powers(logit_fit *fit)
{
    const eqp_design *design = fit->logits->folds->design;
    for (size_t k = 0; k < fit->logits->cells; k++) {
        double *power = fit->power + k * design->rows;
        eqp_design_scores(design, fit->b + k * fit->logits->width, 1, 0, design->rows, power);
        for (size_t i = 0; i < design->rows; i++) fit->total[i] += power[i] = eqp_exp(clamped(power[i]));
    }
}

static eqp_status fit_open(logit_fit *fit, const eqp_direct_logits *logits, size_t held, eqp_error *error)
{
    const eqp_direct_folds *folds = logits->folds;
    size_t rows = folds->design->rows, cells = logits->cells, width = logits->width;
    *fit = (logit_fit){.logits = logits, .held = held};
    fit->b = logits->coefficients + held * cells * width;
    fit->power = eqp_take(&fit->arena, cells * rows, sizeof *fit->power);
    fit->total = eqp_take_zero(&fit->arena, rows, sizeof *fit->total);
    fit->row = eqp_take(&fit->arena, rows, sizeof *fit->row);
    fit->step = eqp_take(&fit->arena, width, sizeof *fit->step);
    fit->moved = eqp_take(&fit->arena, cells * width, sizeof *fit->moved);
    fit->chance = eqp_take(&fit->arena, cells * (rows / EQP_FOLDS + 1), sizeof *fit->chance);
    if (fit->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < rows; i++)
        if (folds->fold[i] != held) fit->kept += folds->weight[i];
    find_powers(fit);
    return eqp_progress_add(folds->progress, 0, error);
}

static void fit_close(logit_fit *fit)
{
    eqp_arena_free(&fit->arena);
}

/* H d = right for a cell, in place of right. */
static void divide_by_curvature(const eqp_direct_logits *logits, size_t cell, double *right)
{
    const double *factor = logits->factor + cell * logits->width * logits->width;
    eqp_cholesky_forward(factor, logits->width, right);
    eqp_cholesky_backward(factor, logits->width, right);
}

/* step = the gradient of the loss by a cell's coefficients. */
static void find_gradient(logit_fit *fit, size_t cell)
{
    const eqp_direct_logits *logits = fit->logits;
    const eqp_direct_folds *folds = logits->folds;
    const double *power = fit->power + cell * folds->design->rows, *b = fit->b + cell * logits->width;
    for (size_t i = 0; i < folds->design->rows; i++) {
        double own = folds->fold[i] != fit->held ? folds->weight[i] : 0;
        fit->row[i] = own * (power[i] / fit->total[i] - (folds->cell[i] == cell));
    }
    eqp_design_sum(folds->design, fit->row, fit->step);
    for (size_t s = 1; s < logits->width; s++) fit->step[s] += logits->penalty * b[s];
}

/* Moves a cell's coefficients and its rows' logits, by not too much at once. */
static void move_cell(logit_fit *fit, size_t cell)
{
    const eqp_direct_logits *logits = fit->logits;
    size_t rows = logits->folds->design->rows;
    double *b = fit->b + cell * logits->width, *power = fit->power + cell * rows, most = 0;
    find_gradient(fit, cell);
    divide_by_curvature(logits, cell, fit->step);
    eqp_design_scores(logits->folds->design, fit->step, 1, 0, rows, fit->row);
    for (size_t i = 0; i < rows; i++) most = fmax(most, fabs(fit->row[i]));
    double scale = most > fit->kept * MOST_MOVE ? MOST_MOVE / most : 1 / fit->kept;
    for (size_t s = 0; s < logits->width; s++) b[s] -= scale * fit->step[s];
    for (size_t i = 0; i < rows; i++) {
        double after = fmin(fmax(power[i] * eqp_exp(-scale * fit->row[i]), 1e-13), 1e13);
        fit->total[i] += after - power[i];
        power[i] = after;
    }
}

static eqp_status sweep(logit_fit *fit, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t k = 0; k < fit->logits->cells && status == EQP_OK; k++) {
        if (k != fit->logits->reference) move_cell(fit, k);
        status = eqp_progress_add(fit->logits->folds->progress, 0, error);
    }
    return status;
}

/* ---- all fits ------------------------------------------------------------------------------------------ */

/* Where a cell's coefficients stand, the loss is curved like sum of w p (1 - p) x x'. */
static eqp_status find_curvature(void *context, size_t cell, eqp_error *error)
{
    const logit_fit *fit = context;
    const eqp_direct_logits *logits = fit->logits;
    const eqp_design *design = logits->folds->design;
    const double *power = fit->power + cell * design->rows;
    size_t width = logits->width;
    double *factor = logits->factor + cell * width * width;
    double *weight = eqp_alloc(design->rows, sizeof *weight);
    if (weight == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < design->rows; i++) {
        double chance = power[i] / fit->total[i];
        weight[i] = logits->folds->weight[i] * chance * (1 - chance);
    }
    eqp_status status = eqp_design_gram(design, weight, 0, design->rows, factor, error);
    free(weight);
    if (status == EQP_OK) status = eqp_progress_add(logits->folds->progress, 0, error);
    if (status != EQP_OK) return status;
    for (size_t s = 0; s < width; s++) factor[s * (width + 1)] += s > 0 ? logits->penalty : FREE_RIDGE;
    if (eqp_cholesky(factor, width)) return EQP_OK;
    return eqp_fail(error, EQP_DATA, "logistic regression: a column holds values too large to square");
}

static eqp_status fit_all_rows(eqp_direct_logits *logits, eqp_error *error)
{
    logit_fit fit;
    eqp_status status = fit_open(&fit, logits, EQP_NO_FOLD, error);
    for (int done = 0; done < SWEEPS && status == EQP_OK; done++) {
        if (done < CURVED_SWEEPS)
            status =
                eqp_parallel(logits->cells, logits->folds->training->threads, find_curvature, &fit, error);
        if (status == EQP_OK) status = sweep(&fit, error);
    }
    fit_close(&fit);
    return status;
}

static eqp_status fit_without(void *context, size_t held, eqp_error *error)
{
    eqp_direct_logits *logits = context;
    logit_fit fit;
    size_t size = logits->cells * logits->width;
    memcpy(logits->coefficients + held * size, logits->coefficients + EQP_NO_FOLD * size,
           size * sizeof *logits->coefficients);
    eqp_status status = fit_open(&fit, logits, held, error);
    for (int done = 0; done < FOLD_SWEEPS && status == EQP_OK; done++) status = sweep(&fit, error);
    fit_close(&fit);
    return status;
}

/* The fit on all rows begins with the shares of the cells. */
static void find_start(eqp_direct_logits *logits)
{
    const eqp_direct_folds *folds = logits->folds;
    size_t width = logits->width;
    double *b = logits->coefficients + EQP_NO_FOLD * logits->cells * width, squares = 0;
    for (size_t i = 0; i < folds->design->rows; i++) {
        b[folds->cell[i] * width] += folds->weight[i];
        squares += folds->weight[i] * folds->weight[i];
    }
    logits->penalty = RIDGE * squares;
    for (size_t k = 0; k < logits->cells; k++)
        if (b[k * width] > b[logits->reference * width]) logits->reference = k;
    double most = b[logits->reference * width];
    for (size_t k = 0; k < logits->cells; k++) b[k * width] = eqp_log(fmax(b[k * width] / most, LEAST_SHARE));
}

eqp_status eqp_direct_logits_new(const eqp_direct_folds *folds, eqp_direct_logits **logits, eqp_error *error)
{
    *logits = NULL;
    size_t width = folds->design->encoding->width, cells = folds->training->groups->cell_count;
    if (cells > MOST_CELLS || width * width > MOST_CURVATURE / cells) return EQP_OK;
    eqp_direct_logits *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->folds = folds;
    made->width = width;
    made->cells = cells;
    made->coefficients = eqp_take_zero(&made->arena, FITS * cells, width * sizeof *made->coefficients);
    made->factor = eqp_take(&made->arena, cells * width, width * sizeof *made->factor);
    eqp_status status = made->arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) {
        find_start(made);
        status = fit_all_rows(made, error);
    }
    if (status == EQP_OK)
        status = eqp_parallel(EQP_FOLDS, folds->training->threads, fit_without, made, error);
    if (status == EQP_OK) *logits = made;
    if (status != EQP_OK) eqp_direct_logits_free(made);
    return status;
}

void eqp_direct_logits_free(eqp_direct_logits *logits)
{
    if (logits == NULL) return;
    eqp_arena_free(&logits->arena);
    free(logits);
}

/* ---- scores of a program ------------------------------------------------------------------------------- */

/* The fit without a part moves by what the part's rows pulled, by their chances there: H d = sum over the
 * part of w x (chance - indicator).  From chances at one place follows the next. */
static void move_off_part(logit_fit *fit, size_t first, size_t count)
{
    const eqp_direct_logits *logits = fit->logits;
    const eqp_direct_folds *folds = logits->folds;
    for (size_t k = 0; k < logits->cells; k++) {
        double *moved = fit->moved + k * logits->width;
        const double *b = fit->b + k * logits->width;
        if (k == logits->reference) continue;
        for (size_t i = 0; i < count; i++)
            fit->row[i] =
                folds->weight[first + i] * (fit->chance[k * count + i] - (folds->cell[first + i] == k));
        memset(moved, 0, logits->width * sizeof *moved);
        eqp_design_transpose(folds->design, fit->row, 1, first, count, moved);
        divide_by_curvature(logits, k, moved);
        for (size_t s = 0; s < logits->width; s++) moved[s] = b[s] + moved[s] / fit->kept;
    }
}

/* Logits and chances of a part's rows at the place moved to. */
static void score_moved(logit_fit *fit, size_t first, size_t count, float *score, size_t stride)
{
    const eqp_direct_logits *logits = fit->logits;
    for (size_t k = 0; k < logits->cells; k++) {
        eqp_design_scores(logits->folds->design, fit->moved + k * logits->width, 1, first, count, fit->row);
        for (size_t i = 0; i < count; i++) {
            score[k * stride + i] = (float)clamped(fit->row[i]);
            fit->chance[k * count + i] = eqp_exp(clamped(fit->row[i]));
        }
    }
    for (size_t i = 0; i < count; i++) {
        double total = 0;
        for (size_t k = 0; k < logits->cells; k++) total += fit->chance[k * count + i];
        for (size_t k = 0; k < logits->cells; k++) fit->chance[k * count + i] /= total;
    }
}

/* Logits of rows first … first+count-1 by the fit without them. */
static void score_part(logit_fit *fit, size_t first, size_t count, float *score, size_t stride)
{
    memcpy(fit->moved, fit->b, fit->logits->cells * fit->logits->width * sizeof *fit->moved);
    score_moved(fit, first, count, score, stride);
    for (int step = 0; step < PART_STEPS; step++) {
        move_off_part(fit, first, count);
        score_moved(fit, first, count, score, stride);
    }
}

/* Rows of the other folds in order, then held ones. */
static eqp_status score_folds(logit_fit *fit, float *score, size_t stride, eqp_error *error)
{
    const eqp_direct_folds *folds = fit->logits->folds;
    eqp_status status = EQP_OK;
    size_t at = 0;
    for (size_t g = 0; g < EQP_FOLDS; g++) {
        size_t first = folds->start[g], rows = folds->start[g + 1] - first;
        for (size_t p = 0; p < PARTS_OF_A_FOLD && g != fit->held && status == EQP_OK; p++) {
            size_t from = rows * p / PARTS_OF_A_FOLD, to = rows * (p + 1) / PARTS_OF_A_FOLD;
            score_part(fit, first + from, to - from, score + at + from, stride);
            status = eqp_progress_add(folds->progress, 0, error);
        }
        if (g != fit->held) at += rows;
    }
    if (fit->held == EQP_NO_FOLD || status != EQP_OK) return status;
    memcpy(fit->moved, fit->b, fit->logits->cells * fit->logits->width * sizeof *fit->moved);
    score_moved(fit, folds->start[fit->held], folds->start[fit->held + 1] - folds->start[fit->held],
                score + at, stride);
    return EQP_OK;
}

eqp_status eqp_direct_logits_add(const eqp_direct_logits *logits, size_t held, eqp_direct_scores *scores,
                                 eqp_error *error)
{
    size_t width = logits->width, cells = logits->cells, basis = scores->bases;
    logit_fit fit;
    eqp_status status = fit_open(&fit, logits, held, error);
    double *kept = status == EQP_OK ? eqp_alloc(width, cells * sizeof *kept) : NULL;
    float *score = kept != NULL ? eqp_direct_scores_add_basis(scores) : NULL;
    scores->deployed[basis] = kept;
    if (status == EQP_OK && (score == NULL || !eqp_direct_scores_bend(scores, basis)))
        status = eqp_fail_memory(error);
    if (status == EQP_OK) {
        for (size_t s = 0; s < width; s++)
            for (size_t e = 0; e < cells; e++) kept[s * cells + e] = fit.b[e * width + s];
        status = score_folds(&fit, score, scores->rows, error);
    }
    fit_close(&fit);
    return status;
}
