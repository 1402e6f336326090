/* The factored active set of the quadratic programs (qp.h): Goldfarb and Idnani's pair J, R.
 *
 *     J'HJ = I,  J'N = [R; 0]      H positive definite, N the normals of the active constraints, R triangular
 *
 * The first `count` columns of J span what the active constraints fix, the others are free to move in. */
#ifndef EQP_SOLVE_ACTIVE_H
#define EQP_SOLVE_ACTIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct eqp_active {
    size_t n;     /* variables */
    size_t count; /* active constraints */
    double *J;    /* n × n, column after column */
    double *R;    /* n × n, column after column, upper triangle used */
    double *d;    /* n: J'v of the last normal */
    double *work; /* n */
} eqp_active;

/* Starts with no constraint.  `factor` holds the lower Cholesky factor of H, column after column. */
void eqp_active_start(eqp_active *active, const double *factor, size_t n);

/* d = J'v for the normal sign·v, or sign·e_i where v is NULL.  Returns |free part of d| / |d|: (nearly) 0
 * when the normal depends on the active ones. */
double eqp_active_project(eqp_active *active, const double *v, size_t i, double sign);

/* After eqp_active_project: the direction in which the new constraint gains and the active ones stand still,
 * z = J2 d2; and what their multipliers lose meanwhile, r = R⁻¹d1.  Returns z·v. */
double eqp_active_step(const eqp_active *active, double *z, double *r);

void eqp_active_add(eqp_active *active);                /* the constraint projected last */
void eqp_active_drop(eqp_active *active, size_t index); /* the others move up */

/* The minimiser of ½x'Hx + c'x with N'x = b, and its multipliers u: Hx + c = Nu. */
void eqp_active_minimise(eqp_active *active, const double *c, const double *b, double *x, double *u);
/* x += J1 R⁻ᵀ residual: takes rounding errors out of N'x = b. */
void eqp_active_correct(eqp_active *active, const double *residual, double *x);

#endif
