/* Documents of which a part is missing, of another kind or out of all proportion: a screen, a page and
 * figures come out all the same, and no page is other than well-formed. */
#include "base/buffer.h"
#include "markup_walk.h"
#include "samples.h"
#include "table/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCREEN_EVERY = 8, PAGE_EVERY = 80 }; /* of the documents that could be */

static char page_path[] = "/tmp/equipoise-spoilt-XXXXXX";
static size_t documents;

static int make_file(void **state)
{
    (void)state;
    return close(mkstemp(page_path));
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(page_path);
}

static char *read_page(void)
{
    eqp_buffer text = {0};
    char piece[8192], *all;
    FILE *file = fopen(page_path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;) eqp_buffer_add(&text, piece, got);
    fclose(file);
    assert_int_equal(eqp_buffer_take(&text, &all, NULL), EQP_OK);
    return all;
}

static void check(const json_t *document)
{
    eqp_report *report;
    eqp_error error = {0};
    char *text;
    size_t number = documents++;
    if (number % SCREEN_EVERY != 0) return;
    assert_int_equal(eqp_report_from_json(json_deep_copy(document), &report, &error), EQP_OK);
    assert_int_equal(eqp_report_text(report, number % 16 == 0, &text, &error), EQP_OK);
    assert_true(eqp_is_utf8(text, strlen(text)));
    eqp_text_free(text);
    if (number % PAGE_EVERY == 0) {
        assert_int_equal(eqp_report_html(report, page_path, &error), EQP_OK);
        char *page = read_page();
        markup_walk walk = {0};
        walk_markup(&walk, page);
        free(page);
    }
    eqp_report_free(report);
}

static void put(json_t *holder, const char *name, size_t index, json_t *value)
{
    if (name != NULL)
        json_object_set(holder, name, value);
    else
        json_array_set(holder, index, value);
}

/* Each substitute in the place of each value; of a list the first and the last entry stand for all. */
static void spoil(const json_t *root, json_t *holder, const char *name, size_t index,
                  const json_t *substitutes)
{
    json_t *value = json_incref(name != NULL ? json_object_get(holder, name) : json_array_get(holder, index));
    json_t *member, *substitute;
    const char *key;
    size_t i;
    json_array_foreach(substitutes, i, substitute)
    {
        put(holder, name, index, substitute);
        check(root);
    }
    put(holder, name, index, value);
    json_object_foreach(value, key, member) spoil(root, value, key, 0, substitutes);
    size_t count = json_array_size(value);
    if (count > 0) spoil(root, value, NULL, 0, substitutes);
    if (count > 1) spoil(root, value, NULL, count - 1, substitutes);
    json_decref(value);
}

static void any_document_is_shown(void **state)
{
    (void)state;
    json_t *substitutes = json_pack("[n, i, f, f, s, [], {}]", -1, 1e300, 0.5,
                                    "a name of many, many, many, many, many, many words");
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        eqp_report *report = read_sample(SAMPLES[i]);
        json_t *root = json_loads(eqp_report_json(report), 0, NULL), *value;
        const char *name;
        json_object_foreach(root, name, value) if (strcmp(name, "command") != 0)
            spoil(root, root, name, 0, substitutes);
        json_decref(root);
        eqp_report_free(report);
    }
    assert_true(documents > 1000);
    json_decref(substitutes);
}

/* The same groups, levels and columns over and over: every list is longer than what is shown of it. */
static void lengthen(json_t *value)
{
    json_t *member, *copy = json_deep_copy(value);
    const char *key;
    size_t i;
    json_object_foreach(value, key, member) lengthen(member);
    json_array_foreach(value, i, member) lengthen(member);
    for (int round = 0; round < 6 && json_is_array(value) && json_array_size(value) < 200; round++)
        json_array_extend(value, copy);
    json_decref(copy);
}

static void long_lists_are_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        eqp_report *report = read_sample(SAMPLES[i]);
        json_t *root = json_loads(eqp_report_json(report), 0, NULL);
        lengthen(root);
        documents = 0;
        check(root);
        json_decref(root);
        eqp_report_free(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_document_is_shown),
        cmocka_unit_test(long_lists_are_shown),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
