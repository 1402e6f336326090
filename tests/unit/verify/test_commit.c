/* Commit, select, replace, verify, publish: an honest draw passes, every way to differ from a commitment is
 * refused or visible, and neither log nor parts can be made without the key. */
#include "../filter/people_file.h"
#include "verify/verify.h"

static char commitment_name[] = "/tmp/equipoise-commit-a-XXXXXX";
static char log_name[] = "/tmp/equipoise-commit-b-XXXXXX";
static char alternates_name[] = "/tmp/equipoise-commit-c-XXXXXX";
static char list_name[] = "/tmp/equipoise-commit-d-XXXXXX";
static eqp_model *model;

static int make_all(void **state)
{
    if (close(mkstemp(commitment_name)) != 0 || close(mkstemp(log_name)) != 0 ||
        close(mkstemp(alternates_name)) != 0 || close(mkstemp(list_name)) != 0 || make_files(state) != 0)
        return 1;
    model = read_model(people, 0);
    return 0;
}

static int remove_all(void **state)
{
    eqp_model_free(model);
    return unlink(commitment_name) + unlink(log_name) + unlink(alternates_name) + unlink(list_name) +
           remove_files(state);
}

static eqp_commit_options wishes(void)
{
    return (eqp_commit_options){.select = {.filter = {.id = "id"}, .size = 100, .alternates = 20},
                                .randomness = "the lottery of 1 May",
                                .randomness_form = "numbers:3",
                                .output = commitment_name};
}

static eqp_status commit(const eqp_commit_options *options, eqp_error *error)
{
    eqp_report *report;
    eqp_status status = eqp_commit(model, &test_key, input_name, options, &report, error);
    eqp_report_free(report);
    return status;
}

static void commit_well(const eqp_commit_options *options)
{
    eqp_error error = {0};
    if (commit(options, &error) != EQP_OK) fail_msg("%s", error.message);
}

static eqp_draw_options draw_of(const char *randomness)
{
    return (eqp_draw_options){.commitment = commitment_name,
                              .randomness = randomness,
                              .selected = output_name,
                              .alternates_file = alternates_name,
                              .threads = 2};
}

static eqp_status select_with(const eqp_key *key, const eqp_draw_options *options, eqp_error *error)
{
    eqp_report *report;
    *error = (eqp_error){0};
    eqp_status status = eqp_select_committed(model, key, input_name, options, NULL, &report, error);
    eqp_report_free(report);
    return status;
}

static void select_well(const eqp_draw_options *options)
{
    eqp_error error;
    if (select_with(&test_key, options, &error) != EQP_OK) fail_msg("%s", error.message);
}

static eqp_verification verify_with(const eqp_model *with, const eqp_key *key,
                                    const eqp_draw_options *options)
{
    eqp_verification verification;
    eqp_error error = {0};
    if (eqp_verify_run(with, key, input_name, options, &verification, &error) != EQP_OK)
        fail_msg("%s", error.message);
    return verification;
}

static void assert_difference(const eqp_draw_options *options, const char *expected)
{
    eqp_verification verification = verify_with(model, &test_key, options);
    if (strstr(verification.difference, expected) == NULL) fail_msg("\"%s\"", verification.difference);
}

static void assert_verified(const eqp_draw_options *options)
{
    eqp_verification verification = verify_with(model, &test_key, options);
    assert_string_equal(verification.difference, "");
}

static void write_pool(void)
{
    write_people(&(guise){.delimiter = ','});
}

static void an_honest_draw_is_verified(void **state)
{
    (void)state;
    eqp_commit_options wish = wishes();
    eqp_draw_options draw = draw_of("4 8 15");
    write_pool();
    commit_well(&wish);
    select_well(&draw);
    eqp_verification verification = verify_with(model, &test_key, &draw);
    assert_string_equal(verification.difference, "");
    assert_int_equal(verification.records, HAND_ROWS);
    assert_true(verification.same_bytes && !verification.reordered && !verification.foreseen);
    static const char *const spellings[] = {"15 8 4",   "04,08,15",   "4-8-15",
                                            "15;8;004", " 4  8  15 ", "4/8/15"};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        draw.randomness = spellings[i];
        assert_verified(&draw); /* one draw, however the numbers are spelled */
    }
    write_people(&(guise){.delimiter = ',', .crlf = true, .shuffled = 7});
    verification = verify_with(model, &test_key, &draw);
    assert_string_equal(verification.difference, "");
    assert_true(verification.reordered && !verification.same_bytes);
}

