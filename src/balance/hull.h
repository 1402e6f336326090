/* The geometry of compositions (M3, M4): how near to the target a proxy's leaves, or any proxy within a
 * budget, can come; and the acceptance probabilities that get there. */
#ifndef EQP_BALANCE_HULL_H
#define EQP_BALANCE_HULL_H

#include "base/memory.h"
#include "base/status.h"
#include "encode/groups.h"

/* min |a - U| over compositions a with |a_k - r_k| <= budget, each attribute on its simplex, or in the hull
 * of the combinations that occur where its groups overlap (M3). `nearest` (K doubles) may be NULL.  Returns
 * the distance: what no proxy can beat. */
double eqp_limit(const eqp_groups *groups, const double *base_rate, double budget, double *nearest);
/* The same for rules that accept the share `yield`; 0: any. */
double eqp_limit_at_yield(const eqp_groups *groups, const double *base_rate, double budget, double yield,
                          double *nearest);
/* What a rule must keep to. */
typedef struct eqp_limits {
    double budget;
    double yield;      /* that it accepts; 0: any */
    double ratio;      /* between a group's share on either side and its base rate; NaN: any */
    double min_chance; /* of everybody, as a share of the yield; NaN: any */
} eqp_limits;
double eqp_limit_within(const eqp_groups *groups, const double *base_rate, eqp_limits within,
                        double *nearest);
/* The smallest budget at which full balance is possible: max_k |r_k - U_k|.  NaN where it is at none: groups
 * that overlap cannot always have the shares that are asked for. */
double eqp_limit_budget(const eqp_groups *groups, const double *base_rate);

typedef struct eqp_acceptance_options {
    double min_yield;        /* 0: none */
    double spread;           /* lambda of M4; 0 is the paper's */
    const double *leaf_rows; /* n_j, needed when spread > 0 */
    bool relaxed;            /* drop sum q = 1 (paper, appendix) */
} eqp_acceptance_options;

typedef struct eqp_acceptance {
    eqp_arena arena;     /* of the arrays below */
    double *q;           /* optimal mixture of the leaves */
    double *accept;      /* rho_j, largest is 1 */
    double *composition; /* qA, K doubles */
    double distance;     /* |qA - U| */
    double yield;        /* the largest among the optimal q */
    double kkt;          /* residual by separate code; <= 1e-9 when solved */
} eqp_acceptance;

/* A is leaves × K row-major (the conditional matrix), mass the leaf masses, target U. */
eqp_status eqp_acceptance_solve(const double *A, size_t leaves, size_t groups, const double *mass,
                                const double *target, const eqp_acceptance_options *options,
                                eqp_acceptance **acceptance, eqp_error *error);
void eqp_acceptance_free(eqp_acceptance *acceptance);

/* Only the projection: q and the distance (M4 without the yield program), for use inside the tree's search */
eqp_status eqp_hull_project(const double *A, size_t leaves, size_t groups, const double *target, double *q,
                            double *nearest, double *distance, eqp_error *error);

/* ---- the yield program -------------------------------------------------------------------------------- */

/* The largest yield among mixtures of the same composition (M4). */

/* Replaces q (any scale) by the mixture of the same sum and composition whose largest q_j / m_j is least.
 * Leaves q as it is when nothing better is found. */
eqp_status eqp_yield_raise(const double *A, size_t leaves, size_t groups, const double *mass, double *q,
                           eqp_error *error);

/* ---- optimality --------------------------------------------------------------------------------------- */

/* Optimality of acceptance, measured by code that shares nothing with the solvers. */

/* How far q is from minimising ½|qA - U|² + ½ sum_j penalty_j q_j² over 0 <= q_j <= cap_j, sum q = 1
 * (relaxed: any sum, no caps): violation of the constraints, or what the best direct exchange of mass would
 * still gain. `penalty` and `cap` may be NULL. */
double eqp_acceptance_residual(const double *A, size_t leaves, size_t groups, const double *target,
                               const double *penalty, const double *cap, bool relaxed, const double *q);

#endif
