/* A library loaded when it is first needed, and not at all before: linked in the ordinary way, XGBoost and
 * what hangs on it would have to be there for every command, and cost each many times its own start. */
#ifndef EQP_ORACLE_FOREIGN_H
#define EQP_ORACLE_FOREIGN_H

#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* One library, static in the file that stands for it.  Its functions are listed once, by a macro that takes
 * one of the two below; the table made with the first is filled in the order of the names made with the
 * second. */
typedef struct eqp_foreign {
    const char *name;        /* for messages */
    const char *hint;        /* what to install */
    const char *const *file; /* tried in turn until one can be loaded; NULL behind the last */
    const char *const *function;
    size_t count;         /* functions */
    pthread_mutex_t lock; /* guards the next */
    bool loaded;
} eqp_foreign;

#define EQP_FOREIGN_POINTER(function) __typeof__(function) *function;
#define EQP_FOREIGN_NAME(function)    #function,

/* Fills the table with the addresses of the functions, once; later calls cost a lock.  The library stays
 * loaded.  A table that was filled may be read from any thread.  Fails when the library or one of its
 * functions is missing; the next call tries again. */
eqp_status eqp_foreign_load(eqp_foreign *library, void *table, eqp_error *error);

#endif
