/* Commit and verify: an honest draw passes, every single change is named, the log cannot be rewritten. */
#include "../filter/people_file.h"
#include "verify/verify.h"

static char commitment_name[] = "/tmp/equipoise-commit-a-XXXXXX";
static char log_name[] = "/tmp/equipoise-commit-b-XXXXXX";
static eqp_model *model;

static int make_all(void **state)
{
    if (close(mkstemp(commitment_name)) != 0 || close(mkstemp(log_name)) != 0 || make_files(state) != 0)
        return 1;
    model = read_model(people, 0);
    return 0;
}

static int remove_all(void **state)
{
    eqp_model_free(model);
    return unlink(commitment_name) + unlink(log_name) + remove_files(state);
}

static void commit(const char *randomness)
{
    eqp_report *report;
    eqp_error error = {0};
    if (eqp_commit(model, &test_key, input_name, randomness, NULL, commitment_name, &report, &error) !=
        EQP_OK)
        fail_msg("%s", error.message);
    eqp_report_free(report);
}

static eqp_verification verify_with(const eqp_model *with, const eqp_key *key,
                                    const eqp_select_options *options)
{
    eqp_verification verification;
    eqp_error error = {0};
    if (eqp_verify_run(with, key, commitment_name, input_name, output_name, options, &verification, &error) !=
        EQP_OK)
        fail_msg("%s", error.message);
    return verification;
}

static eqp_verification verify(const eqp_select_options *options)
{
    return verify_with(model, &test_key, options);
}

static void assert_difference(const eqp_select_options *options, const char *expected)
{
    eqp_verification verification = verify(options);
    if (strstr(verification.difference, expected) == NULL) fail_msg("\"%s\"", verification.difference);
}

static void draw_filter(const eqp_select_options *options)
{
    run_filter(model, &options->filter);
}

static void an_honest_draw_is_verified(void **state)
{
    (void)state;
    eqp_select_options options = {.filter = {.id = "id", .threads = 2, .chunk_bytes = 5000}};
    write_people(&(guise){.delimiter = ','});
    commit(NULL);
    draw_filter(&options);
    eqp_verification verification = verify(&options);
    assert_string_equal(verification.difference, "");
    assert_int_equal(verification.records, HAND_ROWS);
    options.size = 100;
    options.selected = output_name;
    eqp_cohort cohort;
    assert_int_equal(eqp_select_run(model, &test_key, input_name, &options, NULL, &cohort, NULL), EQP_OK);
    eqp_cohort_clear(&cohort);
    assert_string_equal(verify(&options).difference, "");
    options.size = 99;
    assert_difference(&options, "is not what the draw gives");
}

static void every_change_is_named(void **state)
{
    (void)state;
    size_t length;
    eqp_select_options options = {.filter = {.id = "id"}};
    write_people(&(guise){.delimiter = ','});
    commit(NULL);
    draw_filter(&options);
    char *text = read_text(output_name, &length);
    text[length / 2] ^= 1;
    write_text(output_name, text, length);
    assert_difference(&options, "is not what the draw gives");
    text[length / 2] ^= 1;
    write_text(output_name, text, length - 20);
    assert_difference(&options, "ends at line");
    FILE *file = fopen(output_name, "wb");
    fprintf(file, "%sp9,1,Bath,red\n", text);
    fclose(file);
    assert_difference(&options, "more records than the draw gives");
    write_text(output_name, text, length);
    free(text);
    assert_string_equal(verify(&options).difference, "");

    eqp_key other = test_key;
    other.hex[5] ^= 1;
    assert_non_null(strstr(verify_with(model, &other, &options).difference, "another key"));
    eqp_model *second = read_model(people, 1);
    assert_non_null(strstr(verify_with(second, &test_key, &options).difference, "to the model"));
    eqp_model_free(second);
    write_people(&(guise){.delimiter = ',', .crlf = true});
    assert_difference(&options, "not the one that was committed to");
}

static void a_changed_commitment_is_no_commitment(void **state)
{
    (void)state;
    size_t length;
    eqp_select_options options = {.filter = {.id = "id"}};
    write_people(&(guise){.delimiter = ','});
    commit(NULL);
    draw_filter(&options);
    char *text = read_text(commitment_name, &length), *place = strstr(text, "\"draws\": 0");
    assert_non_null(place);
    place[9] = '3';
    write_text(commitment_name, text, length);
    assert_difference(&options, "its digest is wrong");
    write_text(commitment_name, text, length / 2);
    eqp_verification verification;
    assert_int_equal(eqp_verify_run(model, &test_key, commitment_name, input_name, output_name, &options,
                                    &verification, NULL),
                     EQP_DATA);
    free(text);
}

static void randomness_changes_the_draw_and_must_be_given(void **state)
{
    (void)state;
    eqp_select_options plain = {.filter = {.id = "id"}},
                       mixed = {.filter = {.id = "id", .randomness = "4 8 15"}};
    size_t lengths[2];
    write_people(&(guise){.delimiter = ','});
    draw_filter(&plain);
    char *without = read_text(output_name, &lengths[0]);
    draw_filter(&mixed);
    char *with = read_text(output_name, &lengths[1]);
    assert_true(lengths[0] != lengths[1] || memcmp(without, with, lengths[0]) != 0);
    commit("the lottery of 1 May");
    assert_string_equal(verify(&mixed).difference, "");
    assert_difference(&plain, "but none was given");
    mixed.filter.randomness = "4 8 16";
    assert_difference(&mixed, "is not what the draw gives");
    commit(NULL);
    assert_difference(&mixed, "announces none");
    free(without);
    free(with);
}

/* ---- the log ------------------------------------------------------------------------------------------ */

static eqp_status log_draw(uint64_t *before)
{
    eqp_commitment commitment;
    eqp_error error = {0};
    eqp_status status =
        eqp_commitment_make(model, &test_key, input_name, NULL, log_name, &commitment, &error);
    *before = commitment.draws;
    eqp_commitment_clear(&commitment);
    return status;
}

static void the_log_counts_and_cannot_be_changed(void **state)
{
    (void)state;
    uint64_t before;
    size_t length;
    write_text(input_name, "id,age,town\n", 12);
    write_text(log_name, "", 0);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(log_draw(&before), EQP_OK);
        assert_int_equal(before, i);
    }
    char *text = read_text(log_name, &length);
    for (size_t at = 0; at < length - 1; at += 1 + length / 12) {
        bool last_line = strchr(text + at, '\n') == text + length - 1;
        text[at] = text[at] == 'x' ? 'y' : 'x';
        write_text(log_name, text, length);
        if (!last_line) assert_int_equal(log_draw(&before), EQP_DATA);
        free(text);
        write_text(log_name, "", 0);
        for (int i = 0; i < 4; i++) assert_int_equal(log_draw(&before), EQP_OK);
        text = read_text(log_name, &length);
    }
    char *second = strchr(text, '\n') + 1; /* a line taken out */
    write_text(log_name, second, strlen(second));
    assert_int_equal(log_draw(&before), EQP_DATA);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_draw_is_verified),
        cmocka_unit_test(every_change_is_named),
        cmocka_unit_test(a_changed_commitment_is_no_commitment),
        cmocka_unit_test(randomness_changes_the_draw_and_must_be_given),
        cmocka_unit_test(the_log_counts_and_cannot_be_changed),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
