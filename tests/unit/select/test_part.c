/* Parts whose MAC is right and whose words are not, odd pools, and wishes that a selection refuses. */
#include "../filter/people_file.h"
#include "draw/digest.h"
#include "select/select.h"

#include <math.h>
#include <sys/stat.h>

static char part_name[] = "/tmp/equipoise-part-a-XXXXXX", other_name[] = "/tmp/equipoise-part-b-XXXXXX";
static char selected_name[] = "/tmp/equipoise-part-c-XXXXXX",
            remaining_name[] = "/tmp/equipoise-part-d-XXXXXX";

static int make_all(void **state)
{
    char *names[] = {part_name, other_name, selected_name, remaining_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (close(mkstemp(names[i])) != 0) return 1;
    return make_files(state);
}

static int remove_all(void **state)
{
    unlink(part_name);
    unlink(other_name);
    unlink(selected_name);
    unlink(remaining_name);
    return remove_files(state);
}

static void write_some(size_t count, const guise *as)
{
    size_t rows[HAND_ROWS];
    for (size_t i = 0; i < count; i++) rows[i] = i;
    char *text = people_text(as, rows, count);
    write_text(input_name, text, strlen(text));
    free(text);
}

static eqp_status select_from_file(const eqp_select_options *options, eqp_error *error)
{
    eqp_model *model = read_model(people, 0);
    eqp_cohort cohort;
    *error = (eqp_error){0};
    eqp_status status = eqp_select_run(
        &(eqp_selection){.model = model, .key = &test_key, .input = input_name, .options = options}, NULL,
        &cohort, error);
    eqp_cohort_clear(&cohort);
    eqp_model_free(model);
    return status;
}

/* ---- parts ------------------------------------------------------------------------------------------- */

enum { DIGEST_LINE = 69 };

/* Writes the words of a part under a MAC of their own. */
static void write_part(const char *name, const char *text, size_t length)
{
    eqp_buffer part = {0};
    char mac[65];
    eqp_buffer_add(&part, text, length);
    eqp_key_mac(&test_key, text, length, mac);
    eqp_buffer_printf(&part, "mac %s\n", mac);
    write_text(name, part.bytes, part.length);
    eqp_buffer_free(&part);
}

/* Refused as data, or a cohort no larger than it says. */
static eqp_status read_parts(const char *first, const char *second, eqp_error *error)
{
    eqp_cohort cohort = {.stats.records.duplicates_exact = true};
    *error = (eqp_error){0};
    eqp_status status = eqp_cohort_read_part(first, &test_key, 0, &cohort, error);
    if (status == EQP_OK && second != NULL)
        status = eqp_cohort_read_part(second, &test_key, 1, &cohort, error);
    assert_true(status == EQP_OK || (status == EQP_DATA && error->message[0] != '\0'));
    assert_true(cohort.ranking.count <= cohort.ranking.most);
    eqp_cohort_clear(&cohort);
    return status;
}

static char *small_part(size_t *length)
{
    eqp_error error;
    write_some(12, &(guise){.delimiter = ','});
    eqp_select_options options = {.filter = {.id = "id"}, .size = 2, .alternates = 1, .parts = part_name};
    assert_int_equal(select_from_file(&options, &error), EQP_OK);
    char *text = read_text(part_name, length);
    *length -= DIGEST_LINE;
    return text;
}

static void every_changed_byte_is_refused_or_harmless(void **state)
{
    (void)state;
    static const char OTHERS[] = "09x \n-";
    size_t length, refused = 0;
    char *text = small_part(&length);
    eqp_error error;
    for (size_t at = 0; at < length; at++) {
        char before = text[at];
        for (size_t i = 0; i < sizeof OTHERS - 1; i++) {
            text[at] = OTHERS[i];
            write_part(other_name, text, length);
            refused += read_parts(part_name, other_name, &error) != EQP_OK;
            read_parts(other_name, NULL, &error);
        }
        text[at] = before;
    }
    assert_true(refused > length);
    for (size_t cut = 0; cut < length; cut++) {
        write_part(other_name, text, cut);
        assert_int_equal(read_parts(part_name, other_name, &error), EQP_DATA);
    }
    free(text);
}

/* `from` replaced by `to` in the words of the second part. */
static void check_other(const char *text, size_t length, const char *from, const char *to, const char *words)
{
    eqp_buffer changed = {0};
    eqp_error error;
    const char *at = memmem(text, length, from, strlen(from));
    assert_non_null(at);
    eqp_buffer_add(&changed, text, (size_t)(at - text));
    eqp_buffer_text(&changed, to);
    at += strlen(from);
    eqp_buffer_add(&changed, at, length - (size_t)(at - text));
    write_part(other_name, changed.bytes, changed.length);
    eqp_status status = read_parts(part_name, other_name, &error);
    assert_int_equal(status, words == NULL ? EQP_OK : EQP_DATA);
    if (words != NULL && strstr(error.message, words) == NULL) fail_msg("%s: %s", words, error.message);
    eqp_buffer_free(&changed);
}

static void parts_that_do_not_fit_say_why(void **state)
{
    (void)state;
    size_t length;
    char *text = small_part(&length);
    check_other(text, length, "size 2", "size 2", NULL);
    check_other(text, length, "exact 1", "exact 0", NULL);
    check_other(text, length, "draws ", "draws", "was changed");
    check_other(text, length, "size 2", "size 0", "was changed");
    check_other(text, length, "size 2", "size 3", "another size");
    check_other(text, length, "alternates 1", "alternates 2", "another size");
    check_other(text, length, "size 2", "size 1000000000000000000", "was changed");
    check_other(text, length, "id 2\nid\n", "id 3\nidx\n", "another id column");
    check_other(text, length, "id 2\nid\n", "id 2\nix\n", "another id column");
    check_other(text, length, "id,age", "ie,age", "another header");
    check_other(text, length, "header ", "header 999999", "was changed");
    check_other(text, length, "records 3", "records 2", "was changed");
    check_other(text, length, "records 3", "records 4", "was changed");
    check_other(text, length, "equipoise-part 2", "equipoise-part 1", "was changed");
    char *draw = strstr(text, "draws ");
    draw[6] = draw[6] == '0' ? '1' : '0';
    write_part(other_name, text, length);
    eqp_error error;
    assert_int_equal(read_parts(part_name, other_name, &error), EQP_DATA);
    assert_non_null(strstr(error.message, "other draws"));
    free(text);
}

/* ---- wishes ------------------------------------------------------------------------------------------ */

static void refuses(eqp_select_options options, eqp_status expected, const char *words)
{
    eqp_error error;
    assert_int_equal(select_from_file(&options, &error), expected);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void wishes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    write_some(40, &(guise){.delimiter = ','});
    const eqp_select_options good = {.filter = {.id = "id"}, .size = 3, .selected = selected_name};
    eqp_select_options o = good;
    o.size = 0;
    refuses(o, EQP_USAGE, "size 0");
    o.size = SIZE_MAX;
    refuses(o, EQP_USAGE, "too large");
    o = good;
    o.alternates = SIZE_MAX;
    refuses(o, EQP_USAGE, "too large");
    o = good;
    o.parts = part_name;
    refuses(o, EQP_USAGE, "nothing else is written");
    o.selected = NULL;
    o.alternates_file = other_name;
    refuses(o, EQP_USAGE, "nothing else is written");
    o.alternates_file = NULL;
    o.remaining = remaining_name;
    refuses(o, EQP_USAGE, "nothing else is written");
    o = good;
    o.remaining = input_name;
    refuses(o, EQP_USAGE, "is the input");
    o = good;
    o.filter.id = "ix";
    refuses(o, EQP_DATA, "did you mean \"id\"");
    o.filter.id = "passport number";
    refuses(o, EQP_DATA, "no column \"passport number\"");
    o = good;
    o.size = 41;
    refuses(o, EQP_INFEASIBLE, "no cohort of 41");
    eqp_cohort cohort;
    eqp_error error = {0};
    const char *parts[] = {part_name};
    assert_int_equal(eqp_merge_run(parts, 0, &test_key, &good, &cohort, &error), EQP_USAGE);
    size_t length;
    free(small_part(&length));
    o = good;
    o.remaining = remaining_name;
    assert_int_equal(eqp_merge_run(parts, 1, &test_key, &o, &cohort, &error), EQP_USAGE);
    eqp_cohort_clear(&cohort);
    o.remaining = NULL;
    o.parts = other_name;
    assert_int_equal(eqp_merge_run(parts, 1, &test_key, &o, &cohort, &error), EQP_USAGE);
    eqp_cohort_clear(&cohort);
}

static void headers_without_the_columns_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"id,years,town\np1,3,Bath\n", "no column \"age\""},
        {"something\np1\n", "no columns \"age\", \"town\""},
        {"id,age,age,town\np1,3,3,Bath\n", "2 columns are named \"age\""},
        {"id,age,town\np1,12345678901234567890123456789012345678901234567890x,Bath\n", "is not a number"},
        {"id,age,town\np1,ääääääääääääääääääääääääääääääääääääääääääääääääääääää,Bath\n", "is not a number"},
        {"id,age,town\np1,\"1,5\",Bath\n", "the cell is not a number"},
    };
    const eqp_select_options options = {.filter = {.id = "id"}, .size = 1, .selected = selected_name};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(input_name, cases[i].text, strlen(cases[i].text));
        refuses(options, EQP_DATA, cases[i].words);
    }
}

