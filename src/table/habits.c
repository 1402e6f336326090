/* Which habits a file has.  Every reading with one or more oddities is tried on the beginning of the file;
 * those that make a table of it are compared.  The one with the fewest oddities counts, if it is the only
 * one: where two readings give two tables, neither is taken and the file is refused as it always was. */
#include "table/habits.h"

#include "base/memory.h"
#include "base/number.h"
#include "table/beginning.h"
#include "table/rewrite.h"

#include <stdio.h>
#include <string.h>

enum { RECORDS = 512, LEAST_ROWS = 2, LEAST_COLUMNS = 2, BROAD = 3 };

/* One reading of the beginning. */
typedef struct trial {
    eqp_habits habits;
    eqp_rewrite_counts counts;
    eqp_buffer text;
    eqp_rewritten records[RECORDS];
    size_t count;  /* of the records */
    size_t header; /* which of them */
    size_t columns;
    int oddities;
} trial;

/* Single quotes that a file shows, by one that is doubled inside or by quoting every cell: such a reading
 * comes before the same one without them. */
static bool shows_quotes(const trial *made)
{
    return made->habits.quote == '\'' &&
           (made->counts.doubled > 0 || made->counts.quoted >= (made->count - made->header) * made->columns);
}

/* In halves, so that quotes which are shown weigh less than nothing. */
static int weigh_oddities(const trial *made)
{
    const eqp_habits *habits = &made->habits;
    bool odd_delimiter = habits->delimiter[1] != '\0' || habits->delimiter[0] == ' ';
    int quotes = habits->quote == '"' ? 0 : shows_quotes(made) ? -1 : 2;
    return 2 * (odd_delimiter + (habits->escape != '\0') + habits->padded + habits->preceded) + quotes;
}

/* ---- what a table looks like --------------------------------------------------------------------------- */

/* The cells of a record of the text; false when memory is short. */
static bool find_cells(const trial *made, size_t record, eqp_index *index, eqp_chunk *chunk)
{
    const eqp_rewritten *found = &made->records[record];
    eqp_layout layout = {.delimiter = eqp_plain_delimiter(&made->habits), .columns = made->columns};
    *chunk = (eqp_chunk){.bytes = made->text.bytes + found->start, .length = found->end - found->start};
    return eqp_index_build_carefully(index, &layout, chunk, NULL) == EQP_OK;
}

static bool is_number(eqp_cell cell)
{
    double value;
    return eqp_number_parse(cell.bytes, cell.length, '.', &value) ||
           eqp_number_parse(cell.bytes, cell.length, ',', &value);
}

static bool has_blanks_around(eqp_cell cell)
{
    return cell.length > 0 &&
           (strchr(" \t", cell.bytes[0]) != NULL || strchr(" \t", cell.bytes[cell.length - 1]) != NULL);
}

