/* Numbers -> bins: sort a sample, keep the distinct values or the quantiles, look every row up. */
#include "oracle/bins.h"

#include "base/memory.h"
#include "base/order.h"

#include <math.h>

#define SAMPLE_ROWS 262144

/* Every k-th row that has a value, sorted; returns how many. */
static size_t sorted_sample(const double *values, const size_t *row, size_t rows, double *sample)
{
    size_t step = rows / SAMPLE_ROWS + 1, count = 0;
    for (size_t i = 0; i < rows; i += step) {
        double value = values[row ? row[i] : i];
        if (!isnan(value)) sample[count++] = value;
    }
    eqp_sort_numbers(sample, count);
    return count;
}

static size_t distinct(const double *sorted, size_t count)
{
    size_t found = count > 0;
    for (size_t i = 1; i < count; i++) found += sorted[i] != sorted[i - 1];
    return found;
}

/* Above `low` and at most `high`, so that low < cut <= high whatever the rounding. */
static double between(double low, double high)
{
    double middle = low / 2 + high / 2;
    return middle > low ? middle : high;
}

/* A cut wherever the value changes and the bin so far has its fair share of what is left. */
static void place_cuts(eqp_bins *bins, const double *sorted, size_t count, uint32_t most)
{
    bool one_each = distinct(sorted, count) <= most;
    size_t start = 0;
    bins->count = 1;
    for (size_t i = 1; i < count && bins->count < most; i++) {
        size_t fair = one_each ? 1 : (count - start) / (most - bins->count + 1);
        if (sorted[i] == sorted[i - 1] || i - start < fair) continue;
        bins->cuts[bins->count++ - 1] = between(sorted[i - 1], sorted[i]);
        start = i;
    }
}

static uint16_t code_of(const eqp_bins *bins, double value)
{
    if (isnan(value)) return (uint16_t)bins->count;
    uint32_t low = 0, high = bins->count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (bins->cuts[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint16_t)low;
}

eqp_status eqp_bins_init(eqp_bins *bins, const double *values, const size_t *row, size_t rows, uint32_t most,
                         eqp_error *error)
{
    *bins = (eqp_bins){0};
    double *sample = eqp_alloc(rows / (rows / SAMPLE_ROWS + 1) + 1, sizeof *sample);
    bins->cuts = eqp_alloc(most, sizeof *bins->cuts);
    bins->code = eqp_alloc(rows, sizeof *bins->code);
    bool complete = sample && bins->cuts && bins->code;
    if (complete) {
        place_cuts(bins, sample, sorted_sample(values, row, rows, sample), most);
        for (size_t i = 0; i < rows; i++) bins->code[i] = code_of(bins, values[row ? row[i] : i]);
    }
    free(sample);
    return complete ? EQP_OK : eqp_fail_memory(error);
}

void eqp_bins_clear(eqp_bins *bins)
{
    free(bins->cuts);
    free(bins->code);
}
