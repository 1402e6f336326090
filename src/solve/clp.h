/* CLP, the linear programming solver, loaded when the first program is made. */
#ifndef EQP_SOLVE_CLP_H
#define EQP_SOLVE_CLP_H

#include "base/foreign.h"

#include <coin/Clp_C_Interface.h>

#define EQP_CLP_FUNCTIONS(EACH)                                                                              \
    EACH(Clp_deleteModel)                                                                                    \
    EACH(Clp_dualRowSolution)                                                                                \
    EACH(Clp_getColumnStatus)                                                                                \
    EACH(Clp_getRowStatus)                                                                                   \
    EACH(Clp_loadProblem)                                                                                    \
    EACH(Clp_newModel)                                                                                       \
    EACH(Clp_objectiveValue)                                                                                 \
    EACH(Clp_primal)                                                                                         \
    EACH(Clp_primalColumnSolution)                                                                           \
    EACH(Clp_scaling)                                                                                        \
    EACH(Clp_setDualTolerance)                                                                               \
    EACH(Clp_setLogLevel)                                                                                    \
    EACH(Clp_setPerturbation)                                                                                \
    EACH(Clp_setPrimalTolerance)                                                                             \
    EACH(Clp_status)

typedef struct eqp_clp {
    EQP_CLP_FUNCTIONS(EQP_FOREIGN_POINTER)
} eqp_clp;

/* To put aside before it is called (base/spare.h): more than any program of ours takes. */
#define EQP_CLP_SPARE ((size_t)32 << 20)

/* Borrowed for ever. */
eqp_status eqp_clp_get(const eqp_clp **clp, eqp_error *error);

#endif
