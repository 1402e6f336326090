/* XGBoost, loaded when boosting begins. */
#ifndef EQP_ORACLE_XGBOOST_H
#define EQP_ORACLE_XGBOOST_H

#include "base/foreign.h"

#include <xgboost/c_api.h>

#define EQP_XGBOOST_FUNCTIONS(EACH)                                                                          \
    EACH(XGBGetLastError)                                                                                    \
    EACH(XGBSetGlobalConfig)                                                                                 \
    EACH(XGBoosterCreate)                                                                                    \
    EACH(XGBoosterDumpModelEx)                                                                               \
    EACH(XGBoosterFree)                                                                                      \
    EACH(XGBoosterSetParam)                                                                                  \
    EACH(XGBoosterUpdateOneIter)                                                                             \
    EACH(XGDMatrixCreateFromCSREx)                                                                           \
    EACH(XGDMatrixFree)                                                                                      \
    EACH(XGDMatrixSetFloatInfo)

typedef struct eqp_xgboost {
    EQP_XGBOOST_FUNCTIONS(EQP_FOREIGN_POINTER)
} eqp_xgboost;

/* Borrowed for ever. */
eqp_status eqp_xgboost_get(const eqp_xgboost **xgboost, eqp_error *error);

#endif
