/* Direct learner: least-squares class scores (M9).
 *
 *     sums by fold -> one fit per program, without the fold it holds out -> scores of its rows
 *
 * A row's score comes from a fit without that row.  Least squares gives it exactly from the fit with all
 * rows: (fitted - leverage · target) / (1 - leverage).  So the rows learned from are scored just as unseen
 * ones will be, and no dealing into folds has a say in the rule.  Weights by how likely rows are to be wanted
 * are made for each program by itself: they come from labels, and must not come from those of its held rows.
 */
#include "direct/cross_fit.h"

#include "base/memory.h"
#include "base/threads.h"
#include "base/wide.h"

#include <math.h>
#include <string.h>

/* One fit without each fold, one on all rows. */
enum { FITS = EQP_FOLDS + 1, SHARE_BUCKETS = 4096 };
static const double RIDGE = 1e-3;
static const double MOST_LEVERAGE = 0.999; /* a row that is fitted by itself alone has nothing to go by */

typedef struct fit_basis {
    const eqp_direct_folds *folds;
    const eqp_design *design; /* the folds', or its part without bins */
    const double *weight;     /* of its rows */
    size_t width, cells;
    size_t measured;        /* the fit whose leverages are kept */
    double *gram, *moments; /* by fold, and behind them the sum of all; only while fits are made */
    double *coefficients;   /* [fit]: width × cells */
    double *leverage;       /* of every row in the fit on most rows that was made: all, or a program's */
} fit_basis;

struct eqp_direct_fits {
    const eqp_direct_folds *folds;
    eqp_encoding plain_encoding; /* the features but bins, with slots of their own */
    eqp_design plain;            /* rows shared with the folds' design */
    eqp_arena arena;             /* of the plain encoding, the plain design and the slots */
    uint32_t *slots;             /* of the folds' design, by those of the plain one */
    size_t shared;               /* how many bases all programs share */
    fit_basis bases[EQP_LINEAR_BASES - 1];
};

/* ---- sums -------------------------------------------------------------------------------------------- */

static void free_sums(fit_basis *basis)
{
    free(basis->gram);
    free(basis->moments);
    basis->gram = basis->moments = NULL;
}

static void close_basis(fit_basis *basis)
{
    free_sums(basis);
    free(basis->coefficients);
    free(basis->leverage);
}

static eqp_status open_basis(fit_basis *basis, const eqp_direct_folds *folds, const eqp_design *design,
                             const double *weight, eqp_error *error)
{
    size_t width = design->encoding->width, cells = folds->training->groups->cell_count;
    *basis = (fit_basis){.folds = folds,
                         .design = design,
                         .weight = weight,
                         .width = width,
                         .cells = cells,
                         .measured = EQP_NO_FOLD};
    eqp_status status = eqp_design_check_width(design, error);
    if (status != EQP_OK) return status;
    basis->gram = eqp_alloc((EQP_FOLDS + 1) * width, width * sizeof *basis->gram);
    basis->moments = eqp_alloc((EQP_FOLDS + 1) * width, cells * sizeof *basis->moments);
    basis->coefficients = eqp_alloc(FITS * width, cells * sizeof *basis->coefficients);
    basis->leverage = eqp_alloc(design->rows, sizeof *basis->leverage);
    bool complete = basis->gram && basis->moments && basis->coefficients && basis->leverage;
    return complete ? EQP_OK : eqp_fail_memory(error);
}

static eqp_status sum_fold(void *context, size_t f, eqp_error *error)
{
    fit_basis *basis = context;
    const eqp_direct_folds *folds = basis->folds;
    size_t first = folds->start[f], count = folds->start[f + 1] - first;
    eqp_status status =
        eqp_design_gram_and_moments(basis->design, basis->weight, folds->cell, basis->cells, first, count,
                                    basis->gram + f * basis->width * basis->width,
                                    basis->moments + f * basis->width * basis->cells, error);
    return status == EQP_OK ? eqp_progress_add(folds->progress, 0, error) : status;
}

/* sums[folds] = sums[0] + … + sums[folds-1], each of `size` doubles. */
static void add_folds(double *sums, size_t size)
{
    double *total = sums + EQP_FOLDS * size;
    memset(total, 0, size * sizeof *total);
    for (size_t f = 0; f < EQP_FOLDS; f++)
        for (size_t i = 0; i < size; i++) total[i] += sums[f * size + i];
}

