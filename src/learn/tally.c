/* Direct learner: disclosure, imbalance and yield of the accept/reject bit, and how sure they are.
 *
 * A figure t has the influence  phi_i = a_i u(cell_i) - w(cell_i)  of row i, and standard error sqrt(sum p_i²
 * phi_i²). */
#include "learn/tally.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { SUMS = 5 }; /* a cell */

eqp_status eqp_tally_new(size_t cells, eqp_tally **tally, eqp_error *error)
{
    *tally = NULL;
    eqp_tally *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->cells = cells;
    made->mass = eqp_alloc_zero(SUMS * cells, sizeof *made->mass);
    if (made->mass == NULL) {
        free(made);
        return eqp_fail_memory(error);
    }
    made->linear = made->mass + cells;
    made->square = made->linear + cells;
    made->weight = made->square + cells;
    made->weight_square = made->weight + cells;
    *tally = made;
    return EQP_OK;
}

void eqp_tally_free(eqp_tally *tally)
{
    if (tally == NULL) return;
    free(tally->mass);
    free(tally);
}

void eqp_tally_reset(eqp_tally *tally)
{
    memset(tally->mass, 0, SUMS * tally->cells * sizeof *tally->mass);
}

void eqp_tally_rows(eqp_tally *tally, const uint32_t *cell, const double *weight, const float *acceptance,
                    size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        double accepted = weight[i] * (double)acceptance[i];
        tally->mass[cell[i]] += accepted;
        tally->linear[cell[i]] += weight[i] * accepted;
        tally->square[cell[i]] += accepted * accepted;
        tally->weight[cell[i]] += weight[i];
        tally->weight_square[cell[i]] += weight[i] * weight[i];
    }
}

void eqp_tally_merge(eqp_tally *tally, const eqp_tally *other)
{
    for (size_t i = 0; i < SUMS * tally->cells; i++) tally->mass[i] += other->mass[i];
}

/* ---- figures ----------------------------------------------------------------------------------------- */

typedef struct measure {
    const eqp_tally *tally;
    const eqp_sample *sample;
    const eqp_groups *groups;
    double *group_mass; /* K: of the accepted */
    double *pull;       /* K: scratch */
    double accepted;
} measure;

/* Standard error of a figure whose influence is  slope · (a_i (M_i·pull - mean) ) - (M_i·pull -
 * base)·base_slope. */
static double error_of(const measure *m, const double *pull, double slope, double mean, double base_slope,
                       double base)
{
    double sum = 0;
    for (size_t e = 0; e < m->groups->cell_count; e++) {
        double value = 0;
        eqp_members of = eqp_members_of(m->groups, e);
        for (size_t i = 0; i < of.count; i++) value += pull[of.group[i]];
        double u = slope * (value - mean), w = base_slope * (value - base);
        sum += u * u * m->tally->square[e] - 2 * u * w * m->tally->linear[e] +
               w * w * m->tally->weight_square[e];
    }
    return sqrt(fmax(0, sum));
}

static double yield_error(const measure *m)
{
    double sum = 0;
    for (size_t e = 0; e < m->groups->cell_count; e++)
        sum += m->tally->square[e] - 2 * m->accepted * m->tally->linear[e] +
               m->accepted * m->accepted * m->tally->weight_square[e];
    return sqrt(fmax(0, sum));
}

/* A rejected mass below this is rounding. */
static const double NOBODY = 1e-9;

static void measure_disclosure(const measure *m, eqp_figures *figures)
{
    const double *r = m->sample->base_rate, *c = figures->composition;
    double y = m->accepted, rejected = y > 0.5 && 1 - y > NOBODY ? y / (1 - y) : 1;
    size_t worst = 0;
    for (size_t k = 0; k < m->groups->group_count; k++)
        if (fabs(c[k] - r[k]) > fabs(c[worst] - r[worst])) worst = k;
    figures->disclosure = rejected * fabs(c[worst] - r[worst]);
    for (size_t k = 0; k < m->groups->group_count; k++) {
        for (size_t l = 0; l < m->groups->group_count; l++) m->pull[l] = l == k;
        figures->composition_error[k] = error_of(m, m->pull, 1 / y, c[k], 0, 0);
        if (k == worst) figures->disclosure_error = rejected * error_of(m, m->pull, 1 / y, c[k], 1, r[k]);
    }
}

