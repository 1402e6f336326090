/* Every kind of report as text: equal to the screen kept beside its sample, at most 80 columns wide, colour
 * only when asked for.  EQP_ACCEPT=1 writes the screens again, to be looked at before they are committed. */
#include "samples.h"

#include "report/screen.h"
#include "report/shown.h"

#include <stdlib.h>
#include <string.h>

static char *screen_of(const eqp_report *report, bool colour)
{
    char *text = NULL;
    assert_int_equal(eqp_report_text(report, colour, &text, NULL), EQP_OK);
    return text;
}

static void compare_with_kept(const char *name, const char *text)
{
    char path[512], kept[16384];
    snprintf(path, sizeof path, EQP_TEST_FOLDER "/samples/%s.txt", name);
    if (getenv("EQP_ACCEPT")) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
    }
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    kept[fread(kept, 1, sizeof kept - 1, file)] = 0;
    fclose(file);
    assert_string_equal(text, kept);
}

static void screens_are_as_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        eqp_report *report = read_sample(SAMPLES[i]);
        char *text = screen_of(report, false);
        compare_with_kept(SAMPLES[i], text);
        eqp_text_free(text);
        eqp_report_free(report);
    }
}

static void assert_lines_fit(const char *text)
{
    char line[1024];
    while (*text) {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (eqp_text_width(line) > EQP_SCREEN_WIDTH) fail_msg("too wide: %s", line);
        assert_null(strchr(line, '\033'));
        assert_true(length == 0 || text[length - 1] != ' ');
        text += length + 1;
    }
}

static void screens_fit_a_terminal(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        eqp_report *report = read_sample(SAMPLES[i]);
        char *text = screen_of(report, false);
        assert_lines_fit(text);
        eqp_text_free(text);
        eqp_report_free(report);
    }
}

/* Without its escape sequences the coloured screen is the plain one: colour says nothing by itself. */
static void remove_colour(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (*from == '\033')
            from = strchr(from, 'm') + 1;
        else
            *to++ = *from++;
    }
    *to = 0;
}

static void colour_is_never_alone(void **state)
{
    (void)state;
    size_t coloured_screens = 0;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        eqp_report *report = read_sample(SAMPLES[i]);
        char *plain = screen_of(report, false), *coloured = screen_of(report, true);
        coloured_screens += strchr(coloured, '\033') != NULL;
        remove_colour(coloured);
        assert_string_equal(plain, coloured);
        eqp_text_free(plain);
        eqp_text_free(coloured);
        eqp_report_free(report);
    }
    assert_true(coloured_screens >= 5);
}

/* A document of which nothing is known still gives a screen: what is missing shows as a dash. */
static void empty_documents_are_shown(void **state)
{
    (void)state;
    static const char *const COMMANDS[] = {"learn",  "audit", "frontier", "compare", "filter",
                                           "select", "plan",  "commit",   "verify"};
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        eqp_report *report = NULL;
        json_t *document = json_pack("{s:s}", "command", COMMANDS[i]);
        assert_int_equal(eqp_report_from_json(document, &report, NULL), EQP_OK);
        char *text = screen_of(report, true);
        assert_true(strlen(text) > 0);
        assert_null(strstr(text, "nan"));
        eqp_text_free(text);
        eqp_report_free(report);
    }
}

static void unknown_kinds_are_refused(void **state)
{
    (void)state;
    eqp_report *report = NULL;
    eqp_error error;
    char *text = (char *)"untouched";
    assert_int_equal(eqp_report_from_json(json_object(), &report, &error), EQP_OK);
    assert_int_equal(eqp_report_text(report, false, &text, &error), EQP_USAGE);
    assert_null(text);
    eqp_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(screens_are_as_kept),       cmocka_unit_test(screens_fit_a_terminal),
        cmocka_unit_test(colour_is_never_alone),     cmocka_unit_test(empty_documents_are_shown),
        cmocka_unit_test(unknown_kinds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
