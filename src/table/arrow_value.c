/* One cell of an Arrow array. */
#include "table/arrow_value.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

#define MOST_WIDTH 32 /* of a decimal of 256 bits */

static eqp_arrow_type behind_dictionary(const eqp_arrow_type *type)
{
    eqp_arrow_type values = *type;
    values.dictionary = false;
    return values;
}

/* ---- shape ------------------------------------------------------------------------------------------- */

static int64_t buffers_needed(const eqp_arrow_type *type)
{
    if (type->dictionary) return 2;
    switch (type->kind) {
    case EQP_ARROW_NULL:
        return 0;
    case EQP_ARROW_TEXT:
    case EQP_ARROW_LONG_TEXT:
    case EQP_ARROW_TEXT_VIEW:
        return 3;
    default:
        return 2;
    }
}

bool eqp_arrow_array_fits(const eqp_arrow_type *type, const struct ArrowArray *array, int64_t rows)
{
    int64_t needed = buffers_needed(type), end;
    if (array == NULL || array->offset < 0 || array->length < rows || rows < 0) return false;
    if (__builtin_add_overflow(array->offset, array->length, &end) || end >= INT64_MAX / MOST_WIDTH)
        return false;
    if (array->n_buffers < needed || (needed > 0 && array->buffers == NULL)) return false;
    if (needed > 1 && rows > 0 && array->buffers[1] == NULL) return false;
    if (!type->dictionary) return true;
    eqp_arrow_type values = behind_dictionary(type);
    return array->dictionary != NULL && array->dictionary->dictionary == NULL &&
           eqp_arrow_array_fits(&values, array->dictionary, array->dictionary->length);
}

/* ---- cells ------------------------------------------------------------------------------------------- */

static bool bit_at(const void *bits, int64_t place)
{
    return ((const uint8_t *)bits)[place / 8] >> place % 8 & 1;
}

static bool is_null(const struct ArrowArray *array, int64_t place)
{
    return array->null_count != 0 && array->n_buffers > 0 && array->buffers[0] != NULL &&
           !bit_at(array->buffers[0], place);
}

static int64_t signed_at(const void *values, unsigned width, int64_t place)
{
    switch (width) {
    case 1:
        return ((const int8_t *)values)[place];
    case 2:
        return ((const int16_t *)values)[place];
    case 4:
        return ((const int32_t *)values)[place];
    default:
        return ((const int64_t *)values)[place];
    }
}

static uint64_t unsigned_at(const void *values, unsigned width, int64_t place)
{
    switch (width) {
    case 1:
        return ((const uint8_t *)values)[place];
    case 2:
        return ((const uint16_t *)values)[place];
    case 4:
        return ((const uint32_t *)values)[place];
    default:
        return ((const uint64_t *)values)[place];
    }
}

