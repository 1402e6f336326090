/* The polish (M7): the best mixture of the columns found, with the constraints held exactly.
 *
 * The tolerance of a linear program is absolute, but a composition is a ratio: a child that holds 0.1 % of
 * the leaf may be off by a thousand tolerances.  So the program is solved twice, the second time with the
 * rows of each child divided by the mass it had in the first; then the mixture is recomputed from its basis
 * to rounding. */
#include "base/memory.h"
#include "split/master.h"

#include <math.h>

static const double NEGLIGIBLE = 1e-12; /* weights below are rounding */

static eqp_status master_filled(const eqp_split_program *program, const eqp_split_columns *columns,
                                double one, double zero, eqp_master **master, eqp_error *error)
{
    eqp_status status = eqp_master_new(program, one, zero, master, error);
    for (size_t j = 0; status == EQP_OK && j < columns->count; j++)
        status = eqp_master_add(*master, columns->splitters[j]->mass, error);
    return status;
}

/* Share of the leaf's mass that the mixture sends to child 1. */
static double share_of_one(const eqp_split_program *program, const eqp_split_columns *columns,
                           const double *weight)
{
    double sum = 0;
    for (size_t j = 0; j < columns->count; j++)
        if (weight[j] > 0) sum += weight[j] * eqp_program_total(program, columns->splitters[j]->mass);
    return sum / eqp_program_leaf_mass(program);
}

static eqp_status solve_scaled(const eqp_split_program *program, const eqp_split_columns *columns, double one,
                               double zero, double *weight, bool *feasible, eqp_error *error)
{
    eqp_master *master = NULL;
    eqp_status status = master_filled(program, columns, one, zero, &master, error);
    if (status == EQP_OK) *feasible = eqp_master_solve(master);
    if (status == EQP_OK && *feasible) status = eqp_master_mixture(master, weight, error);
    eqp_master_free(master);
    return status;
}

static eqp_status best_weights(const eqp_split_program *program, const eqp_split_columns *columns,
                               double *weight, bool *feasible, eqp_error *error)
{
    eqp_status status = solve_scaled(program, columns, 1, 1, weight, feasible, error);
    if (status != EQP_OK || !*feasible) return status;
    double share = share_of_one(program, columns, weight);
    if (share <= 1e-9 || share >= 1 - 1e-9) return EQP_OK;
    return solve_scaled(program, columns, 1 / share, 1 / (1 - share), weight, feasible, error);
}

/* The parts with weight, scaled to sum 1, and the masses of child 1. */
static void collect(const eqp_split_program *program, const eqp_split_columns *columns, const double *weight,
                    eqp_split_result *result)
{
    double sum = 0;
    for (size_t j = 0; j < columns->count; j++) sum += weight[j] > NEGLIGIBLE ? weight[j] : 0;
    for (size_t j = 0; j < columns->count; j++) {
        if (weight[j] <= NEGLIGIBLE) continue;
        result->part[result->part_count] = j;
        result->weight[result->part_count++] = weight[j] / sum;
        for (size_t e = 0; e < program->groups->cell_count; e++)
            result->mass[e] += weight[j] / sum * columns->splitters[j]->mass[e];
    }
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
    result->part = eqp_alloc_zero(columns, sizeof *result->part);
    result->weight = eqp_alloc_zero(columns, sizeof *result->weight);
    result->mass = eqp_alloc_zero(cells, sizeof *result->mass);
    if (result->part != NULL && result->weight != NULL && result->mass != NULL) return result;
    eqp_split_result_free(result);
    return NULL;
}

eqp_status eqp_split_polish(const eqp_split_program *program, const eqp_split_columns *columns,
                            eqp_split_result **result, eqp_error *error)
{
    bool feasible = false;
    *result = NULL;
    eqp_split_result *made = result_new(columns->count, program->groups->cell_count);
    double *weight = eqp_alloc_zero(columns->count, sizeof *weight);
    eqp_status status = made != NULL && weight != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) status = best_weights(program, columns, weight, &feasible, error);
    if (status == EQP_OK && feasible) {
        collect(program, columns, weight, made);
        judge(program, made);
    }
    free(weight);
    if (status == EQP_OK)
        *result = made;
    else
        eqp_split_result_free(made);
    return status;
}
