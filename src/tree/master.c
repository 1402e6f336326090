/* The master program: kept column by column, solved by our own simplex, by CLP where that gives up. */
#include "tree/master.h"

#include "base/memory.h"
#include "base/spare.h"
#include "solve/blas.h"
#include "solve/clp.h"
#include "solve/simplex.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct eqp_master {
    const eqp_clp *clp; /* once it was needed */
    const eqp_blas *blas;
    eqp_split_program program; /* its prices are those of the last pricing */
    eqp_simplex simplex;
    Clp_Simplex *model;     /* NULL unless CLP solved last */
    bool solved, feasible;  /* since the last change; and what came out */
    size_t rows;            /* of the program; one more, the sum, in what is solved */
    double *factor;         /* of every row */
    size_t count, capacity; /* columns */
    double *element;        /* count × (rows + 1), column after column */
    double *cost;           /* count */
    double *scratch;        /* 2K */
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
    m->element = eqp_alloc(m->capacity, (m->rows + 1) * sizeof *m->element);
    m->cost = eqp_alloc(m->capacity, sizeof *m->cost);
    m->scratch = eqp_alloc(program->groups->group_count, 2 * sizeof *m->scratch);
    bool room = eqp_simplex_init(&m->simplex, m->rows, m->capacity);
    eqp_status status = eqp_blas_get(&m->blas, error);
    if (status == EQP_OK && (!room || !m->factor || !m->element || !m->cost || !m->scratch))
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
    eqp_simplex_clear(&m->simplex);
    free(m->factor);
    free(m->element);
    free(m->cost);
    free(m->scratch);
    free(m);
}

static bool room_for_one_more(eqp_master *m)
{
    if (m->count < m->capacity) return true;
    double *element = eqp_resize(m->element, m->capacity * 2, (m->rows + 1) * sizeof *element);
    if (element != NULL) m->element = element;
    double *cost = eqp_resize(m->cost, m->capacity * 2, sizeof *cost);
    if (cost != NULL) m->cost = cost;
    if (element == NULL || cost == NULL || !eqp_simplex_widen(&m->simplex, m->capacity * 2)) return false;
    m->capacity *= 2;
    return true;
}

