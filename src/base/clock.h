/* Wall-clock seconds from an arbitrary start, for the times in reports. */
#ifndef EQP_BASE_CLOCK_H
#define EQP_BASE_CLOCK_H

#include <time.h>

static inline double eqp_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
