/* How many questions?  Partitions of every size are searched for without a fifth of the rows and judged on
 * that fifth, five times.  More questions must pay: by more than their standard error and by more than 0.005.
 *
 * What learning says of unseen rows comes from the same folds, each with the size that the other four would
 * have chosen: no fold speaks for a size that was chosen by it. */
#include "publishable/size.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

static const double WORTH = 0.005; /* of imbalance, that a further question must gain */

/* One partition on the rows left out. */
typedef struct fold_figures {
    double square; /* of the imbalance, less the variance of the composition */
    double imbalance;
    double disclosure; /* of the cell and group that shift most on the rows learned from */
    double yield;
    double *accepted; /* mass of each group among the accepted */
} fold_figures;

struct eqp_size_study {
    size_t groups, most;
    eqp_arena arena;
    uint8_t *fold, *cell; /* of each row */
    uint32_t *row;
    double *weight, *base_rate, *mass, *group_mass, *seen_mass, *seen_group_mass, *scratch, *q;
    fold_figures (*figures)[EQP_MOST_QUESTIONS + 1]; /* [fold][size] */
};

/* ---- folds --------------------------------------------------------------------------------------------- */

static eqp_size_study *study_new(const eqp_partition_search *all, uint64_t seed, eqp_error *error)
{
    eqp_size_study *s = eqp_alloc_zero(1, sizeof *s);
    size_t K = all->judge.groups, *order = eqp_alloc(all->rows, sizeof *order);
    if (s == NULL || order == NULL) {
        free(order);
        free(s);
        eqp_fail_memory(error);
        return NULL;
    }
    s->groups = K;
    s->most = all->most_questions;
    s->fold = eqp_take(&s->arena, all->rows, 1);
    s->cell = eqp_take(&s->arena, all->rows, 1);
    s->row = eqp_take(&s->arena, all->rows, sizeof *s->row);
    s->weight = eqp_take(&s->arena, all->rows, sizeof *s->weight);
    s->base_rate = eqp_take(&s->arena, K, sizeof *s->base_rate);
    s->mass = eqp_take(&s->arena, EQP_MOST_CELLS, sizeof *s->mass);
    s->group_mass = eqp_take(&s->arena, EQP_MOST_CELLS * K, sizeof *s->group_mass);
    s->seen_mass = eqp_take(&s->arena, EQP_MOST_CELLS, sizeof *s->seen_mass);
    s->seen_group_mass = eqp_take(&s->arena, EQP_MOST_CELLS * K, sizeof *s->seen_group_mass);
    s->scratch = eqp_take(&s->arena, (EQP_MOST_CELLS + 1) * K, sizeof *s->scratch);
    s->q = eqp_take(&s->arena, EQP_MOST_CELLS, sizeof *s->q);
    s->figures = eqp_take_zero(&s->arena, EQP_SIZE_FOLDS, sizeof *s->figures);
    double *accepted =
        eqp_take_zero(&s->arena, (size_t)EQP_SIZE_FOLDS * (EQP_MOST_QUESTIONS + 1) * K, sizeof *accepted);
    if (s->arena.failed) {
        eqp_fail_memory(error);
        eqp_size_study_free(s);
        s = NULL;
    } else {
        for (size_t i = 0; i < EQP_SIZE_FOLDS * (EQP_MOST_QUESTIONS + 1); i++)
            s->figures[i / (EQP_MOST_QUESTIONS + 1)][i % (EQP_MOST_QUESTIONS + 1)].accepted =
                accepted + i * K;
        eqp_random random = eqp_random_from(seed, 15);
        eqp_random_permutation(&random, order, all->rows);
        for (size_t i = 0; i < all->rows; i++) s->fold[order[i]] = (uint8_t)(i % EQP_SIZE_FOLDS);
    }
    free(order);
    return s;
}

void eqp_size_study_free(eqp_size_study *study)
{
    if (study == NULL) return;
    eqp_arena_free(&study->arena);
    free(study);
}