static bool same_bytes(eqp_cell a, eqp_cell b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Names: texts without blanks around, all there (but perhaps the last, behind a delimiter at the end of each
 * line) and, as far as that is worth the time, different. */
static bool are_names(const eqp_chunk *chunk, const eqp_index *index)
{
    size_t columns = index->columns;
    for (size_t i = 0; i < columns; i++) {
        eqp_cell name = eqp_index_field(chunk, index, 0, i);
        if ((name.length == 0 && i + 1 < columns) || is_number(name) || has_blanks_around(name)) return false;
        for (size_t k = 0; k < i && columns < RECORDS; k++)
            if (same_bytes(eqp_index_field(chunk, index, 0, k), name)) return false;
    }
    return true;
}

/* Takes from `kinds` the columns that hold something else than numbers in this record, and notes cells with a
 * part of a delimiter of two characters. */
static bool look_at_row(const trial *made, const eqp_chunk *chunk, const eqp_index *index,
                        unsigned char *numbers)
{
    char half = made->habits.delimiter[1] != '\0' ? made->habits.delimiter[0] : '\0';
    for (size_t i = 0; i < index->columns; i++) {
        eqp_cell cell = eqp_index_field(chunk, index, 0, i);
        if (!is_number(cell)) numbers[i] = 0;
        if (half != '\0' && memchr(cell.bytes, half, cell.length) != NULL) return false;
    }
    return true;
}

/* The header is one, and where the reading is bold (another line than the first, blanks between cells) a
 * column of numbers under a name that is none says so. */
static eqp_status check_cells(const trial *made, bool *good, eqp_error *error)
{
    bool bold = made->habits.preceded || made->habits.delimiter[0] == ' ';
    unsigned char *numbers = eqp_alloc(made->columns, 1);
    eqp_index index = {0};
    eqp_chunk chunk;
    bool enough = numbers != NULL && find_cells(made, made->header, &index, &chunk);
    *good = enough && are_names(&chunk, &index);
    if (numbers != NULL) memset(numbers, 1, made->columns);
    for (size_t i = made->header + 1; i < made->count && enough && *good; i++) {
        enough = find_cells(made, i, &index, &chunk);
        *good = enough && look_at_row(made, &chunk, &index, numbers);
    }
    if (*good && bold) *good = memchr(numbers, 1, made->columns) != NULL;
    eqp_index_free(&index);
    free(numbers);
    return enough ? EQP_OK : eqp_fail_memory(error);
}

/* From which record on all have as many cells as the last; lines before them must be a title and what goes
 * with it: the first has one cell, or is a comment, and none is as broad as the table. */
static bool find_table(trial *made)
{
    const eqp_rewritten *records = made->records;
    if (made->count <= LEAST_ROWS) return false;
    made->columns = records[made->count - 1].cells;
    made->header = made->count - 1;
    while (made->header > 0 && records[made->header - 1].cells == made->columns) made->header--;
    if (made->columns < LEAST_COLUMNS || made->count - made->header <= LEAST_ROWS) return false;
    made->habits.preceded = made->header > 0;
    made->habits.first_line = records[made->header].line;
    if (!made->habits.preceded) return true;
    bool title = records[0].cells == 1 || made->text.bytes[records[0].start] == '#';
    for (size_t i = 0; i < made->header && title; i++) title = records[i].cells < made->columns;
    return title && made->columns >= BROAD;
}

/* A habit is seen in the file, or it is not assumed. */
static bool is_seen(const trial *made)
{
    const eqp_rewrite_counts *counts = &made->counts;
    if (made->habits.quote == '\'' && counts->quoted == 0) return false;
    if (made->habits.escape != '\0' && counts->doubled == 0) return false;
    return !made->habits.padded || counts->spaced == counts->delimiters;
}

/* ---- trying -------------------------------------------------------------------------------------------- */

static void forget(trial *made)
{
    made->text.length = 0;
    made->count = 0;
}

/* *fits: the beginning is a table under these habits. */
static eqp_status try_habits(const eqp_beginning *beginning, trial *made, bool *fits, eqp_error *error)
{
    *fits = false;
    forget(made);
    eqp_status status =
        eqp_rewrite_beginning(&made->habits, beginning->bytes, beginning->line, beginning->at_end,
                              &made->text, made->records, RECORDS, &made->count, &made->counts, NULL);
    if (status == EQP_MEMORY) return eqp_fail_memory(error);
    if (status != EQP_OK || !is_seen(made) || !find_table(made)) return EQP_OK;
    made->oddities = weigh_oddities(made);
    return check_cells(made, fits, error);
}

static bool same_table(const trial *a, const trial *b)
{
    eqp_cell one = {a->text.bytes + a->records[a->header].start,
                    a->text.length - a->records[a->header].start};
    eqp_cell two = {b->text.bytes + b->records[b->header].start,
                    b->text.length - b->records[b->header].start};
    return eqp_plain_delimiter(&a->habits) == eqp_plain_delimiter(&b->habits) && same_bytes(one, two);
}

/* Best so far, and whether another reading of as few oddities differs. */
typedef struct search {
    trial *best, *next;
    bool found, doubtful;
} search;

static void keep_better(search *found)
{
    trial *next = found->next;
    if (found->found && next->oddities > found->best->oddities) return;
    if (found->found && next->oddities == found->best->oddities) {
        found->doubtful |= !same_table(found->best, next);
        return;
    }
    found->next = found->best;
    found->best = next;
    found->found = true;
    found->doubtful = false;
}

static bool holds(eqp_cell bytes, const char *text)
{
    return memmem(bytes.bytes, bytes.length, text, strlen(text)) != NULL;
}

/* Without a trace of these habits in the bytes there is nothing to try. */
static bool is_possible(eqp_cell bytes, const eqp_habits *habits)
{
    char blank[4], tab[4];
    snprintf(blank, sizeof blank, "%s ", habits->delimiter);
    snprintf(tab, sizeof tab, "%s\t", habits->delimiter);
    if (!holds(bytes, habits->delimiter) || (habits->quote == '\'' && !holds(bytes, "'"))) return false;
    if (habits->escape != '\0' && !holds(bytes, "\\\"")) return false;
    return !habits->padded || holds(bytes, blank) || holds(bytes, tab);
}

static eqp_status try_next(const eqp_beginning *beginning, search *found, eqp_habits habits, eqp_error *error)
{
    bool fits;
    found->next->habits = habits;
    eqp_status status = try_habits(beginning, found->next, &fits, error);
    bool odd = found->next->oddities != 0 || habits.line_end == '\r';
    if (status == EQP_OK && fits && odd) keep_better(found);
    return status;
}

static eqp_status try_all(const eqp_beginning *beginning, const char *asked, char line_end, search *found,
                          eqp_error *error)
{
    static const char *const delimiters[] = {",", ";", "\t", "|", "^", "~", "||", "::", " "};
    static const char quoting[][2] = {{'"', '\0'}, {'\'', '\0'}, {'"', '\\'}};
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; i++) {
        const char *delimiter = asked != NULL ? asked : delimiters[i];
        for (size_t way = 0; way < 6 && status == EQP_OK; way++) {
            eqp_habits habits = {.quote = quoting[way / 2][0],
                                 .escape = quoting[way / 2][1],
                                 .line_end = line_end,
                                 .padded = way % 2 == 1 && strchr(" \t", *delimiter) == NULL};
            memcpy(habits.delimiter, delimiter, strlen(delimiter) + 1);
            if (is_possible(beginning->bytes, &habits)) status = try_next(beginning, found, habits, error);
        }
        if (asked != NULL) break;
    }
    return status;
}

