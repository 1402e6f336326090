/* Dates in cells: which texts are dates, and of which day, month and weekday; the calendar is the C
 * library's. */
#include "base/date.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static double days_of(const char *text, eqp_date_order order)
{
    return eqp_date_days(text, strlen(text), order);
}

static void check_day(long day)
{
    time_t moment = (time_t)day * 86400;
    struct tm at;
    char text[64], month[EQP_DATE_TEXT];
    gmtime_r(&moment, &at);
    int year = at.tm_year + 1900;
    snprintf(text, sizeof text, "%04d-%02d-%02d", year, at.tm_mon + 1, at.tm_mday);
    assert_true(days_of(text, EQP_MONTH_FIRST) == (double)day); /* year first is read in any order */
    snprintf(text, sizeof text, "%d.%d.%d", at.tm_mday, at.tm_mon + 1, year);
    assert_true(days_of(text, EQP_DAY_FIRST) == (double)day);
    snprintf(text, sizeof text, "%02d/%02d/%04d 23:59", at.tm_mon + 1, at.tm_mday, year);
    assert_true(days_of(text, EQP_MONTH_FIRST) == (double)day);
    assert_int_equal(eqp_date_month((double)day), at.tm_mon);
    assert_int_equal(eqp_date_weekday((double)day), (at.tm_wday + 6) % 7);
    assert_true(eqp_date_month_start((double)day) == (double)(day - at.tm_mday + 1));
    eqp_date_show_month((double)day, month);
    snprintf(text, sizeof text, "%04d-%02d", year, at.tm_mon + 1);
    assert_string_equal(month, text);
}

static void every_day_is_that_of_the_calendar(void **state)
{
    (void)state;
    long first = (long)days_of("1800-01-01", EQP_YEAR_FIRST),
         last = (long)days_of("2199-12-31", EQP_YEAR_FIRST);
    assert_int_equal(last - first, 400L * 365 + 97 - 1); /* a whole turn of the calendar */
    for (long day = first; day <= last; day++) check_day(day);
}

static void what_is_no_date_is_missing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        eqp_date_order order;
    } CASES[] = {
        {"29.02.1900", EQP_DAY_FIRST},   {"13/13/2000", EQP_DAY_FIRST},   {"31/12/2000", EQP_MONTH_FIRST},
        {"31.12.2000", EQP_YEAR_FIRST},  {"2000-1-1", EQP_YEAR_FIRST},    {"2000-01-1", EQP_YEAR_FIRST},
        {"2000-001-01", EQP_YEAR_FIRST}, {"1.2.03", EQP_DAY_FIRST},       {"1-2/2003", EQP_DAY_FIRST},
        {"2000-01-01x", EQP_YEAR_FIRST}, {" 2000-01-01", EQP_YEAR_FIRST}, {"2000-01-01t", EQP_YEAR_FIRST},
        {"1799-12-31", EQP_YEAR_FIRST},  {"2200-01-01", EQP_YEAR_FIRST},  {"9999-12-31", EQP_YEAR_FIRST},
        {"0000-01-01", EQP_YEAR_FIRST},  {"20000101", EQP_YEAR_FIRST},    {"2000:01:01", EQP_YEAR_FIRST},
        {"001.1.2000", EQP_DAY_FIRST},   {"1..2000", EQP_DAY_FIRST},      {"", EQP_DAY_FIRST},
        {"2000-00-10", EQP_YEAR_FIRST},  {"2000-10-00", EQP_YEAR_FIRST},  {"2000-10-", EQP_YEAR_FIRST},
        {"2000-10", EQP_YEAR_FIRST},     {"1.1.20000", EQP_DAY_FIRST}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        if (!isnan(days_of(CASES[i].text, CASES[i].order))) fail_msg("\"%s\" is read", CASES[i].text);
}

/* The day is the one that is written. */
static void times_do_not_move_the_day(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"1969-12-31T23:59:59Z", "1969-12-31 00:30:00+02:00",
                                        "1969/12/31 noon", "1969.12.31 "};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        assert_true(days_of(TEXTS[i], EQP_YEAR_FIRST) == -1);
}

/* Triage is stricter than a model: a column of free texts that begin with a date holds no dates. */
static void only_times_follow_a_date(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool date, time;
    } CASES[] = {{"1969-12-31", true, false},      {"1969-12-31T12:00:00.25Z", true, true},
                 {"31.12.1969 06:00", true, true}, {"1969-12-31 noon", false, false},
                 {"9999-12-31", true, false},      {"1970-01-01T01:00:00+01:00", true, true}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        eqp_date_parts parts;
        bool read = eqp_date_read(CASES[i].text, strlen(CASES[i].text), &parts);
        assert_int_equal(read, CASES[i].date);
        if (read) assert_int_equal(parts.has_time, CASES[i].time);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_day_is_that_of_the_calendar),
        cmocka_unit_test(what_is_no_date_is_missing),
        cmocka_unit_test(times_do_not_move_the_day),
        cmocka_unit_test(only_times_follow_a_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