/* The rows of a fold, or all others, with weights that sum to 1, and their base rates. */
static eqp_partition_search take_rows(eqp_size_study *s, const eqp_partition_search *all, size_t fold,
                                      bool held_out)
{
    eqp_partition_search part = *all;
    double total = 0, squares = 0;
    part.rows = 0;
    for (size_t i = 0; i < all->rows; i++) {
        if ((s->fold[i] == fold) != held_out) continue;
        s->row[part.rows] = all->row[i];
        s->weight[part.rows++] = all->weight[i];
        total += all->weight[i];
    }
    for (size_t i = 0; i < part.rows; i++) {
        s->weight[i] /= total;
        squares += s->weight[i] * s->weight[i];
    }
    part.row = s->row;
    part.weight = s->weight;
    eqp_partition_masses(&part, &(eqp_partition){0}, s->cell, s->mass, s->base_rate);
    part.judge.base_rate = s->base_rate;
    part.judge.rows = 1 / squares;
    return part;
}

/* ---- figures of a fold --------------------------------------------------------------------------------- */

/* The cell and group that shift most. */
static size_t most_shifted(const eqp_partition_search *search, size_t cells, const double *mass,
                           const double *group_mass)
{
    size_t K = search->judge.groups, most = 0;
    double largest = -1;
    for (size_t c = 0; c < cells; c++)
        for (size_t k = 0; k < K && mass[c] > 0; k++) {
            double shift = fabs(group_mass[c * K + k] / mass[c] - search->judge.base_rate[k]);
            if (shift > largest) largest = shift, most = c * K + k;
        }
    return most;
}

static void measure_fold(eqp_size_study *s, const eqp_partition_search *unseen, size_t cells, size_t shifted,
                         double sign, const double *accept, fold_figures *out)
{
    size_t K = s->groups, cell = shifted / K;
    double squares = 0, variance = 0;
    out->yield = out->square = 0;
    memset(out->accepted, 0, K * sizeof(double));
    for (size_t c = 0; c < cells; c++) {
        out->yield += accept[c] * s->mass[c];
        squares += accept[c] * accept[c] * s->mass[c];
        for (size_t k = 0; k < K; k++) out->accepted[k] += accept[c] * s->group_mass[c * K + k];
    }
    for (size_t k = 0; k < K && out->yield > 0; k++) {
        double share = out->accepted[k] / out->yield, off = share - unseen->judge.target[k];
        out->square += off * off;
        variance += share * (1 - share) * squares / (out->yield * out->yield) / unseen->judge.rows;
    }
    out->imbalance = out->yield > 0 ? sqrt(out->square) : INFINITY;
    out->square = out->yield > 0 ? out->square - variance : INFINITY;
    out->disclosure =
        s->mass[cell] > 0
            ? sign * (s->group_mass[shifted] / s->mass[cell] - unseen->judge.base_rate[shifted % K])
            : 0;
}

/* Chances of the cells in `accept`, from the mixture of the judge. */
static void find_chances(size_t cells, const double *mass, const double *q, double *accept)
{
    double most = 0;
    for (size_t c = 0; c < cells; c++) {
        accept[c] = mass[c] > 0 ? q[c] / mass[c] : 0;
        most = fmax(most, accept[c]);
    }
    for (size_t c = 0; c < cells; c++) accept[c] /= most;
}

static eqp_status study_fold(eqp_size_study *s, const eqp_partition_search *all, size_t fold,
                             eqp_error *error)
{
    eqp_partition best[EQP_MOST_QUESTIONS + 1];
    eqp_partition_search seen = take_rows(s, all, fold, false), unseen;
    double accept[EQP_MOST_QUESTIONS + 1][EQP_MOST_CELLS], sign[EQP_MOST_QUESTIONS + 1];
    size_t shifted[EQP_MOST_QUESTIONS + 1], K = s->groups;
    seen.from = all->from + (all->to - all->from) * (double)(fold + 1) / (EQP_SIZE_FOLDS + 1);
    seen.to = all->from + (all->to - all->from) * (double)(fold + 2) / (EQP_SIZE_FOLDS + 1);
    eqp_status status = eqp_search_partitions(&seen, best, error);
    if (status != EQP_OK) return status;
    for (size_t m = 0; m <= s->most; m++) {
        size_t cells = (size_t)1 << best[m].count;
        eqp_partition_masses(&seen, &best[m], s->cell, s->seen_mass, s->seen_group_mass);
        eqp_judge_cells(&seen.judge, cells, s->seen_mass, s->seen_group_mass, s->scratch, s->q);
        find_chances(cells, s->seen_mass, s->q, accept[m]);
        size_t at = shifted[m] = most_shifted(&seen, cells, s->seen_mass, s->seen_group_mass);
        sign[m] = s->seen_group_mass[at] / s->seen_mass[at / K] > s->base_rate[at % K] ? 1 : -1;
    }
    unseen = take_rows(s, all, fold, true);
    for (size_t m = 0; m <= s->most; m++) {
        eqp_partition_masses(&unseen, &best[m], s->cell, s->mass, s->group_mass);
        measure_fold(s, &unseen, (size_t)1 << best[m].count, shifted[m], sign[m], accept[m],
                     &s->figures[fold][m]);
    }
    return EQP_OK;
}

