/* Target shares (M1): uniform, or from a table attribute,value,share that names every group. */
#include "base/memory.h"
#include "encode/groups.h"

#include <math.h>
#include <string.h>

#define SUM_TOLERANCE 0.01

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

/* ---- from a table ----------------------------------------------------------------------------------- */

typedef struct target_table {
    const char *path;
    eqp_table *table;
    const eqp_column *attribute, *value, *share;
    double *given; /* share of each group, NaN until it is named */
} target_table;

static const char *cell_text(const eqp_column *column, size_t row)
{
    uint32_t code = column->codes[row];
    return code == EQP_NO_CODE ? NULL : eqp_dictionary_text(column->levels, code);
}

static eqp_status read_target(target_table *target, eqp_error *error)
{
    static const char *const text_columns[] = {"attribute", "value"};
    eqp_read_options options = {.text_columns = text_columns, .text_column_count = 2};
    eqp_status status = eqp_table_read(target->path, &options, NULL, &target->table, error);
    if (status == EQP_OK) status = eqp_table_require(target->table, "attribute", &target->attribute, error);
    if (status == EQP_OK) status = eqp_table_require(target->table, "value", &target->value, error);
    if (status == EQP_OK) status = eqp_table_require(target->table, "share", &target->share, error);
    if (status != EQP_OK) {
        eqp_hint(error, "target shares are a table with the columns attribute,value,share");
        return status;
    }
    if (target->share->kind == EQP_NUMBER) return EQP_OK;
    return eqp_fail_at(error, EQP_DATA, target->path, target->share->first_text_line, 0,
                       "column \"share\" must hold numbers");
}

/* The group that a row names; group_count when the table has a share for a value nobody has. */
static size_t group_of(const eqp_groups *groups, const char *attribute, const char *value)
{
    for (size_t k = 0; k < groups->group_count; k++)
        if (strcmp(groups->groups[k].value, value) == 0 &&
            strcmp(groups->attributes[groups->groups[k].attribute], attribute) == 0)
            return k;
    return groups->group_count;
}

static eqp_status take_row(target_table *target, const eqp_groups *groups, size_t row, eqp_error *error)
{
    const char *attribute = cell_text(target->attribute, row), *value = cell_text(target->value, row);
    double share = target->share->numbers[row];
    if (attribute == NULL || value == NULL || isnan(share))
        return eqp_fail_at(error, EQP_DATA, target->path, 0, 0, "row %zu has an empty cell", row + 1);
    if (!(share >= 0 && share <= 1 + SUM_TOLERANCE))
        return eqp_fail_at(error, EQP_DATA, target->path, 0, 0, "the share of \"%s\" is not between 0 and 1",
                           value);
    size_t k = group_of(groups, attribute, value);
    if (k == groups->group_count && share == 0)
        return EQP_OK; /* nothing is asked of a group that is not there */
    if (k == groups->group_count)
        return eqp_fail_at(error, EQP_DATA, target->path, 0, 0, "no row of the sample has \"%s\" in \"%s\"",
                           value, attribute);
    if (!isnan(target->given[k]))
        return eqp_fail_at(error, EQP_DATA, target->path, 0, 0, "\"%s\" of \"%s\" is named twice", value,
                           attribute);
    target->given[k] = share;
    return EQP_OK;
}

static eqp_status check_sums(const target_table *target, const eqp_groups *groups, double *sums,
                             eqp_error *error)
{
    for (size_t k = 0; k < groups->group_count; k++) {
        const eqp_group *group = &groups->groups[k];
        if (isnan(target->given[k]))
            return eqp_fail_at(error, EQP_DATA, target->path, 0, 0, "no share for \"%s\" of \"%s\"",
                               group->value, groups->attributes[group->attribute]);
        sums[group->attribute] += target->given[k];
    }
    for (size_t a = 0; a < groups->attribute_count; a++)
        if (fabs(sums[a] - 1) > SUM_TOLERANCE)
            return eqp_fail_at(error, EQP_DATA, target->path, 0, 0, "the shares of \"%s\" sum to %g, not 1",
                               groups->attributes[a], sums[a]);
    return EQP_OK;
}

static eqp_status use_target(target_table *target, eqp_groups *groups, eqp_error *error)
{
    eqp_status status = read_target(target, error);
    if (status != EQP_OK) return status;
    double *sums = eqp_alloc_zero(groups->attribute_count, sizeof *sums);
    target->given = eqp_alloc(groups->group_count, sizeof *target->given);
    if (sums == NULL || target->given == NULL) status = eqp_fail_memory(error);
    for (size_t k = 0; status == EQP_OK && k < groups->group_count; k++) target->given[k] = NAN;
    for (size_t row = 0; row < target->table->rows && status == EQP_OK; row++)
        status = take_row(target, groups, row, error);
    if (status == EQP_OK) status = check_sums(target, groups, sums, error);
    for (size_t k = 0; status == EQP_OK && k < groups->group_count; k++)
        groups->groups[k].target = target->given[k] / sums[groups->groups[k].attribute];
    free(sums);
    return status;
}

eqp_status eqp_groups_set_target(eqp_groups *groups, const char *target, eqp_error *error)
{
    if (target == NULL || strcmp(target, "uniform") == 0) {
        set_uniform(groups);
        return EQP_OK;
    }
    target_table given = {.path = target};
    eqp_status status = use_target(&given, groups, error);
    free(given.given);
    eqp_table_free(given.table);
    return status;
}
