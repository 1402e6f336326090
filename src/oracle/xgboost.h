/* XGBoost, loaded when boosting begins, from wherever it is installed; neither needed to build nor to run
 * anything else.
 *
 * Its functions are declared here as far as they are used: those that versions 1.7 to 3 have in common. */
#ifndef EQP_ORACLE_XGBOOST_H
#define EQP_ORACLE_XGBOOST_H

#include "oracle/foreign.h"

#include <stdint.h>

typedef uint64_t bst_ulong;
typedef void *DMatrixHandle;
typedef void *BoosterHandle;

/* All that return an int return 0 when they succeed; otherwise XGBGetLastError says why they did not. */
const char *XGBGetLastError(void);
int XGBSetGlobalConfig(const char *config);
/* The three arrays by JSON in the manner of __array_interface__; read during the call only. */
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
