/* A chart as data. */
#include "report/chart.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORDS_CAPACITY 512

void eqp_chart_begin(eqp_chart *chart, eqp_chart_kind kind, const char *title)
{
    static const eqp_chart_axis EMPTY = {.label = "", .least = NAN, .most = NAN};
    *chart = (eqp_chart){.kind = kind, .x = EMPTY, .y = EMPTY};
    snprintf(chart->title, sizeof chart->title, "%s", title);
}

/* Memory for one more element, or a chart that remembers its failure. */
static void *reserve_one(eqp_chart *chart, void *memory, size_t *capacity, size_t count, size_t size)
{
    void *grown = eqp_reserve(memory, capacity, count + 1, size);
    if (!grown) chart->words.failed = true;
    return grown ? grown : memory;
}

static size_t keep_words(eqp_chart *chart, const char *words)
{
    size_t offset = chart->words.length;
    eqp_buffer_add(&chart->words, words, strlen(words) + 1);
    return offset;
}

void eqp_chart_add_series(eqp_chart *chart, eqp_chart_series look, const char *name)
{
    chart->series =
        reserve_one(chart, chart->series, &chart->series_capacity, chart->series_count, sizeof look);
    if (chart->words.failed) return;
    look.first = chart->point_count;
    look.count = 0;
    snprintf(look.name, sizeof look.name, "%s", name);
    chart->series[chart->series_count++] = look;
}

void eqp_chart_add_point(eqp_chart *chart, eqp_chart_point point, const char *words, ...)
{
    char text[WORDS_CAPACITY];
    va_list arguments;
    if (!isfinite(point.x) || !isfinite(point.y) || chart->series_count == 0) return;
    va_start(arguments, words);
    vsnprintf(text, sizeof text, words, arguments);
    va_end(arguments);

    chart->points =
        reserve_one(chart, chart->points, &chart->point_capacity, chart->point_count, sizeof point);
    point.words = keep_words(chart, text);
    if (chart->words.failed) return;
    chart->points[chart->point_count++] = point;
    eqp_chart_series *series = &chart->series[chart->series_count - 1];
    series->count++;
    assert(series->first + series->count == chart->point_count); /* its points lie together */
}

eqp_chart_point eqp_chart_at(double x, double y)
{
    return (eqp_chart_point){.x = x, .y = y, .low = NAN, .high = NAN};
}

eqp_chart_point eqp_chart_between(double x, double y, double low, double high)
{
    return (eqp_chart_point){.x = x, .y = y, .low = low, .high = high};
}

void eqp_chart_add_row(eqp_chart *chart, const char *name)
{
    chart->rows =
        reserve_one(chart, chart->rows, &chart->row_capacity, chart->row_count, sizeof *chart->rows);
    size_t offset = keep_words(chart, name);
    if (!chart->words.failed) chart->rows[chart->row_count++] = offset;
}

void eqp_chart_refer(eqp_chart *chart, bool vertical, double value, const char *label)
{
    if (chart->reference_count == EQP_CHART_REFERENCES || !isfinite(value)) return;
    eqp_chart_reference *reference = &chart->references[chart->reference_count++];
    *reference = (eqp_chart_reference){.vertical = vertical, .value = value, .label = label};
}

/* What is not finite is ignored. */
static void include(eqp_extent *extent, double value)
{
    if (!isfinite(value)) return;
    if (!(extent->least <= value)) extent->least = value;
    if (!(extent->most >= value)) extent->most = value;
}

eqp_extent eqp_chart_extent(const eqp_chart *chart, bool across)
{
    eqp_extent extent = {NAN, NAN};
    bool has_interval =
        across == (chart->kind == EQP_CHART_ROWS); /* intervals lie along x in rows, along y in curves */
    for (size_t i = 0; i < chart->point_count; i++) {
        const eqp_chart_point *point = &chart->points[i];
        include(&extent, across ? point->x : point->y);
        if (has_interval) {
            include(&extent, point->low);
            include(&extent, point->high);
        }
    }
    for (size_t i = 0; i < chart->reference_count; i++)
        if (chart->references[i].vertical == across) include(&extent, chart->references[i].value);
    return extent;
}

static void widen_axis(eqp_chart_axis *axis, eqp_extent extent)
{
    if (!isnan(extent.least))
        axis->least = fmin(axis->least, extent.least); /* fmin takes the number of the two */
    if (!isnan(extent.most)) axis->most = fmax(axis->most, extent.most);
}

void eqp_chart_widen(eqp_chart *chart, const eqp_chart *other)
{
    widen_axis(&chart->x, eqp_chart_extent(other, true));
    widen_axis(&chart->y, eqp_chart_extent(other, false));
}

const char *eqp_chart_text(const eqp_chart *chart, size_t offset)
{
    return chart->words.bytes + offset;
}

bool eqp_chart_is_empty(const eqp_chart *chart)
{
    return chart->point_count == 0 && chart->kind != EQP_CHART_TREE;
}

void eqp_chart_free(eqp_chart *chart)
{
    free(chart->series);
    free(chart->points);
    free(chart->rows);
    eqp_buffer_free(&chart->words);
    *chart = (eqp_chart){0};
}
