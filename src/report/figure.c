/* Figures: panels with a legend, as a section of a page and as a file. */
#include "report/figure.h"

#include "base/field.h"
#include "base/memory.h"
#include "report/chart.h"
#include "report/plot.h"
#include "report/shown.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- panels ------------------------------------------------------------------------------------------- */

#define WORDS_CAPACITY 512

static void chart_begin(eqp_chart *chart, eqp_chart_kind kind, const char *title)
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

/* Widens both axes to hold the other chart too, so that two panels can be compared by eye. */
static void chart_widen(eqp_chart *chart, const eqp_chart *other)
{
    widen_axis(&chart->x, eqp_chart_extent(other, true));
    widen_axis(&chart->y, eqp_chart_extent(other, false));
}

const char *eqp_chart_text(const eqp_chart *chart, size_t offset)
{
    return chart->words.bytes + offset;
}

static bool chart_is_empty(const eqp_chart *chart)
{
    return chart->point_count == 0 && chart->kind != EQP_CHART_TREE;
}

static void chart_free(eqp_chart *chart)
{
    free(chart->series);
    free(chart->points);
    free(chart->rows);
    eqp_buffer_free(&chart->words);
    *chart = (eqp_chart){0};
}

#define FILE_MARGIN     20.0
#define FILE_GAP        28.0
#define FILE_ACROSS     2 /* panels beside each other; more stand below */
#define LEGEND_TOP      62.0
#define LEGEND_LINE     20.0
#define LEGEND_SWATCH   26.0
#define TITLE_CHARACTER 9.8

void eqp_figure_describe(eqp_figure *figure, const char *name, const char *title, const char *caption, ...)
{
    va_list arguments;
    figure->name = name;
    figure->title = title;
    va_start(arguments, caption);
    vsnprintf(figure->caption, sizeof figure->caption, caption, arguments);
    va_end(arguments);
}

eqp_chart *eqp_figure_panel(eqp_figure *figure, eqp_chart_kind kind, const char *title)
{
    assert(figure->panel_count < EQP_FIGURE_PANELS);
    eqp_chart *panel = &figure->panels[figure->panel_count++];
    chart_begin(panel, kind, title);
    return panel;
}

void eqp_figure_align(eqp_figure *figure)
{
    for (size_t i = 0; i < figure->panel_count; i++)
        for (size_t j = 0; j < figure->panel_count; j++)
            if (i != j) chart_widen(&figure->panels[i], &figure->panels[j]);
}

bool eqp_figure_is_empty(const eqp_figure *figure)
{
    for (size_t i = 0; i < figure->panel_count; i++)
        if (!chart_is_empty(&figure->panels[i])) return false;
    return true;
}

bool eqp_figure_failed(const eqp_figure *figure)
{
    for (size_t i = 0; i < figure->panel_count; i++)
        if (figure->panels[i].words.failed) return true;
    return figure->table.texts.failed;
}

void eqp_figure_free(eqp_figure *figure)
{
    for (size_t i = 0; i < figure->panel_count; i++) chart_free(&figure->panels[i]);
    eqp_grid_free(&figure->table);
}

void eqp_figure_limit(eqp_chart *chart, const json_t *document)
{
    eqp_chart_series look = {.colour = EQP_COLOUR_INK, .mark = EQP_MARK_NONE, .line = true, .dashed = true};
    eqp_chart_add_series(chart, look, "limit");
    for (size_t i = 0; i < eqp_field_count(document, FIELD_limit_curve); i++) {
        const json_t *point = eqp_field_entry(document, i, FIELD_limit_curve);
        double budget = eqp_field_number(point, FIELD_max_disclosure),
               imbalance = eqp_field_number(point, FIELD_imbalance);
        eqp_chart_add_point(chart, eqp_chart_at(budget, imbalance),
                            "limit · with disclosure %s no rule has imbalance below %s",
                            eqp_decimal(budget, 2).text, eqp_decimal(imbalance, 3).text);
        if (imbalance < 1e-9) break; /* a larger budget cannot do better either */
    }
    chart->shaded = true;
}

/* ---- the legend ---------------------------------------------------------------------------------------- */

static bool has_legend(const eqp_figure *figure)
{
    return !figure->without_legend && figure->panels[0].series_count > 1;
}