/* Everything in a commitment, one by one. */
static void nothing_can_differ(void **state)
{
    (void)state;
    eqp_commit_options wish = wishes();
    eqp_draw_options draw = draw_of("4 8 15");
    eqp_error error;
    eqp_report *report;
    write_pool();
    commit_well(&wish);
    draw.randomness = NULL;
    assert_int_equal(select_with(&test_key, &draw, &error), EQP_DATA);
    assert_non_null(strstr(error.message, "none was given"));
    static const char *const wrong[] = {"4 8", "4 8 15 16", "four 8 15", "", "4 8 15 (bonus 7)"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        draw.randomness = wrong[i];
        assert_int_equal(select_with(&test_key, &draw, &error), EQP_USAGE);
    }
    draw.randomness = "4 8 15";
    eqp_key other = test_key;
    other.hex[5] ^= 1;
    assert_int_equal(select_with(&other, &draw, &error), EQP_DATA);
    assert_non_null(strstr(error.message, "another key"));
    eqp_model *second = read_model(people, 1);
    assert_int_equal(eqp_select_committed(second, &test_key, input_name, &draw, NULL, &report, &error),
                     EQP_DATA);
    assert_non_null(strstr(error.message, "to the model"));
    eqp_model_free(second);
    draw.avoid = list_name;
    assert_int_equal(select_with(&test_key, &draw, &error), EQP_DATA);
    draw.avoid = NULL;
    size_t length;
    char *pool = read_text(input_name, &length);
    pool[length / 2] = pool[length / 2] == '3' ? '4' : '3';
    write_text(input_name, pool, length);
    free(pool);
    assert_int_equal(select_with(&test_key, &draw, &error), EQP_DATA);
    write_pool();
    select_well(&draw);
}

/* A member of the document that is changed, and even one that is only added. */
static void a_changed_commitment_is_no_commitment(void **state)
{
    (void)state;
    static const char *const members[] = {"\"size\"",    "\"alternates\"", "\"id\"",   "\"one_per\"",
                                          "\"missing\"", "\"draws\"",      "\"time\"", "\"randomness_form\"",
                                          "\"version\"", "\"records\"",    "\"log\""};
    eqp_commit_options wish = wishes();
    eqp_draw_options draw = draw_of("4 8 15");
    eqp_error error;
    write_pool();
    commit_well(&wish);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        size_t length;
        char *text = read_text(commitment_name, &length), *place = strstr(text, members[i]), changed[4096];
        assert_non_null(place);
        place += strlen(members[i]) + 2;
        size_t old = strcspn(place, ",\n}");
        int count = snprintf(changed, sizeof changed, "%.*s%s%s", (int)(place - text), text,
                             *place == '"' ? "\"x\"" : "77", place + old);
        write_text(commitment_name, changed, (size_t)count);
        assert_true(select_with(&test_key, &draw, &error) != EQP_OK);
        write_text(commitment_name, text, length);
        free(text);
    }
    select_well(&draw);
    eqp_verification verification;
    const char *old = "{\"format\": \"equipoise-commitment\", \"version\": 1}";
    write_text(commitment_name, old, strlen(old));
    assert_int_equal(eqp_verify_run(model, &test_key, input_name, &draw, &verification, &error), EQP_DATA);
    assert_non_null(strstr(error.message, "version 1"));
}

/* Whoever knows all of a pool but one cell must not be able to try what it holds. */
static void guesses_at_the_pool_cannot_be_tried(void **state)
{
    (void)state;
    eqp_commit_options wish = wishes();
    eqp_lottery lottery;
    eqp_pool_digests digests;
    size_t length;
    write_pool();
    commit_well(&wish);
    eqp_lottery_init(&lottery, &test_key, NULL, model->id);
    assert_int_equal(eqp_pool_digest(input_name, 0, wish.select.filter.id, &lottery, false, &digests, NULL),
                     EQP_OK);
    char *text = read_text(commitment_name, &length);
    assert_non_null(strstr(text, digests.tickets)); /* keyed themselves */
    assert_null(strstr(text, digests.bytes));
    assert_null(strstr(text, digests.records));
    eqp_digest_seal(&test_key, digests.records);
    assert_non_null(strstr(text, digests.records));
    free(text);
}

