/* Direct learner: least-squares class scores (M9). */
#include "learn/direct_fit.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { RUN = 1024, SHARE_BUCKETS = 4096 };
static const double RIDGE = 1e-3;

/* By fold, and behind them the sum of all. */
typedef struct fold_sums {
    double *gram, *moments;
} fold_sums;

struct eqp_direct_fits {
    const eqp_direct_folds *folds;
    size_t width, cells;
    fold_sums sums;
    eqp_design plain; /* the folds' design without its bins; shares all but the list of codes */
    uint32_t *slots;  /* of the plain design, rising */
    size_t slot_count;
};

/* ---- sums ---------------------------------------------------------------------------------------------- */

static void free_sums(fold_sums *sums)
{
    free(sums->gram);
    free(sums->moments);
}

/* sums[folds] = sums[0] + … + sums[folds-1], each of `size` doubles. */
static void add_folds(double *sums, size_t size)
{
    double *total = sums + EQP_FOLDS * size;
    memset(total, 0, size * sizeof *total);
    for (size_t f = 0; f < EQP_FOLDS; f++)
        for (size_t i = 0; i < size; i++) total[i] += sums[f * size + i];
}

static eqp_status sum_rows(const eqp_direct_fits *fits, const eqp_design *design, const double *weight,
                           fold_sums *sums, eqp_error *error)
{
    const eqp_direct_folds *folds = fits->folds;
    size_t width = fits->width, cells = fits->cells;
    if (width > EQP_GRAM_WIDTH_LIMIT) return eqp_design_gram(design, weight, NULL, 1, NULL, error);
    sums->gram = eqp_alloc((EQP_FOLDS + 1) * width, width * sizeof *sums->gram);
    sums->moments = eqp_alloc((EQP_FOLDS + 1) * width, cells * sizeof *sums->moments);
    if (sums->gram == NULL || sums->moments == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_design_gram(design, weight, folds->fold, EQP_FOLDS, sums->gram, error);
    if (status != EQP_OK) return status;
    eqp_design_moments(folds->design, weight, folds->cell, cells, folds->fold, EQP_FOLDS, sums->moments);
    add_folds(sums->gram, width * width);
    add_folds(sums->moments, width * cells);
    return EQP_OK;
}

static eqp_status leave_bins_out(eqp_direct_fits *fits, eqp_error *error)
{
    const eqp_encoding *encoding = fits->folds->training->encoding;
    fits->plain = *fits->folds->design;
    fits->plain.codes = eqp_alloc_zero(encoding->feature_count, sizeof *fits->plain.codes);
    fits->slots = eqp_alloc(fits->width, sizeof *fits->slots);
    if (fits->plain.codes == NULL || fits->slots == NULL) return eqp_fail_memory(error);
    fits->slots[fits->slot_count++] = 0;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (feature->kind == EQP_FEATURE_BINS) continue;
        fits->plain.codes[f] = fits->folds->design->codes[f];
        for (uint32_t s = 0; s < feature->slots; s++) fits->slots[fits->slot_count++] = feature->slot + s;
    }
    return EQP_OK;
}

eqp_status eqp_direct_fits_new(const eqp_direct_folds *folds, eqp_direct_fits **fits, eqp_error *error)
{
    *fits = NULL;
    eqp_direct_fits *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->folds = folds;
    made->width = folds->training->encoding->width;
    made->cells = folds->training->groups->cell_count;
    eqp_status status = leave_bins_out(made, error);
    if (status == EQP_OK) status = sum_rows(made, folds->design, folds->weight, &made->sums, error);
    if (status != EQP_OK) {
        eqp_direct_fits_free(made);
        return status;
    }
    *fits = made;
    return EQP_OK;
}

void eqp_direct_fits_free(eqp_direct_fits *fits)
{
    if (fits == NULL) return;
    free_sums(&fits->sums);
    free(fits->plain.codes);
    free(fits->slots);
    free(fits);
}

/* ---- one fit ------------------------------------------------------------------------------------------- */

/* Room for fits, and what they are made of. */
typedef struct fit_work {
    const eqp_direct_fits *fits;
    const fold_sums *sums;
    const uint32_t *slots; /* of the basis; NULL: all */
    size_t count;          /* how many */
    double *gram, *factor, *right, *coefficients, *run;
} fit_work;

static void close_work(fit_work *work)
{
    free(work->gram);
    free(work->factor);
    free(work->right);
    free(work->coefficients);
    free(work->run);
}

