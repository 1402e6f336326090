/* Attributes whose groups overlap: labels that are sets of groups.
 *
 *     "Black|Hispanic" in one column, or ticks in several  ->  sets, each once  ->  codes of sets
 *
 * From here on a set is a label like any other; only what a cell belongs to differs (M1). */
#include "base/buffer.h"
#include "base/name_list.h"
#include "base/number.h"
#include "base/truth.h"
#include "encode/groups.h"

#include <string.h>

#define BETWEEN '\x1F' /* the groups in the text of a set: sorts before every letter */

/* ---- sets ---------------------------------------------------------------------------------------------- */

typedef struct set_maker {
    eqp_dictionary *parts, *sets;
    uint32_t part[EQP_GROUPS_MAX]; /* of the set at hand */
    size_t count;
    eqp_buffer text;
} set_maker;

static eqp_status maker_begin(set_maker *maker, eqp_error *error)
{
    *maker = (set_maker){.parts = eqp_dictionary_new(), .sets = eqp_dictionary_new()};
    return maker->parts != NULL && maker->sets != NULL ? EQP_OK : eqp_fail_memory(error);
}

static void maker_free(set_maker *maker)
{
    eqp_dictionary_free(maker->parts);
    eqp_dictionary_free(maker->sets);
    eqp_buffer_free(&maker->text);
}

static eqp_status add_part(set_maker *maker, const char *text, size_t length, eqp_error *error)
{
    if (memchr(text, BETWEEN, length) != NULL)
        return eqp_fail(error, EQP_DATA, "the name of a group holds a control character");
    uint32_t part = eqp_dictionary_add(maker->parts, text, length);
    if (part == EQP_NO_CODE) return eqp_fail_memory(error);
    size_t at = maker->count;
    const char *own = eqp_dictionary_text(maker->parts, part);
    for (size_t i = 0; i < maker->count; i++)
        if (maker->part[i] == part) return EQP_OK;
    if (maker->count == EQP_GROUPS_MAX)
        return eqp_fail(error, EQP_DATA, "one cell names more than %d groups", EQP_GROUPS_MAX);
    for (; at > 0 && strcmp(eqp_dictionary_text(maker->parts, maker->part[at - 1]), own) > 0; at--)
        maker->part[at] = maker->part[at - 1];
    maker->part[at] = part;
    maker->count++;
    return EQP_OK;
}

/* The code of the set at hand; the next one begins empty. */
static eqp_status end_set(set_maker *maker, uint32_t *code, eqp_error *error)
{
    maker->text.length = 0;
    for (size_t i = 0; i < maker->count; i++) {
        if (i > 0) eqp_buffer_add(&maker->text, (const char[]){BETWEEN}, 1);
        eqp_buffer_text(&maker->text, eqp_dictionary_text(maker->parts, maker->part[i]));
    }
    maker->count = 0;
    if (maker->text.failed) return eqp_fail_memory(error);
    *code =
        eqp_dictionary_add(maker->sets, maker->text.length > 0 ? maker->text.bytes : "", maker->text.length);
    return *code != EQP_NO_CODE ? EQP_OK : eqp_fail_memory(error);
}

/* The sets that were made, as lists of their parts.  They become those of attribute c. */
static eqp_status take_sets(eqp_labels *labels, size_t c, set_maker *maker, eqp_error *error)
{
    uint32_t size = eqp_dictionary_size(maker->sets), next = 0;
    size_t total = 0;
    for (uint32_t code = 0; code < size; code++) total += eqp_dictionary_length(maker->sets, code) + 1;
    eqp_label_sets *sets = eqp_take_zero(&labels->arena, 1, sizeof *sets);
    uint32_t *first = eqp_take(&labels->arena, size + 1, sizeof *first);
    uint32_t *part = eqp_take(&labels->arena, total, sizeof *part);
    if (labels->arena.failed) return eqp_fail_memory(error);
    for (uint32_t code = 0; code < size; code++) {
        const char *text = eqp_dictionary_text(maker->sets, code);
        const char *end = text + eqp_dictionary_length(maker->sets, code);
        first[code] = next;
        for (const char *stop; text < end; text = stop + 1) {
            stop = memchr(text, BETWEEN, (size_t)(end - text));
            if (stop == NULL) stop = end;
            part[next++] = eqp_dictionary_find(maker->parts, text, (size_t)(stop - text));
        }
    }
    first[size] = next;
    if (labels->sets[c] != NULL) eqp_dictionary_free(labels->sets[c]->parts);
    eqp_dictionary_free(labels->own_texts[c]);
    *sets = (eqp_label_sets){maker->parts, first, part};
    labels->sets[c] = sets;
    labels->texts[c] = labels->own_texts[c] = maker->sets;
    maker->parts = maker->sets = NULL;
    return EQP_OK;
}

