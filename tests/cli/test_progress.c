/* The progress bar: quiet where it should be, at most six pictures a second, gone at the end; and the watch
 * that a signal turns into "stop". */
#include "progress.h"
#include "signals.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Works for `milliseconds` and returns what was drawn on standard error. */
static char *draw_for(const screen_settings *screen, long milliseconds, char *drawn, size_t size)
{
    char path[] = "progress-XXXXXX";
    int file = mkstemp(path), terminal = dup(STDERR_FILENO);
    assert_true(file >= 0);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    progress bar = progress_start("comparing", screen);
    eqp_watch watch = progress_watch(&bar);
    for (long i = 0; i <= milliseconds; i += 5) {
        watch.step(watch.context, "seed 13 of 20, tree 0.7", (double)i / (double)milliseconds);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    progress_end(&bar);
    fflush(stderr);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    ssize_t length = pread(file, drawn, size - 1, 0);
    drawn[length > 0 ? length : 0] = '\0';
    close(file);
    unlink(path);
    return drawn;
}

static size_t count_pictures(const char *drawn)
{
    size_t count = 0;
    for (; (drawn = strstr(drawn, "comparing")) != NULL; drawn++) count++;
    return count;
}

static void no_bar_away_from_a_terminal(void **state)
{
    (void)state;
    char drawn[8192];
    assert_string_equal(draw_for(&(screen_settings){.progress = "auto"}, 700, drawn, sizeof drawn), "");
    assert_string_equal(draw_for(&(screen_settings){.progress = "never"}, 700, drawn, sizeof drawn), "");
    screen_settings quiet = {.progress = "always", .quiet = true};
    assert_string_equal(draw_for(&quiet, 700, drawn, sizeof drawn), "");
}

static void quick_work_draws_nothing(void **state)
{
    (void)state;
    char drawn[8192];
    assert_string_equal(draw_for(&(screen_settings){.progress = "always"}, 200, drawn, sizeof drawn), "");
}

static void few_pictures_and_a_clean_end(void **state)
{
    (void)state;
    char drawn[16384];
    draw_for(&(screen_settings){.progress = "always"}, 2500, drawn, sizeof drawn);
    size_t pictures = count_pictures(drawn);
    assert_true(pictures >= 2 && pictures <= 20); /* six a second */
    assert_non_null(strstr(drawn, "seed 13 of 20"));
    assert_non_null(strstr(drawn, " left"));
    assert_string_equal(drawn + strlen(drawn) - 4, "\r\033[K");
}

static void a_signal_stops_the_work(void **state)
{
    (void)state;
    progress bar = progress_start("learning", &(screen_settings){.progress = "never"});
    eqp_watch watch = progress_watch(&bar);
    signals_install();
    assert_true(watch.step(watch.context, "reading", 0));
    raise(SIGTERM);
    alarm(0); /* the patience of signals.c; this process goes on */
    assert_false(watch.step(watch.context, "reading", 0.5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bar_away_from_a_terminal), cmocka_unit_test(quick_work_draws_nothing),
        cmocka_unit_test(few_pictures_and_a_clean_end), cmocka_unit_test(a_signal_stops_the_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
