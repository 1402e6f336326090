/* Studies: the budgets and yields to look at. */
#include "study/axis.h"

#include "base/memory.h"
#include "base/order.h"

eqp_status eqp_axis_from(const char *what, const double *given, size_t given_count, const double *usual,
                         size_t usual_count, eqp_axis *axis, eqp_error *error)
{
    const double *from = given != NULL && given_count > 0 ? given : usual;
    size_t count = from == given ? given_count : usual_count;
    *axis = (eqp_axis){.values = eqp_alloc(count, sizeof *axis->values)};
    if (axis->values == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        axis->values[i] = from[i];
        if (from[i] >= 0 && from[i] <= 1) continue; /* false for NaN */
        eqp_axis_free(axis);
        return eqp_fail(error, EQP_USAGE, "%s must be between 0 and 1, not %g", what, from[i]);
    }
    eqp_sort_numbers(axis->values, count);
    for (size_t i = 0; i < count; i++)
        if (axis->count == 0 || axis->values[i] > axis->values[axis->count - 1])
            axis->values[axis->count++] = axis->values[i];
    return EQP_OK;
}

void eqp_axis_free(eqp_axis *axis)
{
    free(axis->values);
    *axis = (eqp_axis){0};
}
