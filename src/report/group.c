/* The groups of a document. */
#include "report/group.h"

#include "base/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has_several_attributes(const json_t *document)
{
    const char *first = eqp_field_text(eqp_field_entry(document, 0, FIELD_groups), FIELD_attribute);
    for (size_t i = 1; i < eqp_field_count(document, FIELD_groups); i++)
        if (strcmp(first, eqp_field_text(eqp_field_entry(document, i, FIELD_groups), FIELD_attribute)) != 0)
            return true;
    return false;
}

eqp_group_name eqp_group_named(const json_t *document, size_t index)
{
    const json_t *group = eqp_field_entry(document, index, FIELD_groups);
    const char *value = eqp_field_text(group, FIELD_value),
               *attribute = eqp_field_text(group, FIELD_attribute);
    eqp_group_name name;
    if (has_several_attributes(document))
        snprintf(name.text, sizeof name.text, "%s: %s", attribute, value);
    else
        snprintf(name.text, sizeof name.text, "%s", value);
    return name;
}

static double gap_of(const json_t *document, size_t index)
{
    const json_t *group = eqp_field_entry(document, index, FIELD_groups);
    double gap = fabs(eqp_field_number(group, FIELD_base_rate) - eqp_field_number(group, FIELD_target));
    return isfinite(gap) ? gap : 0;
}

/* Insertion into a short list kept in order of falling gaps. */
static size_t insert_by_gap(const json_t *document, size_t index, size_t *order, size_t count, size_t room)
{
    size_t at = count < room ? count : room - 1;
    if (count == room && gap_of(document, index) <= gap_of(document, order[at])) return count;
    for (; at > 0 && gap_of(document, order[at - 1]) < gap_of(document, index); at--)
        order[at] = order[at - 1];
    order[at] = index;
    return count < room ? count + 1 : count;
}

size_t eqp_groups_shown(const json_t *document, size_t *order, size_t room)
{
    size_t groups = eqp_field_count(document, FIELD_groups), count = 0;
    for (size_t i = 0; i < groups; i++) {
        if (groups <= room)
            order[count++] = i;
        else
            count = insert_by_gap(document, i, order, count, room);
    }
    return count;
}