static void measure_imbalance(const measure *m, eqp_figures *figures)
{
    double square = 0, mean = 0;
    size_t groups = m->groups->group_count;
    for (size_t k = 0; k < groups; k++) {
        m->pull[k] = figures->composition[k] - m->groups->groups[k].target;
        square += m->pull[k] * m->pull[k];
    }
    figures->imbalance = sqrt(square);
    for (size_t k = 0; k < groups; k++) {
        m->pull[k] = square > 0 ? m->pull[k] / figures->imbalance : 0;
        mean += m->pull[k] * figures->composition[k];
    }
    figures->imbalance_error = error_of(m, m->pull, 1 / m->accepted, mean, 0, 0);
}

static eqp_status allocate(measure *m, eqp_figures *figures, eqp_error *error)
{
    size_t groups = m->groups->group_count;
    m->group_mass = eqp_alloc(groups, sizeof(double));
    m->pull = eqp_alloc(groups, sizeof(double));
    figures->composition = eqp_alloc_zero(groups, sizeof(double));
    figures->composition_error = eqp_alloc_zero(groups, sizeof(double));
    if (m->group_mass && m->pull && figures->composition && figures->composition_error) return EQP_OK;
    eqp_figures_free(figures);
    return eqp_fail_memory(error);
}

static void measure_all(measure *m, eqp_figures *figures)
{
    for (size_t e = 0; e < m->groups->cell_count; e++) m->accepted += m->tally->mass[e];
    eqp_groups_sum(m->groups, m->tally->mass, m->group_mass);
    figures->yield = m->accepted;
    figures->yield_error = yield_error(m);
    if (m->accepted > 0) {
        for (size_t k = 0; k < m->groups->group_count; k++)
            figures->composition[k] = m->group_mass[k] / m->accepted;
        measure_disclosure(m, figures);
        measure_imbalance(m, figures);
    } else { /* nobody accepted: nothing learned, no cohort */
        figures->disclosure = 0;
        figures->imbalance = INFINITY;
        figures->disclosure_error = figures->imbalance_error = NAN;
    }
}

eqp_status eqp_tally_figures(const eqp_tally *tally, const eqp_sample *sample, eqp_figures *figures,
                             eqp_error *error)
{
    *figures = (eqp_figures){.distortion = NAN, .distortion_error = NAN};
    measure m = {.tally = tally, .sample = sample, .groups = sample->groups};
    eqp_status status = allocate(&m, figures, error);
    if (status == EQP_OK) measure_all(&m, figures);
    free(m.group_mass);
    free(m.pull);
    return status;
}

/* ---- models ------------------------------------------------------------------------------------------ */

/* Acceptance in expectation over the draws, row by row: where components or leaves share a row, it varies
 * less than the leaves' own acceptance does. */
static eqp_status tally_sample(const eqp_model *model, const eqp_table *table, const eqp_sample *sample,
                               eqp_tally *tally, eqp_error *error)
{
    double *chance = eqp_alloc(table->rows, sizeof *chance);
    eqp_status status = chance != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_model_probabilities(model, table, chance, error);
    for (size_t i = 0; status == EQP_OK && i < sample->rows; i++) {
        float accepted = (float)chance[sample->row[i]];
        eqp_tally_rows(tally, &sample->cell[i], &sample->weight[i], &accepted, 1);
    }
    free(chance);
    return status;
}

eqp_status eqp_tally_model(const eqp_model *model, const eqp_table *table, const eqp_groups *groups,
                           const char *weight, eqp_figures *figures, double *square, eqp_error *error)
{
    eqp_sample *sample = NULL;
    eqp_tally *tally = NULL;
    eqp_status status = eqp_sample_from_table(groups, table, weight, &sample, error);
    if (status == EQP_OK) status = eqp_tally_new(groups->cell_count, &tally, error);
    if (status == EQP_OK) status = tally_sample(model, table, sample, tally, error);
    if (status == EQP_OK) status = eqp_tally_figures(tally, sample, figures, error);
    if (status == EQP_OK) {
        *square = figures->imbalance * figures->imbalance;
        for (size_t k = 0; k < groups->group_count; k++)
            *square -= figures->composition_error[k] * figures->composition_error[k];
    }
    eqp_tally_free(tally);
    eqp_sample_free(sample);
    return status;
}
