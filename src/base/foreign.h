/* Libraries that only learning needs, loaded when it first asks for them.  Linked in the ordinary way, BLAS,
 * CLP and XGBoost with all that hangs on them would cost every other command many times its own start. */
#ifndef EQP_BASE_FOREIGN_H
#define EQP_BASE_FOREIGN_H

#include "base/status.h"

#include <pthread.h>

/* One library, static in the file that stands for it.  Its functions are listed once, by a macro that takes
 * one of the two below; the table made with the first is filled in the order of the names made with the
 * second. */
typedef struct eqp_foreign {
    const char *file;    /* as the loader knows it */
    const char *package; /* of Debian */
    const char *const *names;
    size_t count;
    void (*begin)(const void *table); /* called once, when the table is filled; may be NULL */
    pthread_mutex_t lock;             /* guards the next */
    bool loaded;
} eqp_foreign;

#define EQP_FOREIGN_POINTER(function) __typeof__(function) *function;
#define EQP_FOREIGN_NAME(function)    #function,

/* Fills the table with the addresses of the functions, once; later calls cost a lock.  The library stays
 * loaded.  A table that was filled may be read from any thread.  Fails when the library or one of its
 * functions is missing; the next call tries again. */
eqp_status eqp_foreign_load(eqp_foreign *library, void *table, eqp_error *error);

#endif
