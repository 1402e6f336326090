/* The master program: kept column by column, solved by the simplex. */
#include "tree/split_solver.h"

#include "base/memory.h"
#include "solve/simplex.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct eqp_master {
    eqp_split_program program; /* its prices are those of the last pricing */
    eqp_simplex simplex;
    bool solved, feasible;  /* since the last change; and what came out */
    size_t rows;            /* of the program; one more, the sum, in what is solved */
    eqp_arena arena;        /* of the next four */
    double *factor;         /* of every row */
    double *right;          /* rows + 1: 0, and 1 for the sum */
    unsigned char *equal;   /* rows + 1: the sum is an equation */
    double *scratch;        /* 2K */
    size_t count, capacity; /* columns */
    double *element;        /* count × (rows + 1), column after column */
    double *cost;           /* count */
};

static void fill_factors(eqp_master *m, double one, double zero)
{
    size_t K = m->program.groups->group_count;
    for (size_t i = 0; i <= m->rows; i++) m->factor[i] = i < 2 * K ? one : i < 4 * K ? zero : 1;
    if (m->program.min_mass > 0) {
        m->factor[4 * K] = one;
        m->factor[4 * K + 1] = zero;
    }
}

static bool reserve(eqp_master *m)
{
    size_t rows = m->rows + 1;
    m->factor = eqp_take(&m->arena, rows, sizeof *m->factor);
    m->right = eqp_take_zero(&m->arena, rows, sizeof *m->right);
    m->equal = eqp_take_zero(&m->arena, rows, sizeof *m->equal);
    m->scratch = eqp_take(&m->arena, m->program.groups->group_count, 2 * sizeof *m->scratch);
    m->element = eqp_alloc(m->capacity, rows * sizeof *m->element);
    m->cost = eqp_alloc(m->capacity, sizeof *m->cost);
    bool simplex = eqp_simplex_init(&m->simplex, rows, m->capacity);
    return simplex && !m->arena.failed && m->element && m->cost;
}

eqp_status eqp_master_new(const eqp_split_program *program, double one, double zero, eqp_master **master,
                          eqp_error *error)
{
    *master = NULL;
    eqp_master *m = eqp_alloc_zero(1, sizeof *m);
    if (m == NULL) return eqp_fail_memory(error);
    m->program = *program;
    m->rows = eqp_program_row_count(program);
    m->capacity = 64;
    if (!reserve(m)) {
        eqp_master_free(m);
        return eqp_fail_memory(error);
    }
    fill_factors(m, one, zero);
    m->right[m->rows] = m->equal[m->rows] = 1;
    *master = m;
    return EQP_OK;
}

void eqp_master_free(eqp_master *m)
{
    if (m == NULL) return;
    eqp_simplex_clear(&m->simplex);
    eqp_arena_free(&m->arena);
    free(m->element);
    free(m->cost);
    free(m);
}

static bool reserve_one_more(eqp_master *m)
{
    if (m->count < m->capacity) return true;
    double *element = eqp_resize(m->element, m->capacity * 2, (m->rows + 1) * sizeof *element);
    if (element != NULL) m->element = element;
    double *cost = eqp_resize(m->cost, m->capacity * 2, sizeof *cost);
    if (cost != NULL) m->cost = cost;
    if (element == NULL || cost == NULL) return false;
    if (!eqp_simplex_widen(&m->simplex, m->capacity, m->capacity * 2)) return false;
    m->capacity *= 2;
    return true;
}

eqp_status eqp_master_add(eqp_master *m, const double *mass, eqp_error *error)
{
    if (!reserve_one_more(m)) return eqp_fail_memory(error);
    double *column = m->element + m->count * (m->rows + 1);
    eqp_program_rows(&m->program, mass, column, m->scratch);
    for (size_t i = 0; i < m->rows; i++) column[i] *= m->factor[i];
    column[m->rows] = 1;
    m->cost[m->count++] = eqp_program_objective(&m->program, mass);
    m->solved = false;
    return EQP_OK;
}

eqp_status eqp_master_add_all(eqp_master *m, const eqp_split_columns *columns, eqp_error *error)
{
    eqp_status status = EQP_OK;
    while (status == EQP_OK && m->count < columns->count)
        status = eqp_master_add(m, columns->splitters[m->count]->mass, error);
    return status;
}

