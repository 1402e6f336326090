/* The table of XGBoost. */
#include "oracle/xgboost.h"

eqp_status eqp_xgboost_get(const eqp_xgboost **xgboost, eqp_error *error)
{
    static const char *const names[] = {EQP_XGBOOST_FUNCTIONS(EQP_FOREIGN_NAME)};
    static eqp_foreign library = {.file = "libxgboost.so.0",
                                  .package = "libxgboost0",
                                  .names = names,
                                  .count = sizeof names / sizeof *names,
                                  .lock = PTHREAD_MUTEX_INITIALIZER};
    static eqp_xgboost table;
    *xgboost = NULL;
    eqp_status status = eqp_foreign_load(&library, &table, error);
    if (status == EQP_OK) *xgboost = &table;
    return status;
}
