/* The filter: the same outcome as the library gives, whatever the file looks like and however it is read;
 * accepted bytes unchanged; nothing published when anything is wrong. */
#include "people_file.h"

static void assert_same_people(const bool *expected, const bool *found)
{
    for (size_t row = 0; row < HAND_ROWS; row++)
        if (expected[row] != found[row]) fail_msg("row %zu: %d, not %d", row, found[row], expected[row]);
}

static void outcomes_are_the_librarys_in_every_guise(void **state)
{
    (void)state;
    const guise guises[] = {{.delimiter = ','},
                            {.delimiter = ';', .quoted = true, .town_first = true, .crlf = true},
                            {.delimiter = '\t', .town_first = true, .shuffled = 7, .open_end = true},
                            {.delimiter = ',', .quoted = true, .shuffled = 8}};
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        eqp_model *model = read_model(people, kind);
        for (int with_id = 0; with_id < 2; with_id++) {
            bool expected[HAND_ROWS], found[HAND_ROWS];
            eqp_filter_options options = {.id = with_id ? "id" : NULL, .threads = 2, .chunk_bytes = 5000};
            decided_people(model, options.id, expected);
            for (size_t g = 0; g < sizeof guises / sizeof *guises; g++) {
                write_people(&guises[g]);
                eqp_filter_stats stats = run_filter(model, &options);
                accepted_people(&guises[g], found);
                assert_same_people(expected, found);
                assert_int_equal(stats.read, HAND_ROWS);
                assert_int_equal(stats.missing_cells,
                                 people->columns[0].missing + people->columns[1].missing);
                assert_int_equal(stats.duplicate_ids, 0);
            }
        }
        eqp_model_free(model);
    }
}

static void bytes_do_not_depend_on_threads_or_chunks(void **state)
{
    (void)state;
    const size_t threads[] = {1, 2, 8}, chunks[] = {1, 1000, 1 << 14, 1 << 22};
    eqp_model *model = read_model(people, 0);
    char *expected = NULL;
    size_t expected_length = 0;
    write_people(&(guise){.delimiter = ',', .crlf = true, .open_end = true});
    for (size_t t = 0; t < 3; t++) {
        for (size_t c = 0; c < 4; c++) {
            size_t length;
            run_filter(model,
                       &(eqp_filter_options){
                           .id = "id", .threads = threads[t], .chunk_bytes = chunks[c], .append = true});
            char *text = read_text(output_name, &length);
            if (expected == NULL) {
                expected = text;
                expected_length = length;
                continue;
            }
            assert_int_equal(length, expected_length);
            assert_memory_equal(text, expected, length);
            free(text);
        }
    }
    free(expected);
    eqp_model_free(model);
}

/* A model that accepts everyone: the output must be the input. */
static eqp_model *accept_all(void)
{
    return read_model(people, 3);
}

static void filter_text(const eqp_model *model, const char *text, size_t length,
                        const eqp_filter_options *options, const char *expected, size_t expected_length)
{
    size_t found_length;
    write_text(input_name, text, length);
    run_filter(model, options);
    char *found = read_text(output_name, &found_length);
    assert_int_equal(found_length, expected_length);
    assert_memory_equal(found, expected, expected_length);
    free(found);
}

#define TEXT(literal) (literal), sizeof(literal) - 1

static void accepted_bytes_are_unchanged(void **state)
{
    (void)state;
    const char *const texts[] = {"id,age,town\n1,30,Bath\n2,40,York\n",
                                 "id,age,town\r\n1,30,Bath\r\n2,40,York",
                                 "\xef\xbb\xbfid,age,town\n\"1\",\"30\",\"a \"\"b\"\"\nc\"\n",
                                 "town;id;age\nBath;\"x\"\"y\";1e1\n",
                                 "id,age,town\n1,,\n2,NA,?\r\n3,-0.0,Ely\n",
                                 "id,age,town\n",
                                 "id,age,town",
                                 "more,id,age,town,more\n\xff\xfe,1,2,Bath,=1\n"};
    eqp_model *model = accept_all();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t chunk = 0; chunk < 40; chunk += 13)
            filter_text(model, texts[i], strlen(texts[i]),
                        &(eqp_filter_options){.id = "id", .threads = 2, .chunk_bytes = chunk}, texts[i],
                        strlen(texts[i]));
    filter_text(model, TEXT("id,age,town\n\n1,30,Bath\n\r\n\n2,40,York\n\n"), &(eqp_filter_options){0},
                TEXT("id,age,town\n1,30,Bath\n2,40,York\n"));
    eqp_model_free(model);
}

