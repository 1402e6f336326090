/* Triage of a table: every column by itself, then the strongest in pairs. */
#include "triage/triage.h"

#include "base/memory.h"
#include "base/name_list.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { MOST_CODES = 256, FEWEST_CODES = 16, ROWS_PER_CODE = 100 };

typedef struct triaging {
    eqp_triage *triage;
    const eqp_sample *sample; /* or NULL */
    const eqp_learn_options *options;
    eqp_name_list features, ignored, kept, kinds;
    eqp_progress progress;
} triaging;

const char *eqp_reason_text(eqp_reason reason)
{
    static const char *const TEXTS[] = {
        "",
        "sensitive attribute",
        "weight",
        "ignored",
        "not named in --features",
        "has no values",
        "is the same in all rows",
        "identifies people",
        "most values are held by fewer than 11 people",
        "determines a group",
        "determines a group with another column",
        "numbers and text are mixed",
        "numbers with commas, read as text",
        "day and month cannot be told apart",
        "numbers with units, read as text",
    };
    return TEXTS[reason];
}

/* ---- what the options say -------------------------------------------------------------------------------
 */

static bool is_sensitive(const eqp_learn_options *options, const char *name)
{
    for (size_t i = 0; i < options->sensitive_count; i++)
        if (eqp_is_given(options->sensitive[i], name)) return true;
    return false;
}

/* "age" ignores "age.2" too, where that is the file's second column "age". */
static bool ignored_by_file_name(const triaging *t, const eqp_column *column)
{
    const char *name = column->name, *point = column->renamed ? strrchr(name, '.') : NULL;
    for (size_t i = 0; point != NULL && i < t->ignored.count; i++)
        if (strncmp(t->ignored.names[i], name, (size_t)(point - name)) == 0 &&
            strlen(t->ignored.names[i]) == (size_t)(point - name))
            return true;
    return false;
}

static eqp_reason role_of(const triaging *t, const eqp_column *column)
{
    const eqp_learn_options *options = t->options;
    const char *name = column->name;
    if (is_sensitive(options, name)) return EQP_REASON_SENSITIVE;
    if (options->weight != NULL && strcmp(options->weight, name) == 0) return EQP_REASON_WEIGHT;
    if (eqp_name_list_holds(&t->ignored, name) || ignored_by_file_name(t, column)) return EQP_REASON_IGNORED;
    bool named = t->features.text == NULL || eqp_name_list_holds(&t->features, name);
    return named || eqp_name_list_holds(&t->kept, name) ? EQP_REASON_NONE : EQP_REASON_NOT_NAMED;
}

/* "COLUMN=KIND": the kind for this column, or NULL. */
static const char *kind_given(const triaging *t, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < t->kinds.count; i++) {
        const char *given = t->kinds.names[i];
        if (strncmp(given, name, length) == 0 && given[length] == '=') return given + length + 1;
    }
    return NULL;
}

static const char *const KINDS[] = {"number", "levels", "date", "day-first", "month-first", "identifier"};

static eqp_status check_kinds(const triaging *t, eqp_error *error)
{
    for (size_t i = 0; i < t->kinds.count; i++) {
        const char *given = t->kinds.names[i], *kind = strrchr(given, '=');
        bool known = false;
        for (size_t k = 0; kind != NULL && k < sizeof KINDS / sizeof *KINDS; k++)
            known = known || strcmp(kind + 1, KINDS[k]) == 0;
        if (known) continue;
        eqp_fail(error, EQP_USAGE, "\"%s\" is not a column and its kind", given);
        eqp_hint(error, "write COLUMN=number, levels, date, day-first, month-first or identifier");
        return EQP_USAGE;
    }
    return EQP_OK;
}

static eqp_status check_names(const triaging *t, const eqp_name_list *list, eqp_error *error)
{
    eqp_status status = EQP_OK;
    const eqp_column *column;
    for (size_t i = 0; i < list->count && status == EQP_OK; i++) {
        char *equals = list == &t->kinds ? strrchr(list->names[i], '=') : NULL;
        if (equals != NULL) *equals = '\0';
        status = eqp_table_require(t->triage->table, list->names[i], &column, error);
        if (equals != NULL) *equals = '=';
    }
    return status;
}

static eqp_status read_options(triaging *t, eqp_error *error)
{
    eqp_status status = eqp_name_list_split(t->options->features, &t->features, error);
    if (status == EQP_OK) status = eqp_name_list_split(t->options->ignore, &t->ignored, error);
    if (status == EQP_OK) status = eqp_name_list_split(t->options->keep, &t->kept, error);
    if (status == EQP_OK) status = eqp_name_list_split(t->options->kinds, &t->kinds, error);
    if (status == EQP_OK) status = check_kinds(t, error);
    if (status == EQP_OK) status = check_names(t, &t->kept, error);
    if (status == EQP_OK) status = check_names(t, &t->kinds, error);
    return status;
}

