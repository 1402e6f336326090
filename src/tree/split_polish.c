/* The polish (M7): the best mixture of the columns found, with the constraints held exactly.
 *
 * The mixture is recomputed from the optimal basis, so that the rows which bind hold to rounding.  But the
 * tolerance of a linear program is absolute and a composition is a ratio: in a child that holds 0.1 % of the
 * leaf, a row that the solver takes for kept may be broken by a thousand tolerances.  Where that shows, the
 * program is solved again with the rows of each child divided by its mass. */
#include "base/memory.h"
#include "tree/split_solver.h"

#include <assert.h>
#include <string.h>

static const double NEGLIGIBLE = 1e-12; /* weights below are rounding */
static const double EXACT = 1e-11;      /* violations below are */

static eqp_status master_filled(const eqp_split_program *program, const eqp_split_columns *columns,
                                double one, double zero, eqp_master **master, eqp_error *error)
{
    eqp_status status = eqp_master_new(program, one, zero, master, error);
    return status == EQP_OK ? eqp_master_add_all(*master, columns, error) : status;
}

/* The parts with weight, scaled to sum 1, and the masses of child 1.  Returns the sum before. */
static double collect(const eqp_split_program *program, const eqp_split_columns *columns,
                      const double *weight, eqp_split_result *result)
{
    double sum = 0;
    result->part_count = 0;
    memset(result->mass, 0, program->groups->cell_count * sizeof *result->mass);
    for (size_t j = 0; j < columns->count; j++) sum += weight[j] > NEGLIGIBLE ? weight[j] : 0;
    for (size_t j = 0; j < columns->count; j++) {
        if (weight[j] <= NEGLIGIBLE) continue;
        result->part[result->part_count] = j;
        result->weight[result->part_count++] = weight[j] / sum;
        for (size_t e = 0; e < program->groups->cell_count; e++)
            result->mass[e] += weight[j] / sum * columns->splitters[j]->mass[e];
    }
    return sum;
}

static void judge(const eqp_split_program *program, eqp_split_result *result)
{
    double W = eqp_program_leaf_mass(program), t = eqp_program_total(program, result->mass);
    result->objective = eqp_program_objective(program, result->mass);
    result->violation = eqp_split_violation(program, result->mass);
    bool two_children = t > 1e-9 * W && t < (1 - 1e-9) * W;
    bool sound = result->violation <= 1e-9 && result->objective < -1e-12;
    result->outcome = two_children && sound ? EQP_SOLVED : EQP_NO_SPLIT;
}

static eqp_split_result *result_new(size_t columns, size_t cells)
{
    eqp_split_result *result = eqp_alloc_zero(1, sizeof *result);
    if (result == NULL) return NULL;
    result->outcome = EQP_NO_SPLIT;
    result->part = eqp_take_zero(&result->arena, columns, sizeof *result->part);
    result->weight = eqp_take_zero(&result->arena, columns, sizeof *result->weight);
    result->mass = eqp_take_zero(&result->arena, cells, sizeof *result->mass);
    if (!result->arena.failed) return result;
    eqp_split_result_free(result);
    return NULL;
}

/* The mixture of a solved master, judged; NO_SPLIT where it has none. */
static eqp_status take_mixture(const eqp_split_program *program, const eqp_split_columns *columns,
                               eqp_master *master, double *weight, eqp_split_result *result, eqp_error *error)
{
    bool feasible;
    eqp_status status = eqp_master_solve(master, &feasible, error);
    if (status != EQP_OK || !feasible) return status;
    eqp_master_mixture(master, weight);
    double sum = collect(program, columns, weight, result);
    assert(sum > 1 - 1e-6 && sum < 1 + 1e-6);
    judge(program, result);
    return EQP_OK;
}

static eqp_status polish_scaled(const eqp_split_program *program, const eqp_split_columns *columns,
                                double share, double *weight, eqp_split_result *result, eqp_error *error)
{
    eqp_master *master = NULL;
    eqp_status status = master_filled(program, columns, 1 / share, 1 / (1 - share), &master, error);
    if (status == EQP_OK) status = take_mixture(program, columns, master, weight, result, error);
    eqp_master_free(master);
    return status;
}

eqp_status eqp_polish_master(const eqp_split_program *program, const eqp_split_columns *columns,
                             eqp_master *master, eqp_split_result **result, eqp_error *error)
{
    *result = NULL;
    eqp_split_result *made = result_new(columns->count, program->groups->cell_count);
    double *weight = eqp_alloc_zero(columns->count, sizeof *weight);
    eqp_status status = made != NULL && weight != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) status = take_mixture(program, columns, master, weight, made, error);
    if (status == EQP_OK && made->violation > EXACT) {
        double share = eqp_program_total(program, made->mass) / eqp_program_leaf_mass(program);
        if (share > 1e-9 && share < 1 - 1e-9)
            status = polish_scaled(program, columns, share, weight, made, error);
    }
    free(weight);
    if (status == EQP_OK) *result = made;
    if (status != EQP_OK) eqp_split_result_free(made);
    return status;
}

eqp_status eqp_split_polish(const eqp_split_program *program, const eqp_split_columns *columns,
                            eqp_split_result **result, eqp_error *error)
{
    eqp_master *master = NULL;
    *result = NULL;
    eqp_status status = master_filled(program, columns, 1, 1, &master, error);
    if (status == EQP_OK) status = eqp_polish_master(program, columns, master, result, error);
    eqp_master_free(master);
    return status;
}

/* ---- a mixture that is given --------------------------------------------------------------------------- */

eqp_status eqp_split_mix(const eqp_split_program *program, const eqp_split_columns *columns,
                         const double *weight, eqp_split_result **result, eqp_error *error)
{
    *result = result_new(columns->count, program->groups->cell_count);
    if (*result == NULL) return eqp_fail_memory(error);
    collect(program, columns, weight, *result);
    judge(program, *result);
    (*result)->as_played = (*result)->budget_binds = true;
    return EQP_OK;
}

eqp_status eqp_split_again(const eqp_split_program *program, const eqp_split_columns *columns,
                           const eqp_split_result *before, eqp_split_result **result, eqp_error *error)
{
    if (!before->as_played) return eqp_split_polish(program, columns, result, error);
    double *weight = eqp_alloc_zero(columns->count, sizeof *weight);
    *result = NULL;
    if (weight == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < before->part_count; j++) weight[before->part[j]] = before->weight[j];
    eqp_status status = eqp_split_mix(program, columns, weight, result, error);
    free(weight);
    return status;
}
