/* Reading a model, one part: sensitive columns, attributes and groups. */
#include "base/buffer.h"
#include "model/member.h"

#include <string.h>

static char *joined_columns(eqp_member_reader *reader, char *const *columns, size_t count)
{
    eqp_buffer text = {0};
    char *joined;
    for (size_t c = 0; c < count; c++) {
        if (c > 0) eqp_buffer_text(&text, EQP_TIMES);
        eqp_buffer_text(&text, columns[c]);
    }
    eqp_status status = eqp_buffer_take(&text, &joined, reader->error);
    if (status != EQP_OK) reader->status = status;
    return joined;
}

/* The attributes follow from the columns: each one by itself, or all joined. */
static void name_attributes(eqp_member_reader *reader, eqp_groups *groups)
{
    size_t count = groups->intersect ? 1 : groups->column_count;
    groups->attributes = eqp_member_alloc(reader, count, sizeof *groups->attributes);
    if (groups->attributes == NULL) return;
    groups->attribute_count = count;
    for (size_t a = 0; a < count && reader->status == EQP_OK; a++)
        groups->attributes[a] = groups->intersect
                                    ? joined_columns(reader, groups->columns, groups->column_count)
                                    : joined_columns(reader, groups->columns + a, 1);
}

/* Where columns of ticks are joined, attributes have names of their own. */
static void read_attributes(eqp_member_reader *reader, const json_t *from, eqp_groups *groups)
{
    size_t count, columns = 0;
    json_t *array = eqp_member_array(reader, from, FIELD_attributes, &count);
    if (count == 0 || count > groups->column_count)
        eqp_member_wrong(reader, "its attributes do not fit its columns");
    if (reader->status != EQP_OK) return;
    groups->attributes = eqp_member_alloc(reader, count, sizeof *groups->attributes);
    groups->widths = eqp_member_alloc(reader, count, sizeof *groups->widths);
    for (size_t a = 0; a < count && reader->status == EQP_OK; a++) {
        const json_t *attribute = json_array_get(array, a);
        eqp_member_enter(reader, "attribute", a);
        eqp_member_exactly(reader, attribute, FIELD_name, FIELD_columns);
        groups->attribute_count = a + 1;
        groups->attributes[a] = eqp_member_copy(reader, attribute, FIELD_name);
        groups->widths[a] = eqp_member_index(reader, attribute, FIELD_columns);
        if (groups->widths[a] == 0) eqp_member_wrong(reader, "it has no columns");
        columns += groups->widths[a];
    }
    if (reader->status == EQP_OK && columns != groups->column_count)
        eqp_member_wrong(reader, "its attributes do not fit its columns");
}

static void read_group(eqp_member_reader *reader, const json_t *from, const eqp_groups *groups,
                       eqp_group *group)
{
    eqp_member_exactly(reader, from, FIELD_attribute, FIELD_value, FIELD_target);
    const char *attribute = eqp_member_text(reader, from, FIELD_attribute);
    group->value = eqp_member_copy(reader, from, FIELD_value);
    group->target = eqp_member_number(reader, from, FIELD_target);
    while (group->attribute < groups->attribute_count &&
           strcmp(attribute, groups->attributes[group->attribute]) != 0)
        group->attribute++;
    if (group->attribute == groups->attribute_count)
        eqp_member_wrong(reader, "\"%.60s\" is not a sensitive attribute of the model", attribute);
}

/* Some members are there only where they say something. */
static void check_members(eqp_member_reader *reader, const json_t *from)
{
    static const eqp_field OPTIONAL[] = {FIELD_multiple, FIELD_attributes, FIELD_pooled};
    eqp_field names[7] = {FIELD_columns, FIELD_intersect, FIELD_groups};
    size_t count = 3;
    for (size_t i = 0; i < 3; i++)
        if (eqp_member_has(from, OPTIONAL[i])) names[count++] = OPTIONAL[i];
    names[count] = FIELD_NONE;
    eqp_member_exactly_of(reader, from, names);
}

eqp_groups *eqp_member_groups(eqp_member_reader *reader, const json_t *root)
{
    size_t count;
    eqp_member_enter(reader, "sensitive", EQP_MEMBER_ONLY);
    json_t *from = eqp_member_object(reader, root, FIELD_sensitive);
    eqp_groups *groups = eqp_member_alloc(reader, 1, sizeof *groups);
    if (groups == NULL) return NULL;
    check_members(reader, from);
    if (eqp_member_has(from, FIELD_pooled)) groups->min_group = eqp_member_index(reader, from, FIELD_pooled);
    if (eqp_member_has(from, FIELD_multiple))
        groups->separator = eqp_member_copy(reader, from, FIELD_multiple);
    groups->columns = eqp_member_texts(reader, from, FIELD_columns, &groups->column_count);
    groups->intersect = eqp_member_bool(reader, from, FIELD_intersect);
    json_t *array = eqp_member_array(reader, from, FIELD_groups, &count);
    if (groups->column_count == 0) eqp_member_wrong(reader, "no sensitive column");
    if (groups->column_count > EQP_GROUPS_MAX)
        eqp_member_wrong(reader, "more than %d sensitive columns", EQP_GROUPS_MAX);
    if (count > EQP_GROUPS_MAX) eqp_member_wrong(reader, "more than %d groups", EQP_GROUPS_MAX);
    if (reader->status == EQP_OK && eqp_member_has(from, FIELD_attributes))
        read_attributes(reader, from, groups);
    else if (reader->status == EQP_OK)
        name_attributes(reader, groups);
    groups->groups = eqp_member_alloc(reader, count, sizeof *groups->groups);
    for (size_t k = 0; k < count && reader->status == EQP_OK; k++) {
        eqp_member_enter(reader, "group", k);
        groups->group_count = k + 1;
        read_group(reader, json_array_get(array, k), groups, &groups->groups[k]);
    }
    return groups;
}
