/* An Arrow C stream as a table: what pandas, Polars, DuckDB and pyarrow hand over.
 *
 * All batches are kept until the columns are filled (no copies are made of them), then released.  Numbers
 * stay numbers unless they are asked for as text or are whole and too large for a double; booleans are the
 * levels "true" and "false"; dates and times are texts (arrow_spelling.c); text keeps to the same missing
 * marks as files do, and is read as numbers where those are asked for; NaN is a missing cell.
 *
 * What is common has a way of its own, a whole batch at a time: plain numbers of four and eight bytes, texts
 * with offsets, and texts behind a dictionary, each of which is looked at once.  Everything else goes cell by
 * cell. */
#include "base/memory.h"
#include "base/threads.h"
#include "table/arrow_batches.h"
#include "table/load.h"
#include "table/table.h"
#include "table/utf8.h"

#include "base/number.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define FEW_ROWS     10000             /* below, one thread is quicker than two */
#define NOT_MET      (EQP_NO_CODE - 1) /* an entry of a dictionary that no cell has named yet */
#define MANY_ENTRIES 4096              /* more of them than cells are not remembered */

typedef struct arrow_import {
    const eqp_read_options *options;
    eqp_arrow_batches batches;
    eqp_missing missing;
    double *marks; /* missing cells that are numbers: of those that were asked for */
    size_t mark_count;
    const eqp_watch *watch;
    pthread_mutex_t watching; /* the watch is called by one thread at a time */
    size_t filled;            /* columns */
    eqp_table *table;
} arrow_import;

static eqp_status fail_row(const arrow_import *import, size_t index, size_t row, const char *what,
                           eqp_error *error)
{
    return eqp_fail_at(error, EQP_DATA, import->table->source, row + 1, index + 1,
                       "row %zu %s (column \"%s\")", row + 1, what, import->table->columns[index].name);
}

/* ---- one column of one batch ------------------------------------------------------------------------- */

typedef struct column_part {
    eqp_arrow_part cells;
    size_t row; /* of the table, that the first becomes */
} column_part;

