/* Small dense convex quadratic programs, exactly:
 *
 *     min ½x'Qx + c'x    s.t.  Ax = b,  Gx <= h,  low <= x <= high
 *
 * Q may be singular.  Used for acceptance (M4) and for the master program of the direct learner (M9).  The
 * method is the dual active set of Goldfarb and Idnani on Q + δI, repeated around its own answer until the δ
 * has no effect any more (proximal point).  Where the minimiser is not unique, one of small norm is given. */
#ifndef EQP_SOLVE_QP_H
#define EQP_SOLVE_QP_H

#include "base/status.h"

typedef struct eqp_qp {
    size_t n;
    const double *Q; /* n × n, symmetric, positive semidefinite */
    const double *c; /* n */
    size_t equalities;
    const double *A, *b; /* equalities × n, row-major; NULL when none */
    size_t inequalities;
    const double *G, *h; /* inequalities × n, row-major; NULL when none */
    const double *low;   /* n, entries may be -INFINITY; NULL: no lower bounds */
    const double *high;  /* n, entries may be INFINITY; NULL: no upper bounds */
} eqp_qp;

typedef enum eqp_qp_outcome {
    EQP_QP_SOLVED,
    EQP_QP_INFEASIBLE,
    EQP_QP_STOPPED /* the cap on steps was met: the answer is the last one */
} eqp_qp_outcome;

/* Room for programs, used again from one to the next; the answer is a view that the next solve overwrites.
 *     Qx + c + A'y + G'z - z_low + z_high = 0,   z >= 0,   z_i > 0 only where the constraint is tight */
typedef struct eqp_qp_solver eqp_qp_solver;
typedef struct eqp_qp_answer {
    eqp_qp_outcome outcome;
    const double *x;
    const double *y, *z, *z_low, *z_high;
    double objective;
    size_t steps; /* constraints added or dropped */
} eqp_qp_answer;

eqp_status eqp_qp_solver_new(eqp_qp_solver **solver, eqp_error *error);
void eqp_qp_solver_free(eqp_qp_solver *solver);

/* `warm`: begin with the constraints that were active at the end of the last solve, if the program has the
 * same numbers of equalities and inequalities; variables may have been added at the end. */
eqp_status eqp_qp_solve(eqp_qp_solver *solver, const eqp_qp *program, bool warm, eqp_qp_answer *answer,
                        eqp_error *error);

#endif