/* Codes of rows by the new code of each old one. */
static eqp_status recode(eqp_labels *labels, size_t c, const uint32_t *old, const uint32_t *to,
                         eqp_error *error)
{
    uint32_t *codes = eqp_take(&labels->arena, labels->rows, sizeof *codes);
    if (codes == NULL) return eqp_fail_memory(error);
    for (size_t row = 0; row < labels->rows; row++)
        codes[row] = old[row] == EQP_NO_CODE ? EQP_NO_CODE : to[old[row]];
    labels->codes[c] = codes;
    return EQP_OK;
}

/* ---- several groups in one cell ------------------------------------------------------------------------ */

/* Blanks around a group and empty places between separators mean nothing. */
static eqp_status split_text(set_maker *maker, const char *text, size_t length, const char *separator,
                             eqp_error *error)
{
    const char *end = text + length;
    size_t width = strlen(separator);
    eqp_status status = EQP_OK;
    while (text < end && status == EQP_OK) {
        const char *stop = memmem(text, (size_t)(end - text), separator, width);
        const char *next = stop != NULL ? stop + width : end;
        if (stop == NULL) stop = end;
        while (text < stop && *text == ' ') text++;
        while (stop > text && stop[-1] == ' ') stop--;
        if (stop > text) status = add_part(maker, text, (size_t)(stop - text), error);
        text = next;
    }
    return status;
}

static eqp_status split_column(eqp_labels *labels, size_t c, set_maker *maker, eqp_error *error)
{
    const eqp_dictionary *texts = labels->texts[c];
    uint32_t size = eqp_dictionary_size(texts);
    uint32_t *to = eqp_take(&labels->arena, size, sizeof *to);
    eqp_status status = to != NULL ? EQP_OK : eqp_fail_memory(error);
    for (uint32_t code = 0; code < size && status == EQP_OK; code++) {
        to[code] = EQP_NO_CODE; /* separators alone name nobody */
        status = split_text(maker, eqp_dictionary_text(texts, code), eqp_dictionary_length(texts, code),
                            labels->separator, error);
        if (status == EQP_OK && maker->count > 0) status = end_set(maker, &to[code], error);
    }
    return status == EQP_OK ? recode(labels, c, labels->codes[c], to, error) : status;
}

/* ---- a column of ticks for each group ------------------------------------------------------------------ */

static int tick_of(const char *text, size_t length)
{
    double number;
    int truth = eqp_truth(text, length);
    if (truth >= 0 || !eqp_number_parse(text, length, '.', &number)) return truth;
    return number == 1 ? 1 : number == 0 ? 0 : -1; /* "1.0" */
}

/* A box that is not ticked must not look like one that nobody asked about. */
static eqp_status check_ticks(const eqp_labels *labels, size_t column, const signed char *ticks,
                              eqp_error *error)
{
    bool missing = false, no = false;
    for (size_t row = 0; row < labels->rows; row++) {
        uint32_t code = labels->codes[column][row];
        missing = missing || code == EQP_NO_CODE;
        no = no || (code != EQP_NO_CODE && ticks[code] == 0);
    }
    if (!missing || no) return EQP_OK;
    eqp_fail_at(error, EQP_DATA, labels->table->source, 0, 0,
                "column \"%s\" has no 0 or \"no\", only empty cells", labels->columns[column]);
    eqp_hint(error, "an empty cell does not mean no; write 0 where a box is not ticked");
    return EQP_DATA;
}

static eqp_status read_ticks(eqp_labels *labels, size_t column, const signed char **ticks, eqp_error *error)
{
    const eqp_dictionary *texts = labels->texts[column];
    uint32_t size = eqp_dictionary_size(texts);
    signed char *made = eqp_take(&labels->arena, size, 1);
    if (made == NULL) return eqp_fail_memory(error);
    for (uint32_t code = 0; code < size; code++) {
        const char *text = eqp_dictionary_text(texts, code);
        made[code] = (signed char)tick_of(text, strlen(text));
        if (made[code] >= 0) continue;
        eqp_fail_at(error, EQP_DATA, labels->table->source, 0, 0, "\"%.60s\" in \"%s\" is neither yes nor no",
                    text, labels->columns[column]);
        eqp_hint(error, "columns that are joined as one attribute hold 0 and 1, or yes and no");
        return EQP_DATA;
    }
    *ticks = made;
    return check_ticks(labels, column, made, error);
}

