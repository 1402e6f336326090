/* Target shares (M1): uniform, or from a table attribute,value,share that names every group. */
#include "base/memory.h"
#include "base/number.h"
#include "encode/groups.h"

#include <math.h>
#include <string.h>

#define SUM_TOLERANCE 0.01
#define STEPS         20

static double count_of(const eqp_groups *groups, uint32_t attribute)
{
    double count = 0;
    for (size_t k = 0; k < groups->group_count; k++) count += groups->groups[k].attribute == attribute;
    return count;
}

/* To how many groups of an attribute a person belongs on average, to a twentieth: a target is published, and
 * tells no more of the sample than that.  Exactly 1 where everybody belongs to one. */
static double mean_memberships(const eqp_groups *groups, uint32_t attribute, const double *cell_mass)
{
    double beyond = 0, total = 0;
    for (size_t cell = 0; cell < groups->cell_count; cell++) {
        eqp_members of = eqp_members_of(groups, cell);
        double count = 0;
        for (size_t m = 0; m < of.count; m++) count += groups->groups[of.group[m]].attribute == attribute;
        beyond += cell_mass[cell] * (count - 1);
        total += cell_mass[cell];
    }
    return 1 + round(beyond / total * STEPS) / STEPS;
}

void eqp_groups_set_uniform(eqp_groups *groups, const double *cell_mass)
{
    for (uint32_t a = 0; a < groups->attribute_count; a++) {
        if (eqp_overlaps(groups, a) && cell_mass == NULL) continue;
        double sum = eqp_overlaps(groups, a) ? mean_memberships(groups, a, cell_mass) : 1;
        for (size_t k = 0; k < groups->group_count; k++)
            if (groups->groups[k].attribute == a) groups->groups[k].target = sum / count_of(groups, a);
    }
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

/* A table without its header has a row of values where the names should be. */
static eqp_status fail_header(const target_table *target, eqp_error *error)
{
    const eqp_table *table = target->table;
    double share;
    const char *last = table != NULL && table->column_count == 3 ? table->columns[2].name : "";
    bool no_header = eqp_number_parse(last, strlen(last), '.', &share);
    eqp_fail_at(error, EQP_DATA, target->path, 1, 0, "%s",
                no_header ? "the table of shares has no header" : "a table of shares has other columns");
    if (no_header)
        eqp_hint(error, "the first line must be the header: attribute,value,share");
    else
        eqp_hint(error, "target shares are a table with the columns attribute,value,share");
    return EQP_DATA;
}

static eqp_status read_target(target_table *target, eqp_error *error)
{
    static const char *const text_columns[] = {"attribute", "value"};
    eqp_read_options options = {.text_columns = text_columns, .text_column_count = 2};
    eqp_status status = eqp_table_read(target->path, &options, NULL, &target->table, error);
    if (status != EQP_OK) {
        eqp_hint(error, "target shares are a table with the columns attribute,value,share");
        return status;
    }
    status = eqp_table_require(target->table, "attribute", &target->attribute, error);
    if (status == EQP_OK) status = eqp_table_require(target->table, "value", &target->value, error);
    if (status == EQP_OK) status = eqp_table_require(target->table, "share", &target->share, error);
    if (status != EQP_OK) return status == EQP_DATA ? fail_header(target, error) : status;
    if (target->share->kind == EQP_NUMBER) return EQP_OK;
    eqp_fail_at(error, EQP_DATA, target->path, target->share->first_text_line, 0,
                "column \"share\" must hold numbers");
    eqp_hint(error, "write 0.25, not \"25 %%\" or \"0,25\"");
    return EQP_DATA;
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

static bool overlaps(const eqp_groups *groups, const char *attribute)
{
    for (size_t a = 0; a < groups->attribute_count; a++)
        if (strcmp(groups->attributes[a], attribute) == 0) return eqp_overlaps(groups, a);
    return false;
}

/* Percent, or seats: the shares of the attribute sum to 100, or to some other whole number. */
static eqp_status fail_share(const target_table *target, const eqp_groups *groups, const char *attribute,
                             const char *value, eqp_error *error)
{
    double sum = 0;
    for (size_t row = 0; row < target->table->rows; row++) {
        const char *other = cell_text(target->attribute, row);
        if (other != NULL && strcmp(other, attribute) == 0 && !isnan(target->share->numbers[row]))
            sum += target->share->numbers[row];
    }
    eqp_fail_at(error, EQP_DATA, target->path, 0, 0, "the share of \"%s\" is not between 0 and 1", value);
    if (overlaps(groups, attribute))
        eqp_hint(error, "the groups of \"%s\" overlap, each share is of all people: divide percent by 100",
                 attribute);
    else if (fabs(sum - 100) <= 100 * SUM_TOLERANCE)
        eqp_hint(error, "the shares of \"%s\" sum to 100: divide each by 100", attribute);
    else if (sum > 1)
        eqp_hint(error, "the shares of \"%s\" sum to %g: if they are seats, divide each by %g", attribute,
                 sum, sum);
    return EQP_DATA;
}

/* Shares of single attributes where those of combinations are wanted get an example of the right form. */
static eqp_status fail_group(const target_table *target, const eqp_groups *groups, const char *attribute,
                             const char *value, eqp_error *error)
{
    bool is_margin = false;
    for (size_t c = 0; c < groups->column_count; c++)
        is_margin = is_margin || strcmp(groups->columns[c], attribute) == 0;
    if (!groups->intersect || !is_margin)
        return eqp_fail_at(error, EQP_DATA, target->path, 0, 0, "no row of the sample has \"%s\" in \"%s\"",
                           value, attribute);
    eqp_fail_at(error, EQP_DATA, target->path, 0, 0,
                "a share of \"%s\" alone, where combinations are balanced", attribute);
    eqp_hint(error, "with --intersect shares are of combinations, as in %s,%s,0.25", groups->attributes[0],
             groups->groups[0].value);
    return EQP_DATA;
}

static eqp_status take_row(target_table *target, const eqp_groups *groups, size_t row, eqp_error *error)
{
    const char *attribute = cell_text(target->attribute, row), *value = cell_text(target->value, row);
    double share = target->share->numbers[row];
    if (attribute == NULL || value == NULL || isnan(share))
        return eqp_fail_at(error, EQP_DATA, target->path, 0, 0, "row %zu has an empty cell", row + 1);
    double most = overlaps(groups, attribute) ? 1 : 1 + SUM_TOLERANCE;
    if (!(share >= 0 && share <= most)) return fail_share(target, groups, attribute, value, error);
    size_t k = group_of(groups, attribute, value);
    if (k == groups->group_count && share == 0)
        return EQP_OK; /* nothing is asked of a group that is not there */
    if (k == groups->group_count) return fail_group(target, groups, attribute, value, error);
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
        if (eqp_overlaps(groups, a))
            sums[a] = 1; /* shares of groups that overlap are what they are */
        else if (fabs(sums[a] - 1) > SUM_TOLERANCE)
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
        eqp_groups_set_uniform(groups, NULL);
        return EQP_OK;
    }
    target_table given = {.path = target};
    eqp_status status = use_target(&given, groups, error);
    free(given.given);
    eqp_table_free(given.table);
    return status;
}
