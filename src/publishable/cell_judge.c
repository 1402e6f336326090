/* One partition, judged.
 *
 *     within the budget   sum over cells and groups of the chance that the shift, measured on fresh people,
 *                         exceeds the budget, at most 1 - confidence
 *     loss                min |qA - U|² + spread · sum_j q_j² v_j / n_j    0 <= q_j <= m_j / y, sum q = 1
 * (M4)
 *
 * The program is solved by exchanges between pairs of cells: there are few cells, thousands of partitions are
 * compared, and the final acceptance comes from balance/acceptance.c. */
#include "publishable/publishable.h"

#include <math.h>
#include <string.h>

/* A cell counts as within the budget when an audit of it would find it there: the sample learned from is off
 * by its own error, and fresh people, three fifths as many, by theirs.  In the population it holds more
 * often. */
static const double FRESH = 0.6;
static const double EMPTY = 1e-12;
static const double CLEAR = 6; /* standard errors that need no further look */

static double tail(double errors)
{
    return errors > CLEAR ? 0 : 0.5 * erfc(errors / M_SQRT2);
}

/* What the budget leaves a group: the nearer of the limits on either side. */
static double slack_of(const eqp_judge *j, double share, double rate)
{
    double slack = j->budget - fabs(share - rate);
    if (j->max_ratio > 0) slack = fmin(slack, fmin(j->max_ratio * rate - share, share - rate / j->max_ratio));
    return slack;
}

/* The chance that some group of the cell exceeds the budget; without confidence, by how much it does. */
static double cell_risk(const eqp_judge *j, double mass, const double *group_mass)
{
    double sum = 0, rows = mass * j->rows;
    /* Of two groups one gains what the other loses. */
    size_t apart = j->groups == 2 && !(j->max_ratio > 0) ? 1 : j->groups;
    for (size_t k = 0; k < apart; k++) {
        double share = group_mass[k] / mass, slack = slack_of(j, share, j->base_rate[k]);
        if (j->risk <= 0) {
            sum += fmax(0, -slack - 1e-9);
            continue;
        }
        double near = (share * rows + 2) / (rows + 4); /* no certainty from few people */
        double error = sqrt((1 + 1 / FRESH) * near * (1 - near) / rows * fmax(0, 1 - mass));
        sum += error > 0 ? tail(slack / error) : slack < 0;
    }
    return sum;
}

static double excess_of(const eqp_judge *j, size_t cells, const double *mass, const double *group_mass)
{
    double risk = 0, few = 0;
    for (size_t c = 0; c < cells; c++) {
        if (mass[c] <= EMPTY) continue;
        few += fmax(0, 1 - mass[c] * j->rows / j->least_rows - 1e-9);
        risk += cell_risk(j, mass[c], group_mass + c * j->groups);
    }
    return few + fmax(0, risk - j->risk);
}

bool eqp_judge_allows(const eqp_judge *judge, size_t cells, const double *mass, const double *group_mass)
{
    return excess_of(judge, cells, mass, group_mass) <= 0;
}

/* ---- the program --------------------------------------------------------------------------------------- */

typedef struct mixture {
    size_t count, groups;
    uint32_t cell[EQP_MOST_CELLS];
    double share[EQP_MOST_CELLS]; /* q */
    double low[EQP_MOST_CELLS], high[EQP_MOST_CELLS];
    double penalty[EQP_MOST_CELLS], slope[EQP_MOST_CELLS];
    const double *A[EQP_MOST_CELLS]; /* compositions */
    double *off;                     /* qA - U */
} mixture;

/* Moves mass from the cell where it costs most to the one where it gains most; false when nothing is gained.
 */
static bool exchange(mixture *m)
{
    size_t from = 0, to = 0;
    double worst = -INFINITY, best = INFINITY, apart = 0, scalar = 0;
    for (size_t i = 0; i < m->count; i++) {
        double slope = m->penalty[i] * m->share[i];
        for (size_t k = 0; k < m->groups; k++) slope += m->A[i][k] * m->off[k];
        if (m->share[i] > m->low[i] && slope > worst) worst = slope, from = i;
        if (m->share[i] < m->high[i] && slope < best) best = slope, to = i;
    }
    if (!(worst - best > 1e-7)) return false;
    for (size_t k = 0; k < m->groups; k++) {
        double d = m->A[to][k] - m->A[from][k];
        apart += d * d;
    }
    scalar = apart + m->penalty[from] + m->penalty[to];
    double step = scalar > 0 ? (worst - best) / scalar : INFINITY;
    step = fmin(step, fmin(m->share[from] - m->low[from], m->high[to] - m->share[to]));
    if (!(step > 1e-12)) return false;
    m->share[from] -= step;
    m->share[to] += step;
    for (size_t k = 0; k < m->groups; k++) m->off[k] += step * (m->A[to][k] - m->A[from][k]);
    return true;
}

static double value_of(const mixture *m)
{
    double value = 0;
    for (size_t k = 0; k < m->groups; k++) value += m->off[k] * m->off[k];
    for (size_t i = 0; i < m->count; i++) value += m->penalty[i] * m->share[i] * m->share[i];
    return value;
}

/* Begins with everybody: q = m. */
static void fill_mixture(const eqp_judge *j, size_t cells, const double *mass, const double *group_mass,
                         mixture *m, double *compositions)
{
    m->groups = j->groups;
    for (size_t k = 0; k < j->groups; k++) m->off[k] = -j->target[k];
    for (size_t c = 0; c < cells; c++) {
        if (mass[c] <= EMPTY) continue;
        size_t i = m->count++;
        double *A = compositions + i * j->groups, variance = 0;
        for (size_t k = 0; k < j->groups; k++) {
            A[k] = group_mass[c * j->groups + k] / mass[c];
            variance += A[k] * (1 - A[k]);
            m->off[k] += mass[c] * A[k];
        }
        m->A[i] = A;
        m->cell[i] = (uint32_t)c;
        m->share[i] = mass[c];
        m->low[i] = j->min_chance * mass[c];
        m->high[i] = mass[c] / j->least_yield;
        m->penalty[i] = j->spread * variance / (mass[c] * j->rows);
    }
}

double eqp_judge_cells(const eqp_judge *j, size_t cells, const double *mass, const double *group_mass,
                       double *scratch, double *q)
{
    enum { MOST_EXCHANGES = 300 };
    double excess = excess_of(j, cells, mass, group_mass);
    if (excess > 0) return EQP_NOT_ALLOWED * (1 + excess);
    mixture m = {.off = scratch};
    fill_mixture(j, cells, mass, group_mass, &m, scratch + j->groups);
    for (int i = 0; i < MOST_EXCHANGES && exchange(&m);) i++;
    if (q != NULL) {
        memset(q, 0, cells * sizeof *q);
        for (size_t i = 0; i < m.count; i++) q[m.cell[i]] = m.share[i];
    }
    return value_of(&m);
}
