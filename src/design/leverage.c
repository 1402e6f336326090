/* How much each row's own label counts in its own fit: h_i = w_i x_i' G⁻¹ x_i.  A row has few slots, so this
 * is a sum over the pairs of them. */
#include "design/design.h"

#include "base/memory.h"

#include <string.h>

typedef struct slot_value {
    size_t slot;
    double value;
} slot_value;

static size_t list_slots(const eqp_design *design, size_t row, slot_value *list)
{
    size_t count = 0;
    list[count++] = (slot_value){0, 1};
    for (size_t f = 0; f < design->encoding->feature_count; f++) {
        size_t slot = design->encoding->features[f].slot;
        if (design->codes[f] != NULL)
            list[count++] = (slot_value){slot + design->codes[f][row], 1};
        else if (design->missing[f] != NULL && design->missing[f][row])
            list[count++] = (slot_value){slot + 1, 1};
        else
            list[count++] = (slot_value){slot, design->standard[f][row]};
    }
    return count;
}

static double quadratic_form(const double *inverse, size_t width, const slot_value *list, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double *line = inverse + list[i].slot * width;
        double cross = 0;
        for (size_t j = 0; j < i; j++) cross += line[list[j].slot] * list[j].value;
        sum += list[i].value * (2 * cross + line[list[i].slot] * list[i].value);
    }
    return sum;
}

eqp_status eqp_design_leverage(const eqp_design *design, const double *factor, const double *weight,
                               size_t first, size_t count, double *leverage, eqp_error *error)
{
    size_t width = design->encoding->width;
    double *inverse = eqp_alloc_zero(width, width * sizeof *inverse);
    slot_value *list = eqp_alloc(design->encoding->feature_count + 1, sizeof *list);
    eqp_status status = inverse != NULL && list != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) {
        for (size_t s = 0; s < width; s++) inverse[s * width + s] = 1;
        status = eqp_solve_again(factor, width, inverse, width, error);
    }
    for (size_t i = 0; i < count && status == EQP_OK; i++) {
        size_t slots = list_slots(design, first + i, list);
        leverage[i] = weight[first + i] * quadratic_form(inverse, width, list, slots);
    }
    free(inverse);
    free(list);
    return status;
}