/* A row with any of its ticks missing is not labelled. */
static eqp_status join_row(const eqp_labels *labels, size_t first, size_t width,
                           const signed char *const *ticks, size_t row, set_maker *maker, uint32_t *code,
                           eqp_error *error)
{
    eqp_status status = EQP_OK;
    *code = EQP_NO_CODE;
    for (size_t i = 0; i < width; i++)
        if (labels->codes[first + i][row] == EQP_NO_CODE) return EQP_OK;
    for (size_t i = 0; i < width && status == EQP_OK; i++)
        if (ticks[i][labels->codes[first + i][row]] == 1) {
            const char *name = labels->ticks[first + i];
            status = add_part(maker, name, strlen(name), error);
        }
    return status == EQP_OK ? end_set(maker, code, error) : status;
}

static eqp_status join_columns(eqp_labels *labels, size_t first, size_t width, set_maker *maker,
                               const uint32_t **codes, eqp_error *error)
{
    const signed char **ticks = eqp_take_zero(&labels->arena, width, sizeof *ticks);
    uint32_t *made = eqp_take(&labels->arena, labels->rows, sizeof *made);
    eqp_status status = labels->arena.failed ? eqp_fail_memory(error) : EQP_OK;
    for (size_t i = 0; i < width && status == EQP_OK; i++)
        status = read_ticks(labels, first + i, &ticks[i], error);
    for (size_t row = 0; row < labels->rows && status == EQP_OK; row++)
        status = join_row(labels, first, width, ticks, row, maker, &made[row], error);
    *codes = made;
    return status;
}

/* ---- all attributes ------------------------------------------------------------------------------------ */

/* Attribute a moves from column `first` to place a, which no later attribute needs any more. */
static eqp_status join_attribute(eqp_labels *labels, size_t a, size_t first, eqp_error *error)
{
    set_maker maker;
    size_t width = labels->widths != NULL ? labels->widths[a] : 1;
    const uint32_t *codes = labels->codes[first];
    eqp_status status = maker_begin(&maker, error);
    if (status == EQP_OK && width > 1) status = join_columns(labels, first, width, &maker, &codes, error);
    for (size_t i = 0; i < width; i++) {
        eqp_dictionary *own = labels->own_texts[first + i];
        labels->own_texts[first + i] = NULL;
        if (width == 1)
            labels->own_texts[a] = own;
        else
            eqp_dictionary_free(own);
    }
    labels->texts[a] = labels->texts[first];
    labels->codes[a] = codes;
    if (status == EQP_OK && width == 1 && labels->separator != NULL)
        status = split_column(labels, a, &maker, error);
    if (status == EQP_OK && (width > 1 || labels->separator != NULL))
        status = take_sets(labels, a, &maker, error);
    maker_free(&maker);
    return status;
}

eqp_status eqp_labels_join(eqp_labels *labels, eqp_error *error)
{
    size_t attributes = 0, first = 0;
    eqp_status status = EQP_OK;
    while (first < labels->read_count) first += labels->widths != NULL ? labels->widths[attributes++] : 1;
    if (labels->widths == NULL) attributes = labels->read_count;
    first = 0;
    for (size_t a = 0; a < attributes && status == EQP_OK; a++) {
        status = join_attribute(labels, a, first, error);
        first += labels->widths != NULL ? labels->widths[a] : 1;
    }
    if (status == EQP_OK) labels->column_count = attributes;
    return status;
}

eqp_status eqp_labels_rename(eqp_labels *labels, size_t c, const char *const *to, eqp_error *error)
{
    const eqp_label_sets *sets = labels->sets[c];
    uint32_t size = eqp_dictionary_size(labels->texts[c]);
    uint32_t *code_to = eqp_take(&labels->arena, size, sizeof *code_to);
    set_maker maker;
    eqp_status status = maker_begin(&maker, error);
    if (status == EQP_OK && code_to == NULL) status = eqp_fail_memory(error);
    for (uint32_t code = 0; code < size && status == EQP_OK; code++) {
        bool known = true;
        for (uint32_t i = sets->first[code]; i < sets->first[code + 1] && status == EQP_OK && known; i++) {
            const char *text = to[sets->part[i]];
            known = text != NULL;
            if (known) status = add_part(&maker, text, strlen(text), error);
        }
        code_to[code] = EQP_NO_CODE;
        if (status == EQP_OK && known) status = end_set(&maker, &code_to[code], error);
        maker.count = 0;
    }
    if (status == EQP_OK) status = recode(labels, c, labels->codes[c], code_to, error);
    if (status == EQP_OK) status = take_sets(labels, c, &maker, error);
    maker_free(&maker);
    return status;
}

/* ---- attributes as they are given ---------------------------------------------------------------------- */

bool eqp_is_given(const char *sensitive, const char *column)
{
    const char *equals = strchr(sensitive, '=');
    size_t length = strlen(column);
    if (strcmp(sensitive, column) == 0) return true;
    for (const char *at = equals; at != NULL; at = strchr(at + 1, ',')) {
        const char *name = at + 1 + strspn(at + 1, " ");
        size_t end = strcspn(name, ",");
        while (end > 0 && name[end - 1] == ' ') end--;
        if (end == length && memcmp(name, column, length) == 0) return true;
    }
    return false;
}

