/* Triage: whether a column stands in for the group.
 *
 * Its values become codes (levels; bins of numbers), counted by group in two halves of the rows.  What one
 * half suggests is measured on the other, so that a column of many values is not accused of what chance gave
 * it.  Two questions:
 *
 *     disclosure      how far does the share of a group move for those with one value?
 *     determination   do its values say who is in a group, or does the group say its value?
 *
 * The second is a correlation: 1 for a copy, 0 for guessing.  For a group and the set of values that mostly
 * hold it, the correlation of the two (Matthews); for a function of the attribute, the gain in guessing the
 * value from the group (kappa). */
#include "base/memory.h"
#include "base/order.h"
#include "encode/encoding.h"
#include "triage/triage.h"

#include <assert.h>
#include <math.h>

enum { SAMPLED = 4096, SAMPLED_PER_CODE = 32, BLOCK = 1024, FEWEST_IN_HALF = EQP_FEWEST_PEOPLE };

/* ---- codes ------------------------------------------------------------------------------------------------
 */

/* Cuts at the distinct values, or at quantiles of a part of them where there are many. */
static eqp_status cut_numbers(const double *numbers, size_t rows, uint32_t most, eqp_coder *coder,
                              eqp_error *error)
{
    double *values = eqp_alloc(SAMPLED, sizeof *values);
    coder->cuts = eqp_alloc(most, sizeof *coder->cuts);
    if (values == NULL || coder->cuts == NULL) {
        free(values);
        return eqp_fail_memory(error);
    }
    size_t count = eqp_numbers_few(numbers, rows, values), cuts = 0;
    if (count == 0 || count > most) {
        size_t wanted = (size_t)SAMPLED_PER_CODE * most < SAMPLED ? (size_t)SAMPLED_PER_CODE * most : SAMPLED;
        size_t step = rows / wanted + 1;
        count = 0;
        for (size_t row = 0; row < rows; row += step)
            if (!isnan(numbers[row])) values[count++] = numbers[row];
        eqp_sort_numbers(values, count);
    }
    for (size_t b = 1; b < most && count > 0; b++) {
        double cut = values[count <= most ? (b < count ? b : count - 1) : count * b / most];
        if (cut > (cuts > 0 ? coder->cuts[cuts - 1] : values[0])) coder->cuts[cuts++] = cut;
    }
    coder->codes = (uint32_t)cuts + 1 + 2;
    free(values);
    return EQP_OK;
}

/* Levels of enough people, as many as there is place for: the bar rises until they fit. */
static eqp_status map_levels(const eqp_column *column, size_t rows, uint32_t most, eqp_coder *coder,
                             eqp_error *error)
{
    uint32_t levels = eqp_dictionary_size(column->levels), kept = 0;
    size_t *count = eqp_alloc_zero(levels, sizeof *count);
    coder->map = eqp_alloc(levels, sizeof *coder->map);
    if (count == NULL || coder->map == NULL) {
        free(count);
        return eqp_fail_memory(error);
    }
    for (size_t row = 0; row < rows; row++)
        if (column->codes[row] != EQP_NO_CODE) count[column->codes[row]]++;
    for (size_t bar = EQP_FEWEST_PEOPLE;; bar += bar / 2) {
        kept = 0;
        for (uint32_t level = 0; level < levels; level++) kept += count[level] >= bar;
        if (kept > most) continue;
        kept = 0;
        for (uint32_t level = 0; level < levels; level++)
            coder->map[level] = count[level] >= bar ? kept++ : EQP_NO_CODE;
        break;
    }
    for (uint32_t level = 0; level < levels; level++)
        if (coder->map[level] == EQP_NO_CODE) coder->map[level] = kept;
    coder->codes = kept + 2;
    free(count);
    return EQP_OK;
}

eqp_status eqp_coder_new(const eqp_column_finding *finding, size_t rows, uint32_t most, eqp_coder *coder,
                         eqp_error *error)
{
    const eqp_column *column = finding->column;
    eqp_date_order date = eqp_finding_date(finding);
    *coder = (eqp_coder){.column = column, .numbers = column->numbers};
    if (date == EQP_NO_DATE && column->kind == EQP_TEXT) return map_levels(column, rows, most, coder, error);
    if (date != EQP_NO_DATE) {
        coder->numbers = coder->days = eqp_alloc(rows, sizeof *coder->days);
        if (coder->days == NULL || !eqp_column_days(column, rows, date, coder->days))
            return eqp_fail_memory(error);
    }
    return cut_numbers(coder->numbers, rows, most, coder, error);
}

