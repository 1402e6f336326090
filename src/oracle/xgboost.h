/* XGBoost, loaded when boosting begins, from wherever it is installed; neither needed to build nor to run
 * anything else.
 *
 * Its functions are declared here as far as they are used: those that versions 1.7 to 3 have in common. */
#ifndef EQP_ORACLE_XGBOOST_H
#define EQP_ORACLE_XGBOOST_H

#include "base/status.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- libraries that are loaded when they are needed --------------------------------------------------- */

/* A library loaded when it is first needed, and not at all before: linked in the ordinary way, XGBoost and
 * what hangs on it would have to be there for every command, and cost each many times its own start. */

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

/* ---- memory to fall back on --------------------------------------------------------------------------- */

/* Memory to fall back on while XGBoost runs.  When memory is short, it throws out of functions that must not
 * throw, which ends the program.  But first the C++ runtime asks its handler for more, and the handler here
 * gives back what was put aside. */

/* Puts so many bytes aside for the calls that this thread is about to make; fails when they are not there.
 * They are address space alone until somebody needs them.  Not nested. */
eqp_status eqp_spare_take(size_t bytes, eqp_error *error);
/* After the calls, also when they failed. */
void eqp_spare_drop(void);

typedef uint64_t bst_ulong;
typedef void *DMatrixHandle;
typedef void *BoosterHandle;

/* All that return an int return 0 when they succeed; otherwise XGBGetLastError says why they did not. */
const char *XGBGetLastError(void);
int XGBSetGlobalConfig(const char *config);
/* The three arrays as JSON, as __array_interface__ describes them; read during the call only. */
int XGDMatrixCreateFromCSR(const char *start, const char *column, const char *value, bst_ulong columns,
                           const char *config, DMatrixHandle *made);
int XGDMatrixSetFloatInfo(DMatrixHandle matrix, const char *field, const float *values, bst_ulong count);
int XGDMatrixFree(DMatrixHandle matrix);
int XGBoosterCreate(const DMatrixHandle matrices[], bst_ulong count, BoosterHandle *made);
int XGBoosterSetParam(BoosterHandle booster, const char *name, const char *value);
int XGBoosterUpdateOneIter(BoosterHandle booster, int round, DMatrixHandle train);
int XGBoosterDumpModelEx(BoosterHandle booster, const char *features, int with_statistics, const char *format,
                         bst_ulong *count, const char ***dumps);
int XGBoosterFree(BoosterHandle booster);

#define EQP_XGBOOST_FUNCTIONS(EACH)                                                                          \
    EACH(XGBGetLastError)                                                                                    \
    EACH(XGBSetGlobalConfig)                                                                                 \
    EACH(XGDMatrixCreateFromCSR)                                                                             \
    EACH(XGDMatrixSetFloatInfo)                                                                              \
    EACH(XGDMatrixFree)                                                                                      \
    EACH(XGBoosterCreate)                                                                                    \
    EACH(XGBoosterSetParam)                                                                                  \
    EACH(XGBoosterUpdateOneIter)                                                                             \
    EACH(XGBoosterDumpModelEx)                                                                               \
    EACH(XGBoosterFree)

typedef struct eqp_xgboost {
    EQP_XGBOOST_FUNCTIONS(EQP_FOREIGN_POINTER)
} eqp_xgboost;

/* Valid as long as the process.  The file is the one that the environment variable EQUIPOISE_XGBOOST names;
 * without it that of the Python package xgboost installed beside ours, which the host may have loaded
 * already, or the system's libxgboost.so.0 or libxgboost.so. */
eqp_status eqp_xgboost_get(const eqp_xgboost **xgboost, eqp_error *error);

#endif
