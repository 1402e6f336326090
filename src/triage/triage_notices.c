/* Triage in words: one line for each thing that a person should know, the gravest first.  Reports show these
 * lines, so they have no counts of people and no figures about few of them; `inspect` lists those apart. */
#include "triage/triage.h"

#include "base/buffer.h"

#include <stdlib.h>

enum { NAMES_SHOWN = 6, FEW_LABELLED = 30 };

typedef struct naming { /* the columns with one reason, as a list of names */
    const eqp_triage *triage;
    eqp_buffer text;
    size_t count;
} naming;

static void name_column(naming *list, const eqp_column_finding *finding)
{
    const char *name = finding->column->name, *between = list->count > 0 ? ", " : "";
    if (list->count++ >= NAMES_SHOWN) return;
    eqp_buffer_printf(&list->text, "%s%s", between, name);
    if (finding->reason == EQP_REASON_PERSONAL || finding->reason == EQP_REASON_EMPTY ||
        finding->reason == EQP_REASON_CONSTANT)
        eqp_buffer_printf(&list->text, " (%s)", eqp_column_kind_name(finding->kind));
    if (finding->reason == EQP_REASON_PAIR)
        eqp_buffer_printf(&list->text, " with %s", list->triage->columns[finding->partner].column->name);
    if (finding->reason == EQP_REASON_MIXED)
        eqp_buffer_printf(&list->text, " (%zu cells are not numbers, the first in line %llu)",
                          finding->column->odd_cells, (unsigned long long)finding->column->first_text_line);
}

static void end_list(naming *list)
{
    if (list->count > NAMES_SHOWN) eqp_buffer_printf(&list->text, " and %zu more", list->count - NAMES_SHOWN);
}

static naming names_with(const eqp_triage *triage, eqp_reason reason, eqp_reason or_reason)
{
    naming list = {.triage = triage};
    for (size_t c = 0; c < triage->column_count; c++) {
        const eqp_column_finding *finding = &triage->columns[c];
        bool second = finding->reason == EQP_REASON_PAIR && finding->partner < c &&
                      triage->columns[finding->partner].partner == c; /* of a pair that was named */
        if ((finding->reason == reason || finding->reason == or_reason) && !second)
            name_column(&list, finding);
    }
    end_list(&list);
    return list;
}

/* The columns in use that disclose more than the budget, the strongest first. */
static int by_falling_disclosure(const void *left, const void *right)
{
    const eqp_column_finding *a = *(const eqp_column_finding *const *)left,
                             *b = *(const eqp_column_finding *const *)right;
    if (a->disclosure != b->disclosure) return a->disclosure < b->disclosure ? 1 : -1;
    return (a > b) - (a < b);
}

static naming strong_names(const eqp_triage *triage)
{
    naming list = {.triage = triage};
    const eqp_column_finding **strong = calloc(triage->column_count + 1, sizeof *strong);
    size_t count = 0;
    if (strong == NULL) list.text.failed = true;
    for (size_t c = 0; strong != NULL && c < triage->column_count; c++)
        if (triage->columns[c].strong) strong[count++] = &triage->columns[c];
    if (count > 0) qsort(strong, count, sizeof *strong, by_falling_disclosure);
    for (size_t i = 0; i < count; i++) name_column(&list, strong[i]);
    free(strong);
    end_list(&list);
    return list;
}

static naming small_groups(const eqp_triage *triage)
{
    naming list = {.triage = triage};
    for (size_t k = 0; triage->groups != NULL && k < triage->groups->group_count; k++) {
        const eqp_group *group = &triage->groups->groups[k];
        if (triage->group_rows[k] >= FEW_LABELLED) continue;
        if (list.count++ >= NAMES_SHOWN) continue;
        eqp_buffer_printf(&list.text, "%s%s of %s (target %.0f %%)", list.count > 1 ? ", " : "", group->value,
                          triage->groups->attributes[group->attribute], 100 * group->target);
    }
    end_list(&list);
    return list;
}

static naming repeated_names(const eqp_triage *triage)
{
    naming list = {.triage = triage};
    for (size_t c = 0; c < triage->column_count; c++)
        if (triage->columns[c].column->renamed && list.count++ < NAMES_SHOWN)
            eqp_buffer_printf(&list.text, "%s%s", list.count > 1 ? ", " : "",
                              triage->columns[c].column->name);
    end_list(&list);
    return list;
}