static void add_sums(fit_basis *basis)
{
    add_folds(basis->gram, basis->width * basis->width);
    add_folds(basis->moments, basis->width * basis->cells);
}

static eqp_status sum_rows(fit_basis *basis, eqp_error *error)
{
    eqp_status status = eqp_parallel(EQP_FOLDS, basis->folds->training->threads, sum_fold, basis, error);
    if (status == EQP_OK) add_sums(basis);
    return status;
}

/* The sums of some slots of a basis are those of a basis that has only these. */
static void take_sums(const fit_basis *from, const uint32_t *slots, fit_basis *to)
{
    size_t width = to->width, cells = to->cells;
    for (size_t f = 0; f <= EQP_FOLDS; f++)
        for (size_t i = 0; i < width; i++) {
            size_t line = f * from->width + slots[i];
            for (size_t j = 0; j < width; j++)
                to->gram[(f * width + i) * width + j] = from->gram[line * from->width + slots[j]];
            memcpy(to->moments + (f * width + i) * cells, from->moments + line * cells,
                   cells * sizeof *to->moments);
        }
}

/* ---- fits -------------------------------------------------------------------------------------------- */

static double *fit_of(const fit_basis *basis, size_t held)
{
    return basis->coefficients + held * basis->width * basis->cells;
}

EQP_WIDE static void subtract(const double *restrict all, const double *restrict part, size_t count,
                              double *restrict left)
{
    for (size_t i = 0; i < count; i++) left[i] = all[i] - part[i];
}

/* The sums of all folds but one (or of all). */
static void leave_out(const double *sums, size_t size, size_t held, double *left)
{
    const double *all = sums + EQP_FOLDS * size;
    if (held == EQP_NO_FOLD)
        memcpy(left, all, size * sizeof *left);
    else
        subtract(all, sums + held * size, size, left);
}

static eqp_status fit_one(void *context, size_t held, eqp_error *error)
{
    fit_basis *basis = context;
    size_t width = basis->width, cells = basis->cells;
    double *right = fit_of(basis, held), *gram = eqp_alloc(width, width * sizeof *gram);
    if (gram == NULL) return eqp_fail_memory(error);
    leave_out(basis->gram, width * width, held, gram);
    leave_out(basis->moments, width * cells, held, right);
    eqp_status status = eqp_ridge_solve(gram, width, RIDGE, gram, right, cells, error);
    if (status == EQP_OK && held == basis->measured)
        status = eqp_design_leverage(basis->design, gram, basis->weight, 0, basis->design->rows,
                                     basis->leverage, error);
    free(gram);
    return status == EQP_OK ? eqp_progress_add(basis->folds->progress, 0, error) : status;
}

/* The share of a row's own label in a program's fit.  That of fewer rows is larger by as much; exact
 * leverages of every fit would cost more than all else. */
static double leverage_in(const fit_basis *basis, size_t held, size_t row)
{
    double measured = (double)eqp_direct_folds_count(basis->folds, basis->measured);
    double used = (double)eqp_direct_folds_count(basis->folds, held);
    return fmin(basis->leverage[row] * measured / used, MOST_LEVERAGE);
}

static eqp_status fit_all(fit_basis *basis, eqp_error *error)
{
    eqp_status status = eqp_parallel(FITS, basis->folds->training->threads, fit_one, basis, error);
    free_sums(basis);
    return status;
}

/* ---- rows by how likely they are to be wanted -------------------------------------------------------- */

/* The first price of a program, at the base rates. */
static void first_price(const eqp_training *training, double *price)
{
    const eqp_groups *groups = training->groups;
    for (size_t e = 0; e < groups->cell_count; e++) {
        eqp_members of = eqp_members_of(groups, e);
        price[e] = 0;
        for (size_t m = 0; m < of.count; m++) {
            uint32_t k = of.group[m];
            price[e] += training->sample->base_rate[k] - groups->groups[k].target;
        }
    }
}

/* What the fit without the row says, from what the fit with it says. */
static double without_row(double fitted, double leverage, double target)
{
    return (fitted - leverage * target) / (1 - leverage);
}