/* What is read. */
typedef struct given_columns {
    const char *const *columns, *const *names; /* of columns, of attributes */
    const uint32_t *widths;                    /* NULL: one column each */
    size_t count;
} given_columns;

/* What is read, taken from texts. */
typedef struct given_list {
    eqp_arena arena; /* of all below */
    const char **columns, **names;
    uint32_t *widths;
    size_t count, attributes;
    bool joined;
} given_list;

static const char *keep_text(given_list *given, const char *text, size_t length)
{
    char *copy = eqp_take_zero(&given->arena, length + 1, 1);
    if (copy != NULL) memcpy(copy, text, length);
    return copy;
}

static eqp_status take_given(given_list *given, const eqp_table *table, const char *sensitive,
                             eqp_error *error)
{
    const char *equals = eqp_table_find(table, sensitive) == NULL ? strchr(sensitive, '=') : NULL;
    size_t length = equals != NULL ? (size_t)(equals - sensitive) : strlen(sensitive);
    eqp_name_list list = {0};
    eqp_status status = eqp_name_list_split(equals != NULL ? equals + 1 : NULL, &list, error);
    if (status == EQP_OK && equals != NULL && (list.count < 2 || length == 0)) {
        status = eqp_fail(error, EQP_USAGE, "\"%s\" names fewer than two columns", sensitive);
        eqp_hint(error, "write ATTRIBUTE=COLUMN,COLUMN with a column of ticks for each group");
    }
    if (status == EQP_OK) {
        given->names[given->attributes] = keep_text(given, sensitive, length);
        given->widths[given->attributes++] = equals != NULL ? (uint32_t)list.count : 1;
        given->joined = given->joined || equals != NULL;
        if (equals == NULL) given->columns[given->count++] = keep_text(given, sensitive, length);
        for (size_t i = 0; i < list.count; i++)
            given->columns[given->count++] = keep_text(given, list.names[i], strlen(list.names[i]));
        if (given->arena.failed) status = eqp_fail_memory(error);
    }
    eqp_name_list_free(&list);
    return status;
}

/* The columns read, the attributes named, and sets made where groups overlap. */
static eqp_status read_joined(const eqp_table *table, const given_columns *given, const char *separator,
                              const char *const *ticks, eqp_labels **labels, eqp_error *error)
{
    eqp_status status = eqp_labels_read(table, given->columns, given->count, labels, error);
    if (status != EQP_OK || (given->widths == NULL && separator == NULL)) return status;
    eqp_labels *made = *labels;
    made->separator = separator;
    made->widths = given->widths;
    made->names = given->names;
    made->ticks = ticks;
    status = eqp_labels_join(made, error);
    if (status == EQP_OK) return EQP_OK;
    eqp_labels_free(made);
    *labels = NULL;
    return status;
}

static eqp_status take_all_given(given_list *list, const eqp_table *table, const char *const *sensitive,
                                 size_t count, eqp_error *error)
{
    size_t most = count;
    for (size_t i = 0; i < count; i++)
        for (const char *c = sensitive[i]; *c != '\0'; c++) most += *c == ',';
    list->columns = eqp_take_zero(&list->arena, most, sizeof *list->columns);
    list->names = eqp_take_zero(&list->arena, count, sizeof *list->names);
    list->widths = eqp_take_zero(&list->arena, count, sizeof *list->widths);
    eqp_status status = list->arena.failed ? eqp_fail_memory(error) : EQP_OK;
    for (size_t i = 0; i < count && status == EQP_OK; i++)
        status = take_given(list, table, sensitive[i], error);
    return status;
}

eqp_status eqp_labels_given(const eqp_table *table, const char *const *sensitive, size_t count,
                            const char *separator, eqp_labels **labels, eqp_error *error)
{
    given_list list = {0};
    *labels = NULL;
    eqp_status status = take_all_given(&list, table, sensitive, count, error);
    given_columns given = {list.columns, list.names, list.joined ? list.widths : NULL, list.count};
    if (status == EQP_OK) status = read_joined(table, &given, separator, list.columns, labels, error);
    if (status == EQP_OK)
        (*labels)->given = list.arena; /* the names are in it */
    else
        eqp_arena_free(&list.arena);
    return status;
}

eqp_status eqp_labels_known(const eqp_table *table, const eqp_groups *groups, const char *const *columns,
                            eqp_labels **labels, eqp_error *error)
{
    given_columns given = {columns, (const char *const *)groups->attributes, groups->widths,
                           groups->column_count};
    *labels = NULL;
    return read_joined(table, &given, groups->separator, (const char *const *)groups->columns, labels, error);
}