/* IEEE binary16: sign, five bits of exponent, ten of fraction. */
static double half_float(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

static double float_at(const void *values, unsigned width, int64_t place)
{
    switch (width) {
    case 2:
        return half_float(((const uint16_t *)values)[place]);
    case 4:
        return ((const float *)values)[place];
    default:
        return ((const double *)values)[place];
    }
}

static double seconds_at(const eqp_arrow_type *type, const void *values, int64_t place)
{
    double whole = type->unit == 's' ? 1 : type->unit == 'm' ? 1e3 : type->unit == 'u' ? 1e6 : 1e9;
    return (double)signed_at(values, 8, place) / whole;
}

static eqp_arrow_value text_value(const char *bytes, int64_t start, int64_t end)
{
    if (start < 0 || end < start || (bytes == NULL && end > start))
        return (eqp_arrow_value){.found = EQP_FOUND_DAMAGE};
    return (eqp_arrow_value){.found = EQP_FOUND_TEXT,
                             .text = {end > start ? bytes + start : "", (size_t)(end - start)}};
}

/* A cell that ends behind the last one of its array is damaged. */
static eqp_arrow_value offset_text(const struct ArrowArray *array, unsigned width, int64_t place)
{
    const void *offsets = array->buffers[1];
    int64_t start = signed_at(offsets, width, place), end = signed_at(offsets, width, place + 1);
    if (end > signed_at(offsets, width, array->offset + array->length))
        return (eqp_arrow_value){.found = EQP_FOUND_DAMAGE};
    return text_value(array->buffers[2], start, end);
}

/* Long texts live in one of several data buffers, whose sizes the last buffer tells. */
static eqp_arrow_value view_at(const struct ArrowArray *array, int64_t place)
{
    const char *view = (const char *)array->buffers[1] + place * EQP_ARROW_VIEW_BYTES;
    const int64_t *sizes = array->buffers[array->n_buffers - 1];
    int32_t length, buffer, offset;
    memcpy(&length, view, 4);
    if (length >= 0 && length <= EQP_ARROW_INLINE_BYTES) return text_value(view, 4, 4 + (int64_t)length);
    memcpy(&buffer, view + 8, 4);
    memcpy(&offset, view + 12, 4);
    if (length < 0 || buffer < 0 || buffer >= array->n_buffers - 3 || sizes == NULL)
        return (eqp_arrow_value){.found = EQP_FOUND_DAMAGE};
    int64_t end = (int64_t)offset + length;
    if (end > sizes[buffer]) return (eqp_arrow_value){.found = EQP_FOUND_DAMAGE};
    return text_value(array->buffers[2 + buffer], offset, end);
}

uint64_t eqp_arrow_entry_at(const eqp_arrow_type *type, const struct ArrowArray *array, int64_t row)
{
    int64_t place = array->offset + row;
    if (is_null(array, place)) return UINT64_MAX;
    return type->index_signed ? (uint64_t)signed_at(array->buffers[1], type->index_width, place)
                              : unsigned_at(array->buffers[1], type->index_width, place);
}

eqp_arrow_value eqp_arrow_entry_value(const eqp_arrow_type *type, const struct ArrowArray *array,
                                      uint64_t entry)
{
    if (entry >= (uint64_t)array->dictionary->length) return (eqp_arrow_value){.found = EQP_FOUND_DAMAGE};
    eqp_arrow_type values = behind_dictionary(type);
    eqp_arrow_value value = eqp_arrow_value_at(&values, array->dictionary, (int64_t)entry);
    if (value.found == EQP_FOUND_SPELLED) value.type = type; /* which lives longer */
    return value;
}

eqp_arrow_value eqp_arrow_value_at(const eqp_arrow_type *type, const struct ArrowArray *array, int64_t row)
{
    int64_t place = array->offset + row;
    if (type->kind == EQP_ARROW_NULL || is_null(array, place))
        return (eqp_arrow_value){.found = EQP_FOUND_NOTHING};
    if (type->dictionary) return eqp_arrow_entry_value(type, array, eqp_arrow_entry_at(type, array, row));
    const void *values = array->buffers[1];
    switch (type->kind) {
    case EQP_ARROW_BOOLEAN:
        return bit_at(values, place) ? text_value("true", 0, 4) : text_value("false", 0, 5);
    case EQP_ARROW_SIGNED:
        return (eqp_arrow_value){.found = EQP_FOUND_SIGNED, .integer = signed_at(values, type->width, place)};
    case EQP_ARROW_UNSIGNED:
        return (eqp_arrow_value){.found = EQP_FOUND_UNSIGNED,
                                 .natural = unsigned_at(values, type->width, place)};
    case EQP_ARROW_FLOAT:
        return (eqp_arrow_value){.found = EQP_FOUND_REAL, .real = float_at(values, type->width, place)};
    case EQP_ARROW_TEXT:
        return offset_text(array, 4, place);
    case EQP_ARROW_LONG_TEXT:
        return offset_text(array, 8, place);
    case EQP_ARROW_TEXT_VIEW:
        return view_at(array, place);
    case EQP_ARROW_DURATION:
        return (eqp_arrow_value){.found = EQP_FOUND_REAL, .real = seconds_at(type, values, place)};
    case EQP_ARROW_UNSUPPORTED:
        return (eqp_arrow_value){.found = EQP_FOUND_DAMAGE};
    default:
        return (eqp_arrow_value){.found = EQP_FOUND_SPELLED,
                                 {.type = type, .at = (const char *)values + place * type->width}};
    }
}

/* ---- text -------------------------------------------------------------------------------------------- */

/* The digits stand at the end of `text`. */
static eqp_cell print_whole(uint64_t magnitude, bool negative, char text[32])
{
    char *at = text + 32;
    do *--at = (char)('0' + magnitude % 10);
    while ((magnitude /= 10) > 0);
    if (negative) *--at = '-';
    return (eqp_cell){at, (size_t)(text + 32 - at)};
}

bool eqp_arrow_value_text(const eqp_arrow_value *value, char text[EQP_ARROW_TEXT_BYTES], eqp_cell *cell)
{
    switch (value->found) {
    case EQP_FOUND_SIGNED:
        *cell = print_whole(value->integer < 0 ? 0 - (uint64_t)value->integer : (uint64_t)value->integer,
                            value->integer < 0, text);
        return true;
    case EQP_FOUND_UNSIGNED:
        *cell = print_whole(value->natural, false, text);
        return true;
    case EQP_FOUND_REAL:
        *cell = (eqp_cell){text, eqp_number_print(value->real, text)};
        return !isnan(value->real);
    case EQP_FOUND_TEXT:
        *cell = value->text;
        return true;
    case EQP_FOUND_SPELLED:
        *cell = (eqp_cell){text, eqp_arrow_spell(value->type, value->at, text)};
        return true;
    default:
        return false;
    }
}

/* What a file would have, read as it would be. */
static double spelled_number(const eqp_arrow_value *value)
{
    char text[EQP_ARROW_TEXT_BYTES];
    double number;
    if (value->type->kind != EQP_ARROW_DECIMAL) return NAN;
    return eqp_number_read_back(text, eqp_arrow_spell(value->type, value->at, text), &number) ? number + 0.0
                                                                                              : NAN;
}

double eqp_arrow_value_number(const eqp_arrow_value *value)
{
    switch (value->found) {
    case EQP_FOUND_SIGNED:
        return (double)value->integer;
    case EQP_FOUND_UNSIGNED:
        return (double)value->natural;
    case EQP_FOUND_REAL:
        return value->real + 0.0;
    case EQP_FOUND_SPELLED:
        return spelled_number(value);
    default:
        return NAN;
    }
}