static void probability_is_one_more_column(void **state)
{
    (void)state;
    eqp_model *model = accept_all();
    eqp_filter_options options = {.append = true};
    filter_text(model, TEXT("id,age,town\r\n1,30,Bath\r\n2,40,York"), &options,
                TEXT("id,age,town,equipoise_probability\r\n1,30,Bath,1\r\n2,40,York,1"));
    filter_text(model, TEXT("\xef\xbb\xbf\nid\tage\ttown"), &options,
                TEXT("\xef\xbb\xbf\nid\tage\ttown\tequipoise_probability"));
    model->rule->accept[0] = 0.5;
    options.read.decimal = ',';
    size_t length;
    char text[] = "id;age;town\na;1,5;Ely\nb;2;Ely\nc;3;Ely\nd;4;Ely\ne;5;Ely\nf;6;Ely\ng;7;Ely\nh;8;Ely\n";
    write_text(input_name, text, sizeof text - 1);
    eqp_filter_stats stats = run_filter(model, &options);
    char *found = read_text(output_name, &length);
    assert_true(stats.accepted > 0 && stats.accepted < 8);
    assert_non_null(strstr(found, ";Ely;0,5\n"));
    free(found);
    eqp_model_free(model);
}

static void probabilities_are_the_librarys(void **state)
{
    (void)state;
    double chance[HAND_ROWS];
    size_t length, checked = 0;
    eqp_model *model = read_model(people, 0);
    assert_int_equal(eqp_model_probabilities(model, people, chance, NULL), EQP_OK);
    write_people(&(guise){.delimiter = ','});
    run_filter(model, &(eqp_filter_options){.id = "id", .append = true});
    char *text = read_text(output_name, &length);
    for (char *line = strchr(text, '\n'); line[1] != '\0'; line = strchr(line + 1, '\n')) {
        unsigned long row = strtoul(line + 2, NULL, 10);
        char *end = strchr(line + 1, '\n'), *cell = end;
        while (cell[-1] != ',') cell--;
        assert_true(strtod(cell, NULL) == chance[row]);
        checked++;
    }
    assert_true(checked > 100);
    free(text);
    eqp_model_free(model);
}

static void formulas_are_counted_and_defused(void **state)
{
    (void)state;
    eqp_model *model = accept_all();
    const char text[] = "id,age,town,=x\n1,-3,=Bath,+1.5\n2,40,\"@a\"\"b\",-\n3,1,York,\"-7\"\n";
    write_text(input_name, text, sizeof text - 1);
    assert_int_equal(run_filter(model, &(eqp_filter_options){0}).suspicious_cells, 3);
    filter_text(model, TEXT("id,age,town\n1,30,Bath\n"), &(eqp_filter_options){.excel_safe = true},
                TEXT("id,age,town\n1,30,Bath\n"));
    filter_text(
        model, text, sizeof text - 1, &(eqp_filter_options){.excel_safe = true},
        TEXT("id,age,town,\"'=x\"\n1,-3,\"'=Bath\",+1.5\n2,40,\"'@a\"\"b\",\"'-\"\n3,1,York,\"-7\"\n"));
    eqp_model_free(model);
}

static void repeated_and_unseen_are_counted(void **state)
{
    (void)state;
    eqp_model *model = accept_all();
    const char text[] = "id,age,town\nx,1,Rome\ny,2,Oslo\n\"x\",3,Bath\nx,4,Bath\n";
    write_text(input_name, text, sizeof text - 1);
    eqp_filter_stats stats = run_filter(model, &(eqp_filter_options){.id = "id"});
    assert_int_equal(stats.duplicate_ids, 2);
    assert_int_equal(stats.unseen_levels, 2);
    assert_true(stats.duplicates_exact);
    eqp_model_free(model);
}

/* ---- what is wrong ----------------------------------------------------------------------------------- */

static void assert_refused(const char *text, const eqp_filter_options *options, eqp_status expected,
                           uint64_t line, uint64_t column, const char *message)
{
    eqp_model *model = accept_all();
    eqp_filter_stats stats;
    eqp_error error = {0};
    size_t length;
    write_text(input_name, text, strlen(text));
    write_text(output_name, "old", 3);
    assert_int_equal(eqp_filter_run(model, &test_key, input_name, output_name, options, NULL, &stats, &error),
                     expected);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    if (strstr(error.message, message) == NULL) fail_msg("%s", error.message);
    char *old = read_text(output_name, &length);
    assert_string_equal(old, "old");
    free(old);
    eqp_model_free(model);
}