static void what_cannot_be_committed_to(void **state)
{
    (void)state;
    eqp_error error = {0};
    eqp_commit_options wish = wishes();
    write_pool();
    wish.randomness = wish.randomness_form = NULL;
    assert_int_equal(commit(&wish, &error), EQP_USAGE);
    wish.no_randomness = true;
    assert_int_equal(commit(&wish, &error), EQP_OK);
    eqp_draw_options draw = draw_of(NULL);
    select_well(&draw);
    assert_true(verify_with(model, &test_key, &draw).foreseen);
    wish = wishes();
    wish.no_randomness = true;
    assert_int_equal(commit(&wish, &error), EQP_USAGE);
    wish = wishes();
    wish.select.filter.id = NULL;
    assert_int_equal(commit(&wish, &error), EQP_USAGE);
    wish = wishes();
    wish.select.size = 0;
    assert_int_equal(commit(&wish, &error), EQP_USAGE);
    wish = wishes();
    wish.randomness_time = "2020-01-01";
    assert_int_equal(commit(&wish, &error), EQP_USAGE);
    wish.randomness_time = "9020-01-01T20:00Z";
    assert_int_equal(commit(&wish, &error), EQP_OK);
    draw = draw_of("4 8 15");
    assert_int_equal(select_with(&test_key, &draw, &error), EQP_DATA); /* not yet */
    const char *twice = "id,age,town\nx,41,Bath\ny,3,Ely\nx,41,Bath\n";
    write_text(input_name, twice, strlen(twice));
    wish = wishes();
    wish.select.size = 1;
    wish.select.alternates = 0;
    assert_int_equal(commit(&wish, &error), EQP_DATA);
    assert_non_null(strstr(error.message, "more than one record"));
}

/* ---- people ---------------------------------------------------------------------------------------------
 */

/* Ids alone, in another order, with other line ends; `from` … `to` of the result. */
static void write_ids(const char *source, const char *name, size_t from, size_t to)
{
    size_t length, line = 0;
    char *text = read_text(source, &length);
    eqp_buffer ids = {0}, reversed = {0};
    for (char *at = strchr(text, '\n') + 1; *at != '\0'; at += strcspn(at, "\n") + 1, line++) {
        if (line < from || line >= to) continue;
        reversed.length = 0;
        eqp_buffer_printf(&reversed, "%.*s\r\n", (int)strcspn(at, ","), at);
        if (ids.length > 0) eqp_buffer_add(&reversed, ids.bytes, ids.length);
        ids.length = 0;
        eqp_buffer_add(&ids, reversed.bytes, reversed.length);
    }
    reversed.length = 0;
    eqp_buffer_text(&reversed, "id\r\n");
    eqp_buffer_add(&reversed, ids.bytes, ids.length);
    write_text(name, reversed.bytes, reversed.length);
    eqp_buffer_free(&ids);
    eqp_buffer_free(&reversed);
    free(text);
}

static void people_are_compared_by_id(void **state)
{
    (void)state;
    eqp_commit_options wish = wishes();
    eqp_draw_options draw = draw_of("4 8 15");
    size_t length;
    write_pool();
    commit_well(&wish);
    select_well(&draw);
    char *alternates = read_text(alternates_name, &length);
    write_ids(alternates_name, alternates_name, 0, 20); /* the same people in another order */
    assert_difference(&draw, "rank order");
    write_text(alternates_name, alternates, length);
    free(alternates);
    write_ids(output_name, list_name, 0, 100);
    draw.selected = list_name;
    assert_verified(&draw);
    assert_false(verify_with(model, &test_key, &draw).same_bytes);
    write_ids(output_name, list_name, 1, 100);
    assert_difference(&draw, "is among the selected of the draw, but not in");
    draw.selected = output_name;
    char *result = read_text(output_name, &length);
    eqp_buffer more = {0};
    eqp_buffer_printf(&more, "%sfriend,1,Bath,red\n", result);
    write_text(output_name, more.bytes, more.length);
    assert_difference(&draw, "who are not among the selected");
    eqp_buffer_free(&more);
    free(result);
}

static eqp_status replace_with(const char *const *declined, size_t count, eqp_error *error)
{
    eqp_draw_options draw = draw_of("4 8 15");
    eqp_report *report;
    draw.declined = declined;
    draw.declined_count = count;
    *error = (eqp_error){0};
    eqp_status status = eqp_replace(model, &test_key, input_name, &draw, NULL, &report, error);
    eqp_report_free(report);
    return status;
}

