/* The encoding as an object: slots, lookups, copies.  Fitting is in fit.c, applying it in block.c. */
#include "encode/encoding.h"

#include "base/memory.h"

#include <string.h>

#define SEARCHES 8 /* at a time */

static uint32_t slots_of(const eqp_feature *feature)
{
    return feature->kind == EQP_FEATURE_NUMBER ? 2 : feature->level_count + 2;
}

eqp_status eqp_encoding_number_slots(eqp_encoding *encoding, eqp_error *error)
{
    uint64_t next = 1; /* slot 0 is the intercept */
    for (size_t f = 0; f < encoding->feature_count; f++) {
        eqp_feature *feature = &encoding->features[f];
        if (feature->level_count > UINT32_MAX - 4 || next + slots_of(feature) > UINT32_MAX - 4)
            return eqp_fail(error, EQP_DATA, "too many levels in all, at column \"%s\"", feature->name);
        feature->slot = (uint32_t)next;
        feature->slots = slots_of(feature);
        next += feature->slots;
    }
    encoding->width = (uint32_t)next;
    return EQP_OK;
}

bool eqp_feature_repeats(const eqp_encoding *encoding, size_t f)
{
    return f > 0 && strcmp(encoding->features[f - 1].name, encoding->features[f].name) == 0;
}

size_t eqp_feature_first(const eqp_encoding *encoding, size_t f)
{
    while (eqp_feature_repeats(encoding, f)) f--;
    return f;
}

bool eqp_feature_is_binned(const eqp_encoding *encoding, size_t f)
{
    return f + 1 < encoding->feature_count && eqp_feature_repeats(encoding, f + 1) &&
           encoding->features[f + 1].kind == EQP_FEATURE_BINS;
}

/* Sign of `text` (not 0-terminated) against a level, bytewise. */
static int compare_text(const char *text, size_t length, const char *level)
{
    size_t level_length = strlen(level);
    int sign = memcmp(text, level, length < level_length ? length : level_length);
    return sign != 0 ? sign : (length > level_length) - (length < level_length);
}

uint32_t eqp_feature_level(const eqp_feature *feature, const char *text, size_t length)
{
    uint32_t low = 0, high = feature->level_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int sign = compare_text(text, length, feature->levels[middle]);
        if (sign == 0) return middle;
        if (sign > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return EQP_OTHER(feature);
}

uint32_t eqp_feature_bin(const eqp_feature *feature, double value)
{
    if (value != value) return EQP_MISSING(feature);
    uint32_t low = 0, high = feature->level_count - 1; /* that many cuts */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (feature->cuts[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Several searches in step, and no branch on the values, which are hard to predict: the processor runs them
 * side by side. */
static void find_bins(const double *cuts, uint32_t count, const double value[SEARCHES],
                      uint32_t code[SEARCHES])
{
    uint32_t low[SEARCHES] = {0};
    for (; count > 1; count -= count / 2)
        for (size_t i = 0; i < SEARCHES; i++)
            low[i] += count / 2 * (cuts[low[i] + count / 2 - 1] <= value[i]);
    for (size_t i = 0; i < SEARCHES; i++) code[i] = low[i] + (count > 0 && cuts[low[i]] <= value[i]);
}

void eqp_feature_bins(const eqp_feature *feature, const double *values, size_t rows, uint32_t *codes)
{
    size_t row = 0;
    for (; row + SEARCHES <= rows; row += SEARCHES) {
        find_bins(feature->cuts, feature->level_count - 1, values + row, codes + row);
        for (size_t i = row; i < row + SEARCHES; i++)
            if (values[i] != values[i]) codes[i] = EQP_MISSING(feature);
    }
    for (; row < rows; row++) codes[row] = eqp_feature_bin(feature, values[row]);
}

static void *copy_array(const void *array, size_t count, size_t size)
{
    void *copy = eqp_alloc(count, size);
    if (copy != NULL && count > 0) memcpy(copy, array, count * size);
    return copy;
}

static bool copy_levels(const eqp_feature *from, eqp_feature *to)
{
    to->levels = eqp_alloc_zero(from->level_count, sizeof *to->levels);
    if (to->levels == NULL) return false;
    for (uint32_t i = 0; i < from->level_count; i++) {
        to->levels[i] = eqp_copy_text(from->levels[i], strlen(from->levels[i]));
        if (to->levels[i] == NULL) return false;
    }
    return true;
}

static bool copy_feature(const eqp_feature *from, eqp_feature *to)
{
    *to = *from;
    to->levels = NULL;
    to->cuts = to->shares = NULL;
    to->name = eqp_copy_text(from->name, strlen(from->name));
    if (to->name == NULL || (from->levels != NULL && !copy_levels(from, to))) return false;
    if (from->cuts != NULL) to->cuts = copy_array(from->cuts, from->level_count - 1, sizeof *to->cuts);
    if (from->shares != NULL)
        to->shares = copy_array(from->shares, (size_t)from->level_count + 2, sizeof *to->shares);
    return (from->cuts == NULL || to->cuts != NULL) && (from->shares == NULL || to->shares != NULL);
}

static bool copy_into(const eqp_encoding *from, eqp_encoding *to)
{
    const char *marks = from->missing_marks ? from->missing_marks : "";
    to->width = from->width;
    to->decimal = from->decimal;
    to->missing_marks = eqp_copy_text(marks, strlen(marks));
    to->features = eqp_alloc_zero(from->feature_count, sizeof *to->features);
    if (to->missing_marks == NULL || to->features == NULL) return false;
    for (size_t f = 0; f < from->feature_count; f++) {
        to->feature_count = f + 1;
        if (!copy_feature(&from->features[f], &to->features[f])) return false;
    }
    return true;
}

eqp_status eqp_encoding_copy(const eqp_encoding *encoding, eqp_encoding **copy, eqp_error *error)
{
    *copy = NULL;
    eqp_encoding *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL || !copy_into(encoding, made)) {
        eqp_encoding_free(made);
        return eqp_fail_memory(error);
    }
    *copy = made;
    return EQP_OK;
}

void eqp_feature_clear(eqp_feature *feature)
{
    if (feature->levels != NULL)
        for (uint32_t i = 0; i < feature->level_count; i++) free(feature->levels[i]);
    free(feature->levels);
    free(feature->cuts);
    free(feature->shares);
    free(feature->name);
    *feature = (eqp_feature){0};
}

void eqp_encoding_free(eqp_encoding *encoding)
{
    if (encoding == NULL) return;
    for (size_t f = 0; f < encoding->feature_count; f++) eqp_feature_clear(&encoding->features[f]);
    free(encoding->features);
    free(encoding->missing_marks);
    free(encoding);
}
