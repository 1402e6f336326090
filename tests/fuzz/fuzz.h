/* Fuzz targets: each file beside this one takes any bytes, and aborts when something that always holds does
 * not.  libFuzzer drives them (`make fuzz`); replay.c runs the kept corpora through them in `make
 * check-sanitizers`. */
#ifndef EQP_TESTS_FUZZ_H
#define EQP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static inline void must_hold(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* A file in memory with these bytes; close the descriptor to drop it. */
static inline int fuzz_file(const void *bytes, size_t length, char path[32])
{
    int file = memfd_create("input", MFD_CLOEXEC);
    must_hold(file >= 0 && write(file, bytes, length) == (ssize_t)length, "a file in memory can be made");
    snprintf(path, 32, "/proc/self/fd/%d", file);
    return file;
}

#endif
