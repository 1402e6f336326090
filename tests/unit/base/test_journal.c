/* Journals: lines come back as they were added, a cut-off line shows, two programs take turns. */
#include "base/journal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/equipoise-journal-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void assert_line(const eqp_journal *journal, size_t *at, const char *expected, bool expected_whole)
{
    const char *line;
    size_t length;
    bool whole;
    assert_true(eqp_journal_next(journal, at, &line, &length, &whole));
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(line, expected, length);
    assert_int_equal(whole, expected_whole);
}

static void add(const char *line)
{
    eqp_journal journal;
    assert_int_equal(eqp_journal_open(path, &journal, NULL), EQP_OK);
    assert_int_equal(eqp_journal_add(&journal, line, NULL), EQP_OK);
    eqp_journal_close(&journal);
}

static void append_bytes(const char *text)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static void lines_come_back_and_a_cut_off_one_shows(void **state)
{
    (void)state;
    eqp_journal journal;
    const char *line;
    size_t at = 0, length;
    bool whole;
    add("first"), add(""), add("third");
    append_bytes("cut of");
    assert_int_equal(eqp_journal_open(path, &journal, NULL), EQP_OK);
    assert_line(&journal, &at, "first", true);
    assert_line(&journal, &at, "", true);
    assert_line(&journal, &at, "third", true);
    size_t after = at;
    assert_line(&journal, &at, "cut of", false);
    assert_false(eqp_journal_next(&journal, &at, &line, &length, &whole));
    assert_int_equal(eqp_journal_cut(&journal, after, NULL), EQP_OK);
    assert_int_equal(eqp_journal_add(&journal, "fourth", NULL), EQP_OK);
    eqp_journal_close(&journal);
    char *text;
    assert_int_equal(eqp_file_read(path, &text, NULL), EQP_OK);
    assert_string_equal(text, "first\n\nthird\nfourth\n");
    eqp_text_free(text);
}

static void two_programs_take_turns(void **state)
{
    (void)state;
    enum { WRITERS = 4, LINES = 25 };
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            for (int i = 0; i < LINES; i++) add("a line that is long enough to be torn apart by another");
            _exit(0);
        }
    for (int w = 0, ended; w < WRITERS; w++) {
        assert_true(wait(&ended) > 0);
        assert_int_equal(ended, 0);
    }
    eqp_journal journal;
    assert_int_equal(eqp_journal_open(path, &journal, NULL), EQP_OK);
    size_t long_lines = 0, at = 0, length;
    bool whole;
    for (const char *line; eqp_journal_next(&journal, &at, &line, &length, &whole);)
        long_lines += length == 54;
    eqp_journal_close(&journal);
    assert_int_equal(long_lines, WRITERS * LINES);
}

static void no_more_is_read_than_allowed(void **state)
{
    (void)state;
    eqp_buffer text = {0};
    eqp_error error = {0};
    int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(eqp_buffer_read(&text, file, "zeros", 100000, &error), EQP_DATA);
    assert_string_equal(error.message, "the file has more than 100000 bytes");
    assert_true(text.length < 200000);
    close(file);
    eqp_buffer_free(&text);
}

static void what_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    eqp_journal journal;
    char *text;
    assert_int_equal(eqp_journal_open("/nowhere/journal", &journal, NULL), EQP_IO);
    eqp_journal_close(&journal);
    assert_int_equal(eqp_file_read("/nowhere/file", &text, NULL), EQP_IO);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_back_and_a_cut_off_one_shows),
        cmocka_unit_test(two_programs_take_turns),
        cmocka_unit_test(no_more_is_read_than_allowed),
        cmocka_unit_test(what_cannot_be_opened_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