eqp_status eqp_coder_of_part(const eqp_column *column, eqp_date_order date, eqp_date_part part,
                             eqp_coder *coder, eqp_error *error)
{
    uint32_t levels = eqp_dictionary_size(column->levels), count;
    eqp_part_names(part, &count);
    *coder = (eqp_coder){.column = column, .codes = count + 2, .map = eqp_alloc(levels, sizeof *coder->map)};
    if (coder->map == NULL) return eqp_fail_memory(error);
    for (uint32_t level = 0; level < levels; level++) {
        double days = eqp_date_days(eqp_dictionary_text(column->levels, level),
                                    eqp_dictionary_length(column->levels, level), date);
        int found = isnan(days)              ? (int)count + 1
                    : part == EQP_PART_MONTH ? eqp_date_month(days)
                                             : eqp_date_weekday(days);
        coder->map[level] = (uint32_t)found;
    }
    return EQP_OK;
}

void eqp_coder_run(const eqp_coder *coder, size_t first, size_t count, uint32_t *codes)
{
    if (coder->map == NULL) {
        eqp_feature bins = {.level_count = coder->codes - 2, .cuts = coder->cuts};
        eqp_feature_bins(&bins, coder->numbers + first, count, codes);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t level = coder->column->codes[first + i];
        codes[i] = level == EQP_NO_CODE ? coder->codes - 1 : coder->map[level];
    }
}

void eqp_coder_free(eqp_coder *coder)
{
    free(coder->map);
    free(coder->cuts);
    free(coder->days);
    *coder = (eqp_coder){0};
}

/* ---- counts -----------------------------------------------------------------------------------------------
 */

