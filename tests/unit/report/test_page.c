/* Pages and figure files: well-formed, harmless whatever the data hold, asking nothing of the network. */
#include "markup_walk.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_MAX (2 * 1024 * 1024)

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(PAGE_MAX);
    assert_non_null(text);
    size_t length = fread(text, 1, PAGE_MAX - 1, file);
    assert_true(length < PAGE_MAX - 1);
    text[length] = 0;
    fclose(file);
    return text;
}

static int make_directory(void **state)
{
    char name[] = "/tmp/equipoise-report-XXXXXX";
    *state = mkdtemp(name) ? strdup(name) : NULL;
    return *state ? 0 : -1;
}

static const char *const FIGURES[] = {"tradeoff",   "yield",       "shares", "rule",
                                      "influence",  "certificate", "drift",  "components",
                                      "distortion", "downstream",  "dial"};
#define FIGURE_COUNT (sizeof FIGURES / sizeof *FIGURES)

static void path_of(char path[512], const char *directory, const char *name, const char *ending)
{
    snprintf(path, 512, "%s/%s.%s", directory, name, ending);
}

static int remove_directory(void **state)
{
    char path[512];
    path_of(path, *state, "page", "html");
    unlink(path);
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        path_of(path, *state, FIGURES[i], "svg");
        unlink(path);
    }
    path_of(path, *state, "results", "csv");
    unlink(path);
    int failed = rmdir(*state);
    free(*state);
    return failed;
}

static char *page_of(const char *sample, const char *directory)
{
    char path[512];
    path_of(path, directory, "page", "html");
    eqp_report *report = read_sample(sample);
    assert_int_equal(eqp_report_html(report, path, NULL), EQP_OK);
    eqp_report_free(report);
    return read_whole(path);
}

/* No attribute runs a script or fetches anything. */
static void assert_harmless(const char *tag, const char *name, const char *value)
{
    if (strncmp(name, "on", 2) == 0) fail_msg("<%s %s=\"%s\">", tag, name, value);
    assert_string_not_equal(name, "src");
    assert_string_not_equal(name, "srcset");
    assert_string_not_equal(name, "action");
    assert_string_not_equal(name, "style");
    if (strcmp(name, "href") == 0 && value[0] != '#') assert_string_equal(value, "data:,");
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
    return count;
}

static void pages_are_well_formed_and_harmless(void **state)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        char *page = page_of(SAMPLES[i], *state);
        markup_walk walk = {.attribute = assert_harmless};
        walk_markup(&walk, page);
        assert_int_equal(count_of(page, "<script"), 1);
        assert_int_equal(count_of(page, "<img"), 0);
        assert_int_equal(count_of(page, "http://"), 0);
        assert_int_equal(count_of(page, "https://"), 0);
        assert_int_equal(count_of(page, "url("), 0);
        assert_int_equal(count_of(page, "@import"), 0);
        assert_null(strstr(page, "nan"));
        free(page);
    }
}