static bool next_part(const arrow_import *import, size_t column, size_t batch, column_part *part)
{
    const eqp_arrow_batches *batches = &import->batches;
    if (batch >= batches->count) return false;
    size_t row = batch > 0 ? part->row + part->cells.rows : 0;
    *part = (column_part){eqp_arrow_part_of(batches, batch, column, 0, (size_t)batches->items[batch].length),
                          row};
    return true;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static eqp_status check_numbers(const arrow_import *import, size_t index, eqp_error *error)
{
    eqp_column *column = &import->table->columns[index];
    size_t missing = 0, unusable = 0, rows = import->table->rows;
    for (size_t m = 0; m < import->mark_count; m++)
        for (size_t row = 0; row < rows; row++)
            if (column->numbers[row] == import->marks[m]) column->numbers[row] = NAN;
    for (size_t row = 0; row < rows; row++) {
        missing += eqp_counts_missing(column->numbers[row]);
        unusable += eqp_counts_not_finite(column->numbers[row]);
    }
    column->missing = missing;
    for (size_t row = 0; unusable > missing && row < rows; row++)
        if (isinf(column->numbers[row])) return fail_row(import, index, row, "is infinite", error);
    return EQP_OK;
}

/* Texts, and what is spelled out, as the numbers that they are in a file. */
static eqp_status parse_numbers(const arrow_import *import, size_t index, const column_part *part,
                                double *numbers, eqp_error *error)
{
    for (size_t i = 0; i < part->cells.rows; i++) {
        char text[EQP_ARROW_TEXT_BYTES];
        eqp_cell cell;
        eqp_arrow_value value = eqp_arrow_part_value(&part->cells, i);
        numbers[i] = NAN;
        if (value.found == EQP_FOUND_DAMAGE)
            return fail_row(import, index, part->row + i, "is damaged", error);
        if (!eqp_arrow_value_text(&value, text, &cell) ||
            eqp_is_missing(&import->missing, cell.bytes, cell.length) ||
            eqp_number_parse(cell.bytes, cell.length, import->table->decimal, &numbers[i]))
            continue;
        fail_row(import, index, part->row + i, "must hold a number, but has text", error);
        eqp_hint(error, "the model was learned with numbers in that column");
        return EQP_DATA;
    }
    return EQP_OK;
}

static eqp_status fill_numbers(const arrow_import *import, size_t index, eqp_error *error)
{
    eqp_column *column = &import->table->columns[index];
    bool numbers = eqp_arrow_is_number(&import->batches.types[index]);
    column_part part;
    eqp_status status = EQP_OK;
    column->numbers = eqp_alloc(import->table->rows, sizeof *column->numbers);
    if (column->numbers == NULL) return eqp_fail_memory(error);
    for (size_t batch = 0, damaged; status == EQP_OK && next_part(import, index, batch, &part); batch++)
        if (!numbers)
            status = parse_numbers(import, index, &part, column->numbers + part.row, error);
        else if (!eqp_arrow_part_numbers(&part.cells, column->numbers + part.row, &damaged))
            status = fail_row(import, index, part.row + damaged, "is damaged", error);
    return status == EQP_OK ? check_numbers(import, index, error) : status;
}

/* ---- text -------------------------------------------------------------------------------------------- */

/* Where the texts of one column go. */
typedef struct text_filling {
    const arrow_import *import;
    size_t index;
    eqp_column *column;
    bool is_id;        /* every cell gets a code of its own */
    eqp_level_map map; /* its own codes are the column's: one thread meets all cells in order */
    uint32_t known;    /* levels so far */
} text_filling;

/* A level that was met for the first time. */
static eqp_status check_level(text_filling *fill, size_t row, eqp_cell cell, eqp_error *error)
{
    fill->known++;
    if (!eqp_is_utf8(cell.bytes, cell.length))
        return fail_row(fill->import, fill->index, row, "is not valid UTF-8", error);
    if (memchr(cell.bytes, '\0', cell.length) != NULL)
        return fail_row(fill->import, fill->index, row, "holds a NUL byte", error);
    return EQP_OK;
}

static eqp_status code_id(text_filling *fill, eqp_cell cell, uint32_t *code, eqp_error *error)
{
    *code = EQP_NO_CODE;
    if (eqp_is_missing(&fill->import->missing, cell.bytes, cell.length)) return EQP_OK;
    *code = eqp_dictionary_append(fill->map.levels, cell.bytes, cell.length);
    return *code != EQP_NO_CODE ? EQP_OK : eqp_fail_memory(error);
}

/* One cell; `readable` bytes lie behind its beginning. */
static inline eqp_status code_cell(text_filling *fill, size_t row, eqp_cell cell, size_t readable,
                                   eqp_error *error)
{
    uint32_t *code = &fill->column->codes[row];
    bool valid;
    eqp_status status =
        fill->is_id ? code_id(fill, cell, code, error)
        : readable >= EQP_RECENT_BYTES
            ? eqp_level_map_code(&fill->map, &fill->import->missing, cell, &valid, code, error)
            : eqp_level_map_add(&fill->map, &fill->import->missing, cell, &valid, code, error);
    if (status != EQP_OK) return status;
    fill->column->missing += *code == EQP_NO_CODE;
    return *code == fill->known ? check_level(fill, row, cell, error) : EQP_OK;
}

/* Behind a text that stands in the views themselves, whole words can be read until `end`. */
static eqp_status code_value(text_filling *fill, size_t row, const eqp_arrow_value *value, const char *end,
                             eqp_error *error)
{
    char text[EQP_ARROW_TEXT_BYTES];
    eqp_cell cell;
    if (value->found == EQP_FOUND_DAMAGE)
        return fail_row(fill->import, fill->index, row, "is damaged", error);
    if (!eqp_arrow_value_text(value, text, &cell)) cell = (eqp_cell){"", 0};
    bool in_view = end != NULL && cell.length > 0 && cell.length <= EQP_ARROW_INLINE_BYTES;
    return code_cell(fill, row, cell, in_view ? (size_t)(end - cell.bytes) : 0, error);
}

static eqp_status read_texts(text_filling *fill, const column_part *part, eqp_error *error)
{
    const eqp_arrow_type *type = part->cells.type;
    bool views = type->kind == EQP_ARROW_TEXT_VIEW && !type->dictionary;
    const char *end = views ? (const char *)eqp_arrow_part_values(&part->cells, EQP_ARROW_VIEW_BYTES) +
                                  part->cells.rows * EQP_ARROW_VIEW_BYTES
                            : NULL;
    eqp_status status = EQP_OK;
    for (size_t i = 0; status == EQP_OK && i < part->cells.rows; i++) {
        eqp_arrow_value value = eqp_arrow_part_value(&part->cells, i);
        status = code_value(fill, part->row + i, &value, end, error);
    }
    return status;
}

/* An entry is looked at once, when the first cell names it, so that levels are met in the same order as in
 * plain text. */
static eqp_status code_entries(text_filling *fill, const column_part *part, uint32_t *met, eqp_error *error)
{
    const struct ArrowArray *array = part->cells.array;
    uint64_t entries = (uint64_t)array->dictionary->length;
    for (size_t i = 0; i < part->cells.rows; i++) {
        uint32_t *code = &fill->column->codes[part->row + i];
        uint64_t entry = eqp_arrow_entry_at(part->cells.type, array, part->cells.first + (int64_t)i);
        if (entry < entries && met[entry] != NOT_MET) {
            *code = met[entry];
            fill->column->missing += *code == EQP_NO_CODE;
            continue;
        }
        eqp_arrow_value value = eqp_arrow_part_value(&part->cells, i);
        eqp_status status = code_value(fill, part->row + i, &value, NULL, error);
        if (status != EQP_OK) return status;
        if (entry < entries) met[entry] = *code;
    }
    return EQP_OK;
}

static eqp_status read_entries(text_filling *fill, const column_part *part, eqp_error *error)
{
    size_t entries = (size_t)part->cells.array->dictionary->length;
    uint32_t *met = eqp_alloc(entries, sizeof *met);
    if (met == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < entries; i++) met[i] = NOT_MET;
    eqp_status status = code_entries(fill, part, met, error);
    free(met);
    return status;
}

static int64_t offset_at(const void *offsets, bool is_long, size_t i)
{
    return is_long ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
}

/* Texts that lie side by side: after all but the last ones whole words can be read. */
static inline eqp_status read_adjacent(text_filling *fill, const column_part *part, bool is_long,
                                       eqp_error *error)
{
    const void *offsets = eqp_arrow_part_values(&part->cells, is_long ? 8 : 4);
    const char *bytes = part->cells.array->buffers[2];
    size_t first, rows = part->cells.rows;
    const uint8_t *validity = eqp_arrow_part_validity(&part->cells, &first);
    int64_t end = offset_at(offsets, is_long, 0), last = offset_at(offsets, is_long, rows);
    for (size_t i = 0; i < rows; i++) {
        int64_t start = end;
        end = offset_at(offsets, is_long, i + 1);
        if (start < 0 || end < start || end > last || (bytes == NULL && end > start))
            return fail_row(fill->import, fill->index, part->row + i, "is damaged", error);
        bool present = end > start && eqp_arrow_is_valid(validity, first + i);
        eqp_cell cell = present ? (eqp_cell){bytes + start, (size_t)(end - start)} : (eqp_cell){"", 0};
        eqp_status status = code_cell(fill, part->row + i, cell, present ? (size_t)(last - start) : 0, error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

static eqp_status fill_part(text_filling *fill, const column_part *part, eqp_error *error)
{
    const eqp_arrow_type *type = part->cells.type;
    eqp_arrow_kind kind = type->kind;
    if (part->cells.rows == 0) return EQP_OK;
    if (type->dictionary)
        return (size_t)part->cells.array->dictionary->length <= MANY_ENTRIES + part->cells.rows
                   ? read_entries(fill, part, error)
                   : read_texts(fill, part, error);
    if (kind == EQP_ARROW_TEXT) return read_adjacent(fill, part, false, error);
    if (kind == EQP_ARROW_LONG_TEXT) return read_adjacent(fill, part, true, error);
    return read_texts(fill, part, error);
}

static eqp_status fill_text(const arrow_import *import, size_t index, eqp_error *error)
{
    const char *id = import->options->id_column;
    text_filling fill = {.import = import, .index = index, .column = &import->table->columns[index]};
    fill.is_id = id != NULL && strcmp(fill.column->name, id) == 0;
    fill.column->codes = eqp_alloc(import->table->rows, sizeof *fill.column->codes);
    bool has_memory = fill.column->codes != NULL && eqp_level_map_begin(&fill.map);
    eqp_status status = has_memory ? EQP_OK : eqp_fail_memory(error);
    column_part part;
    for (size_t batch = 0; status == EQP_OK && next_part(import, index, batch, &part); batch++)
        status = fill_part(&fill, &part, error);
    fill.column->levels = fill.map.levels;
    fill.map.levels = NULL;
    eqp_level_map_free(&fill.map);
    return status;
}

/* ---- kinds ------------------------------------------------------------------------------------------- */

static bool is_beyond_double(const eqp_arrow_value *value)
{
    const int64_t limit = INT64_C(1) << 53;
    if (value->found == EQP_FOUND_SIGNED) return value->integer >= limit || value->integer <= -limit;
    if (value->found == EQP_FOUND_SPELLED) return fabs(eqp_arrow_value_number(value)) >= (double)limit;
    return value->found == EQP_FOUND_UNSIGNED && value->natural >= (uint64_t)limit;
}

/* Whether all bytes there are keep within the doubles; what null cells hold counts too. */
static bool surely_within(const eqp_arrow_part *part)
{
    const int64_t limit = INT64_C(1) << 53;
    if (part->type->dictionary || part->type->kind != EQP_ARROW_SIGNED) return false;
    const int64_t *values = eqp_arrow_part_values(part, 8);
    size_t beyond = 0;
    for (size_t i = 0; i < part->rows; i++) beyond += values[i] >= limit || values[i] <= -limit;
    return beyond == 0;
}

static bool goes_beyond_double(const arrow_import *import, size_t column)
{
    const eqp_arrow_type *type = &import->batches.types[column];
    column_part part;
    bool whole = type->kind == EQP_ARROW_SIGNED || type->kind == EQP_ARROW_UNSIGNED ||
                 (type->kind == EQP_ARROW_DECIMAL && type->scale <= 0);
    if (!whole || type->width < 8) return false;
    for (size_t batch = 0; next_part(import, column, batch, &part); batch++) {
        if (part.cells.rows == 0 || surely_within(&part.cells)) continue;
        for (size_t i = 0; i < part.cells.rows; i++) {
            eqp_arrow_value value = eqp_arrow_part_value(&part.cells, i);
            if (is_beyond_double(&value)) return true;
        }
    }
    return false;
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool is_text_column(const arrow_import *import, size_t column)
{
    const eqp_read_options *options = import->options;
    const char *name = import->table->columns[column].name;
    if (options->id_column != NULL && strcmp(options->id_column, name) == 0) return true;
    if (is_among(name, options->text_columns, options->text_column_count)) return true;
    if (is_among(name, options->number_columns, options->number_column_count)) return false;
    const eqp_arrow_type *type = &import->batches.types[column];
    bool whole = type->kind == EQP_ARROW_SIGNED || type->kind == EQP_ARROW_UNSIGNED;
    bool categories = whole && type->dictionary && type->run_width == 0; /* numbers as names of things */
    return categories || !eqp_arrow_is_number(type) || goes_beyond_double(import, column);
}

static eqp_status step(arrow_import *import, size_t more, eqp_error *error)
{
    pthread_mutex_lock(&import->watching);
    import->filled += more;
    double done = (double)import->filled / (double)import->table->column_count;
    eqp_status status = eqp_watch_step(import->watch, "reading", done, error);
    pthread_mutex_unlock(&import->watching);
    return status;
}

static eqp_status fill_column(void *context, size_t column, eqp_error *error)
{
    arrow_import *import = context;
    bool is_text = is_text_column(import, column);
    import->table->columns[column].kind = is_text ? EQP_TEXT : EQP_NUMBER;
    eqp_status status = is_text ? fill_text(import, column, error) : fill_numbers(import, column, error);
    return status == EQP_OK ? step(import, 1, error) : status;
}

/* ---- the table ---------------------------------------------------------------------------------------- */

static eqp_status name_columns(arrow_import *import, eqp_error *error)
{
    const eqp_arrow_batches *batches = &import->batches;
    eqp_table *table = import->table;
    table->columns = eqp_alloc_zero(batches->column_count, sizeof *table->columns);
    if (table->columns == NULL) return eqp_fail_memory(error);
    table->column_count = batches->column_count;
    for (size_t i = 0; i < batches->column_count; i++) {
        const char *name = eqp_arrow_column_name(batches, i);
        eqp_status status = eqp_arrow_require_type(batches, i, error);
        if (status != EQP_OK) return status;
        table->columns[i].name = eqp_copy_text(name, strlen(name));
        if (table->columns[i].name == NULL) return eqp_fail_memory(error);
    }
    return EQP_OK;
}

/* Marks that were asked for, such as "-9", are missing cells also where they are numbers already. */
static eqp_status note_marks(arrow_import *import, eqp_error *error)
{
    const eqp_missing *missing = &import->missing;
    import->marks = eqp_alloc(missing->count, sizeof *import->marks);
    if (import->marks == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < missing->count; i++)
        if (eqp_number_parse(missing->marks[i], missing->lengths[i], import->table->decimal,
                             &import->marks[import->mark_count]))
            import->mark_count++;
    return EQP_OK;
}

static eqp_status begin_table(arrow_import *import, eqp_error *error)
{
    const char *marks = import->options->missing != NULL ? import->options->missing : EQP_DEFAULT_MARKS;
    eqp_table *table = import->table = eqp_alloc_zero(1, sizeof *import->table);
    if (table == NULL) return eqp_fail_memory(error);
    table->rows = import->batches.rows;
    table->decimal = import->options->decimal != '\0' ? import->options->decimal : '.';
    table->source = eqp_copy_text("arrow", 5);
    table->missing_marks = eqp_copy_text(marks, strlen(marks));
    if (table->source == NULL || table->missing_marks == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_missing_init(&import->missing, import->options->missing, error);
    if (status == EQP_OK) status = note_marks(import, error);
    return status == EQP_OK ? name_columns(import, error) : status;
}

static void end_import(arrow_import *import)
{
    eqp_arrow_batches_release(&import->batches);
    eqp_missing_free(&import->missing);
    eqp_table_free(import->table);
    pthread_mutex_destroy(&import->watching);
    free(import->marks);
}

eqp_status eqp_table_from_arrow(struct ArrowArrayStream *stream, const eqp_read_options *options,
                                const eqp_watch *watch, eqp_table **table, eqp_error *error)
{
    static const eqp_read_options defaults = {0};
    *table = NULL;
    arrow_import import = {.options = options != NULL ? options : &defaults, .watch = watch};
    pthread_mutex_init(&import.watching, NULL);
    eqp_status status = eqp_arrow_batches_take(&import.batches, stream, error);
    if (status == EQP_OK) status = begin_table(&import, error);
    if (status == EQP_OK)
        status = eqp_parallel(import.table->column_count, import.table->rows < FEW_ROWS, fill_column, &import,
                              error);
    if (status == EQP_OK) {
        *table = import.table;
        import.table = NULL;
    }
    end_import(&import);
    return status;
}