/* line[i] = the price of learned row i as the fit without it and `held` sees it; `slope` is scratch. */
static void price_rows(const fit_basis *basis, size_t held, const double *price, double *slope, double *line)
{
    const eqp_direct_folds *folds = basis->folds;
    const double *fit = fit_of(basis, held);
    for (size_t s = 0; s < basis->width; s++) {
        slope[s] = 0;
        for (size_t e = 0; e < basis->cells; e++) slope[s] += price[e] * fit[s * basis->cells + e];
    }
    eqp_design_scores(basis->design, slope, 1, 0, basis->design->rows, line);
    for (size_t i = 0; i < basis->design->rows; i++)
        line[i] = without_row(line[i], leverage_in(basis, held, i), price[folds->cell[i]]);
}

/* Share of the learned rows that are wanted at least as much as one in the bucket: low prices first. */
static void share_by_bucket(const eqp_direct_folds *folds, size_t held, const double *line, double low,
                            double factor, double *share)
{
    double before = 0;
    memset(share, 0, SHARE_BUCKETS * sizeof *share);
    for (size_t i = 0; i < folds->design->rows; i++)
        if (folds->fold[i] != held) share[(size_t)((line[i] - low) * factor)]++;
    for (size_t b = 0; b < SHARE_BUCKETS; b++) {
        before += share[b];
        share[b] = before / (double)eqp_direct_folds_count(folds, held);
    }
}

/* Prices become weights: a row at share s from the top gets 0.02 + 1 / (1 + (s / 0.3)²) times its own, a held
 * one 0. */
static void weigh_by_want(const eqp_direct_folds *folds, size_t held, double *line)
{
    size_t rows = folds->design->rows;
    double share[SHARE_BUCKETS], low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < rows; i++) {
        if (folds->fold[i] == held) continue;
        low = line[i] < low ? line[i] : low;
        high = line[i] > high ? line[i] : high;
    }
    double factor = high > low ? (SHARE_BUCKETS - 1) / (high - low) : 0;
    share_by_bucket(folds, held, line, low, factor, share);
    for (size_t b = 0; b < SHARE_BUCKETS; b++) share[b] = 0.02 + 1 / (1 + share[b] / 0.3 * (share[b] / 0.3));
    for (size_t i = 0; i < rows; i++)
        line[i] = folds->fold[i] == held ? 0 : folds->weight[i] * share[(size_t)((line[i] - low) * factor)];
}

static eqp_status weigh_rows(const fit_basis *plain, size_t held, double *weight, eqp_error *error)
{
    double *price = eqp_alloc(plain->cells, sizeof *price), *slope = eqp_alloc(plain->width, sizeof *slope);
    eqp_status status = price != NULL && slope != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) {
        first_price(plain->folds->training, price);
        price_rows(plain, held, price, slope, weight);
        weigh_by_want(plain->folds, held, weight);
    }
    free(price);
    free(slope);
    return status;
}

/* Those fits of the basis that a program needs which leaves `held` out. */
static eqp_status fit_wanted(const fit_basis *plain, size_t held, fit_basis *wanted, eqp_error *error)
{
    double *weight = eqp_alloc(plain->folds->design->rows, sizeof *weight);
    eqp_status status = weight != NULL ? weigh_rows(plain, held, weight, error) : eqp_fail_memory(error);
    if (status == EQP_OK) status = open_basis(wanted, plain->folds, plain->design, weight, error);
    for (size_t f = 0; f < EQP_FOLDS && status == EQP_OK; f++) status = sum_fold(wanted, f, error);
    if (status == EQP_OK) add_sums(wanted);
    wanted->measured = held;
    if (status == EQP_OK) status = fit_one(wanted, held, error);
    free_sums(wanted);
    free(weight);
    return status;
}

/* ---- all bases --------------------------------------------------------------------------------------- */

static void take_feature(eqp_direct_fits *fits, size_t f)
{
    const eqp_design *design = fits->folds->design;
    eqp_design *plain = &fits->plain;
    size_t at = fits->plain_encoding.feature_count++;
    fits->plain_encoding.features[at] = design->encoding->features[f];
    plain->standard[at] = design->standard[f];
    plain->missing[at] = design->missing[f];
    plain->codes[at] = design->codes[f];
}