/* What a series looks like, 22 wide. */
static void draw_swatch(const eqp_chart_series *series, double x, double y, eqp_buffer *out)
{
    eqp_buffer_printf(out, "<g class=\"%s\">", eqp_svg_colour(series->colour));
    if (series->line) eqp_svg_line(out, x, y, x + 20, y, series->dashed ? "l d" : "l");
    if (series->mark == EQP_MARK_POINT)
        eqp_svg_shape(out, series->hollow ? 0 : series->colour, x + 10, y, 4, series->hollow ? "o" : "m");
    else if (series->mark == EQP_MARK_TICK)
        eqp_svg_line(out, x + 10, y - 6, x + 10, y + 6, "k");
    else if (series->mark == EQP_MARK_BAR)
        eqp_svg_box(out, x + 3, y - 5, 14, 10, "bar");
    eqp_buffer_text(out, "</g>");
}

static void write_button(const eqp_chart_series *series, size_t index, eqp_buffer *out)
{
    eqp_buffer_printf(out,
                      "<button type=\"button\" aria-pressed=\"true\" data-series=\"%zu\"><svg width=\"22\" "
                      "height=\"14\" viewBox=\"-1 0 22 14\" aria-hidden=\"true\">",
                      index);
    draw_swatch(series, 0, 7, out);
    eqp_buffer_text(out, "</svg>");
    eqp_markup_text(out, series->name);
    eqp_buffer_text(out, "</button>\n");
}

static void write_legend(const eqp_figure *figure, eqp_buffer *out)
{
    const eqp_chart *chart = &figure->panels[0];
    eqp_buffer_text(out, "<div class=\"legend\" role=\"group\" aria-label=\"show or hide series\">\n");
    for (size_t i = 0; i < chart->series_count; i++) write_button(&chart->series[i], i, out);
    eqp_buffer_text(out, "</div>\n");
}

/* ---- on a page ----------------------------------------------------------------------------------------- */

eqp_shown eqp_figure_anchor(const eqp_figure *figure)
{
    eqp_shown anchor;
    if (figure->part == 0)
        snprintf(anchor.text, sizeof anchor.text, "%s", figure->name);
    else
        snprintf(anchor.text, sizeof anchor.text, "%s-%zu", figure->name, figure->part);
    return anchor;
}

static void write_panel(const eqp_figure *figure, const eqp_chart *chart, const char *anchor, eqp_buffer *out)
{
    eqp_buffer_printf(out, "<svg viewBox=\"0 0 %s %s\" role=\"group\" aria-label=\"",
                      eqp_fixed(EQP_PANEL_WIDTH, 0).text, eqp_fixed(eqp_panel_height(chart), 0).text);
    eqp_markup_printf(out, "%s: %s", figure->title, chart->title);
    eqp_buffer_printf(out, "\" aria-describedby=\"%s-caption\">\n", anchor);
    eqp_draw_panel(chart, out);
    eqp_buffer_text(out, "</svg>\n");
}

static void write_table(const eqp_figure *figure, eqp_buffer *out)
{
    if (!figure->table.alignment) return;
    eqp_buffer_printf(out, "<details%s><summary>", figure->table_open ? " open" : "");
    eqp_buffer_text(out, "the numbers as a table</summary><div class=\"scroll\" "
                         "tabindex=\"0\" role=\"region\" aria-label=\"");
    eqp_markup_printf(out, "table: %s", figure->title);
    eqp_buffer_text(out, "\">\n");
    eqp_grid_html(&figure->table, out);
    eqp_buffer_text(out, "</div></details>\n");
}

void eqp_figure_section(const eqp_figure *figure, eqp_buffer *out)
{
    eqp_shown anchor = eqp_figure_anchor(figure);
    eqp_buffer_printf(out, "<section class=\"figure%s\" id=\"%s\">\n<h2>",
                      figure->panel_count > 1 || figure->wide ? " wide" : "", anchor.text);
    eqp_markup_text(out, figure->title);
    eqp_buffer_printf(out, "</h2>\n<p class=\"caption\" id=\"%s-caption\">", anchor.text);
    eqp_markup_text(out, figure->caption);
    eqp_buffer_text(out, "</p>\n");
    if (has_legend(figure)) write_legend(figure, out);
    eqp_buffer_printf(out, "<div class=\"panels n%zu\">\n", figure->panel_count);
    for (size_t i = 0; i < figure->panel_count; i++)
        write_panel(figure, &figure->panels[i], anchor.text, out);
    eqp_buffer_text(out, "</div>\n");
    write_table(figure, out);
    eqp_buffer_text(out, "</section>\n");
}

