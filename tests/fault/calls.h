/* Calls of the library that can be made to fail, one by one, within a test program (linked with --wrap).
 *
 * The shared library beside this one does the same to the whole program from outside; here thousands of
 * faults cost no process each, and each call is known by the way that led to it. */
#ifndef EQP_TEST_CALLS_H
#define EQP_TEST_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/* Starts counting; the call with number `wanted` fails, counted from 1; 0 lets all pass and remembers the
 * stack of each. */
void calls_begin(size_t wanted);
/* Stops; whether the call that was wanted was reached. */
bool calls_end(void);
/* Whether the call failed was one for memory, and its name. */
bool calls_hit_memory(void);
const char *calls_hit_name(void);

/* How many calls the last count saw, and whether the number-th came by a way that no earlier call came. */
size_t calls_seen(void);
bool calls_is_new(size_t number);

/* A watch whose steps count as calls: the failing one asks to stop. */
bool calls_watch_step(void *context, const char *stage, double done);

#endif
