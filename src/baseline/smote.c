/* SMOTE: minority classes grown between neighbours. */
#include "baseline/smote.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { SMOTE_STREAM = 21, NEIGHBOURS = EQP_SMOTE_NEIGHBOURS };

/* ---- neighbours -------------------------------------------------------------------------------------- */

/* The rows of one class with their standardised numbers, row by row. */
typedef struct class_rows {
    size_t count, dimensions;
    uint32_t *row;
    float *place;
} class_rows;

static size_t count_numbers(const eqp_encoding *encoding)
{
    size_t numbers = 0;
    for (size_t f = 0; f < encoding->feature_count; f++)
        numbers += encoding->features[f].kind == EQP_FEATURE_NUMBER;
    return numbers;
}

static void place_row(const eqp_encoding *encoding, const eqp_block *block, size_t row, float *place)
{
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (feature->kind != EQP_FEATURE_NUMBER) continue;
        double value = block->numbers[f][row];
        *place++ = isnan(value) ? 0 : (float)((value - feature->mean) / feature->scale);
    }
}

static eqp_status gather_class(const eqp_encoding *encoding, const eqp_block *block, const uint32_t *class_of,
                               uint32_t wanted, class_rows *rows, eqp_error *error)
{
    *rows = (class_rows){.dimensions = count_numbers(encoding)};
    for (size_t i = 0; i < block->rows; i++) rows->count += class_of[i] == wanted;
    rows->row = eqp_alloc(rows->count, sizeof *rows->row);
    rows->place = eqp_alloc(rows->count, (rows->dimensions + 1) * sizeof *rows->place);
    if (rows->row == NULL || rows->place == NULL) return eqp_fail_memory(error);
    for (size_t i = 0, j = 0; i < block->rows; i++) {
        if (class_of[i] != wanted) continue;
        place_row(encoding, block, i, rows->place + j * rows->dimensions);
        rows->row[j++] = (uint32_t)i;
    }
    return EQP_OK;
}

static void release_class(class_rows *rows)
{
    free(rows->row);
    free(rows->place);
}

static float square_distance(const class_rows *rows, size_t a, size_t b)
{
    const float *x = rows->place + a * rows->dimensions, *y = rows->place + b * rows->dimensions;
    float sum = 0;
    for (size_t d = 0; d < rows->dimensions; d++) sum += (x[d] - y[d]) * (x[d] - y[d]);
    return sum;
}

/* The nearest others of member `a`, nearest first; of equally near ones the earlier.  Returns how many. */
static size_t find_neighbours(const class_rows *rows, size_t a, uint32_t nearest[NEIGHBOURS])
{
    float distance[NEIGHBOURS];
    size_t found = 0;
    for (size_t b = 0; b < rows->count; b++) {
        if (b == a) continue;
        float away = square_distance(rows, a, b);
        if (found == NEIGHBOURS && away >= distance[found - 1]) continue;
        size_t at = found < NEIGHBOURS ? found++ : found - 1;
        for (; at > 0 && away < distance[at - 1]; at--) {
            distance[at] = distance[at - 1];
            nearest[at] = nearest[at - 1];
        }
        distance[at] = away;
        nearest[at] = rows->row[b];
    }
    return found;
}

/* ---- new rows ---------------------------------------------------------------------------------------- */

static void interpolate(const eqp_block *from, size_t f, size_t origin, size_t towards, double part,
                        double *value)
{
    double a = from->numbers[f][origin], b = from->numbers[f][towards];
    *value = isnan(a) || isnan(b) ? a : a + part * (b - a);
}

static uint32_t most_frequent(const uint32_t *codes, const uint32_t *rows, size_t count, uint32_t own)
{
    uint32_t best = own;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t j = 0; j < count; j++) same += codes[rows[j]] == codes[rows[i]];
        if (same > most || (same == most && codes[rows[i]] < best)) {
            most = same;
            best = codes[rows[i]];
        }
    }
    return best;
}