static void hostile_names_are_shown(void **state)
{
    char *page = page_of("hostile", *state);
    assert_non_null(strstr(page, "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
    assert_non_null(strstr(page, "&lt;script&gt;alert(3)&lt;/script&gt;"));
    assert_null(strchr(page, '\033'));
    free(page);
}

static void figures_have_a_table_and_a_caption(void **state)
{
    static const char *const DRAWN[] = {"learn", "tree", "audit", "frontier", "compare"};
    for (size_t i = 0; i < sizeof DRAWN / sizeof *DRAWN; i++) {
        char *page = page_of(DRAWN[i], *state);
        size_t figures = count_of(page, "<section class=\"figure");
        assert_true(figures >= 2);
        assert_int_equal(count_of(page, "class=\"caption\""), figures);
        assert_true(count_of(page, "<details>") + 1 >= figures);
        assert_true(count_of(page, "class=\"pt\"") >= 10);
        assert_non_null(strstr(page, "Responsible use"));
        free(page);
    }
}

static size_t check_figures(const char *sample, const char *directory)
{
    size_t found = 0;
    char path[512];
    eqp_report *report = read_sample(sample);
    assert_int_equal(eqp_report_figures(report, directory, NULL), EQP_OK);
    eqp_report_free(report);
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        path_of(path, directory, FIGURES[i], "svg");
        if (access(path, R_OK) != 0) continue;
        char *drawing = read_whole(path);
        markup_walk walk = {.attribute = assert_harmless};
        walk_markup(&walk, drawing);
        assert_non_null(strstr(drawing, "<title>"));
        assert_non_null(strstr(drawing, "<desc>"));
        assert_int_equal(count_of(drawing, "http"), 1); /* the name space */
        free(drawing);
        unlink(path);
        found++;
    }
    return found;
}

static void figure_files_are_well_formed(void **state)
{
    assert_int_equal(check_figures("learn", *state), 5);
    assert_int_equal(check_figures("tree", *state), 4);
    assert_int_equal(check_figures("hostile", *state), 5);
    assert_int_equal(check_figures("audit", *state), 5);
    assert_int_equal(check_figures("drift", *state), 1);
    assert_int_equal(check_figures("frontier", *state), 2);
    assert_int_equal(check_figures("compare", *state), 5);
    assert_int_equal(check_figures("plan", *state), 0);
}

static void nothing_known_gives_a_page_too(void **state)
{
    static const char *const COMMANDS[] = {"learn", "audit", "frontier", "compare", "filter", "verify"};
    char path[512];
    path_of(path, *state, "page", "html");
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        eqp_report *report = NULL;
        assert_int_equal(eqp_report_from_json(json_pack("{s:s}", "command", COMMANDS[i]), &report, NULL),
                         EQP_OK);
        assert_int_equal(eqp_report_html(report, path, NULL), EQP_OK);
        char *page = read_whole(path);
        markup_walk walk = {.attribute = assert_harmless};
        walk_markup(&walk, page);
        assert_null(strstr(page, "{{")); /* every part of page.html was filled in */
        assert_null(strstr(page, "<!--"));
        free(page);
        eqp_report_free(report);
    }
}

static void a_missing_directory_is_an_error(void **state)
{
    (void)state;
    eqp_error error;
    eqp_report *report = read_sample("learn");
    assert_int_equal(eqp_report_figures(report, "/nowhere/at/all", &error), EQP_IO);
    assert_int_equal(eqp_report_html(report, "/nowhere/at/all.html", &error), EQP_IO);
    eqp_report_free(report);
}

/* The page of several reports has each of them once, and no anchor twice. */
static void several_reports_make_one_page(void **state)
{
    char path[512];
    eqp_report *parts[] = {read_sample("learn"), read_sample("audit"), read_sample("select")}, *joined;
    assert_int_equal(eqp_report_join((const eqp_report *const *)parts, 3, &joined, NULL), EQP_OK);
    path_of(path, *state, "page", "html");
    assert_int_equal(eqp_report_html(joined, path, NULL), EQP_OK);
    char *page = read_whole(path);
    assert_int_equal(count_of(page, "class=\"part\""), 3);
    assert_int_equal(count_of(page, "id=\"shares-1\""), 1);
    assert_int_equal(count_of(page, "id=\"shares-2\""), 1);
    assert_int_equal(count_of(page, "href=\"#part-3\""), 1);
    eqp_report *again;
    assert_int_equal(eqp_report_parse(eqp_report_json(joined), &again, NULL), EQP_OK);
    assert_string_equal(eqp_report_json(again), eqp_report_json(joined));
    assert_true(eqp_report_passed(joined));
    for (size_t i = 0; i < 3; i++) eqp_report_free(parts[i]);
    eqp_report_free(joined);
    eqp_report_free(again);
    free(page);
}

/* A draw says first how many were selected from how many. */
static void a_draw_has_a_headline(void **state)
{
    char *page = page_of("select", *state);
    assert_non_null(strstr(page, "<h1>200 of 8,120 records selected</h1>"));
    assert_int_equal(count_of(page, "<div class=\"card\">"), 2);
    free(page);
}

/* A comparison of `count` methods at three budgets: the second has the curve of the first, each other its
 * own. */