/* ---- odd pools --------------------------------------------------------------------------------------- */

/* The name of the new column stands at the end of the header, whatever stood before that. */
static void check_appended(const guise *as, const char *before, const char *text)
{
    size_t length, header = strcspn(text, "\r\n");
    eqp_model *model = read_model(people, 0);
    run_filter(model, &(eqp_filter_options){.id = "id", .append = true});
    char *out = read_text(output_name, &length);
    const char *at = out + strlen(before);
    assert_memory_equal(at, text, header);
    assert_int_equal(at[header], as->delimiter);
    assert_memory_equal(at + header + 1, "equipoise_probability", 21);
    free(out);
    eqp_model_free(model);
}

/* Every record, in any dress: selected and remaining together are the pool, line by line. */
static void check_whole(const guise *as, const char *before)
{
    enum { COUNT = 30 };
    size_t rows[COUNT], length, lines = 0;
    for (size_t i = 0; i < COUNT; i++) rows[i] = i;
    char *text = people_text(as, rows, COUNT);
    eqp_buffer pool = {0};
    eqp_buffer_text(&pool, before);
    eqp_buffer_text(&pool, text);
    write_text(input_name, pool.bytes, pool.length);
    const eqp_select_options options = {
        .filter = {.id = "id"}, .size = COUNT / 2, .selected = selected_name, .remaining = remaining_name};
    eqp_error error;
    if (select_from_file(&options, &error) != EQP_OK) fail_msg("%s", error.message);
    const char *names[] = {selected_name, remaining_name};
    for (int i = 0; i < 2; i++) {
        char *part = read_text(names[i], &length);
        size_t head = strlen(before) + strcspn(text, "\n") + 1;
        assert_memory_equal(part, pool.bytes, head);
        for (char *line = part + head; *line != '\0'; lines++) {
            size_t here = strcspn(line, "\r\n");
            assert_non_null(memmem(text, strlen(text), line, here));
            line += here;
            if (*line != '\0') assert_int_equal(*line == '\r', as->crlf);
            line += strspn(line, "\r\n");
        }
        free(part);
    }
    assert_int_equal(lines, COUNT);
    check_appended(as, before, text);
    eqp_buffer_free(&pool);
    free(text);
}

