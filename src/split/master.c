/* The master program on CLP. */
#include "split/master.h"

#include "base/memory.h"
#include "linalg/blas.h"
#include "split/clp.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct eqp_master {
    const eqp_clp *clp;
    const eqp_blas *blas;
    eqp_split_program program; /* its prices are those of the last pricing */
    Clp_Simplex *model;
    bool solved, feasible;  /* since the last change; and what came out */
    size_t rows;            /* of the program; one more in the model */
    double *factor;         /* of every row of the model */
    size_t count, capacity; /* columns */
    double *element;        /* count × (rows + 1), column after column, as in the model */
    int *index;             /* 0 … rows */
    double *scratch;        /* 2K */
};

static bool model_new(eqp_master *m)
{
    int rows = (int)m->rows + 1;
    double *low = eqp_alloc(m->rows + 1, sizeof *low), *high = eqp_alloc_zero(m->rows + 1, sizeof *high);
    int start = 0;
    m->model = low != NULL && high != NULL ? m->clp->Clp_newModel() : NULL;
    if (m->model != NULL) {
        for (size_t i = 0; i < m->rows; i++) low[i] = -DBL_MAX;
        low[m->rows] = high[m->rows] = 1;
        m->clp->Clp_setLogLevel(m->model, 0);
        m->clp->Clp_setPrimalTolerance(m->model, 1e-10);
        m->clp->Clp_setDualTolerance(m->model, 1e-10);
        m->clp->Clp_setPerturbation(m->model, 100); /* none: the programs are small and wanted exactly */
        m->clp->Clp_scaling(m->model, 0);
        m->clp->Clp_loadProblem(m->model, 0, rows, &start, NULL, NULL, NULL, NULL, NULL, low, high);
    }
    free(low);
    free(high);
    return m->model != NULL;
}

static void fill_factors(eqp_master *m, double one, double zero)
{
    size_t K = m->program.groups->group_count;
    for (size_t i = 0; i <= m->rows; i++) {
        m->index[i] = (int)i;
        m->factor[i] = i < 2 * K ? one : i < 4 * K ? zero : 1;
    }
    if (m->program.min_mass > 0) {
        m->factor[4 * K] = one;
        m->factor[4 * K + 1] = zero;
    }
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
    m->factor = eqp_alloc(m->rows + 1, sizeof *m->factor);
    m->index = eqp_alloc(m->rows + 1, sizeof *m->index);
    m->element = eqp_alloc(m->capacity, (m->rows + 1) * sizeof *m->element);
    m->scratch = eqp_alloc(program->groups->group_count, 2 * sizeof *m->scratch);
    eqp_status status = eqp_clp_get(&m->clp, error);
    if (status == EQP_OK) status = eqp_blas_get(&m->blas, error);
    if (status == EQP_OK && (!m->factor || !m->index || !m->element || !m->scratch || !model_new(m)))
        status = eqp_fail_memory(error);
    if (status != EQP_OK) {
        eqp_master_free(m);
        return status;
    }
    fill_factors(m, one, zero);
    *master = m;
    return EQP_OK;
}

void eqp_master_free(eqp_master *m)
{
    if (m == NULL) return;
    if (m->model != NULL) m->clp->Clp_deleteModel(m->model);
    free(m->factor);
    free(m->index);
    free(m->element);
    free(m->scratch);
    free(m);
}

static bool room_for_one_more(eqp_master *m)
{
    if (m->count < m->capacity) return true;
    double *grown = eqp_resize(m->element, m->capacity * 2, (m->rows + 1) * sizeof *grown);
    if (grown == NULL) return false;
    m->element = grown;
    m->capacity *= 2;
    return true;
}

eqp_status eqp_master_add(eqp_master *m, const double *mass, eqp_error *error)
{
    if (!room_for_one_more(m)) return eqp_fail_memory(error);
    double *column = m->element + m->count * (m->rows + 1), cost = eqp_program_objective(&m->program, mass);
    eqp_program_rows(&m->program, mass, column, m->scratch);
    for (size_t i = 0; i < m->rows; i++) column[i] *= m->factor[i];
    column[m->rows] = 1;
    int starts[2] = {0, (int)m->rows + 1};
    m->clp->Clp_addColumns(m->model, 1, NULL, NULL, &cost, starts, m->index, column);
    m->count++;
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
    double *cost = eqp_alloc(m->count, sizeof *cost);
    if (cost == NULL) return eqp_fail_memory(error);
    m->program = *program;
    for (size_t j = 0; j < m->count; j++)
        cost[j] = eqp_program_objective(program, columns->splitters[j]->mass);
    m->clp->Clp_chgObjCoefficients(m->model, cost);
    m->solved = false;
    free(cost);
    return eqp_master_add_all(m, columns, error);
}