static char *comparison_of(size_t count, const char *directory)
{
    char text[16384], path[512];
    int used = snprintf(text, sizeof text, "{\"command\": \"compare\", \"label\": \"paid\", \"methods\": [");
    for (size_t m = 0; m < count; m++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s{\"name\": \"m%zu\", \"points\": [",
                         m ? ", " : "", m);
        for (int b = 1; b <= 3; b++)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "%s{\"max_disclosure\": 0.%d, \"test\": {\"disclosure\": {\"mean\": 0.%d}, "
                             "\"imbalance\": {\"mean\": %g}}}",
                             b > 1 ? ", " : "", b, b, (m == 1 ? 0 : 0.05 * (double)m) + 0.1 * (4 - b));
        used += snprintf(text + used, sizeof text - (size_t)used, "], \"downstream\": [");
        for (int b = 1; b <= 3; b++)
            used +=
                snprintf(text + used, sizeof text - (size_t)used,
                         "%s{\"max_disclosure\": 0.%d, \"group\": \"g\", \"difference\": {\"mean\": 0.1}}",
                         b > 1 ? ", " : "", b);
        used += snprintf(text + used, sizeof text - (size_t)used, "]}");
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    eqp_report *report;
    assert_int_equal(eqp_report_parse(text, &report, NULL), EQP_OK);
    path_of(path, directory, "page", "html");
    assert_int_equal(eqp_report_html(report, path, NULL), EQP_OK);
    eqp_report_free(report);
    return read_whole(path);
}

static void a_curve_over_another_is_dashed(void **state)
{
    char *page = comparison_of(3, *state);
    assert_int_equal(count_of(page, "<path class=\"l u\""), 1);
    free(page);
}

/* Two methods that are as good as each other: a card names one, and says that this is no finding. */
static void a_card_says_when_a_lead_is_chance(void **state)
{
    char *page = comparison_of(2, *state);
    assert_int_equal(count_of(page, "m0, not beyond chance; limit"), 2);
    free(page);
}

static void methods_have_their_own_colours_and_marks(void **state)
{
    char *page = comparison_of(12, *state);
    for (int m = 0; m < 12; m++) {
        char series[40];
        snprintf(series, sizeof series, "<g class=\"s%d\">", m);
        assert_int_equal(count_of(page, series), 2); /* in the legends of trade-off and later model */
    }
    free(page);
}

static void later_models_are_shown_at_every_budget(void **state)
{
    char *page = comparison_of(2, *state);
    for (int b = 1; b <= 3; b++) {
        char title[40];
        snprintf(title, sizeof title, ">budget 0.%d</text>", b);
        assert_int_equal(count_of(page, title), 1);
    }
    free(page);
}

static void what_is_not_a_report_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"",
                                        "{",
                                        "[]",
                                        "{}",
                                        "{\"command\": \"rain\"}",
                                        "{\"command\": \"report\"}",
                                        "{\"command\": \"report\", \"parts\": [{}]}",
                                        ("{\"command\": \"report\", \"parts\": "
                                         "[{\"command\": \"report\", \"parts\": []}]}")};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        eqp_report *report;
        eqp_error error;
        assert_int_equal(eqp_report_parse(TEXTS[i], &report, &error), EQP_DATA);
        assert_null(report);
    }
    const eqp_report *many[9];
    eqp_report *one = read_sample("plan"), *joined;
    for (size_t i = 0; i < 9; i++) many[i] = one;
    assert_int_equal(eqp_report_join(many, 9, &joined, NULL), EQP_USAGE);
    assert_int_equal(eqp_report_join(many, 0, &joined, NULL), EQP_USAGE);
    eqp_report_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_well_formed_and_harmless),
        cmocka_unit_test(hostile_names_are_shown),
        cmocka_unit_test(figures_have_a_table_and_a_caption),
        cmocka_unit_test(figure_files_are_well_formed),
        cmocka_unit_test(nothing_known_gives_a_page_too),
        cmocka_unit_test(a_missing_directory_is_an_error),
        cmocka_unit_test(several_reports_make_one_page),
        cmocka_unit_test(a_draw_has_a_headline),
        cmocka_unit_test(a_curve_over_another_is_dashed),
        cmocka_unit_test(a_card_says_when_a_lead_is_chance),
        cmocka_unit_test(methods_have_their_own_colours_and_marks),
        cmocka_unit_test(later_models_are_shown_at_every_budget),
        cmocka_unit_test(what_is_not_a_report_is_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