static void mistakes_are_named_and_nothing_is_published(void **state)
{
    (void)state;
    const eqp_filter_options by_id = {.id = "id", .threads = 2, .chunk_bytes = 16};
    const char *const bad[] = {"nan", "inf", "1e999", "0x1p3", "x", "12 3", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        snprintf(text, sizeof text, "id,age,town\n1,30,Bath\n2,\"40\",\"a\nb\"\n3,%s,York\n4,1,Ely\n",
                 bad[i]);
        assert_refused(text, &by_id, EQP_DATA, 5, 2, "is not a number (column \"age\")");
    }
    assert_refused("id,Age,town\n1,30,Bath\n", &by_id, EQP_DATA, 0, 0,
                   "no column \"age\"; did you mean \"Age\"?");
    assert_refused("id,age,age,town\n", &by_id, EQP_DATA, 0, 0, "2 columns are named \"age\"");
    assert_refused("id,age,town\n1,30,Bath\n,40,York\n", &by_id, EQP_DATA, 3, 1, "no id");
    assert_refused("id,age,town\n1,30,Bath\n2,40\n", &by_id, EQP_DATA, 3, 2, "2 cells");
    assert_refused("id,age,town\n1,30,B\xff\n", &by_id, EQP_DATA, 2, 3, "UTF-8");
    assert_refused("id,age,town\n1,30,Bath\na\xff,40,York\n", &by_id, EQP_DATA, 3, 1, "UTF-8");
    assert_refused("id,age,town\n\"nine ch.\xe2\x82\",40,York\n", &by_id, EQP_DATA, 2, 1, "UTF-8");
    assert_refused("id,age,town\n1,30,\"Bath\n", &by_id, EQP_DATA, 2, 3, "quote");
    assert_refused("id,age,town,equipoise_probability\n",
                   &(eqp_filter_options){.by_content = true, .append = true}, EQP_DATA, 0, 0, "already");
    assert_refused("", &by_id, EQP_DATA, 0, 0, "empty");
}

static void the_input_is_never_overwritten(void **state)
{
    (void)state;
    eqp_model *model = accept_all();
    eqp_filter_stats stats;
    eqp_error error = {0};
    write_text(input_name, TEXT("id,age,town\n"));
    assert_int_equal(eqp_filter_run(model, &test_key, input_name, input_name, &(eqp_filter_options){0}, NULL,
                                    &stats, &error),
                     EQP_USAGE);
    eqp_model_free(model);
}

static bool stop_at_half(void *context, const char *stage, double done)
{
    (void)stage;
    ++*(size_t *)context;
    return done < 0.5;
}

static void the_watch_can_stop_it(void **state)
{
    (void)state;
    eqp_model *model = accept_all();
    eqp_filter_stats stats;
    eqp_error error = {0};
    size_t calls = 0, length;
    eqp_watch watch = {stop_at_half, &calls};
    write_people(&(guise){.delimiter = ','});
    write_text(output_name, "old", 3);
    eqp_filter_options options = {.by_content = true, .threads = 2, .chunk_bytes = 1000};
    assert_int_equal(
        eqp_filter_run(model, &test_key, input_name, output_name, &options, &watch, &stats, &error),
        EQP_CANCELLED);
    assert_true(calls > 0);
    char *old = read_text(output_name, &length);
    assert_string_equal(old, "old");
    free(old);
    eqp_model_free(model);
}

static void marks_of_the_caller_hold(void **state)
{
    (void)state;
    eqp_model *model = accept_all();
    write_text(input_name, TEXT("id,age,town\n1,-9,Bath\n2,99,none\n3,9,York\n"));
    eqp_filter_options options = {.read = {.missing = "-9,99,none"}};
    assert_int_equal(run_filter(model, &options).missing_cells, 3);
    assert_int_equal(run_filter(model, &(eqp_filter_options){0}).missing_cells, 0);
    eqp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_are_the_librarys_in_every_guise),
        cmocka_unit_test(bytes_do_not_depend_on_threads_or_chunks),
        cmocka_unit_test(accepted_bytes_are_unchanged),
        cmocka_unit_test(probability_is_one_more_column),
        cmocka_unit_test(probabilities_are_the_librarys),
        cmocka_unit_test(formulas_are_counted_and_defused),
        cmocka_unit_test(repeated_and_unseen_are_counted),
        cmocka_unit_test(mistakes_are_named_and_nothing_is_published),
        cmocka_unit_test(the_input_is_never_overwritten),
        cmocka_unit_test(the_watch_can_stop_it),
        cmocka_unit_test(marks_of_the_caller_hold),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