/* ---- the choice ---------------------------------------------------------------------------------------- */

/* The mean of a fold's squares over all folds but one. */
static double mean_square(const eqp_size_study *s, size_t size, size_t without)
{
    double sum = 0, count = 0;
    for (size_t f = 0; f < EQP_SIZE_FOLDS; f++)
        if (f != without) sum += s->figures[f][size].square, count += 1;
    return fmax(0, sum / count);
}

static bool pays(const eqp_size_study *s, size_t fewer, size_t more, size_t without)
{
    double mean = 0, squares = 0, count = 0;
    for (size_t f = 0; f < EQP_SIZE_FOLDS; f++) {
        if (f == without) continue;
        double gain = s->figures[f][fewer].square - s->figures[f][more].square;
        mean += gain;
        squares += gain * gain;
        count += 1;
    }
    mean /= count;
    double error = sqrt(fmax(0, squares / count - mean * mean) / (count - 1));
    return mean > error && sqrt(mean_square(s, fewer, without)) - sqrt(mean_square(s, more, without)) > WORTH;
}

static size_t choose(const eqp_size_study *s, size_t without)
{
    size_t chosen = 0;
    for (size_t m = 1; m <= s->most; m++)
        if (pays(s, chosen, m, without)) chosen = m;
    return chosen;
}

size_t eqp_size_chosen(const eqp_size_study *study)
{
    return choose(study, SIZE_MAX);
}

eqp_status eqp_size_study_new(const eqp_partition_search *search, uint64_t seed, eqp_size_study **study,
                              eqp_error *error)
{
    eqp_size_study *s = *study = study_new(search, seed, error);
    eqp_status status = s != NULL ? EQP_OK : EQP_MEMORY;
    for (size_t f = 0; f < EQP_SIZE_FOLDS && status == EQP_OK; f++) status = study_fold(s, search, f, error);
    return status;
}

eqp_status eqp_size_figures(const eqp_size_study *s, eqp_figures *figures, eqp_error *error)
{
    double imbalance[EQP_SIZE_FOLDS], disclosure[EQP_SIZE_FOLDS], square = 0, all = 0;
    figures->composition = eqp_alloc_zero(s->groups, sizeof *figures->composition);
    if (figures->composition == NULL) return eqp_fail_memory(error);
    figures->disclosure = 0;
    for (size_t f = 0; f < EQP_SIZE_FOLDS; f++) {
        const fold_figures *fold = &s->figures[f][choose(s, f)];
        imbalance[f] = fold->imbalance;
        disclosure[f] = fold->disclosure;
        square += fold->square / EQP_SIZE_FOLDS;
        figures->disclosure += fold->disclosure / EQP_SIZE_FOLDS;
        all += fold->yield;
        for (size_t k = 0; k < s->groups; k++) figures->composition[k] += fold->accepted[k];
    }
    for (size_t k = 0; k < s->groups; k++) figures->composition[k] /= all;
    figures->imbalance = sqrt(fmax(0, square));
    figures->disclosure = fmax(0, figures->disclosure);
    figures->imbalance_error = eqp_fold_error(imbalance, EQP_SIZE_FOLDS);
    figures->disclosure_error = eqp_fold_error(disclosure, EQP_SIZE_FOLDS);
    return EQP_OK;
}