/* ---- one column -------------------------------------------------------------------------------------------
 */

/* What only a look at the column itself says. */
static eqp_reason fault_of(const eqp_column_finding *finding)
{
    switch (finding->kind) {
    case EQP_COLUMN_EMPTY:
        return EQP_REASON_EMPTY;
    case EQP_COLUMN_CONSTANT:
        return EQP_REASON_CONSTANT;
    case EQP_COLUMN_MIXED:
        return EQP_REASON_MIXED;
    case EQP_COLUMN_TEXT:
    case EQP_COLUMN_NAMES:
    case EQP_COLUMN_MAIL:
    case EQP_COLUMN_PHONE:
    case EQP_COLUMN_IDENTIFIER:
        return EQP_REASON_PERSONAL;
    case EQP_COLUMN_DATE:
    case EQP_COLUMN_TIME:
        return finding->open_order ? EQP_REASON_DATE : EQP_REASON_NONE;
    case EQP_COLUMN_NUMBER:
        return finding->commas ? EQP_REASON_COMMAS : finding->units ? EQP_REASON_UNITS : EQP_REASON_NONE;
    case EQP_COLUMN_LEVELS:
        return finding->scarce ? EQP_REASON_SCARCE : EQP_REASON_NONE;
    case EQP_COLUMN_TRUTH:
        break;
    }
    return EQP_REASON_NONE;
}

/* Dates in the order that is given, or else shown by the cells. */
static eqp_status take_date(eqp_column_finding *finding, const char *kind, eqp_error *error)
{
    const char *name = finding->column->name;
    for (eqp_date_order order = EQP_DAY_FIRST; order < EQP_DATE_ORDERS; order++)
        if (strcmp(kind, eqp_date_order_names[order]) == 0) {
            finding->order = order;
            finding->open_order = false;
        }
    finding->asked = true;
    finding->kind = EQP_COLUMN_DATE;
    if (finding->column->kind != EQP_TEXT || finding->order == EQP_NO_DATE) {
        eqp_fail(error, EQP_USAGE, "column \"%s\" holds no dates", name);
        eqp_hint(error, "dates are written 2024-03-31, 31.03.2024 or 3/31/2024");
        return EQP_USAGE;
    }
    if (!finding->open_order) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "column \"%s\": day and month cannot be told apart", name);
    eqp_hint(error, "write --as \"%s=day-first\" or --as \"%s=month-first\"", name, name);
    return EQP_USAGE;
}

/* A kind that was given stands; the column is then used, unless it is called an identifier. */
static eqp_status take_kind(eqp_column_finding *finding, const char *kind, eqp_error *error)
{
    if (kind == NULL) return EQP_OK;
    if (strcmp(kind, "date") == 0 || strstr(kind, "-first") != NULL) return take_date(finding, kind, error);
    finding->asked = strcmp(kind, "identifier") != 0;
    finding->kind = finding->column->kind == EQP_NUMBER ? EQP_COLUMN_NUMBER : EQP_COLUMN_LEVELS;
    if (!finding->asked) finding->kind = EQP_COLUMN_IDENTIFIER;
    return EQP_OK;
}

static eqp_status judge(const triaging *t, eqp_column_finding *finding, eqp_error *error)
{
    const char *name = finding->column->name;
    finding->reason = role_of(t, finding->column);
    if (finding->reason != EQP_REASON_NONE) return EQP_OK;
    bool nothing = finding->kind == EQP_COLUMN_EMPTY || finding->kind == EQP_COLUMN_CONSTANT;
    finding->asked = t->features.text != NULL || eqp_name_list_holds(&t->kept, name);
    eqp_status status = nothing ? EQP_OK : take_kind(finding, kind_given(t, name), error);
    if (status != EQP_OK) return status;
    eqp_reason fault = fault_of(finding);
    bool stays = nothing || fault == EQP_REASON_MIXED || !finding->asked;
    finding->reason = stays ? fault : EQP_REASON_NONE;
    return EQP_OK;
}

static bool is_measured(const triaging *t, const eqp_column_finding *finding)
{
    bool used = finding->reason == EQP_REASON_NONE || finding->reason == EQP_REASON_DATE ||
                finding->reason == EQP_REASON_COMMAS || finding->reason == EQP_REASON_UNITS ||
                finding->reason == EQP_REASON_MIXED;
    return t->sample != NULL && used;
}

