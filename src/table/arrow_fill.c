/* Cells of Arrow batches -> columns.
 *
 * What is common has a way of its own, a whole batch at a time: plain numbers of four and eight bytes, and
 * texts with offsets.  Everything else goes cell by cell. */
#include "base/memory.h"
#include "base/number.h"
#include "table/arrow_import.h"
#include "table/level_map.h"
#include "table/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static eqp_status fail_row(const eqp_column *column, size_t row, const char *what, eqp_error *error)
{
    return eqp_fail(error, EQP_DATA, "row %zu %s (column \"%s\")", row + 1, what, column->name);
}

/* ---- one column of one batch ------------------------------------------------------------------------- */

typedef struct column_part {
    const eqp_arrow_type *type;
    const struct ArrowArray *array;
    int64_t first;    /* row of the array */
    size_t rows, row; /* how many, and the row of the table that the first becomes */
} column_part;

static bool next_part(const eqp_arrow_import *import, size_t column, size_t batch, column_part *part)
{
    if (batch >= import->batch_count) return false;
    const struct ArrowArray *given = &import->batches[batch];
    size_t row = batch > 0 ? part->row + part->rows : 0;
    *part = (column_part){&import->types[column], given->children[column], given->offset,
                          (size_t)given->length, row};
    return true;
}

static eqp_arrow_value value_at(const column_part *part, size_t i)
{
    return eqp_arrow_value_at(part->type, part->array, part->first + (int64_t)i);
}

/* The first value in a buffer of so many bytes a value. */
static const void *values_of(const column_part *part, size_t width)
{
    return (const char *)part->array->buffers[1] + (size_t)(part->array->offset + part->first) * width;
}

/* One bit a row of the array, or NULL when all are there; for types that have such a buffer. */
static const uint8_t *validity_of(const column_part *part)
{
    return part->array->null_count != 0 ? part->array->buffers[0] : NULL;
}