static void selected_and_remaining_are_the_pool(void **state)
{
    (void)state;
    check_whole(&(guise){.delimiter = ','}, "");
    check_whole(&(guise){.delimiter = ';', .quoted = true}, "\n\n");
    check_whole(&(guise){.delimiter = ',', .crlf = true}, "\r\n\r\n");
    check_whole(&(guise){.delimiter = '\t', .crlf = true, .open_end = true}, "\xef\xbb\xbf\r\n");
    check_whole(&(guise){.delimiter = ',', .open_end = true, .shuffled = 4}, "\xef\xbb\xbf");
}

/* The last record of a pool lacks its line end, and is followed by another in the cohort of two parts. */
static void merged_records_stand_on_lines_of_their_own(void **state)
{
    (void)state;
    for (int crlf = 0; crlf < 2; crlf++) {
        eqp_error error;
        size_t length, lines = 0;
        const char *parts[] = {part_name, other_name};
        eqp_select_options options = {.filter = {.id = "id"}, .size = 1};
        for (int i = 0; i < 2; i++) {
            size_t row = (size_t)i;
            char *text = people_text(&(guise){.delimiter = ',', .crlf = crlf, .open_end = true}, &row, 1);
            write_text(input_name, text, strlen(text));
            free(text);
            options.parts = parts[i];
            options.alternates = 1;
            if (select_from_file(&options, &error) != EQP_OK) fail_msg("%s", error.message);
        }
        eqp_cohort cohort;
        eqp_select_options merged = {.size = 2, .selected = selected_name};
        assert_int_equal(eqp_merge_run(parts, 2, &test_key, &merged, &cohort, &error), EQP_OK);
        eqp_cohort_clear(&cohort);
        char *text = read_text(selected_name, &length);
        for (char *at = text; (at = strchr(at, '\n')) != NULL; at++, lines++)
            assert_int_equal(at[-1] == '\r', crlf);
        assert_int_equal(lines, 2); /* after the header, after the first; the last is as it was */
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_changed_byte_is_refused_or_harmless),
        cmocka_unit_test(parts_that_do_not_fit_say_why),
        cmocka_unit_test(wishes_that_make_no_sense_are_refused),
        cmocka_unit_test(headers_without_the_columns_are_refused),
        cmocka_unit_test(selected_and_remaining_are_the_pool),
        cmocka_unit_test(merged_records_stand_on_lines_of_their_own),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
