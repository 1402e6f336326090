/* What Linux has and macOS spells differently.  Everything else is plain POSIX; Windows is not supported. */
#ifndef EQP_BASE_PLATFORM_H
#define EQP_BASE_PLATFORM_H

#ifdef __APPLE__

#include <libkern/OSByteOrder.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <xlocale.h> /* strtod_l */

#define le64toh(value) OSSwapLittleToHostInt64(value)

#define GRND_NONBLOCK 1 /* getentropy never waits */
#define MOST_ENTROPY  256

static inline ssize_t getrandom(void *bytes, size_t count, unsigned flags)
{
    (void)flags;
    size_t some = count < MOST_ENTROPY ? count : MOST_ENTROPY;
    return getentropy(bytes, some) == 0 ? (ssize_t)some : -1;
}

/* Advice that may be left out. */
#define POSIX_FADV_SEQUENTIAL 0
static inline int posix_fadvise(int file, off_t offset, off_t length, int advice)
{
    (void)file, (void)offset, (void)length, (void)advice;
    return 0;
}

/* A store through a volatile pointer is not left out. */
static inline void explicit_bzero(void *bytes, size_t count)
{
    volatile unsigned char *at = bytes;
    while (count-- > 0) *at++ = 0;
}

#else

#include <endian.h>
#include <sys/random.h>

#endif
#endif
