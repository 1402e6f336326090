/* Sorted lists of distinct numbers found in a document. */
#include "report/series.h"

#include "base/field.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-9;

static void insert(eqp_series *series, double value)
{
    size_t at = series->count;
    for (; at > 0 && series->values[at - 1] > value - SAME; at--)
        if (fabs(series->values[at - 1] - value) < SAME) return;
    if (series->count == EQP_SERIES_CAPACITY) return;
    memmove(series->values + at + 1, series->values + at, (series->count - at) * sizeof *series->values);
    series->values[at] = value;
    series->count++;
}

eqp_series eqp_series_of(const json_t *list, eqp_field field)
{
    eqp_series series = {0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        double value = eqp_field_number(json_array_get(list, i), field);
        if (isfinite(value)) insert(&series, value);
    }
    return series;
}

eqp_series eqp_series_thinned(const eqp_series *series, size_t room)
{
    if (series->count <= room || room < 2) return *series;
    eqp_series thinned = {.count = room};
    for (size_t i = 0; i < room; i++)
        thinned.values[i] = series->values[(i * (series->count - 1) + (room - 1) / 2) / (room - 1)];
    return thinned;
}

const json_t *eqp_series_entry(const json_t *list, eqp_field field, double value)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (fabs(eqp_field_number(entry, field) - value) < SAME) return entry;
    }
    return NULL;
}