static void declines_are_rounds_of_the_log(void **state)
{
    (void)state;
    eqp_commit_options wish = wishes();
    eqp_draw_options draw = draw_of("4 8 15");
    const char *declined[] = {list_name};
    eqp_error error;
    draw.log = wish.log = log_name;
    write_text(log_name, "", 0);
    write_pool();
    commit_well(&wish);
    draw.log = NULL; /* it lies beside the commitment */
    select_well(&draw);
    for (size_t round = 0; round < 2; round++) {
        write_ids(output_name, list_name, 3, 10);
        if (replace_with(declined, 1, &error) != EQP_OK) fail_msg("%s", error.message);
        assert_int_equal(replace_with(declined, 1, &error), EQP_DATA); /* they left already */
        eqp_verification verification = verify_with(model, &test_key, &draw);
        assert_string_equal(verification.difference, "");
        assert_int_equal(verification.rounds, round + 1);
    }
    draw.declined = declined;
    draw.declined_count = 1;
    assert_difference(&draw, "2 rounds of declines, but 1 were given");
}

/* ---- the log --------------------------------------------------------------------------------------------
 */

static void the_log_counts_and_cannot_be_changed(void **state)
{
    (void)state;
    uint64_t before;
    size_t length;
    eqp_error error;
    write_text(log_name, "", 0);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(eqp_log_add(log_name, &test_key, json_object(), &before, &error), EQP_OK);
        assert_int_equal(before, i);
    }
    char *text = read_text(log_name, &length);
    for (size_t at = 0; at < length - 1; at += 7) { /* the last line too: it has a MAC */
        char old = text[at];
        text[at] = old == 'x' ? 'y' : 'x';
        write_text(log_name, text, length);
        assert_int_equal(eqp_log_add(log_name, &test_key, json_object(), &before, &error), EQP_DATA);
        text[at] = old;
    }
    char *second = strchr(text, '\n') + 1; /* a line taken out */
    write_text(log_name, second, strlen(second));
    assert_int_equal(eqp_log_add(log_name, &test_key, json_object(), &before, &error), EQP_DATA);
    write_text(log_name, text, length);
    eqp_key other = test_key;
    other.hex[5] ^= 1;
    assert_int_equal(eqp_log_add(log_name, &other, json_object(), &before, &error), EQP_DATA);
    assert_int_equal(eqp_log_add(log_name, &test_key, json_object(), &before, &error), EQP_OK);
    free(text);
}

static void randomness_has_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *form, *value, *canonical;
    } cases[] = {{"numbers", "42, 07 - 3", "3 7 42"},
                 {"numbers:2", "17834.52", "52 17834"},
                 {"hex", "0xAB cd-12", "abcd12"},
                 {"hex:4", "abcd", "abcd"},
                 {"hex:4", "abcde", NULL},
                 {"numbers", "a", NULL},
                 {"numbers:2", "1 2 3", NULL},
                 {"numbers:0", "1", NULL},
                 {"dice", "1", NULL},
                 {"hex", "", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *canonical;
        eqp_status status = eqp_randomness_canonical(cases[i].form, cases[i].value, &canonical, NULL);
        assert_int_equal(status, cases[i].canonical != NULL ? EQP_OK : EQP_USAGE);
        if (canonical != NULL) assert_string_equal(canonical, cases[i].canonical);
        free(canonical);
    }
}

static void the_page_holds_tickets_and_no_data(void **state)
{
    (void)state;
    eqp_commit_options wish = wishes();
    eqp_draw_options draw = draw_of("4 8 15");
    eqp_buffer page = {0}, tickets = {0};
    eqp_cohort cohort;
    eqp_error error = {0};
    write_pool();
    commit_well(&wish);
    if (eqp_publish_run(model, &test_key, input_name, &draw, &page, &tickets, &cohort, &error) != EQP_OK)
        fail_msg("%s", error.message);
    assert_null(strstr(page.bytes, "York"));
    assert_null(strstr(page.bytes, "http://"));
    assert_null(strstr(page.bytes, "https://"));
    assert_null(strstr(page.bytes, test_key.hex));
    assert_non_null(strstr(page.bytes, cohort.ranking.entries[0].ticket.digits));
    assert_non_null(strstr(tickets.bytes, "p17,"));
    eqp_cohort_clear(&cohort);
    eqp_buffer_free(&page);
    eqp_buffer_free(&tickets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_draw_is_verified),
        cmocka_unit_test(nothing_can_differ),
        cmocka_unit_test(a_changed_commitment_is_no_commitment),
        cmocka_unit_test(guesses_at_the_pool_cannot_be_tried),
        cmocka_unit_test(what_cannot_be_committed_to),
        cmocka_unit_test(people_are_compared_by_id),
        cmocka_unit_test(declines_are_rounds_of_the_log),
        cmocka_unit_test(the_log_counts_and_cannot_be_changed),
        cmocka_unit_test(randomness_has_one_form),
        cmocka_unit_test(the_page_holds_tickets_and_no_data),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