/* ---- as a file ----------------------------------------------------------------------------------------- */

static double file_width(const eqp_figure *figure)
{
    double panels = fmin((double)figure->panel_count, FILE_ACROSS);
    double title = TITLE_CHARACTER * (double)eqp_text_width(figure->title);
    return 2 * FILE_MARGIN + fmax(panels * EQP_PANEL_WIDTH + (panels - 1) * FILE_GAP, title);
}

/* Draws the legend in as many lines as it needs, or measures it when `out` is NULL; returns where it ends. */
static double place_legend(const eqp_figure *figure, eqp_buffer *out)
{
    const eqp_chart *chart = &figure->panels[0];
    double x = FILE_MARGIN, y = LEGEND_TOP;
    if (!has_legend(figure)) return LEGEND_TOP - LEGEND_LINE / 2;
    for (size_t i = 0; i < chart->series_count; i++) {
        double width = LEGEND_SWATCH + eqp_svg_text_width(chart->series[i].name) + 18;
        if (x + width > file_width(figure) - FILE_MARGIN && x > FILE_MARGIN) {
            x = FILE_MARGIN;
            y += LEGEND_LINE;
        }
        if (out) {
            draw_swatch(&chart->series[i], x, y - 4, out);
            eqp_svg_text(out, x + LEGEND_SWATCH, y, EQP_ANCHOR_START, "n", chart->series[i].name);
        }
        x += width;
    }
    return y + LEGEND_LINE;
}

static double tallest_panel(const eqp_figure *figure)
{
    double height = 0;
    for (size_t i = 0; i < figure->panel_count; i++)
        height = fmax(height, eqp_panel_height(&figure->panels[i]));
    return height;
}

static void open_file(const eqp_figure *figure, double height, bool plain, eqp_buffer *out)
{
    eqp_shown width = eqp_fixed(file_width(figure), 0), tall = eqp_fixed(height, 0);
    eqp_buffer_printf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%s\" height=\"%s\" "
                      "viewBox=\"0 0 %s %s\">\n<title>",
                      width.text, tall.text, width.text, tall.text);
    eqp_markup_text(out, figure->title);
    eqp_buffer_text(out, "</title>\n<desc>");
    eqp_markup_text(out, figure->caption);
    eqp_buffer_text(out, "</desc>\n<style>\n");
    if (plain)
        eqp_svg_plain_style(out);
    else
        eqp_buffer_text(out, eqp_svg_style());
    eqp_buffer_text(out, "</style>\n");
    eqp_svg_box(out, 0, 0, file_width(figure), height, "paper");
    eqp_svg_text(out, FILE_MARGIN, 34, EQP_ANCHOR_START, "h", figure->title);
}

static void draw_file(const eqp_figure *figure, bool plain, eqp_buffer *out)
{
    double top = place_legend(figure, NULL) + 8, down = tallest_panel(figure) + FILE_MARGIN;
    size_t lines = (figure->panel_count + FILE_ACROSS - 1) / FILE_ACROSS;
    open_file(figure, top + (double)lines * down, plain, out);
    place_legend(figure, out);
    for (size_t i = 0; i < figure->panel_count; i++) {
        double left = FILE_MARGIN + (double)(i % FILE_ACROSS) * (EQP_PANEL_WIDTH + FILE_GAP);
        eqp_buffer_printf(out, "<g transform=\"translate(%s %s)\">\n", eqp_fixed(left, 0).text,
                          eqp_fixed(top + (double)(i / FILE_ACROSS) * down, 0).text);
        eqp_draw_panel(&figure->panels[i], out);
        eqp_buffer_text(out, "</g>\n");
    }
    eqp_buffer_text(out, "</svg>\n");
}

void eqp_figure_file(const eqp_figure *figure, eqp_buffer *out)
{
    draw_file(figure, false, out);
}

void eqp_figure_plain_file(const eqp_figure *figure, eqp_buffer *out)
{
    draw_file(figure, true, out);
}
