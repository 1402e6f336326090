/* Clocks: how long something took, for reports, and when it happened, for what is put on record. */
#ifndef EQP_BASE_CLOCK_H
#define EQP_BASE_CLOCK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Seconds from an arbitrary start. */
static inline double eqp_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The time of day, as 2026-05-01T12:00:00Z. */
static inline void eqp_clock_utc(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Whether a text is a day of the calendar, as 2026-05-01. */
static inline bool eqp_is_date(const char *text)
{
    struct tm day = {0};
    char again[32];
    if (strlen(text) != 10 || sscanf(text, "%4d-%2d-%2d", &day.tm_year, &day.tm_mon, &day.tm_mday) != 3)
        return false;
    day.tm_year -= 1900;
    day.tm_mon -= 1;
    timegm(&day); /* turns 31 April into 1 May */
    strftime(again, sizeof again, "%Y-%m-%d", &day);
    return strcmp(again, text) == 0;
}

#endif
