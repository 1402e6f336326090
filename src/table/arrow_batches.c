/* Taking everything that an Arrow stream gives, and giving it back. */
#include "table/arrow_batches.h"

#include "base/memory.h"
#include "base/platform.h"
#include "table/utf8.h"

#include <math.h>
#include <string.h>

/* ---- the stream -------------------------------------------------------------------------------------- */

static eqp_status fail_stream(eqp_arrow_batches *batches, const char *what, int code, eqp_error *error)
{
    struct ArrowArrayStream *stream = &batches->stream;
    const char *reason = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    return eqp_fail(error, EQP_DATA, "the Arrow stream gave no %s: %s", what,
                    reason ? reason : strerror(code));
}

static eqp_status check_schema(const struct ArrowSchema *schema, eqp_error *error)
{
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0)
        return eqp_fail(error, EQP_DATA, "the Arrow stream holds no table");
    if (schema->n_children <= 0 || schema->children == NULL)
        return eqp_fail(error, EQP_DATA, "the Arrow table has no columns");
    return EQP_OK;
}

const char *eqp_arrow_column_name(const eqp_arrow_batches *batches, size_t column)
{
    const char *name = batches->schema.children[column]->name;
    return name != NULL ? name : "";
}

eqp_status eqp_arrow_require_type(const eqp_arrow_batches *batches, size_t column, eqp_error *error)
{
    if (batches->types[column].kind != EQP_ARROW_UNSUPPORTED) return EQP_OK;
    const struct ArrowSchema *schema = batches->schema.children[column];
    const char *name = eqp_arrow_column_name(batches, column), *holds = eqp_arrow_unusable(schema);
    if (holds != NULL)
        eqp_fail(error, EQP_DATA, "column \"%s\" holds %s, which cannot be used", name, holds);
    else
        eqp_fail(error, EQP_DATA, "column \"%s\" has the Arrow type \"%s\", which cannot be used", name,
                 schema->format != NULL ? schema->format : "");
    eqp_hint(error, "turn it into a number or text first, or leave the column out");
    return EQP_DATA;
}

static eqp_status take_schema(eqp_arrow_batches *batches, eqp_error *error)
{
    int code = batches->stream.get_schema(&batches->stream, &batches->schema);
    if (code != 0) return fail_stream(batches, "schema", code, error);
    eqp_status status = check_schema(&batches->schema, error);
    if (status != EQP_OK) return status;
    batches->column_count = (size_t)batches->schema.n_children;
    batches->types = eqp_alloc(batches->column_count, sizeof *batches->types);
    if (batches->types == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < batches->column_count; i++) {
        const struct ArrowSchema *child = batches->schema.children[i];
        if (child == NULL) return eqp_fail(error, EQP_DATA, "the Arrow schema is damaged");
        batches->types[i] = eqp_arrow_type_of(child);
        const char *name = eqp_arrow_column_name(batches, i);
        if (!eqp_is_utf8(name, strlen(name)))
            return eqp_fail(error, EQP_DATA, "the name of column %zu is not valid UTF-8", i + 1);
    }
    return EQP_OK;
}

/* Arrays of types that cannot be read are not looked at. */
static bool batch_fits(const eqp_arrow_batches *batches, const struct ArrowArray *batch)
{
    int64_t end;
    if (batch->length < 0 || batch->offset < 0 || batch->n_children != batches->schema.n_children)
        return false;
    if (__builtin_add_overflow(batch->length, batch->offset, &end) || batch->children == NULL) return false;
    for (size_t i = 0; i < batches->column_count; i++)
        if (batches->types[i].kind != EQP_ARROW_UNSUPPORTED &&
            !(batches->types[i].run_width > 0
                  ? eqp_arrow_runs_fit(batch->children[i])
                  : eqp_arrow_array_fits(&batches->types[i], batch->children[i], end)))
            return false;
    return true;
}

/* Runs of the new batch become dictionaries; other columns are what they are. */
static eqp_status list_columns(eqp_arrow_batches *batches, const struct ArrowArray *batch, eqp_error *error)
{
    size_t count = batches->column_count, first = (batches->count - 1) * count;
    struct ArrowArray **grown =
        eqp_reserve(batches->columns, &batches->column_capacity, first + count, sizeof *grown);
    if (grown == NULL) return eqp_fail_memory(error);
    batches->columns = grown;
    for (size_t i = 0; i < count; i++) batches->columns[first + i] = batch->children[i];
    batches->listed = batches->count;
    for (size_t i = 0; i < count; i++) {
        const eqp_arrow_type *type = &batches->types[i];
        bool damaged;
        if (type->run_width == 0) continue;
        int64_t rows = batch->offset + batch->length;
        struct ArrowArray *made = eqp_arrow_runs_expand(batch->children[i], type->run_width, rows, &damaged);
        if (made == NULL) return eqp_fail_memory(error);
        batches->columns[first + i] = made;
        if (damaged || !eqp_arrow_array_fits(type, made, rows))
            return eqp_fail(error, EQP_DATA, "Arrow batch %zu is damaged", batches->count);
    }
    return EQP_OK;
}

/* The next batch is kept before it is looked at, so that it is released whatever comes. */
static eqp_status take_batch(eqp_arrow_batches *batches, bool *at_end, eqp_error *error)
{
    struct ArrowArray *grown =
        eqp_reserve(batches->items, &batches->capacity, batches->count + 1, sizeof *grown);
    if (grown == NULL) return eqp_fail_memory(error);
    batches->items = grown;
    struct ArrowArray *batch = &batches->items[batches->count];
    *batch = (struct ArrowArray){0};
    int code = batches->stream.get_next(&batches->stream, batch);
    if (code != 0) return fail_stream(batches, "batch", code, error);
    *at_end = batch->release == NULL;
    if (*at_end) return EQP_OK;
    batches->count++;
    if (!batch_fits(batches, batch))
        return eqp_fail(error, EQP_DATA, "Arrow batch %zu is damaged", batches->count);
    if (__builtin_add_overflow(batches->rows, (size_t)batch->length, &batches->rows))
        return eqp_fail_memory(error);
    return list_columns(batches, batch, error);
}

