/* Groups as an object (M1): copies, complete cells, group masses.  See also find.c and target.c. */
#include "encode/groups.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

static char **copy_texts(char *const *texts, size_t count)
{
    char **copy = eqp_alloc_zero(count, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++) copy[i] = eqp_copy_text(texts[i], strlen(texts[i]));
    return copy;
}

static bool has_gap(char *const *texts, size_t count)
{
    for (size_t i = 0; texts != NULL && i < count; i++)
        if (texts[i] == NULL) return true;
    return texts == NULL;
}

static bool copy_groups(const eqp_groups *from, eqp_groups *to)
{
    to->groups = eqp_alloc_zero(from->group_count, sizeof *to->groups);
    if (to->groups == NULL) return false;
    for (size_t k = 0; k < from->group_count; k++) {
        to->groups[k] = from->groups[k];
        to->groups[k].value = eqp_copy_text(from->groups[k].value, strlen(from->groups[k].value));
        to->group_count = k + 1;
        if (to->groups[k].value == NULL) return false;
    }
    return true;
}

static bool copy_cells(const eqp_groups *from, eqp_groups *to)
{
    size_t count = from->cell_count * from->attribute_count;
    to->membership = eqp_alloc(count, sizeof *to->membership);
    if (to->membership == NULL) return false;
    memcpy(to->membership, from->membership, count * sizeof *to->membership);
    to->cell_count = from->cell_count;
    return true;
}

eqp_status eqp_groups_copy(const eqp_groups *groups, eqp_groups **copy, eqp_error *error)
{
    *copy = NULL;
    eqp_groups *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->intersect = groups->intersect;
    made->min_group = groups->min_group;
    made->attribute_count = groups->attribute_count;
    made->attributes = copy_texts(groups->attributes, groups->attribute_count);
    made->column_count = groups->column_count;
    made->columns = copy_texts(groups->columns, groups->column_count);
    if (has_gap(made->attributes, made->attribute_count) || has_gap(made->columns, made->column_count) ||
        !copy_groups(groups, made) || !copy_cells(groups, made)) {
        eqp_groups_free(made);
        return eqp_fail_memory(error);
    }
    *copy = made;
    return EQP_OK;
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts != NULL && i < count; i++) free(texts[i]);
    free(texts);
}

void eqp_groups_free(eqp_groups *groups)
{
    if (groups == NULL) return;
    free_texts(groups->attributes, groups->attribute_count);
    free_texts(groups->columns, groups->column_count);
    for (size_t k = 0; k < groups->group_count; k++) free(groups->groups[k].value);
    free(groups->groups);
    free(groups->membership);
    free(groups);
}

/* The groups of attribute a are first … first + count - 1. */
static void attribute_range(const eqp_groups *groups, size_t a, uint32_t *first, uint32_t *count)
{
    *first = *count = 0;
    for (uint32_t k = 0; k < groups->group_count; k++) {
        if (groups->groups[k].attribute < a) *first = k + 1;
        if (groups->groups[k].attribute == a) (*count)++;
    }
}

static bool product_of_values(const eqp_groups *groups, size_t *product)
{
    *product = 1;
    for (size_t a = 0; a < groups->attribute_count; a++) {
        uint32_t first, count;
        attribute_range(groups, a, &first, &count);
        if (count == 0 || *product > EQP_CELLS_MAX / count) return false;
        *product *= count;
    }
    return true;
}

eqp_status eqp_groups_complete(eqp_groups *groups, eqp_error *error)
{
    size_t cells, attributes = groups->attribute_count;
    if (!product_of_values(groups, &cells))
        return eqp_fail(error, EQP_DATA, "more than %d combinations of sensitive values", EQP_CELLS_MAX);
    uint32_t *membership = eqp_alloc(cells, attributes * sizeof *membership);
    if (membership == NULL) return eqp_fail_memory(error);

    size_t period = cells; /* the last attribute changes fastest: cells are in sorted order */
    for (size_t a = 0; a < attributes; a++) {
        uint32_t first, count;
        attribute_range(groups, a, &first, &count);
        period /= count;
        for (size_t cell = 0; cell < cells; cell++)
            membership[cell * attributes + a] = first + (uint32_t)(cell / period % count);
    }
    free(groups->membership);
    groups->membership = membership;
    groups->cell_count = cells;
    return EQP_OK;
}

void eqp_groups_sum(const eqp_groups *groups, const double *cell_mass, double *group_mass)
{
    size_t attributes = groups->attribute_count;
    for (size_t k = 0; k < groups->group_count; k++) group_mass[k] = 0;
    for (size_t cell = 0; cell < groups->cell_count; cell++)
        for (size_t a = 0; a < attributes; a++) {
            assert(groups->membership[cell * attributes + a] < groups->group_count);
            group_mass[groups->membership[cell * attributes + a]] += cell_mass[cell];
        }
}
