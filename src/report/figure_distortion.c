/* Distortion: how the accepted differ from the candidates in each column, overall and within each group (love
 * plot). */
#include "base/field.h"
#include "base/memory.h"
#include "report/figure.h"
#include "report/shown.h"

#include <math.h>
#include <string.h>

#define COLUMNS_SHOWN 14
#define GROUPS_SHOWN  6

typedef struct ranked {
    const char *feature;
    double largest; /* standardised difference, in size */
} ranked;

static double difference_of(const json_t *entry)
{
    return eqp_field_number(entry, FIELD_standardised_difference);
}

static void rank_entry(ranked *columns, size_t *count, const json_t *entry)
{
    double size = fabs(difference_of(entry));
    const char *feature = eqp_field_text(entry, FIELD_feature);
    if (!isfinite(size)) return;
    for (size_t i = 0; i < *count; i++)
        if (strcmp(columns[i].feature, feature) == 0) {
            columns[i].largest = fmax(columns[i].largest, size);
            return;
        }
    columns[(*count)++] = (ranked){feature, size};
}

static int by_size(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->largest != b->largest) return a->largest < b->largest ? 1 : -1;
    return strcmp(a->feature, b->feature);
}

/* The rows of the plot: the columns that are distorted most. */
static void add_rows(eqp_chart *chart, const json_t *entries)
{
    size_t count = 0;
    ranked *columns = eqp_alloc(json_array_size(entries), sizeof *columns);
    if (!columns) {
        chart->words.failed = true;
        return;
    }
    for (size_t i = 0; i < json_array_size(entries); i++)
        rank_entry(columns, &count, json_array_get(entries, i));
    qsort(columns, count, sizeof *columns, by_size);
    for (size_t i = 0; i < count && i < COLUMNS_SHOWN; i++) eqp_chart_add_row(chart, columns[i].feature);
    free(columns);
}

static const json_t *find_entry(const json_t *entries, const char *feature, const char *group)
{
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        if (strcmp(eqp_field_text(entry, FIELD_feature), feature) == 0 &&
            strcmp(eqp_field_text(entry, FIELD_group), group) == 0)
            return entry;
    }
    return NULL;
}

static void add_group(eqp_chart *chart, const json_t *entries, const char *group, eqp_chart_series look)
{
    const char *name = *group ? group : "all accepted";
    eqp_chart_add_series(chart, look, name);
    for (size_t row = 0; row < chart->row_count; row++) {
        const char *feature = eqp_chart_text(chart, chart->rows[row]);
        double difference = difference_of(find_entry(entries, feature, group));
        eqp_chart_add_point(chart, eqp_chart_at(difference, (double)row), "%s · %s: %s sd", feature, name,
                            eqp_signed(difference, 2).text);
    }
}

static bool has_series(const eqp_chart *chart, const char *name)
{
    for (size_t i = 0; i < chart->series_count; i++)
        if (strcmp(chart->series[i].name, name) == 0) return true;
    return false;
}

static void add_groups(eqp_chart *chart, const json_t *entries)
{
    add_group(chart, entries, "", (eqp_chart_series){.colour = 6, .hollow = true});
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const char *group = eqp_field_text(json_array_get(entries, i), FIELD_group);
        if (!*group || has_series(chart, group) || chart->series_count > GROUPS_SHOWN) continue;
        add_group(chart, entries, group, (eqp_chart_series){.colour = (int)chart->series_count - 1});
    }
}

static void fill_table(eqp_grid *table, const json_t *entries)
{
    eqp_grid_begin(table, "llr", "column|group|standardised difference");
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        const char *group = eqp_field_text(entry, FIELD_group);
        eqp_grid_cell(table, "%s", eqp_field_text(entry, FIELD_feature));
        eqp_grid_cell(table, "%s", *group ? group : "all accepted");
        eqp_grid_cell(table, "%s", eqp_signed(difference_of(entry), 3).text);
    }
}

void eqp_figure_distortion(const json_t *document, eqp_figure *figure)
{
    const json_t *entries = eqp_field_value(document, FIELD_distortion);
    if (json_array_size(entries) == 0) return;
    eqp_figure_describe(
        figure, "distortion", "Who is chosen within each group",
        "The mean of a column among the accepted minus that among the candidates, in standard "
        "deviations: overall and within each group. Points between the dashed lines (± 0.1) are of "
        "little concern. The columns with the largest differences are drawn.");
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "accepted minus candidates");
    chart->x.label = "standard deviations →";
    eqp_chart_refer(chart, true, -0.1, "");
    eqp_chart_refer(chart, true, 0.1, "");
    add_rows(chart, entries);
    if (!chart->words.failed) add_groups(chart, entries);
    fill_table(&figure->table, entries);
}