static void make_row(const eqp_encoding *encoding, const eqp_block *from, size_t origin,
                     const uint32_t *nearest, size_t count, eqp_random *random, eqp_grown *grown)
{
    size_t at = grown->rows++;
    size_t towards = count > 0 ? nearest[eqp_random_below(random, count)] : origin;
    double part = eqp_random_unit(random);
    grown->origin[at] = origin;
    grown->towards[at] = (uint32_t)towards;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (feature->kind == EQP_FEATURE_NUMBER)
            interpolate(from, f, origin, towards, part, &grown->block->numbers[f][at]);
        else if (feature->kind == EQP_FEATURE_LEVELS)
            grown->block->codes[f][at] =
                most_frequent(from->codes[f], nearest, count, from->codes[f][origin]);
        else /* the bins of the number just before */
            grown->block->codes[f][at] = eqp_feature_bin(feature, grown->block->numbers[f - 1][at]);
    }
}

static eqp_status grow_class(const eqp_encoding *encoding, const eqp_block *from, const uint32_t *class_of,
                             uint32_t grown_class, size_t size, eqp_random *random, eqp_grown *grown,
                             eqp_error *error)
{
    class_rows rows;
    uint32_t nearest[NEIGHBOURS];
    eqp_status status = gather_class(encoding, from, class_of, grown_class, &rows, error);
    for (size_t i = rows.count; rows.count > 0 && i < size && status == EQP_OK; i++) {
        size_t member = eqp_random_below(random, rows.count);
        size_t count = find_neighbours(&rows, member, nearest);
        make_row(encoding, from, rows.row[member], nearest, count, random, grown);
    }
    release_class(&rows);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void copy_given(const eqp_block *from, eqp_grown *grown)
{
    grown->rows = from->rows;
    for (size_t i = 0; i < from->rows; i++) {
        grown->origin[i] = i;
        grown->towards[i] = (uint32_t)i;
    }
    for (size_t f = 0; f < from->feature_count; f++) {
        if (from->numbers[f] != NULL)
            memcpy(grown->block->numbers[f], from->numbers[f], from->rows * sizeof **from->numbers);
        else
            memcpy(grown->block->codes[f], from->codes[f], from->rows * sizeof **from->codes);
    }
}

/* Sizes of the classes; returns how many rows there are when each that occurs is as large as the largest. */
static size_t plan_sizes(const uint32_t *class_of, size_t rows, size_t classes, size_t *size, size_t *largest)
{
    size_t total = 0;
    *largest = 0;
    for (size_t i = 0; i < rows; i++) size[class_of[i]]++;
    for (size_t c = 0; c < classes; c++) *largest = size[c] > *largest ? size[c] : *largest;
    for (size_t c = 0; c < classes; c++) total += size[c] > 0 ? *largest : 0;
    return total;
}

static eqp_status allocate(const eqp_encoding *encoding, size_t rows, eqp_grown *grown, eqp_error *error)
{
    grown->origin = eqp_alloc(rows, sizeof *grown->origin);
    grown->towards = eqp_alloc(rows, sizeof *grown->towards);
    grown->block = eqp_alloc_zero(1, sizeof *grown->block);
    if (grown->origin == NULL || grown->towards == NULL || grown->block == NULL)
        return eqp_fail_memory(error);
    eqp_block_allocate(grown->block, encoding, rows);
    return grown->block->arena.failed ? eqp_fail_memory(error) : EQP_OK;
}

eqp_status eqp_smote_grow(const eqp_encoding *encoding, const eqp_block *block, const uint32_t *class_of,
                          size_t classes, uint64_t seed, eqp_grown **grown, eqp_error *error)
{
    *grown = NULL;
    eqp_random random = eqp_random_from(seed, SMOTE_STREAM);
    size_t *size = eqp_alloc_zero(classes, sizeof *size), largest = 0;
    eqp_grown *made = eqp_alloc_zero(1, sizeof *made);
    eqp_status status = size != NULL && made != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) {
        size_t total = plan_sizes(class_of, block->rows, classes, size, &largest);
        status = allocate(encoding, total, made, error);
    }
    if (status == EQP_OK) copy_given(block, made);
    for (uint32_t c = 0; c < classes && status == EQP_OK; c++)
        if (size[c] < largest)
            status = grow_class(encoding, block, class_of, c, largest, &random, made, error);
    free(size);
    if (status == EQP_OK) *grown = made;
    if (status != EQP_OK) eqp_grown_free(made);
    return status;
}

void eqp_grown_free(eqp_grown *grown)
{
    if (grown == NULL) return;
    eqp_block_free(grown->block);
    free(grown->origin);
    free(grown->towards);
    free(grown);
}
