/* Clocks: how long something took, for reports, and when it happened, for what is put on record. */
#ifndef EQP_BASE_CLOCK_H
#define EQP_BASE_CLOCK_H

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

#endif
