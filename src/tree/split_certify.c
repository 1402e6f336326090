/* What a split does to the budget, from the definition of disclosure (M2): |A_jk - r_k| of both children.
 * Shares nothing with the solvers, so that their mistakes show. */
#include "tree/split.h"

#include <math.h>

/* Mass of group k among cell masses: a cell counts once, whichever attribute puts it into the group. */
static double group_mass(const eqp_groups *groups, const double *mass, size_t k)
{
    double sum = 0;
    for (size_t cell = 0; cell < groups->cell_count; cell++)
        if (eqp_is_member(groups, cell, k)) sum += mass[cell];
    return sum;
}

double eqp_split_violation(const eqp_split_program *program, const double *child_mass)
{
    const eqp_groups *groups = program->groups;
    double total = 0, one = 0, worst = -INFINITY;
    for (size_t cell = 0; cell < groups->cell_count; cell++) {
        total += program->cell_mass[cell];
        one += child_mass[cell];
    }
    double zero = total - one;
    for (size_t k = 0; k < groups->group_count; k++) {
        double all = group_mass(groups, program->cell_mass, k), first = group_mass(groups, child_mass, k);
        if (one > 0) worst = fmax(worst, fabs(first / one - program->base_rate[k]) - program->budget);
        if (zero > 0)
            worst = fmax(worst, fabs((all - first) / zero - program->base_rate[k]) - program->budget);
    }
    if (program->min_mass > 0) worst = fmax(worst, 1 - fmin(one, zero) / program->min_mass);
    return worst;
}