/* Read as it stands the file is a table, and nothing in it speaks for single quotes. */
static eqp_status check_ordinary(const eqp_beginning *beginning, char delimiter, trial *made, bool *ordinary,
                                 eqp_error *error)
{
    made->habits = (eqp_habits){.delimiter = {delimiter}, .quote = '"', .line_end = '\n'};
    eqp_status status = try_habits(beginning, made, ordinary, error);
    *ordinary = *ordinary && !made->habits.preceded;
    if (status != EQP_OK || !*ordinary ||
        memchr(beginning->bytes.bytes, '\'', beginning->bytes.length) == NULL)
        return status;
    bool fits;
    made->habits = (eqp_habits){.delimiter = {delimiter}, .quote = '\'', .line_end = '\n'};
    status = try_habits(beginning, made, &fits, error);
    *ordinary = !(fits && !made->habits.preceded && shows_quotes(made));
    return status;
}

eqp_status eqp_habits_find(const eqp_beginning *beginning, char asked, eqp_habits *habits, eqp_error *error)
{
    bool ordinary;
    const char *bytes = beginning->bytes.bytes, given[2] = {asked, '\0'};
    size_t length = beginning->bytes.length;
    search found = {.best = eqp_alloc_zero(1, sizeof(trial)), .next = eqp_alloc_zero(1, sizeof(trial))};
    *habits = (eqp_habits){0};
    eqp_status status = found.best != NULL && found.next != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK)
        status = check_ordinary(beginning, asked != '\0' ? asked : eqp_delimiter_detect(beginning),
                                found.next, &ordinary, error);
    bool returns = length > 0 && memchr(bytes, '\n', length) == NULL && memchr(bytes, '\r', length) != NULL;
    if (status == EQP_OK && !ordinary)
        status = try_all(beginning, asked != '\0' ? given : NULL, returns ? '\r' : '\n', &found, error);
    if (status == EQP_OK && found.found && !found.doubtful) *habits = found.best->habits;
    if (found.best != NULL) eqp_buffer_free(&found.best->text);
    if (found.next != NULL) eqp_buffer_free(&found.next->text);
    free(found.best);
    free(found.next);
    return status;
}

/* ---- for people ---------------------------------------------------------------------------------------- */

void eqp_habits_explain(const eqp_habits *habits, char text[EQP_HABITS_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    if (eqp_is_ordinary(habits)) return;
#define SAY(condition, ...)                                                                                  \
    do {                                                                                                     \
        if ((condition) && used < EQP_HABITS_TEXT)                                                           \
            used += (size_t)snprintf(text + used, EQP_HABITS_TEXT - used, __VA_ARGS__);                      \
    } while (0)
    SAY(habits->preceded, "; the table begins at line %llu", (unsigned long long)habits->first_line);
    SAY(habits->delimiter[1] != '\0' || habits->delimiter[0] == ' ', "; \"%s\" stands between cells",
        habits->delimiter);
    SAY(habits->quote == '\'', "; cells are quoted by '");
    SAY(habits->escape != '\0', "; quotes in cells have a backslash");
    SAY(habits->padded, "; cells have blanks around them");
    SAY(habits->line_end == '\r', "; lines end in carriage returns");
#undef SAY
    memmove(text, text + 2, strlen(text + 2) + 1);
}