static eqp_status measure(const triaging *t, eqp_column_finding *finding, eqp_error *error)
{
    eqp_coder coder;
    eqp_stand_in_counts counts = {0};
    size_t fitting = t->sample->rows / ROWS_PER_CODE; /* so many can be told apart */
    uint32_t codes = fitting < FEWEST_CODES ? FEWEST_CODES
                     : fitting > MOST_CODES ? MOST_CODES
                                            : (uint32_t)fitting;
    eqp_status status = eqp_coder_new(finding, t->triage->table->rows, codes, &coder, error);
    if (status == EQP_OK) status = eqp_stand_in_count(t->sample, &coder, NULL, &counts, error);
    if (status == EQP_OK) {
        finding->disclosure = eqp_stand_in_disclosure(&counts, &finding->group);
        finding->determination = eqp_stand_in_determination(&counts);
        bool used = finding->reason == EQP_REASON_NONE;
        if (used && !finding->asked && finding->determination >= EQP_DETERMINES)
            finding->reason = EQP_REASON_DETERMINES;
        finding->strong =
            finding->reason == EQP_REASON_NONE && finding->disclosure > t->options->max_disclosure;
    }
    eqp_stand_in_free(&counts);
    eqp_coder_free(&coder);
    return status;
}

/* A month or a weekday becomes a feature only where it tells something about the groups: that of a birth
 * seldom does, that of an application may. */
static eqp_status measure_parts(const triaging *t, eqp_column_finding *finding, eqp_error *error)
{
    eqp_date_order date = eqp_finding_date(finding);
    eqp_status status = EQP_OK;
    for (eqp_date_part part = EQP_PART_MONTH; date != EQP_NO_DATE && part < EQP_DATE_PARTS; part++) {
        eqp_coder coder;
        eqp_stand_in_counts counts = {0};
        status = eqp_coder_of_part(finding->column, date, part, &coder, error);
        if (status == EQP_OK) status = eqp_stand_in_count(t->sample, &coder, NULL, &counts, error);
        if (status == EQP_OK) finding->helps[part] = eqp_stand_in_repeats(&counts);
        eqp_stand_in_free(&counts);
        eqp_coder_free(&coder);
        if (status != EQP_OK) break;
    }
    return status;
}

static eqp_status look_at_column(void *context, size_t index, eqp_error *error)
{
    triaging *t = context;
    eqp_column_finding *finding = &t->triage->columns[index];
    eqp_status status =
        eqp_column_describe(&t->triage->table->columns[index], t->triage->table->rows, finding, error);
    if (status == EQP_OK) status = judge(t, finding, error);
    if (status == EQP_OK && is_measured(t, finding)) {
        status = measure(t, finding, error);
        if (status == EQP_OK) status = measure_parts(t, finding, error);
    }
    return status == EQP_OK ? eqp_progress_add(&t->progress, 0, error) : status;
}

/* ---- all of them ------------------------------------------------------------------------------------------
 */

static eqp_status count_groups(triaging *t, eqp_error *error)
{
    if (t->sample == NULL) return EQP_OK;
    const eqp_groups *groups = t->triage->groups = t->sample->groups;
    size_t *rows = t->triage->group_rows = eqp_alloc_zero(groups->group_count, sizeof *rows);
    if (rows == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < t->sample->rows; i++) {
        eqp_members of = eqp_members_of(groups, t->sample->cell[i]);
        for (size_t m = 0; m < of.count; m++) rows[of.group[m]]++;
    }
    return EQP_OK;
}

eqp_status eqp_triage_new(const eqp_table *table, const eqp_sample *sample, const eqp_learn_options *options,
                          const eqp_watch *watch, eqp_triage **triage, eqp_error *error)
{
    *triage = NULL;
    triaging t = {.triage = eqp_alloc_zero(1, sizeof *t.triage), .sample = sample, .options = options};
    if (t.triage == NULL) return eqp_fail_memory(error);
    eqp_progress_open(&t.progress, watch, "inspecting", 0, 1);
    t.triage->table = table;
    t.triage->columns = eqp_alloc_zero(table->column_count, sizeof *t.triage->columns);
    t.triage->column_count = t.triage->columns != NULL ? table->column_count : 0;
    eqp_status status = t.triage->columns != NULL ? read_options(&t, error) : eqp_fail_memory(error);
    if (status == EQP_OK) status = count_groups(&t, error);
    if (status == EQP_OK)
        status = eqp_parallel(table->column_count, options->threads, look_at_column, &t, error);
    if (status == EQP_OK && sample != NULL) status = eqp_triage_pairs(t.triage, sample, error);
    eqp_progress_close(&t.progress);
    eqp_name_list_free(&t.features);
    eqp_name_list_free(&t.ignored);
    eqp_name_list_free(&t.kept);
    eqp_name_list_free(&t.kinds);
    if (status == EQP_OK)
        *triage = t.triage;
    else
        eqp_triage_free(t.triage);
    return status;
}

void eqp_triage_free(eqp_triage *triage)
{
    if (triage == NULL) return;
    free(triage->columns);
    free(triage->group_rows);
    free(triage);
}
