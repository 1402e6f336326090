/* Triage as a JSON document: the columns worst first, the groups, the notices. */
#include "base/memory.h"
#include "report/documents.h"

#include <math.h>

json_t *eqp_triage_notices_document(const eqp_triage *triage, size_t most)
{
    eqp_notes notices = {0};
    eqp_status status = triage == NULL ? EQP_OK : eqp_triage_notices(triage, most, &notices, NULL);
    json_t *list = status == EQP_OK ? eqp_notes_document(&notices) : NULL;
    eqp_notes_free(&notices);
    return list;
}

json_t *eqp_triage_strong_document(const eqp_triage *triage)
{
    json_t *list = json_array();
    for (size_t c = 0; triage != NULL && c < triage->column_count; c++) {
        const eqp_column_finding *finding = &triage->columns[c];
        if (!finding->strong) continue;
        json_t *column = json_object();
        eqp_json_set_text(&column, FIELD_column, finding->column->name);
        eqp_json_set_number(&column, FIELD_disclosure, finding->disclosure);
        eqp_json_append(&list, column);
    }
    return list;
}

/* ---- the columns, worst first ---------------------------------------------------------------------------
 */

static int gravity(const eqp_column_finding *finding)
{
    static const int GRAVITY[] = {
        [EQP_REASON_DETERMINES] = 9, [EQP_REASON_PAIR] = 8,    [EQP_REASON_PERSONAL] = 7,
        [EQP_REASON_MIXED] = 6,      [EQP_REASON_COMMAS] = 5,  [EQP_REASON_DATE] = 4,
        [EQP_REASON_UNITS] = 4,      [EQP_REASON_SCARCE] = 3,  [EQP_REASON_EMPTY] = 2,
        [EQP_REASON_CONSTANT] = 2,   [EQP_REASON_NONE] = 1,    [EQP_REASON_NOT_NAMED] = 0,
        [EQP_REASON_IGNORED] = -1,   [EQP_REASON_WEIGHT] = -2, [EQP_REASON_SENSITIVE] = -3};
    return GRAVITY[finding->reason];
}

static int worst_first(const void *left, const void *right)
{
    const eqp_column_finding *a = *(const eqp_column_finding *const *)left,
                             *b = *(const eqp_column_finding *const *)right;
    if (gravity(a) != gravity(b)) return gravity(b) - gravity(a);
    double more = isnan(a->disclosure) ? 0 : a->disclosure, less = isnan(b->disclosure) ? 0 : b->disclosure;
    if (more != less) return more < less ? 1 : -1;
    return (a > b) - (a < b); /* then as in the table */
}

static json_t *column_document(const eqp_triage *triage, const eqp_column_finding *finding)
{
    json_t *column = json_object();
    bool used = finding->reason == EQP_REASON_NONE;
    const char separator[] = {eqp_triage_separator(triage, finding), '\0'};
    eqp_json_set_text(&column, FIELD_name, finding->column->name);
    eqp_json_set_text(&column, FIELD_kind, eqp_column_kind_name(finding->kind));
    eqp_json_set_text(&column, FIELD_examples, finding->examples);
    eqp_json_set_count(&column, FIELD_missing, finding->missing);
    eqp_json_set_count(&column, FIELD_distinct, finding->distinct);
    eqp_json_set_number(&column, FIELD_disclosure, finding->disclosure);
    eqp_json_set_text(&column, FIELD_group,
                      isnan(finding->disclosure) ? NULL : triage->groups->groups[finding->group].value);
    eqp_json_set_number(&column, FIELD_determines, finding->determination);
    eqp_json_set_bool(&column, FIELD_strong, finding->strong);
    eqp_json_set_bool(&column, FIELD_used, used);
    eqp_json_set_text(&column, FIELD_reason, eqp_reason_text(finding->reason));
    if (finding->reason == EQP_REASON_PAIR)
        eqp_json_set_text(&column, FIELD_with, triage->columns[finding->partner].column->name);
    if (separator[0] != '\0') eqp_json_set_text(&column, FIELD_separator, separator);
    return column;
}

static json_t *columns_document(const eqp_triage *triage)
{
    const eqp_column_finding **order = eqp_alloc(triage->column_count, sizeof *order);
    json_t *list = json_array();
    if (order == NULL) {
        json_decref(list);
        return NULL;
    }
    for (size_t c = 0; c < triage->column_count; c++) order[c] = &triage->columns[c];
    qsort(order, triage->column_count, sizeof *order, worst_first);
    for (size_t c = 0; c < triage->column_count; c++)
        eqp_json_append(&list, column_document(triage, order[c]));
    free(order);
    return list;
}

static json_t *inspected_groups(const eqp_triage *triage)
{
    json_t *list = json_array();
    for (size_t k = 0; triage->groups != NULL && k < triage->groups->group_count; k++) {
        const eqp_group *group = &triage->groups->groups[k];
        json_t *object = json_object();
        eqp_json_set_text(&object, FIELD_attribute, triage->groups->attributes[group->attribute]);
        eqp_json_set_text(&object, FIELD_value, group->value);
        eqp_json_set_count(&object, FIELD_rows, triage->group_rows[k]);
        eqp_json_set_number(&object, FIELD_target, group->target);
        eqp_json_append(&list, object);
    }
    return list;
}

json_t *eqp_inspect_document(const eqp_triage *triage)
{
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "inspect");
    eqp_json_set_text(&document, FIELD_version, eqp_version());
    eqp_json_set_text(&document, FIELD_source, triage->table->source);
    eqp_json_set_count(&document, FIELD_rows, triage->table->rows);
    eqp_json_set(&document, FIELD_columns, columns_document(triage));
    eqp_json_set(&document, FIELD_groups, inspected_groups(triage));
    eqp_json_set(&document, FIELD_notices, eqp_triage_notices_document(triage, 0));
    return document;
}