/* Sensitive columns whose cells hold several groups, unless they are read so. */
static naming several_groups(const eqp_triage *triage)
{
    naming list = {.triage = triage};
    for (size_t c = 0; c < triage->column_count; c++) {
        const eqp_column_finding *finding = &triage->columns[c];
        char separator = eqp_triage_separator(triage, finding);
        if (separator == 0) continue;
        name_column(&list, finding);
        if (list.count <= NAMES_SHOWN) eqp_buffer_printf(&list.text, " (\"%c\")", separator);
    }
    end_list(&list);
    return list;
}

#define LINES 13

/* Every kind of line in the order of gravity; those about nothing have no names. */
static void list_all(const eqp_triage *triage, naming lists[LINES])
{
    lists[0] = several_groups(triage);
    lists[1] = names_with(triage, EQP_REASON_DETERMINES, EQP_REASON_DETERMINES);
    lists[2] = names_with(triage, EQP_REASON_PAIR, EQP_REASON_PAIR);
    lists[3] = names_with(triage, EQP_REASON_PERSONAL, EQP_REASON_PERSONAL);
    lists[4] = names_with(triage, EQP_REASON_MIXED, EQP_REASON_MIXED);
    lists[5] = names_with(triage, EQP_REASON_COMMAS, EQP_REASON_COMMAS);
    lists[6] = small_groups(triage);
    lists[7] = strong_names(triage);
    lists[8] = names_with(triage, EQP_REASON_DATE, EQP_REASON_DATE);
    lists[9] = names_with(triage, EQP_REASON_SCARCE, EQP_REASON_SCARCE);
    lists[10] = repeated_names(triage);
    lists[11] = names_with(triage, EQP_REASON_UNITS, EQP_REASON_UNITS);
    lists[12] = names_with(triage, EQP_REASON_EMPTY, EQP_REASON_CONSTANT);
}

static eqp_status say(eqp_notes *notices, size_t line, const char *names, eqp_error *error)
{
    switch (line) {
    case 0:
        return eqp_note(notices, error, "several groups in one cell: %s; --multiple SEP reads them as such",
                        names);
    case 1:
        return eqp_note(notices, error, "left out, tells who is in a group: %s; --keep COLUMN uses it anyway",
                        names);
    case 2:
        return eqp_note(notices, error, "left out, tells who is in a group with another column: %s", names);
    case 3:
        return eqp_note(notices, error, "left out, identifies people: %s", names);
    case 4:
        return eqp_note(notices, error,
                        "left out, numbers and text are mixed: %s; --missing LIST treats such cells as "
                        "missing, --as COLUMN=levels treats the column as levels",
                        names);
    case 5:
        return eqp_note(notices, error,
                        "left out, numbers with commas were read as text: %s; --decimal , reads decimal "
                        "commas; remove thousands separators",
                        names);
    case 6:
        return eqp_note(notices, error, "fewer than 30 labelled people: %s; figures about them are a guess",
                        names);
    case 7:
        return eqp_note(notices, error, "used, discloses more than the budget by itself: %s", names);
    case 8:
        return eqp_note(notices, error,
                        "left out, day and month cannot be told apart: %s; --as COLUMN=day-first or "
                        "COLUMN=month-first says which comes first",
                        names);
    case 9:
        return eqp_note(
            notices, error,
            "left out, most values are held by fewer than 11 people: %s; --keep COLUMN pools them", names);
    case 10:
        return eqp_note(notices, error, "columns with the same name were renamed: %s", names);
    case 11:
        return eqp_note(notices, error, "left out, numbers with units were read as text: %s; remove the unit",
                        names);
    default:
        return eqp_note(notices, error, "left out, holds no information: %s", names);
    }
}

eqp_status eqp_triage_notices(const eqp_triage *triage, size_t most, eqp_notes *notices, eqp_error *error)
{
    naming lists[LINES];
    eqp_status status = EQP_OK;
    size_t lines = 0, said = 0;
    list_all(triage, lists);
    for (size_t i = 0; i < LINES; i++) lines += lists[i].count > 0;
    for (size_t i = 0; i < LINES; i++) {
        if (lists[i].text.failed) status = eqp_fail_memory(error);
        bool last = most > 0 && lines > most && said == most - 1;
        if (status == EQP_OK && lists[i].count > 0 && !last) {
            status = say(notices, i, lists[i].text.bytes, error);
            said++;
        }
        eqp_buffer_free(&lists[i].text);
    }
    if (status == EQP_OK && said < lines)
        status =
            eqp_note(notices, error, "%zu more remarks on the columns: see equipoise inspect", lines - said);
    return status;
}