bool eqp_master_fits(const eqp_master *m, const eqp_split_program *program)
{
    return m->program.groups == program->groups && m->program.base_rate == program->base_rate &&
           m->program.cell_mass == program->cell_mass && m->program.budget == program->budget &&
           m->program.min_mass == program->min_mass;
}

eqp_status eqp_master_reprice(eqp_master *m, const eqp_split_program *program,
                              const eqp_split_columns *columns, eqp_error *error)
{
    m->program = *program;
    for (size_t j = 0; j < m->count; j++)
        m->cost[j] = eqp_program_objective(program, columns->splitters[j]->mass);
    m->solved = false;
    return eqp_master_add_all(m, columns, error);
}

/* ---- solving ----------------------------------------------------------------------------------------- */

static const double TOLERANCE = 1e-10;

static eqp_simplex_program as_linear(const eqp_master *m)
{
    return (eqp_simplex_program){.rows = m->rows + 1,
                                 .columns = m->count,
                                 .element = m->element,
                                 .cost = m->cost,
                                 .right = m->right,
                                 .equal = m->equal,
                                 .in_units = true};
}

/* Whether the mixture (1 - t, t) of the first two columns keeps all rows. */
static bool keeps_rows(const eqp_master *m, double t)
{
    for (size_t i = 0; i < m->rows; i++) {
        double from = m->element[i], to = t > 0 ? m->element[m->rows + 1 + i] : from;
        if ((1 - t) * from + t * to > 1e-9 * (1 + fabs(from) + fabs(to))) return false;
    }
    return true;
}

/* The mixtures (1 - t, t) of the first two columns that keep all rows: an interval of t, at whose lower end
 * the row that ends it binds.  The two constants of a leaf within its budget always leave one; elsewhere the
 * simplex finds its own beginning. */
static void begin(eqp_master *m)
{
    double low = 0, high = 1;
    size_t binding = m->rows;
    for (size_t i = 0; i < m->rows; i++) {
        double from = m->element[i], to = m->count > 1 ? m->element[m->rows + 1 + i] : from;
        if (from <= TOLERANCE && to <= TOLERANCE) continue;
        if (from > TOLERANCE && to > TOLERANCE) return;
        double at = fmin(1, fmax(0, from / (from - to)));
        if (to > TOLERANCE)
            high = fmin(high, at);
        else if (at > low) {
            low = at;
            binding = i;
        }
    }
    if (low > high) return;
    assert(keeps_rows(m, low));
    eqp_simplex_take(&m->simplex, 0, m->rows);
    if (binding < m->rows) eqp_simplex_take(&m->simplex, 1, binding);
}

eqp_status eqp_master_solve(eqp_master *m, bool *feasible, eqp_error *error)
{
    eqp_simplex_program program = as_linear(m);
    eqp_simplex_outcome outcome;
    eqp_status status = EQP_OK;
    if (!m->solved) {
        if (m->simplex.count == 0 && m->count > 0) begin(m);
        status = eqp_simplex_solve(&m->simplex, &program, &outcome, error);
        m->feasible = status == EQP_OK && outcome == EQP_SIMPLEX_OPTIMAL;
        m->solved = status == EQP_OK;
    }
    *feasible = m->feasible;
    return status;
}

double eqp_master_objective(const eqp_master *m)
{
    double sum = 0;
    assert(m->solved && m->feasible);
    for (size_t j = 0; j < m->simplex.count; j++) sum += m->simplex.x[j] * m->cost[m->simplex.column[j]];
    return sum;
}

/* Prices are those of c - A'π >= 0; a row <= 0 of a minimum has π <= 0. */
void eqp_master_multipliers(const eqp_master *m, double *multipliers, double *level)
{
    const eqp_simplex *s = &m->simplex;
    assert(m->solved && m->feasible);
    memset(multipliers, 0, m->rows * sizeof *multipliers);
    *level = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->row[i] == m->rows)
            *level = s->multiplier[i];
        else
            multipliers[s->row[i]] = fmax(0, -s->multiplier[i] * m->factor[s->row[i]]);
    }
}

void eqp_master_mixture(eqp_master *m, double *weight)
{
    eqp_simplex_program program = as_linear(m);
    assert(m->solved && m->feasible);
    eqp_simplex_refine(&m->simplex, &program);
    eqp_simplex_values(&m->simplex, &program, weight);
}