static eqp_status open_work(const eqp_direct_fits *fits, fit_work *work, eqp_error *error)
{
    *work = (fit_work){.fits = fits};
    work->gram = eqp_alloc(fits->width, fits->width * sizeof(double));
    work->factor = eqp_alloc(fits->width, fits->width * sizeof(double));
    work->right = eqp_alloc(fits->width, fits->cells * sizeof(double));
    work->coefficients = eqp_alloc(fits->width, fits->cells * sizeof(double));
    work->run = eqp_alloc(RUN, fits->cells * sizeof(double));
    bool complete = work->gram && work->factor && work->right && work->coefficients && work->run;
    return complete ? EQP_OK : eqp_fail_memory(error);
}

static double left(const double *sums, size_t size, size_t at, size_t without, size_t and_without)
{
    double value = sums[EQP_FOLDS * size + at];
    if (without != EQP_NO_FOLD) value -= sums[without * size + at];
    if (and_without != EQP_NO_FOLD) value -= sums[and_without * size + at];
    return value;
}

/* The sums of all folds but two, for the slots of the basis. */
static void gather(fit_work *work, size_t without, size_t and_without)
{
    const eqp_direct_fits *fits = work->fits;
    size_t width = fits->width, cells = fits->cells, count = work->count;
    for (size_t i = 0; i < count; i++) {
        size_t row = work->slots ? work->slots[i] : i;
        for (size_t j = 0; j < count; j++) {
            size_t at = row * width + (work->slots ? work->slots[j] : j);
            work->gram[i * count + j] = left(work->sums->gram, width * width, at, without, and_without);
        }
        for (size_t e = 0; e < cells; e++)
            work->right[i * cells + e] =
                left(work->sums->moments, width * cells, row * cells + e, without, and_without);
    }
}

static eqp_status fit(fit_work *work, size_t without, size_t and_without, eqp_error *error)
{
    size_t cells = work->fits->cells;
    gather(work, without, and_without);
    eqp_status status =
        eqp_ridge_solve(work->gram, work->count, RIDGE, work->factor, work->right, cells, error);
    if (status != EQP_OK) return status;
    memset(work->coefficients, 0, work->fits->width * cells * sizeof *work->coefficients);
    for (size_t i = 0; i < work->count; i++)
        memcpy(work->coefficients + (work->slots ? work->slots[i] : i) * cells, work->right + i * cells,
               cells * sizeof *work->coefficients);
    return EQP_OK;
}

/* ---- scores of a basis --------------------------------------------------------------------------------- */

/* Scores the design's rows first … last-1 into places at … of the scores. */
static void score_range(fit_work *work, size_t first, size_t last, eqp_direct_scores *scores, size_t basis,
                        size_t at)
{
    size_t cells = scores->cells;
    while (first < last) {
        size_t count = last - first < RUN ? last - first : RUN;
        eqp_design_scores(work->fits->folds->design, work->coefficients, cells, first, count, work->run);
        for (size_t e = 0; e < cells; e++) {
            float *column = scores->score + (basis * cells + e) * scores->rows + at;
            for (size_t i = 0; i < count; i++) column[i] = (float)work->run[i * cells + e];
        }
        first += count;
        at += count;
    }
}

/* Keeps the fit on all rows learnt from: it is the one deployed. */
static eqp_status keep_deployed(fit_work *work, size_t held, eqp_direct_scores *scores, size_t basis,
                                eqp_error *error)
{
    size_t size = work->fits->width * work->fits->cells;
    scores->deployed[basis] = eqp_alloc(size, sizeof(double));
    if (scores->deployed[basis] == NULL) return eqp_fail_memory(error);
    eqp_status status = fit(work, held, EQP_NO_FOLD, error);
    if (status == EQP_OK) memcpy(scores->deployed[basis], work->coefficients, size * sizeof(double));
    return status;
}

static eqp_status score_basis(fit_work *work, size_t held, eqp_direct_scores *scores, size_t basis,
                              eqp_error *error)
{
    const eqp_direct_folds *folds = work->fits->folds;
    size_t at = 0;
    for (size_t g = 0; g < EQP_FOLDS; g++) {
        if (g == held) continue;
        eqp_status status = fit(work, held, g, error);
        if (status != EQP_OK) return status;
        score_range(work, folds->start[g], folds->start[g + 1], scores, basis, at);
        at += folds->start[g + 1] - folds->start[g];
    }
    eqp_status status = keep_deployed(work, held, scores, basis, error);
    if (status == EQP_OK && held != EQP_NO_FOLD)
        score_range(work, folds->start[held], folds->start[held + 1], scores, basis, at);
    return status;
}

/* ---- rows by how likely they are to be wanted ---------------------------------------------------------- */

