/* The exported C file compiles without a warning and decides as the library does. */
#include "../model/hand_model.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct equipoise_record {
    const double *numbers;
    const char *const *texts;
};
typedef int decide_function(const struct equipoise_record *record, const char *key, const char *id);

typedef struct compiled {
    char folder[32];
    void *handle;
    decide_function *decide;
} compiled;

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static compiled compile(const char *source)
{
    compiled made = {.folder = "/tmp/equipoise-c-XXXXXX"};
    char path[64], command[400];
    assert_non_null(mkdtemp(made.folder));
    snprintf(path, sizeof path, "%s/rule.c", made.folder);
    write_file(path, source);
    snprintf(command, sizeof command,
             "cd %s && cc -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -o rule.so rule.c",
             made.folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/rule.so", made.folder);
    made.handle = dlopen(path, RTLD_NOW);
    assert_non_null(made.handle);
    *(void **)&made.decide = dlsym(made.handle, "equipoise_decide");
    assert_non_null(made.decide);
    return made;
}

static void discard(compiled *made)
{
    char command[64];
    dlclose(made->handle);
    snprintf(command, sizeof command, "rm -r %s", made->folder);
    assert_int_equal(system(command), 0);
}

static eqp_key test_key(void)
{
    eqp_key key;
    for (int i = 0; i < 64; i++) key.hex[i] = "0123456789abcdef"[i * 7 % 16];
    key.hex[64] = '\0';
    return key;
}

static char *export_c(const eqp_model *model, const eqp_key *key)
{
    eqp_export_options options;
    char *text;
    eqp_export_options_init(&options);
    options.dialect = "c";
    options.key = key;
    assert_int_equal(eqp_export(model, &options, &text, NULL), EQP_OK);
    return text;
}

/* The library's own outcomes for one row after the other, by the names given here. */
static void compare_rows(const eqp_table *table, const eqp_model *model, const compiled *made,
                         const eqp_key *key)
{
    const eqp_column *age = eqp_table_find(table, "age"), *town = eqp_table_find(table, "town");
    eqp_block *block;
    eqp_drawer drawer;
    size_t accepted = 0;
    assert_int_equal(eqp_block_from_table(model->encoding, table, &block, NULL), EQP_OK);
    eqp_drawer_init(&drawer, key, model->id);
    for (size_t row = 0; row < table->rows; row++) {
        char id[24];
        uint32_t code = town->codes[row];
        const char *text = code == EQP_NO_CODE ? NULL : eqp_dictionary_text(town->levels, code);
        struct equipoise_record record = {&age->numbers[row], &text};
        snprintf(id, sizeof id, "r-%zu", row);
        eqp_outcome outcome =
            eqp_rule_outcome(model->encoding, model->rule, &drawer, block, row, id, strlen(id));
        int expected = outcome.draw < eqp_draw_threshold(model->rule->accept[outcome.leaf]);
        assert_int_equal(made->decide(&record, key->hex, id), expected);
        accepted += (size_t)expected;
    }
    assert_true(accepted > 0);
    eqp_block_free(block);
}

static void decides_alike(void **state)
{
    eqp_key key = test_key();
    eqp_table *table = hand_people(5);
    (void)state;
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        eqp_model *model = hand_model(table, kind);
        char *source = export_c(model, NULL);
        compiled made = compile(source);
        compare_rows(table, model, &made, &key);
        discard(&made);
        eqp_text_free(source);
        eqp_model_free(model);
    }
    eqp_table_free(table);
}

static void marks_levels_and_keys(void **state)
{
    eqp_key key = test_key();
    eqp_table *table = hand_people(5);
    eqp_model *model = hand_model(table, 0);
    char *source = export_c(model, &key);
    compiled made = compile(source);
    const double age = 50;
    const char *marked = "?", *unseen = "Atlantis", *none = NULL;
    struct equipoise_record mark = {&age, &marked}, missing = {&age, &none}, other = {&age, &unseen};
    (void)state;
    for (int i = 0; i < 200; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        assert_int_equal(made.decide(&mark, NULL, id), made.decide(&missing, key.hex, id));
        assert_in_range(made.decide(&other, NULL, id), 0, 1);
    }
    assert_int_equal(made.decide(&other, "short", "1"), -1);
    assert_int_equal(made.decide(&other, NULL, ""), -1);
    assert_int_equal(made.decide(&other, NULL, NULL), -1);
    discard(&made);
    eqp_text_free(source);
    eqp_model_free(model);
    eqp_table_free(table);
}

/* Names that would end a comment, a string or a line compile, and stay what they are. */
static void hostile_names(void **state)
{
    const char *names[] = {"*/ int x; /*", "?\?/\" \\n\n", "Tiếng Việt"};
    eqp_table *table = hand_people(5);
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        eqp_model *model = hand_model(table, 1);
        free(model->encoding->features[0].name);
        free(model->encoding->features[1].name);
        model->encoding->features[0].name = strdup(names[i]);
        model->encoding->features[1].name = strdup(names[i]);
        char *source = export_c(model, NULL);
        compiled made = compile(source);
        const char *const *columns = dlsym(made.handle, "equipoise_number_columns");
        assert_string_equal(columns[0], names[i]);
        discard(&made);
        eqp_text_free(source);
        eqp_model_free(model);
    }
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(decides_alike),
                                       cmocka_unit_test(marks_levels_and_keys),
                                       cmocka_unit_test(hostile_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
