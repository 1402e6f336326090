/* The table of CLP. */
#include "solve/clp.h"

eqp_status eqp_clp_get(const eqp_clp **clp, eqp_error *error)
{
    static const char *const names[] = {EQP_CLP_FUNCTIONS(EQP_FOREIGN_NAME)};
    static eqp_foreign library = {.file = "libClp.so.1",
                                  .package = "coinor-libclp1",
                                  .names = names,
                                  .count = sizeof names / sizeof *names,
                                  .lock = PTHREAD_MUTEX_INITIALIZER};
    static eqp_clp table;
    *clp = NULL;
    eqp_status status = eqp_foreign_load(&library, &table, error);
    if (status == EQP_OK) *clp = &table;
    return status;
}