eqp_status eqp_master_add(eqp_master *m, const double *mass, eqp_error *error)
{
    if (!room_for_one_more(m)) return eqp_fail_memory(error);
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

/* The program loaded into CLP; NULL when memory is short. */
static Clp_Simplex *model_new(const eqp_master *m)
{
    size_t rows = m->rows + 1;
    double *low = eqp_alloc(rows, sizeof *low), *high = eqp_alloc_zero(rows, sizeof *high);
    int *start = eqp_alloc(m->count + 1, sizeof *start), *index = eqp_alloc(m->count, rows * sizeof *index);
    Clp_Simplex *model = low && high && start && index ? m->clp->Clp_newModel() : NULL;
    if (model != NULL) {
        for (size_t i = 0; i < m->rows; i++) low[i] = -DBL_MAX;
        low[m->rows] = high[m->rows] = 1;
        for (size_t j = 0; j <= m->count; j++) start[j] = (int)(j * rows);
        for (size_t k = 0; k < m->count * rows; k++) index[k] = (int)(k % rows);
        m->clp->Clp_setLogLevel(model, 0);
        m->clp->Clp_setPrimalTolerance(model, 1e-10);
        m->clp->Clp_setDualTolerance(model, 1e-10);
        m->clp->Clp_setPerturbation(model, 100); /* none: the programs are small and wanted exactly */
        m->clp->Clp_scaling(model, 0);
        m->clp->Clp_loadProblem(model, (int)m->count, (int)rows, start, index, m->element, NULL, NULL,
                                m->cost, low, high);
    }
    free(low);
    free(high);
    free(start);
    free(index);
    return model;
}

/* The long way, with a first phase that looks for a feasible mixture. */
static eqp_status solve_by_clp(eqp_master *m, bool *feasible, eqp_error *error)
{
    eqp_status status = eqp_clp_get(&m->clp, error);
    if (status != EQP_OK) return status;
    status = eqp_spare_take(EQP_CLP_SPARE, error);
    if (status != EQP_OK) return status;
    m->model = model_new(m);
    if (m->model != NULL) m->clp->Clp_primal(m->model, 0);
    eqp_spare_drop();
    if (m->model == NULL) return eqp_fail_memory(error);
    *feasible = m->clp->Clp_status(m->model) == 0;
    return EQP_OK;
}

eqp_status eqp_master_solve(eqp_master *m, bool *feasible, eqp_error *error)
{
    eqp_simplex_program program = {m->rows, m->count, m->element, m->cost};
    eqp_status status = EQP_OK;
    if (!m->solved) {
        if (m->model != NULL) m->clp->Clp_deleteModel(m->model);
        m->model = NULL;
        m->feasible = eqp_simplex_solve(&m->simplex, &program);
        if (!m->feasible) status = solve_by_clp(m, &m->feasible, error);
        m->solved = status == EQP_OK;
    }
    *feasible = m->feasible;
    return status;
}

double eqp_master_objective(const eqp_master *m)
{
    double sum = 0;
    if (m->model != NULL) return m->clp->Clp_objectiveValue(m->model);
    for (size_t j = 0; j < m->simplex.count; j++) sum += m->simplex.x[j] * m->cost[m->simplex.column[j]];
    return sum;
}

/* Prices are those of c - A'π >= 0; a row <= 0 of a minimum has π <= 0. */
void eqp_master_multipliers(const eqp_master *m, double *multipliers, double *level)
{
    const eqp_simplex *s = &m->simplex;
    memset(multipliers, 0, m->rows * sizeof *multipliers);
    if (m->model != NULL) {
        const double *price = m->clp->Clp_dualRowSolution(m->model);
        for (size_t i = 0; i < m->rows; i++) multipliers[i] = fmax(0, -price[i] * m->factor[i]);
        *level = price[m->rows];
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->row[i] == m->rows)
            *level = s->multiplier[i];
        else
            multipliers[s->row[i]] = fmax(0, -s->multiplier[i] * m->factor[s->row[i]]);
    }
}

/* ---- the mixture, to rounding ------------------------------------------------------------------------ */

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

static void basis_copy(const eqp_simplex *simplex, basis *b)
{
    b->count = simplex->count;
    for (size_t i = 0; i < b->count; i++) {
        b->column[i] = (int)simplex->column[i];
        b->row[i] = (int)simplex->row[i];
    }
}

/* The basic columns and as many rows that are not basic; false where CLP's basis is not square in that way.
 */
static bool basis_find(const eqp_master *m, basis *b)
{
    if (m->model == NULL) {
        basis_copy(&m->simplex, b);
        return true;
    }
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

/* As the solver left it. */
static void plain_mixture(const eqp_master *m, double *weight)
{
    if (m->model != NULL) {
        memcpy(weight, m->clp->Clp_primalColumnSolution(m->model), m->count * sizeof *weight);
        return;
    }
    memset(weight, 0, m->count * sizeof *weight);
    for (size_t j = 0; j < m->simplex.count; j++) weight[m->simplex.column[j]] = m->simplex.x[j];
}

eqp_status eqp_master_mixture(const eqp_master *m, double *weight, eqp_error *error)
{
    basis b = {0};
    bool room = basis_room(m, &b);
    if (room) {
        plain_mixture(m, weight);
        if (basis_find(m, &b) && basis_solve(m, &b)) {
            memset(weight, 0, m->count * sizeof *weight);
            for (size_t j = 0; j < b.count; j++) weight[b.column[j]] = b.x[j];
        }
    }
    basis_free(&b);
    return room ? EQP_OK : eqp_fail_memory(error);
}