static eqp_status leave_bins_out(eqp_direct_fits *fits, eqp_error *error)
{
    const eqp_design *design = fits->folds->design;
    size_t features = design->encoding->feature_count, at = 0;
    eqp_encoding *encoding = &fits->plain_encoding;
    eqp_design *plain = &fits->plain;
    *plain = (eqp_design){.encoding = encoding, .rows = design->rows};
    encoding->features = eqp_take(&fits->arena, features, sizeof *encoding->features);
    plain->standard = eqp_take(&fits->arena, features, sizeof *plain->standard);
    plain->missing = eqp_take(&fits->arena, features, sizeof *plain->missing);
    plain->codes = eqp_take(&fits->arena, features, sizeof *plain->codes);
    fits->slots = eqp_take(&fits->arena, design->encoding->width, sizeof *fits->slots);
    if (fits->arena.failed) return eqp_fail_memory(error);

    fits->slots[at++] = 0;
    for (size_t f = 0; f < features; f++) {
        const eqp_feature *feature = &design->encoding->features[f];
        if (feature->kind == EQP_FEATURE_BINS) continue;
        take_feature(fits, f);
        for (uint32_t s = 0; s < feature->slots; s++) fits->slots[at++] = feature->slot + s;
    }
    return eqp_encoding_number_slots(encoding, error);
}

static eqp_status sum_bases(eqp_direct_fits *fits, eqp_error *error)
{
    const eqp_direct_folds *folds = fits->folds;
    fit_basis *plain = &fits->bases[0], *whole = &fits->bases[1];
    eqp_status status = open_basis(plain, folds, &fits->plain, folds->weight, error);
    if (status != EQP_OK) return status;
    if (fits->shared == 1) return sum_rows(plain, error);
    status = open_basis(whole, folds, folds->design, folds->weight, error);
    if (status == EQP_OK) status = sum_rows(whole, error);
    if (status == EQP_OK) take_sums(whole, fits->slots, plain);
    return status;
}

static eqp_status fit_bases(eqp_direct_fits *fits, eqp_error *error)
{
    eqp_status status = leave_bins_out(fits, error);
    if (status != EQP_OK) return status;
    bool bins = fits->plain_encoding.width < fits->folds->design->encoding->width;
    fits->shared = bins ? 2 : 1;
    status = sum_bases(fits, error);
    for (size_t b = 0; b < fits->shared && status == EQP_OK; b++) status = fit_all(&fits->bases[b], error);
    return status;
}

eqp_status eqp_direct_fits_new(const eqp_direct_folds *folds, eqp_direct_fits **fits, eqp_error *error)
{
    *fits = NULL;
    eqp_direct_fits *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->folds = folds;
    eqp_status status = fit_bases(made, error);
    if (status == EQP_OK) *fits = made;
    if (status != EQP_OK) eqp_direct_fits_free(made);
    return status;
}

void eqp_direct_fits_free(eqp_direct_fits *fits)
{
    if (fits == NULL) return;
    for (size_t b = 0; b < fits->shared; b++) close_basis(&fits->bases[b]);
    eqp_arena_free(&fits->arena);
    free(fits);
}

/* ---- scores of a program ----------------------------------------------------------------------------- */

typedef struct program_fits {
    const eqp_direct_fits *fits;
    size_t held;
    fit_basis wanted;
} program_fits;

static const fit_basis *basis_at(const program_fits *program, size_t b)
{
    return b < program->fits->shared ? &program->fits->bases[b] : &program->wanted;
}

static size_t slot_of(const eqp_direct_fits *fits, const fit_basis *basis, size_t s)
{
    return basis->design == &fits->plain ? fits->slots[s] : s;
}

/* The coefficients of the program's fits, all bases side by side: width × pitch. */
static void tabulate(const program_fits *program, size_t pitch, float *table)
{
    const eqp_direct_fits *fits = program->fits;
    memset(table, 0, fits->folds->design->encoding->width * pitch * sizeof *table);
    for (size_t b = 0; b <= fits->shared; b++) {
        const fit_basis *basis = basis_at(program, b);
        const double *fit = fit_of(basis, program->held);
        for (size_t s = 0; s < basis->width; s++)
            for (size_t e = 0; e < basis->cells; e++)
                table[slot_of(fits, basis, s) * pitch + b * basis->cells + e] =
                    (float)fit[s * basis->cells + e];
    }
}

