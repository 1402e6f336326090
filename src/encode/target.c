/* Target shares (M1): uniform. */
#include "encode/groups.h"

#include <string.h>

static double count_of(const eqp_groups *groups, uint32_t attribute)
{
    double count = 0;
    for (size_t k = 0; k < groups->group_count; k++) count += groups->groups[k].attribute == attribute;
    return count;
}

static void set_uniform(eqp_groups *groups)
{
    for (size_t k = 0; k < groups->group_count; k++)
        groups->groups[k].target = 1.0 / count_of(groups, groups->groups[k].attribute);
}

eqp_status eqp_groups_set_target(eqp_groups *groups, const char *target, eqp_error *error)
{
    if (target != NULL && strcmp(target, "uniform") != 0)
        return eqp_fail(error, EQP_USAGE, "target shares from a table are not read yet");
    set_uniform(groups);
    return EQP_OK;
}