bool eqp_master_solve(eqp_master *m)
{
    if (m->solved) return m->feasible;
    m->clp->Clp_primal(m->model, 0);
    m->solved = true;
    m->feasible = m->clp->Clp_status(m->model) == 0;
    return m->feasible;
}

double eqp_master_objective(const eqp_master *m)
{
    return m->clp->Clp_objectiveValue(m->model);
}

/* CLP's prices are those of c - A'π >= 0; a row <= 0 of a minimum has π <= 0. */
void eqp_master_multipliers(const eqp_master *m, double *multipliers, double *level)
{
    const double *price = m->clp->Clp_dualRowSolution(m->model);
    for (size_t i = 0; i < m->rows; i++) multipliers[i] = fmax(0, -price[i] * m->factor[i]);
    *level = price[m->rows];
}

/* ---- the mixture, to rounding -------------------------------------------------------------------------- */

enum { BASIC = 1 };

typedef struct basis {
    size_t count; /* basic columns = rows that bind */
    int *column, *row;
    double *matrix; /* count × count, column after column */
    double *factors;
    int *pivot;
    double *x, *rest;
} basis;

static void basis_free(basis *b)
{
    free(b->column);
    free(b->row);
    free(b->matrix);
    free(b->factors);
    free(b->pivot);
    free(b->x);
    free(b->rest);
}

/* The basic columns and as many rows that are not basic; false where CLP's basis is not square in that way.
 */
static bool basis_find(const eqp_master *m, basis *b)
{
    size_t columns = 0, rows = 0;
    for (size_t j = 0; j < m->count; j++)
        if (m->clp->Clp_getColumnStatus(m->model, (int)j) == BASIC) b->column[columns++] = (int)j;
    for (size_t i = 0; i <= m->rows; i++) {
        if (m->clp->Clp_getRowStatus(m->model, (int)i) == BASIC) continue;
        if (rows == columns) return false;
        b->row[rows++] = (int)i;
    }
    b->count = columns;
    return rows == columns;
}

static bool basis_room(const eqp_master *m, basis *b)
{
    size_t most = m->rows + 1 > m->count ? m->rows + 1 : m->count;
    b->column = eqp_alloc(most, sizeof *b->column);
    b->row = eqp_alloc(most, sizeof *b->row);
    b->matrix = eqp_alloc(most, most * sizeof *b->matrix);
    b->factors = eqp_alloc(most, most * sizeof *b->factors);
    b->pivot = eqp_alloc(most, sizeof *b->pivot);
    b->x = eqp_alloc(most, sizeof *b->x);
    b->rest = eqp_alloc(most, sizeof *b->rest);
    return b->column && b->row && b->matrix && b->factors && b->pivot && b->x && b->rest;
}

static void residual(const basis *b, size_t last, double *rest)
{
    for (size_t i = 0; i < b->count; i++) {
        long double sum = b->row[i] == (int)last;
        for (size_t j = 0; j < b->count; j++) sum -= (long double)b->matrix[j * b->count + i] * b->x[j];
        rest[i] = (double)sum;
    }
}

/* Bx = (0, …, 0, 1): LU, then two steps of refinement with residuals in long double. */
static bool basis_solve(const eqp_master *m, basis *b)
{
    int n = (int)b->count, one = 1, info = 0;
    for (size_t j = 0; j < b->count; j++)
        for (size_t i = 0; i < b->count; i++)
            b->matrix[j * b->count + i] =
                m->element[(size_t)b->column[j] * (m->rows + 1) + (size_t)b->row[i]];
    memcpy(b->factors, b->matrix, b->count * b->count * sizeof *b->factors);
    m->blas->dgetrf_(&n, &n, b->factors, &n, b->pivot, &info);
    if (info != 0) return false;
    memset(b->x, 0, b->count * sizeof *b->x);
    for (int step = 0; step < 3; step++) {
        residual(b, m->rows, b->rest);
        m->blas->dgetrs_("N", &n, &one, b->factors, &n, b->pivot, b->rest, &n, &info);
        for (size_t j = 0; j < b->count; j++) b->x[j] += b->rest[j];
    }
    for (size_t j = 0; j < b->count; j++)
        if (!(b->x[j] > -1e-7)) return false;
    return true;
}

eqp_status eqp_master_mixture(const eqp_master *m, double *weight, eqp_error *error)
{
    basis b = {0};
    bool room = basis_room(m, &b);
    if (room) {
        memcpy(weight, m->clp->Clp_primalColumnSolution(m->model), m->count * sizeof *weight);
        if (basis_find(m, &b) && basis_solve(m, &b)) {
            memset(weight, 0, m->count * sizeof *weight);
            for (size_t j = 0; j < b.count; j++) weight[b.column[j]] = b.x[j];
        }
    }
    basis_free(&b);
    return room ? EQP_OK : eqp_fail_memory(error);
}
