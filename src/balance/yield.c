/* The yield program (M4).  With C = max_j q_j/m_j, min C s.t. q_j <= C m_j, qA = U', sum q = 1 is scaled by
 * the C of the q at hand (C0), t = q C0/C, into one with as many rows as groups:
 *
 *     max sum t_j    s.t.  sum_j t_j (A_j - U') = 0,   0 <= t_j <= C0 m_j
 *
 * q itself is feasible with sum 1, so that the tolerance of the solver is relative to the composition
 * whatever the yield.  Solved by CLP. */
#include "balance/yield.h"

#include "base/memory.h"
#include "base/spare.h"
#include "solve/clp.h"

#include <math.h>
#include <string.h>

typedef struct yield_program {
    const double *A, *mass;
    size_t leaves, groups;
    double *composition; /* U' of the q at hand, which sums to 1 */
    double steepest;     /* C0 */
    int *start, *row;
    double *element, *upper, *gain;
} yield_program;

static void program_free(yield_program *y)
{
    free(y->composition);
    free(y->start);
    free(y->row);
    free(y->element);
    free(y->upper);
    free(y->gain);
}

static bool program_room(yield_program *y)
{
    y->composition = eqp_alloc_zero(y->groups, sizeof *y->composition);
    y->start = eqp_alloc(y->leaves + 1, sizeof *y->start);
    y->row = eqp_alloc(y->leaves, y->groups * sizeof *y->row);
    y->element = eqp_alloc(y->leaves, y->groups * sizeof *y->element);
    y->upper = eqp_alloc(y->leaves, sizeof *y->upper);
    y->gain = eqp_alloc(y->leaves, sizeof *y->gain);
    return y->composition && y->start && y->row && y->element && y->upper && y->gain;
}

static void fill(yield_program *y, const double *q)
{
    for (size_t j = 0; j < y->leaves; j++) {
        for (size_t k = 0; k < y->groups; k++) y->composition[k] += q[j] * y->A[j * y->groups + k];
        if (y->mass[j] > 0) y->steepest = fmax(y->steepest, q[j] / y->mass[j]);
    }
    for (size_t j = 0; j < y->leaves; j++) {
        y->start[j] = (int)(j * y->groups);
        y->upper[j] = y->steepest * y->mass[j];
        y->gain[j] = -1;
        for (size_t k = 0; k < y->groups; k++) {
            y->row[j * y->groups + k] = (int)k;
            y->element[j * y->groups + k] = y->A[j * y->groups + k] - y->composition[k];
        }
    }
    y->start[y->leaves] = (int)(y->leaves * y->groups);
}

/* True with t when CLP proves optimality. */
static bool solve(const eqp_clp *clp, const yield_program *y, const double *zeros, double *t)
{
    Clp_Simplex *model = clp->Clp_newModel();
    if (model == NULL) return false;
    clp->Clp_setLogLevel(model, 0);
    clp->Clp_setPrimalTolerance(model, 1e-11);
    clp->Clp_loadProblem(model, (int)y->leaves, (int)y->groups, y->start, y->row, y->element, NULL, y->upper,
                         y->gain, zeros, zeros);
    clp->Clp_primal(model, 0);
    bool optimal = clp->Clp_status(model) == 0;
    if (optimal) memcpy(t, clp->Clp_primalColumnSolution(model), y->leaves * sizeof *t);
    clp->Clp_deleteModel(model);
    return optimal;
}

/* Whether t, scaled to sum 1, has the composition and a larger yield; it is scaled on the way. */
static bool accept(const yield_program *y, double *t)
{
    double sum = 0, steepest = 0;
    for (size_t j = 0; j < y->leaves; j++) sum += t[j] = fmax(0, t[j]);
    if (!(sum > 1 + 1e-7)) return false; /* less is the tolerance of the solver */
    for (size_t j = 0; j < y->leaves; j++) {
        t[j] /= sum;
        if (y->mass[j] > 0) steepest = fmax(steepest, t[j] / y->mass[j]);
    }
    for (size_t k = 0; k < y->groups; k++) {
        double off = -y->composition[k];
        for (size_t j = 0; j < y->leaves; j++) off += t[j] * y->A[j * y->groups + k];
        if (fabs(off) > 1e-10) return false;
    }
    return steepest < y->steepest;
}

eqp_status eqp_yield_raise(const double *A, size_t leaves, size_t groups, const double *mass, double *q,
                           eqp_error *error)
{
    const eqp_clp *clp;
    eqp_status status = eqp_clp_get(&clp, error);
    if (status == EQP_OK) status = eqp_spare_take(EQP_CLP_SPARE, error);
    if (status != EQP_OK) return status;
    yield_program y = {.A = A, .mass = mass, .leaves = leaves, .groups = groups};
    double *t = eqp_alloc(leaves, sizeof *t), *zeros = eqp_alloc_zero(groups, sizeof *zeros);
    bool room = program_room(&y) && t != NULL && zeros != NULL;
    if (room) {
        double total = 0;
        for (size_t j = 0; j < leaves; j++) total += q[j];
        for (size_t j = 0; j < leaves; j++) t[j] = total > 0 ? q[j] / total : 0;
        fill(&y, t);
        if (total > 0 && solve(clp, &y, zeros, t) && accept(&y, t))
            for (size_t j = 0; j < leaves; j++) q[j] = total * t[j];
    }
    eqp_spare_drop();
    program_free(&y);
    free(t);
    free(zeros);
    return room ? EQP_OK : eqp_fail_memory(error);
}
