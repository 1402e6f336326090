/* Outputs: replaced whole or not at all, nothing left behind, links followed, failures at once. */
#include "base/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/equipoise-output-XXXXXX";

static int enter_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static int leave_directory(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return chdir("/") != 0 || system(command) != 0;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static void assert_content(const char *path, const char *expected)
{
    char text[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static size_t files_here(void)
{
    DIR *here = opendir(".");
    assert_non_null(here);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(here)) != NULL;) count++;
    closedir(here);
    return count - 2;
}

static void a_new_file_appears_only_when_finished(void **state)
{
    (void)state;
    eqp_output *output;
    size_t before = files_here();
    assert_int_equal(eqp_output_open("fresh", &output, NULL), EQP_OK);
    assert_int_equal(eqp_output_write(output, "hello ", 6, NULL), EQP_OK);
    assert_int_equal(access("fresh", F_OK), -1);
    assert_int_equal(eqp_output_write(output, "world\n", 6, NULL), EQP_OK);
    assert_int_equal(eqp_output_finish(output, NULL), EQP_OK);
    assert_content("fresh", "hello world\n");
    assert_int_equal(files_here(), before + 1);
}

static void abandoning_keeps_the_old_file(void **state)
{
    (void)state;
    eqp_output *output;
    write_file("kept", "old");
    size_t before = files_here();
    assert_int_equal(eqp_output_open("kept", &output, NULL), EQP_OK);
    assert_int_equal(eqp_output_write(output, "new", 3, NULL), EQP_OK);
    eqp_output_abandon(output);
    eqp_output_abandon(NULL);
    assert_content("kept", "old");
    assert_int_equal(files_here(), before);
}

static void replacing_keeps_the_permissions(void **state)
{
    (void)state;
    struct stat status;
    write_file("mode", "old");
    assert_int_equal(chmod("mode", 0640), 0);
    assert_int_equal(eqp_output_text("mode", "new", 3, NULL), EQP_OK);
    assert_content("mode", "new");
    assert_int_equal(stat("mode", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
}

static void links_are_followed_and_stay(void **state)
{
    (void)state;
    struct stat status;
    assert_int_equal(mkdir("far", 0755), 0);
    assert_int_equal(symlink("far/target", "link"), 0);
    assert_int_equal(symlink("link", "link-to-link"), 0);
    assert_int_equal(eqp_output_text("link-to-link", "through", 7, NULL), EQP_OK);
    assert_content("far/target", "through");
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(eqp_output_text("link", "again", 5, NULL), EQP_OK);
    assert_content("far/target", "again");
}

static void a_circle_of_links_is_refused(void **state)
{
    (void)state;
    eqp_error error;
    eqp_output *output;
    assert_int_equal(symlink("circle", "circle"), 0);
    assert_int_equal(eqp_output_open("circle", &output, &error), EQP_IO);
    assert_null(output);
    assert_string_equal(error.message, "cannot write \"circle\": Too many levels of symbolic links");
}

static void impossible_targets_fail_at_open(void **state)
{
    (void)state;
    eqp_error error;
    eqp_output *output;
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(eqp_output_open("folder", &output, &error), EQP_IO);
    assert_string_equal(error.message, "cannot write \"folder\": Is a directory");
    assert_int_equal(eqp_output_open("nowhere/file", &output, &error), EQP_IO);
    assert_string_equal(error.message, "cannot write \"nowhere/file\": No such file or directory");
    assert_int_equal(eqp_output_open("/proc/equipoise", &output, &error),
                     EQP_IO); /* not writable even for root */
    assert_null(output);
}

static void a_full_device_is_an_error(void **state)
{
    (void)state;
    eqp_error error;
    assert_int_equal(eqp_output_text("/dev/full", "bytes", 5, &error), EQP_IO);
    assert_string_equal(error.message, "cannot write \"/dev/full\": No space left on device");
    assert_int_equal(eqp_output_text("/dev/null", "bytes", 5, &error), EQP_OK);
}

/* More than the buffer and more than a pipe holds, in odd pieces. */
static void large_writes_arrive_whole(void **state)
{
    (void)state;
    enum { TOTAL = 1000003 };
    assert_int_equal(mkfifo("fifo", 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        eqp_output *output;
        char piece[70000];
        memset(piece, 'x', sizeof piece);
        if (eqp_output_open("fifo", &output, NULL) != EQP_OK) _exit(1);
        for (size_t done = 0, size = 1; done < TOTAL; done += size) {
            size = size * 7 % sizeof piece;
            if (size > TOTAL - done) size = TOTAL - done;
            if (eqp_output_write(output, piece, size, NULL) != EQP_OK) _exit(2);
        }
        _exit(eqp_output_finish(output, NULL) == EQP_OK ? 0 : 3);
    }
    int file = open("fifo", O_RDONLY), exit_status;
    char bytes[4096];
    size_t total = 0;
    for (ssize_t count; (count = read(file, bytes, sizeof bytes)) > 0;) total += (size_t)count;
    close(file);
    assert_int_equal(waitpid(child, &exit_status, 0), child);
    assert_int_equal(exit_status, 0);
    assert_int_equal(total, TOTAL);
}

static void being_killed_leaves_nothing(void **state)
{
    (void)state;
    write_file("victim", "old");
    size_t before = files_here();
    pid_t child = fork();
    if (child == 0) {
        eqp_output *output;
        if (eqp_output_open("victim", &output, NULL) == EQP_OK) eqp_output_write(output, "new", 3, NULL);
        _exit(0); /* as kill -9 would: nothing is cleaned up */
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_content("victim", "old");
    assert_int_equal(files_here(), before);
}

static void checking_leaves_nothing_and_waits_for_nobody(void **state)
{
    (void)state;
    write_file("checked", "old");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mkdir("directory", 0700), 0);
    size_t before = files_here();
    assert_int_equal(eqp_file_check("checked", NULL), EQP_OK);
    assert_int_equal(eqp_file_check("not-there", NULL), EQP_OK);
    assert_int_equal(eqp_file_check("pipe", NULL), EQP_OK); /* opening it would wait for a reader */
    assert_int_equal(eqp_file_check("-", NULL), EQP_OK);
    assert_int_equal(eqp_file_check("directory", NULL), EQP_IO);
    assert_int_equal(eqp_file_check("missing/file", NULL), EQP_IO);
    assert_int_equal(files_here(), before);
    assert_content("checked", "old");
    assert_int_equal(eqp_file_write("checked", "new", NULL), EQP_OK);
    assert_content("checked", "new");
}

static void output_that_is_the_input_is_noticed(void **state)
{
    (void)state;
    write_file("data", "x");
    write_file("other", "x");
    assert_int_equal(link("data", "hard"), 0);
    assert_int_equal(symlink("data", "soft"), 0);
    assert_true(eqp_output_is_input("data", "data"));
    assert_true(eqp_output_is_input("hard", "./data"));
    assert_true(eqp_output_is_input("soft", "data"));
    assert_true(eqp_output_is_input("data", "soft"));
    assert_false(eqp_output_is_input("other", "data"));
    assert_false(eqp_output_is_input("absent", "data"));
    assert_false(eqp_output_is_input("/dev/null", "/dev/null"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_appears_only_when_finished),
        cmocka_unit_test(abandoning_keeps_the_old_file),
        cmocka_unit_test(replacing_keeps_the_permissions),
        cmocka_unit_test(links_are_followed_and_stay),
        cmocka_unit_test(a_circle_of_links_is_refused),
        cmocka_unit_test(impossible_targets_fail_at_open),
        cmocka_unit_test(a_full_device_is_an_error),
        cmocka_unit_test(large_writes_arrive_whole),
        cmocka_unit_test(being_killed_leaves_nothing),
        cmocka_unit_test(checking_leaves_nothing_and_waits_for_nobody),
        cmocka_unit_test(output_that_is_the_input_is_noticed),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
