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

static uint32_t *copy_numbers(const uint32_t *from, size_t count)
{
    uint32_t *copy = eqp_alloc(count, sizeof *copy);
    if (copy != NULL) memcpy(copy, from, count * sizeof *copy);
    return copy;
}

static bool copy_cells(const eqp_groups *from, eqp_groups *to)
{
    size_t cells = from->cell_count;
    size_t count = from->first_member != NULL ? from->first_member[cells] : cells * from->attribute_count;
    to->membership = copy_numbers(from->membership, count);
    if (from->first_member != NULL) to->first_member = copy_numbers(from->first_member, cells + 1);
    to->cell_count = cells;
    return to->membership != NULL && (to->first_member != NULL) == (from->first_member != NULL);
}

static bool copy_overlap(const eqp_groups *from, eqp_groups *to)
{
    if (from->widths != NULL) to->widths = copy_numbers(from->widths, from->attribute_count);
    if (from->separator != NULL) to->separator = eqp_copy_text(from->separator, strlen(from->separator));
    return (to->widths != NULL) == (from->widths != NULL) &&
           (to->separator != NULL) == (from->separator != NULL);
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
        !copy_groups(groups, made) || !copy_cells(groups, made) || !copy_overlap(groups, made)) {
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
    free(groups->first_member);
    free(groups->widths);
    free(groups->separator);
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

/* What a person can be in one attribute: one of its groups, or any set of them. */
typedef struct choices {
    uint32_t first, groups; /* of the attribute */
    bool overlap;
    size_t count, period; /* cells with the same choice follow each other `period` times */
} choices;

/* The last attribute changes fastest, so that cells of groups that do not overlap are in sorted order. */
static bool find_choices(const eqp_groups *groups, choices *of, size_t *cells)
{
    *cells = 1;
    for (size_t a = 0; a < groups->attribute_count; a++) {
        attribute_range(groups, a, &of[a].first, &of[a].groups);
        of[a].overlap = eqp_overlaps(groups, a);
        if (of[a].groups == 0 || (of[a].overlap && of[a].groups > EQP_OVERLAP_MAX)) return false;
        of[a].count = of[a].overlap ? (size_t)1 << of[a].groups : of[a].groups;
        if (*cells > EQP_CELLS_MAX / of[a].count) return false;
        *cells *= of[a].count;
    }
    size_t period = *cells;
    for (size_t a = 0; a < groups->attribute_count; a++) of[a].period = period /= of[a].count;
    return true;
}

/* The groups of a cell; returns how many.  `members` may be NULL. */
static uint32_t list_members(const choices *of, size_t attributes, size_t cell, uint32_t *members)
{
    uint32_t listed = 0;
    for (size_t a = 0; a < attributes; a++) {
        size_t choice = cell / of[a].period % of[a].count;
        if (!of[a].overlap) {
            if (members != NULL) members[listed] = of[a].first + (uint32_t)choice;
            listed++;
        }
        for (uint32_t k = 0; of[a].overlap && k < of[a].groups; k++) {
            if ((choice >> k & 1) == 0) continue;
            if (members != NULL) members[listed] = of[a].first + k;
            listed++;
        }
    }
    return listed;
}

static eqp_status make_cells(eqp_groups *groups, const choices *of, size_t cells, eqp_error *error)
{
    size_t total = 0, attributes = groups->attribute_count;
    for (size_t cell = 0; cell < cells; cell++) total += list_members(of, attributes, cell, NULL);
    uint32_t *membership = eqp_alloc(total, sizeof *membership);
    uint32_t *first = eqp_alloc_zero(cells + 1, sizeof *first);
    if (membership == NULL || first == NULL) {
        free(membership);
        free(first);
        return eqp_fail_memory(error);
    }
    for (size_t cell = 0; cell < cells; cell++)
        first[cell + 1] = first[cell] + list_members(of, attributes, cell, membership + first[cell]);
    free(groups->membership);
    free(groups->first_member);
    groups->membership = membership;
    groups->first_member = first;
    groups->cell_count = cells;
    return EQP_OK;
}

eqp_status eqp_groups_complete(eqp_groups *groups, eqp_error *error)
{
    size_t cells;
    choices *of = eqp_alloc_zero(groups->attribute_count, sizeof *of);
    eqp_status status = of != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK && !find_choices(groups, of, &cells))
        status = eqp_fail(error, EQP_DATA, "more than %d combinations of sensitive values", EQP_CELLS_MAX);
    if (status == EQP_OK) status = make_cells(groups, of, cells, error);
    free(of);
    return status;
}

static size_t members_in(const eqp_groups *groups, size_t cell, size_t attribute)
{
    eqp_members of = eqp_members_of(groups, cell);
    size_t count = 0;
    for (size_t m = 0; m < of.count; m++) count += groups->groups[of.group[m]].attribute == attribute;
    return count;
}

bool eqp_groups_shared(const eqp_groups *groups, size_t attribute)
{
    for (size_t cell = 0; eqp_overlaps(groups, attribute) && cell < groups->cell_count; cell++)
        if (members_in(groups, cell, attribute) != 1) return true;
    return false;
}

static size_t most_members(const eqp_groups *groups, size_t attribute)
{
    size_t most = 1;
    for (size_t cell = 0; cell < groups->cell_count; cell++) {
        size_t here = members_in(groups, cell, attribute);
        if (here > most) most = here;
    }
    return most;
}

double eqp_groups_extent(const eqp_groups *groups)
{
    double extent = 0;
    for (size_t a = 0; a < groups->attribute_count; a++) {
        uint32_t first, count = 2;
        size_t differing = 2; /* groups that one of two people is in and the other is not */
        if (eqp_overlaps(groups, a)) {
            attribute_range(groups, a, &first, &count);
            differing = 2 * most_members(groups, a);
        }
        extent += (double)(differing < count ? differing : count);
    }
    return extent;
}

void eqp_groups_leave_room(const eqp_groups *groups, const eqp_sdc *sdc, double rows, double whole,
                           double *told)
{
    for (size_t a = 0; a < groups->attribute_count; a++) {
        uint32_t first, count;
        attribute_range(groups, a, &first, &count);
        if (!eqp_overlaps(groups, a)) eqp_sdc_leave_room(sdc, rows, whole, told + first, count);
    }
}

void eqp_groups_sum(const eqp_groups *groups, const double *cell_mass, double *group_mass)
{
    for (size_t k = 0; k < groups->group_count; k++) group_mass[k] = 0;
    for (size_t cell = 0; cell < groups->cell_count; cell++) {
        eqp_members of = eqp_members_of(groups, cell);
        for (size_t m = 0; m < of.count; m++) {
            assert(of.group[m] < groups->group_count);
            group_mass[of.group[m]] += cell_mass[cell];
        }
    }
}