/* Neighbouring rows may be of one household: halves by a hash. */
static size_t half_of(size_t row)
{
    return (size_t)(((uint64_t)row + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 33 & 1);
}

static void count_block(const eqp_sample *sample, const uint32_t *codes, size_t first, size_t count,
                        eqp_stand_in_counts *counts)
{
    const eqp_groups *groups = sample->groups;
    for (size_t i = 0; i < count; i++) {
        size_t half = half_of(first + i);
        uint32_t *hits = counts->hits[half] + (size_t)codes[i] * groups->group_count;
        eqp_members of = eqp_members_of(groups, sample->cell[first + i]);
        assert(codes[i] < counts->codes);
        counts->rows[half][codes[i]]++;
        for (size_t m = 0; m < of.count; m++) hits[of.group[m]]++;
    }
}

eqp_status eqp_stand_in_count(const eqp_sample *sample, const eqp_coder *coder, const eqp_coder *second,
                              eqp_stand_in_counts *counts, eqp_error *error)
{
    size_t groups = sample->groups->group_count;
    uint32_t codes[BLOCK], other[BLOCK];
    *counts = (eqp_stand_in_counts){.groups = sample->groups,
                                    .codes = coder->codes * (second != NULL ? second->codes : 1)};
    for (size_t half = 0; half < 2; half++) {
        counts->rows[half] = eqp_alloc_zero(counts->codes, sizeof **counts->rows);
        counts->hits[half] = eqp_alloc_zero(counts->codes, groups * sizeof **counts->hits);
        if (counts->rows[half] == NULL || counts->hits[half] == NULL) return eqp_fail_memory(error);
    }
    for (size_t first = 0; first < sample->rows; first += BLOCK) {
        size_t count = sample->rows - first < BLOCK ? sample->rows - first : BLOCK;
        eqp_coder_run(coder, first, count, codes);
        if (second != NULL) {
            eqp_coder_run(second, first, count, other);
            for (size_t i = 0; i < count; i++) codes[i] = codes[i] * second->codes + other[i];
        }
        count_block(sample, codes, first, count, counts);
    }
    return EQP_OK;
}

void eqp_stand_in_free(eqp_stand_in_counts *counts)
{
    for (size_t half = 0; half < 2; half++) {
        free(counts->rows[half]);
        free(counts->hits[half]);
    }
    *counts = (eqp_stand_in_counts){0};
}

static double hits_of(const eqp_stand_in_counts *c, size_t half, size_t code, size_t k)
{
    return c->hits[half][code * c->groups->group_count + k];
}

static double rows_of_half(const eqp_stand_in_counts *c, size_t half)
{
    double rows = 0;
    for (size_t code = 0; code < c->codes; code++) rows += c->rows[half][code];
    return rows;
}

static double rows_of_group(const eqp_stand_in_counts *c, size_t half, size_t k)
{
    double rows = 0;
    for (size_t code = 0; code < c->codes; code++) rows += hits_of(c, half, code, k);
    return rows;
}

/* ---- disclosure -------------------------------------------------------------------------------------------
 */

/* The value and group with the largest shift beyond its error in one half, by their shift in the other. */
static double shift_elsewhere(const eqp_stand_in_counts *c, size_t half, uint32_t *group)
{
    size_t best_code = SIZE_MAX, groups = c->groups->group_count;
    double rows = rows_of_half(c, half), elsewhere = rows_of_half(c, 1 - half), most = -INFINITY;
    for (size_t k = 0; k < groups; k++) {
        double rate = rows_of_group(c, half, k) / rows;
        for (size_t code = 0; code < c->codes; code++) {
            double n = c->rows[half][code];
            if (n < FEWEST_IN_HALF) continue;
            double shift = fabs(hits_of(c, half, code, k) / n - rate) - 1 / sqrt(n); /* two errors */
            if (shift <= most) continue;
            most = shift;
            best_code = code;
            *group = (uint32_t)k;
        }
    }
    if (best_code == SIZE_MAX || c->rows[1 - half][best_code] == 0) return 0;
    double here = hits_of(c, half, best_code, *group) / c->rows[half][best_code],
           there = hits_of(c, 1 - half, best_code, *group) / c->rows[1 - half][best_code];
    double shift = there - rows_of_group(c, 1 - half, *group) / elsewhere;
    return here > rows_of_group(c, half, *group) / rows ? shift : -shift; /* in the direction found */
}

double eqp_stand_in_disclosure(const eqp_stand_in_counts *counts, uint32_t *group)
{
    *group = 0;
    double first = shift_elsewhere(counts, 0, group);
    return fmax(0, (first + shift_elsewhere(counts, 1, group)) / 2);
}

/* ---- determination ----------------------------------------------------------------------------------------
 */

/* Correlation of a group with the values that mostly held it in the other half. */
static double correlation(const eqp_stand_in_counts *c, size_t k)
{
    double hit = 0, false_alarm = 0, members = 0, rows = 0;
    for (size_t half = 0; half < 2; half++)
        for (size_t code = 0; code < c->codes; code++) {
            double n = c->rows[half][code], in_group = hits_of(c, half, code, k);
            bool says = 2 * hits_of(c, 1 - half, code, k) > c->rows[1 - half][code];
            rows += n;
            members += in_group;
            hit += says ? in_group : 0;
            false_alarm += says ? n - in_group : 0;
        }
    double said = hit + false_alarm;
    double spread = sqrt(said * (rows - said)) * sqrt(members * (rows - members));
    if (members < EQP_FEWEST_PEOPLE || !(spread > 0)) return 0;
    return (hit * rows - said * members) / spread;
}

/* The value that most of a group held in one half. */
static size_t usual_code(const eqp_stand_in_counts *c, size_t half, size_t k)
{
    size_t best = 0;
    for (size_t code = 1; code < c->codes; code++)
        if (hits_of(c, half, code, k) > hits_of(c, half, best, k)) best = code;
    return best;
}

static double largest_code(const eqp_stand_in_counts *c)
{
    double most = 0;
    for (size_t code = 0; code < c->codes; code++)
        most = fmax(most, (double)c->rows[0][code] + (double)c->rows[1][code]);
    return most;
}

/* How much better the value is guessed with the group of this attribute than without. */
static double gain_from_groups(const eqp_stand_in_counts *c, size_t attribute)
{
    double right = 0, rows = rows_of_half(c, 0) + rows_of_half(c, 1), usual = largest_code(c);
    double members = 0;
    for (size_t k = 0; k < c->groups->group_count; k++)
        for (size_t half = 0; half < 2 && c->groups->groups[k].attribute == attribute; half++) {
            right += hits_of(c, half, usual_code(c, 1 - half, k), k);
            members += rows_of_group(c, half, k);
        }
    if (members != rows) return 0; /* people are in several groups, or in none */
    return rows - usual < EQP_FEWEST_PEOPLE ? 0 : (right - usual) / (rows - usual);
}

double eqp_stand_in_determination(const eqp_stand_in_counts *counts)
{
    double most = 0;
    for (size_t k = 0; k < counts->groups->group_count; k++) most = fmax(most, correlation(counts, k));
    for (size_t a = 0; a < counts->groups->attribute_count; a++)
        most = fmax(most, gain_from_groups(counts, a));
    return most;
}

/* ---- what repeats
 * ------------------------------------------------------------------------------------------
 */

static const double ERRORS = 3; /* standard errors beyond which it is not chance */

/* How far a group's count among the rows of one code is from what its share would give, in standard errors.
 */
static double deviation(const eqp_stand_in_counts *c, size_t half, size_t code, size_t k)
{
    double rate = rows_of_group(c, half, k) / rows_of_half(c, half), rows = c->rows[half][code];
    double spread = sqrt(rows * rate * (1 - rate));
    return spread > 0 ? (hits_of(c, half, code, k) - rows * rate) / spread : 0;
}

/* The sum over the codes of the products of both halves: by chance each has mean 0 and spread 1. */
bool eqp_stand_in_repeats(const eqp_stand_in_counts *c)
{
    for (size_t k = 0; k < c->groups->group_count; k++) {
        double sum = 0, count = 0;
        for (size_t code = 0; code < c->codes; code++) {
            if (c->rows[0][code] < FEWEST_IN_HALF || c->rows[1][code] < FEWEST_IN_HALF) continue;
            sum += deviation(c, 0, code, k) * deviation(c, 1, code, k);
            count++;
        }
        if (count > 1 && sum > ERRORS * sqrt(count)) return true;
    }
    return false;
}