/* Share of the rows that are wanted at least as much as one in the bucket: low scores first. */
static void share_by_bucket(const eqp_direct_scores *scores, double low, double factor, double *share)
{
    double before = 0;
    memset(share, 0, SHARE_BUCKETS * sizeof *share);
    for (size_t i = 0; i < scores->count; i++) share[(size_t)((scores->line[i] - low) * factor)]++;
    for (size_t b = 0; b < SHARE_BUCKETS; b++) {
        before += share[b];
        share[b] = before / (double)scores->count;
    }
}

/* The first price of a program, at the base rates, ranks the rows; a row at share s from the top gets the
 * weight 0.02 + 1 / (1 + (s / 0.3)²) times its own. */
static void weigh_by_want(const eqp_direct_fits *fits, size_t held, const double *price,
                          eqp_direct_scores *scores, double *weight)
{
    const eqp_direct_folds *folds = fits->folds;
    double share[SHARE_BUCKETS], low = INFINITY, high = -INFINITY;
    eqp_direct_scores_project(scores, 0, price);
    for (size_t i = 0; i < scores->count; i++) {
        low = fmin(low, scores->line[i]);
        high = fmax(high, scores->line[i]);
    }
    double factor = high > low ? (SHARE_BUCKETS - 1) / (high - low) : 0;
    share_by_bucket(scores, low, factor, share);
    for (size_t row = 0, i = 0; row < folds->design->rows; row++) {
        if (folds->fold[row] == held) {
            weight[row] = 0;
            continue;
        }
        double s = share[(size_t)((scores->line[i++] - low) * factor)] / 0.3;
        weight[row] = folds->weight[row] * (0.02 + 1 / (1 + s * s));
    }
}

static void first_price(const eqp_training *training, double *price)
{
    const eqp_groups *groups = training->groups;
    size_t attributes = groups->attribute_count;
    for (size_t e = 0; e < groups->cell_count; e++) {
        price[e] = 0;
        for (size_t a = 0; a < attributes; a++) {
            uint32_t k = groups->membership[e * attributes + a];
            price[e] += training->sample->base_rate[k] - groups->groups[k].target;
        }
    }
}

static eqp_status score_wanted(fit_work *work, size_t held, eqp_direct_scores *scores, size_t basis,
                               eqp_error *error)
{
    const eqp_direct_fits *fits = work->fits;
    fold_sums sums = {0};
    double *price = eqp_alloc(fits->cells, sizeof *price);
    double *weight = eqp_alloc(fits->folds->design->rows, sizeof *weight);
    eqp_status status = price != NULL && weight != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) {
        first_price(fits->folds->training, price);
        weigh_by_want(fits, held, price, scores, weight);
        status = sum_rows(fits, &fits->plain, weight, &sums, error);
    }
    work->sums = &sums;
    if (status == EQP_OK) status = score_basis(work, held, scores, basis, error);
    free_sums(&sums);
    free(price);
    free(weight);
    return status;
}

/* ---- all bases ----------------------------------------------------------------------------------------- */

static eqp_status score_bases(const eqp_direct_fits *fits, fit_work *work, size_t held, bool bins,
                              eqp_direct_scores *scores, eqp_error *error)
{
    work->sums = &fits->sums;
    work->slots = fits->slots;
    work->count = fits->slot_count;
    eqp_status status = score_basis(work, held, scores, 0, error);
    if (status == EQP_OK && bins) {
        work->slots = NULL;
        work->count = fits->width;
        status = score_basis(work, held, scores, 1, error);
    }
    work->slots = fits->slots;
    work->count = fits->slot_count;
    if (status == EQP_OK) status = score_wanted(work, held, scores, scores->bases - 1, error);
    return status;
}

eqp_status eqp_direct_cross_fit(const eqp_direct_fits *fits, size_t held, eqp_direct_scores **scores,
                                eqp_error *error)
{
    size_t rows = fits->folds->design->rows, count = eqp_direct_folds_count(fits->folds, held);
    bool bins = fits->slot_count < fits->width;
    fit_work work;
    eqp_status status = eqp_direct_scores_new(rows, count, fits->cells, bins ? 3 : 2, scores, error);
    if (status != EQP_OK) return status;
    (*scores)->coefficients = fits->slot_count;
    status = open_work(fits, &work, error);
    if (status == EQP_OK) status = score_bases(fits, &work, held, bins, *scores, error);
    close_work(&work);
    if (status != EQP_OK) {
        eqp_direct_scores_free(*scores);
        *scores = NULL;
    }
    return status;
}