/* Rows learned from: their own labels are taken out of their scores. */
static void leave_rows_out(const program_fits *program, size_t first, size_t count, size_t at,
                           eqp_direct_scores *scores)
{
    const uint32_t *cell = program->fits->folds->cell + first;
    for (size_t b = 0; b < scores->bases; b++) {
        const fit_basis *basis = basis_at(program, b);
        for (size_t i = 0; i < count; i++) {
            double leverage = leverage_in(basis, program->held, first + i);
            float *score = scores->score + b * scores->cells * scores->rows + at + i;
            for (size_t e = 0; e < scores->cells; e++)
                score[e * scores->rows] =
                    (float)without_row((double)score[e * scores->rows], leverage, cell[i] == e);
        }
    }
}

/* Rows of the other folds in order, then held ones. */
static eqp_status score_folds(const program_fits *program, float *table, eqp_direct_scores *scores,
                              eqp_error *error)
{
    const eqp_direct_folds *folds = program->fits->folds;
    eqp_status status = EQP_OK;
    size_t columns = scores->bases * scores->cells, held = program->held, at = 0;
    tabulate(program, EQP_SINGLE_PITCH(columns), table);
    for (size_t turn = 0; turn <= EQP_FOLDS && status == EQP_OK; turn++) {
        size_t g = turn < EQP_FOLDS ? turn : held;
        if (g == EQP_NO_FOLD || (turn < EQP_FOLDS && g == held)) continue;
        size_t first = folds->start[g], count = folds->start[g + 1] - first;
        eqp_design_scores_single(folds->design, table, columns, first, count, scores->score + at,
                                 scores->rows);
        if (g != held) leave_rows_out(program, first, count, at, scores);
        at += count;
        status = eqp_progress_add(folds->progress, 0, error);
    }
    return status;
}

/* Keeps the fit on all rows learned from: it is the one deployed. */
static eqp_status keep_deployed(const program_fits *program, eqp_direct_scores *scores, eqp_error *error)
{
    size_t width = program->fits->folds->design->encoding->width, cells = scores->cells;
    for (size_t b = 0; b < scores->bases; b++) {
        const fit_basis *basis = basis_at(program, b);
        const double *fit = fit_of(basis, program->held);
        double *kept = scores->deployed[b] = eqp_alloc_zero(width, cells * sizeof *kept);
        if (kept == NULL) return eqp_fail_memory(error);
        for (size_t s = 0; s < basis->width; s++)
            memcpy(kept + slot_of(program->fits, basis, s) * cells, fit + s * cells, cells * sizeof *kept);
    }
    return EQP_OK;
}

static eqp_status score_program(program_fits *program, eqp_direct_scores *scores, eqp_error *error)
{
    size_t width = program->fits->folds->design->encoding->width;
    float *table = eqp_alloc_aligned(width, EQP_SINGLE_PITCH(scores->bases * scores->cells) * sizeof *table);
    eqp_status status = table != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK)
        status = fit_wanted(&program->fits->bases[0], program->held, &program->wanted, error);
    if (status == EQP_OK) status = keep_deployed(program, scores, error);
    if (status == EQP_OK) status = score_folds(program, table, scores, error);
    close_basis(&program->wanted);
    free(table);
    return status;
}

eqp_status eqp_direct_cross_fit(const eqp_direct_fits *fits, size_t held, eqp_direct_scores **scores,
                                eqp_error *error)
{
    const eqp_direct_folds *folds = fits->folds;
    program_fits program = {.fits = fits, .held = held};
    eqp_status status =
        eqp_direct_scores_new(folds->design->rows, eqp_direct_folds_count(folds, held),
                              folds->training->groups->cell_count, fits->shared + 1, scores, error);
    if (status != EQP_OK) return status;
    (*scores)->coefficients = fits->plain_encoding.width;
    status = score_program(&program, *scores, error);
    if (status != EQP_OK) {
        eqp_direct_scores_free(*scores);
        *scores = NULL;
    }
    return status;
}
