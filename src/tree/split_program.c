/* Rows and prices of the split program (M5, M6). */
#include "tree/split_solver.h"

size_t eqp_program_row_count(const eqp_split_program *program)
{
    return 4 * program->groups->group_count + (program->min_mass > 0 ? 2 : 0);
}

double eqp_program_total(const eqp_split_program *program, const double *mass)
{
    double total = 0;
    for (size_t e = 0; e < program->groups->cell_count; e++) total += mass[e];
    return total;
}

double eqp_program_leaf_mass(const eqp_split_program *program)
{
    return eqp_program_total(program, program->cell_mass);
}

void eqp_program_rows(const eqp_split_program *program, const double *mass, double *rows, double *scratch)
{
    size_t K = program->groups->group_count;
    double W = eqp_program_leaf_mass(program), t = eqp_program_total(program, mass), a = program->budget;
    double *one = scratch, *zero = scratch + K;
    eqp_groups_sum(program->groups, mass, one);
    eqp_groups_sum(program->groups, program->cell_mass, zero);
    for (size_t k = 0; k < K; k++) {
        double r = program->base_rate[k];
        zero[k] -= one[k];
        rows[k] = (one[k] - (r + a) * t) / W;
        rows[K + k] = ((r - a) * t - one[k]) / W;
        rows[2 * K + k] = (zero[k] - (r + a) * (W - t)) / W;
        rows[3 * K + k] = ((r - a) * (W - t) - zero[k]) / W;
    }
    if (program->min_mass <= 0) return;
    rows[4 * K] = (program->min_mass - t) / W;
    rows[4 * K + 1] = (program->min_mass - (W - t)) / W;
}

double eqp_program_objective(const eqp_split_program *program, const double *mass)
{
    double sum = 0;
    for (size_t e = 0; e < program->groups->cell_count; e++) sum += program->price[e] * mass[e];
    return sum / eqp_program_leaf_mass(program);
}

void eqp_program_prices(const eqp_split_program *program, const double *multipliers, double *prices,
                        double *scratch)
{
    const eqp_groups *groups = program->groups;
    size_t K = groups->group_count;
    const double *y = multipliers;
    double everywhere = 0;
    for (size_t k = 0; k < K; k++) {
        double up = y[k] - y[2 * K + k], down = y[K + k] - y[3 * K + k];
        scratch[k] = up - down;
        everywhere +=
            down * (program->base_rate[k] - program->budget) - up * (program->base_rate[k] + program->budget);
    }
    if (program->min_mass > 0) everywhere += y[4 * K + 1] - y[4 * K];
    for (size_t e = 0; e < groups->cell_count; e++) {
        prices[e] = program->price[e] + everywhere;
        eqp_members of = eqp_members_of(groups, e);
        for (size_t m = 0; m < of.count; m++) prices[e] += scratch[of.group[m]];
    }
}

double eqp_program_lagrangian(const eqp_split_program *program, const double *mass, const double *multipliers,
                              const double *rows)
{
    double value = eqp_program_objective(program, mass);
    for (size_t i = 0; i < eqp_program_row_count(program); i++) value += multipliers[i] * rows[i];
    return value;
}