static bool is_valid(const uint8_t *validity, size_t place)
{
    return validity == NULL || (validity[place / 8] >> place % 8 & 1) != 0;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static double number_of(const eqp_arrow_value *value)
{
    switch (value->found) {
    case EQP_FOUND_SIGNED:
        return (double)value->integer;
    case EQP_FOUND_UNSIGNED:
        return (double)value->natural;
    case EQP_FOUND_REAL:
        return value->real + 0.0; /* −0.0 becomes 0.0 */
    default:
        return NAN;
    }
}

/* Numbers as they stand, whether they are null or not; false when they are of a rarer kind. */
static bool convert_numbers(const column_part *part, double *restrict to)
{
    const eqp_arrow_type *type = part->type;
    if (type->dictionary || (type->width != 8 && type->width != 4)) return false;
    const void *values = values_of(part, type->width);
    if (type->kind == EQP_ARROW_FLOAT && type->width == 8)
        for (size_t i = 0; i < part->rows; i++) to[i] = ((const double *)values)[i] + 0.0;
    else if (type->kind == EQP_ARROW_FLOAT)
        for (size_t i = 0; i < part->rows; i++) to[i] = (double)((const float *)values)[i] + 0.0;
    else if (type->kind == EQP_ARROW_SIGNED && type->width == 8)
        for (size_t i = 0; i < part->rows; i++) to[i] = (double)((const int64_t *)values)[i];
    else if (type->kind == EQP_ARROW_SIGNED)
        for (size_t i = 0; i < part->rows; i++) to[i] = ((const int32_t *)values)[i];
    else
        return false;
    return true;
}

static void blank_nulls(const column_part *part, double *to)
{
    const uint8_t *validity = validity_of(part);
    size_t first = (size_t)(part->array->offset + part->first);
    for (size_t i = 0; validity != NULL && i < part->rows; i++)
        if (!is_valid(validity, first + i)) to[i] = NAN;
}

static eqp_status read_numbers(const column_part *part, const eqp_column *column, double *to,
                               eqp_error *error)
{
    for (size_t i = 0; i < part->rows; i++) {
        eqp_arrow_value value = value_at(part, i);
        if (value.found == EQP_FOUND_DAMAGE) return fail_row(column, part->row + i, "is damaged", error);
        to[i] = number_of(&value);
    }
    return EQP_OK;
}

static eqp_status check_numbers(eqp_column *column, size_t rows, eqp_error *error)
{
    size_t missing = 0, infinite = 0;
    for (size_t row = 0; row < rows; row++) {
        missing += column->numbers[row] != column->numbers[row];
        infinite += fabs(column->numbers[row]) == INFINITY;
    }
    column->missing = missing;
    for (size_t row = 0; infinite > 0 && row < rows; row++)
        if (isinf(column->numbers[row])) return fail_row(column, row, "is infinite", error);
    return EQP_OK;
}

static eqp_status fill_numbers(const eqp_arrow_import *import, size_t index, eqp_error *error)
{
    eqp_column *column = &import->table->columns[index];
    column_part part;
    eqp_status status = EQP_OK;
    column->numbers = eqp_alloc(import->table->rows, sizeof *column->numbers);
    if (column->numbers == NULL) return eqp_fail_memory(error);
    for (size_t batch = 0; status == EQP_OK && next_part(import, index, batch, &part); batch++) {
        double *to = column->numbers + part.row;
        if (part.rows == 0) continue;
        if (convert_numbers(&part, to))
            blank_nulls(&part, to);
        else
            status = read_numbers(&part, column, to, error);
    }
    return status == EQP_OK ? check_numbers(column, import->table->rows, error) : status;
}

/* ---- text -------------------------------------------------------------------------------------------- */

/* Where the texts of one column go. */
typedef struct text_filling {
    const eqp_arrow_import *import;
    eqp_column *column;
    bool is_id;        /* every cell gets a code of its own */
    eqp_level_map map; /* its own codes are the column's: one thread meets all cells in order */
    uint32_t known;    /* levels so far */
} text_filling;

/* Numbers are written out into `text`; NaN and missing cells have no text. */
static bool text_of(const eqp_arrow_value *value, char text[32], eqp_cell *cell)
{
    switch (value->found) {
    case EQP_FOUND_SIGNED:
        *cell = (eqp_cell){text, (size_t)snprintf(text, 32, "%" PRId64, value->integer)};
        break;
    case EQP_FOUND_UNSIGNED:
        *cell = (eqp_cell){text, (size_t)snprintf(text, 32, "%" PRIu64, value->natural)};
        break;
    case EQP_FOUND_REAL:
        *cell = (eqp_cell){text, eqp_number_print(value->real, text)};
        break;
    case EQP_FOUND_TEXT:
        *cell = value->text;
        break;
    default:
        return false;
    }
    return value->found != EQP_FOUND_REAL || !isnan(value->real);
}

/* A level that was met for the first time. */
static eqp_status check_level(text_filling *fill, size_t row, eqp_cell cell, eqp_error *error)
{
    fill->known++;
    if (!eqp_is_utf8(cell.bytes, cell.length))
        return fail_row(fill->column, row, "is not valid UTF-8", error);
    if (memchr(cell.bytes, '\0', cell.length) != NULL)
        return fail_row(fill->column, row, "holds a NUL byte", error);
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

static eqp_status read_texts(text_filling *fill, const column_part *part, eqp_error *error)
{
    for (size_t i = 0; i < part->rows; i++) {
        char text[32];
        eqp_cell cell;
        eqp_arrow_value value = value_at(part, i);
        if (value.found == EQP_FOUND_DAMAGE)
            return fail_row(fill->column, part->row + i, "is damaged", error);
        if (!text_of(&value, text, &cell)) cell = (eqp_cell){"", 0};
        eqp_status status = code_cell(fill, part->row + i, cell, 0, error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

static int64_t offset_at(const void *offsets, bool is_long, size_t i)
{
    return is_long ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
}

/* Texts that lie side by side: behind all but the last ones there is room to read whole words. */
static inline eqp_status read_adjacent(text_filling *fill, const column_part *part, bool is_long,
                                       eqp_error *error)
{
    const void *offsets = values_of(part, is_long ? 8 : 4);
    const char *bytes = part->array->buffers[2];
    const uint8_t *validity = validity_of(part);
    size_t first = (size_t)(part->array->offset + part->first);
    int64_t end = offset_at(offsets, is_long, 0), last = offset_at(offsets, is_long, part->rows);
    for (size_t i = 0; i < part->rows; i++) {
        int64_t start = end;
        end = offset_at(offsets, is_long, i + 1);
        if (start < 0 || end < start || end > last || (bytes == NULL && end > start))
            return fail_row(fill->column, part->row + i, "is damaged", error);
        bool present = end > start && is_valid(validity, first + i);
        eqp_cell cell = present ? (eqp_cell){bytes + start, (size_t)(end - start)} : (eqp_cell){"", 0};
        eqp_status status = code_cell(fill, part->row + i, cell, present ? (size_t)(last - start) : 0, error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

static eqp_status fill_part(text_filling *fill, const column_part *part, eqp_error *error)
{
    eqp_arrow_kind kind = part->type->dictionary ? EQP_ARROW_UNSUPPORTED : part->type->kind;
    if (part->rows == 0) return EQP_OK;
    if (kind == EQP_ARROW_TEXT) return read_adjacent(fill, part, false, error);
    if (kind == EQP_ARROW_LONG_TEXT) return read_adjacent(fill, part, true, error);
    return read_texts(fill, part, error);
}

static eqp_status fill_text(const eqp_arrow_import *import, size_t index, eqp_error *error)
{
    const char *id = import->options->id_column;
    text_filling fill = {.import = import, .column = &import->table->columns[index]};
    fill.is_id = id != NULL && strcmp(fill.column->name, id) == 0;
    fill.column->codes = eqp_alloc(import->table->rows, sizeof *fill.column->codes);
    bool room = fill.column->codes != NULL && eqp_level_map_begin(&fill.map);
    eqp_status status = room ? EQP_OK : eqp_fail_memory(error);
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
    return value->found == EQP_FOUND_UNSIGNED && value->natural >= (uint64_t)limit;
}

/* Whether all bytes there are keep within the doubles; what null cells hold counts too. */
static bool surely_within(const column_part *part)
{
    const int64_t limit = INT64_C(1) << 53;
    if (part->type->dictionary || part->type->kind != EQP_ARROW_SIGNED) return false;
    const int64_t *values = values_of(part, 8);
    size_t beyond = 0;
    for (size_t i = 0; i < part->rows; i++) beyond += values[i] >= limit || values[i] <= -limit;
    return beyond == 0;
}

static bool goes_beyond_double(const eqp_arrow_import *import, size_t column)
{
    column_part part;
    if (import->types[column].width < 8) return false;
    for (size_t batch = 0; next_part(import, column, batch, &part); batch++) {
        if (part.rows == 0 || surely_within(&part)) continue;
        for (size_t i = 0; i < part.rows; i++) {
            eqp_arrow_value value = value_at(&part, i);
            if (is_beyond_double(&value)) return true;
        }
    }
    return false;
}

static bool is_text_column(const eqp_arrow_import *import, size_t column)
{
    const char *name = import->table->columns[column].name, *id = import->options->id_column;
    if (id != NULL && strcmp(id, name) == 0) return true;
    for (size_t i = 0; i < import->options->text_column_count; i++)
        if (strcmp(import->options->text_columns[i], name) == 0) return true;
    eqp_arrow_kind kind = import->types[column].kind;
    if (kind == EQP_ARROW_FLOAT || kind == EQP_ARROW_NULL) return false;
    return (kind != EQP_ARROW_SIGNED && kind != EQP_ARROW_UNSIGNED) || goes_beyond_double(import, column);
}

eqp_status eqp_arrow_fill_column(void *context, size_t column, eqp_error *error)
{
    const eqp_arrow_import *import = context;
    bool is_text = is_text_column(import, column);
    import->table->columns[column].kind = is_text ? EQP_TEXT : EQP_NUMBER;
    return is_text ? fill_text(import, column, error) : fill_numbers(import, column, error);
}