eqp_status eqp_arrow_batches_take(eqp_arrow_batches *batches, struct ArrowArrayStream *stream,
                                  eqp_error *error)
{
    *batches = (eqp_arrow_batches){0};
    if (stream == NULL || stream->release == NULL)
        return eqp_fail(error, EQP_USAGE, "the Arrow stream was already used");
    batches->stream = *stream;
    stream->release = NULL;
    eqp_status status = take_schema(batches, error);
    for (bool at_end = false; status == EQP_OK && !at_end;) status = take_batch(batches, &at_end, error);
    return status;
}

static void free_runs(eqp_arrow_batches *batches)
{
    for (size_t i = 0; i < batches->listed * batches->column_count; i++) {
        const struct ArrowArray *given =
            batches->items[i / batches->column_count].children[i % batches->column_count];
        if (batches->columns[i] != given) eqp_arrow_runs_free(batches->columns[i]);
    }
    free(batches->columns);
}

void eqp_arrow_batches_release(eqp_arrow_batches *batches)
{
    free_runs(batches);
    for (size_t i = 0; i < batches->count; i++)
        if (batches->items[i].release != NULL) batches->items[i].release(&batches->items[i]);
    if (batches->schema.release != NULL) batches->schema.release(&batches->schema);
    if (batches->stream.release != NULL) batches->stream.release(&batches->stream);
    free(batches->items);
    free(batches->types);
    *batches = (eqp_arrow_batches){0};
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

/* Plain numbers of four and eight bytes as they stand, whether they are null or not; false when they are of a
 * rarer kind. */
static bool convert_numbers(const eqp_arrow_part *part, double *restrict to)
{
    const eqp_arrow_type *type = part->type;
    if (type->dictionary || (type->width != 8 && type->width != 4)) return false;
    const void *values = eqp_arrow_part_values(part, type->width);
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

/* A bit for each row from `place` on that is null, the first the lowest, of at least 57 rows.  No
 * byte behind those of the rows before `end` is read. */
static uint64_t nulls_from(const uint8_t *validity, size_t place, size_t end)
{
    uint64_t valid = UINT64_MAX;
    size_t first = place / 8, behind = (end + 7) / 8;
    if (behind - first >= sizeof valid)
        memcpy(&valid, validity + first, sizeof valid);
    else
        memcpy(&valid, validity + first, behind - first);
    return ~le64toh(valid) >> place % 8;
}

size_t eqp_arrow_next_null(const eqp_arrow_part *part, size_t i)
{
    size_t place, end = (size_t)(part->array->offset + part->array->length);
    const uint8_t *validity = eqp_arrow_part_validity(part, &place);
    while (validity != NULL && i < part->rows) {
        uint64_t nulls = nulls_from(validity, place + i, end);
        if (nulls != 0) {
            i += (size_t)__builtin_ctzll(nulls);
            return i < part->rows ? i : part->rows;
        }
        i += 64 - (place + i) % 8;
    }
    return part->rows;
}

bool eqp_arrow_part_numbers(const eqp_arrow_part *part, double *numbers, size_t *damaged)
{
    if (part->rows == 0) return true;
    if (convert_numbers(part, numbers)) {
        for (size_t i = 0; (i = eqp_arrow_next_null(part, i)) < part->rows; i++) numbers[i] = NAN;
        return true;
    }
    for (size_t i = 0; i < part->rows; i++) {
        eqp_arrow_value value = eqp_arrow_part_value(part, i);
        *damaged = i;
        if (value.found == EQP_FOUND_DAMAGE) return false;
        numbers[i] = eqp_arrow_value_number(&value);
    }
    return true;
}

/* ---- dictionaries ------------------------------------------------------------------------------------ */

/* Signed indices below zero are out of range as unsigned ones too. */
static void copy_indices(const eqp_arrow_part *part, uint32_t *entries)
{
    const void *values = eqp_arrow_part_values(part, part->type->index_width);
    switch (part->type->index_width) {
    case 1:
        for (size_t i = 0; i < part->rows; i++)
            entries[i] = part->type->index_signed ? (uint32_t)((const int8_t *)values)[i]
                                                  : ((const uint8_t *)values)[i];
        break;
    case 2:
        for (size_t i = 0; i < part->rows; i++)
            entries[i] = part->type->index_signed ? (uint32_t)((const int16_t *)values)[i]
                                                  : ((const uint16_t *)values)[i];
        break;
    case 4:
        memcpy(entries, values, part->rows * sizeof *entries);
        break;
    default:
        for (size_t i = 0; i < part->rows; i++) {
            uint64_t entry = ((const uint64_t *)values)[i];
            entries[i] = entry < UINT32_MAX ? (uint32_t)entry : UINT32_MAX;
        }
    }
}

void eqp_arrow_part_entries(const eqp_arrow_part *part, uint32_t *entries)
{
    uint32_t none = (uint32_t)part->array->dictionary->length;
    copy_indices(part, entries);
    for (size_t i = 0; i < part->rows; i++) entries[i] = entries[i] < none ? entries[i] : UINT32_MAX;
    for (size_t i = 0; (i = eqp_arrow_next_null(part, i)) < part->rows; i++) entries[i] = none;
}
