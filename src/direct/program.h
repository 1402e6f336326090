/* The direct program (M9) at one yield and budget, by column generation.
 *
 * With z_j = x_j / y over the rules h_j found so far (h ≡ 0 is the slack), composition c = sum_j z_j mass_j
 * and A_i = sum_j z_j h_j(x_i) = a(x_i) / y:
 *
 *     min  |c - U|² + κ sum_i w_i² A_i²
 *     s.t. sum_j z_j total_j = 1,   sum_j z_j <= 1/y,   -below_k <= c_k - r_k <= above_k,   z >= 0
 *
 * The rejected have composition r + y/(1-y) (r - c), so both sides are within the budget when
 * above = below = budget · min(1, (1-y)/y).  A ratio narrows the sides by different amounts (tighten.c); a
 * least chance X for everybody is z >= X for h ≡ 1; distortion within groups adds rows that are linear in the
 * masses of the cells (bonds.h).  And the matrices do not depend on the yield or the budget, which is why
 * the rules found serve all of them. */
#ifndef EQP_DIRECT_PROGRAM_H
#define EQP_DIRECT_PROGRAM_H

#include "direct/outlook.h"
#include "direct/pool.h"

/* What accepting a row costs at the program's prices. */
typedef struct eqp_direct_quote {
    const double *price;  /* E */
    const float *mix;     /* one per row learned from: A_i */
    double spread;        /* κ */
    const double *cost;   /* one per row learned from: w_i (price + 2 κ w_i A_i) */
    const double *part;   /* one per column of the pool: z_j, its share in the present mixture */
    double must_beat;     /* a rule helps when its total cost is below this */
    double strict_budget; /* each rule by itself within this; NaN: not asked for */
    bool thorough;        /* look again along the directions of rules in use before giving up */
} eqp_direct_quote;

/* Finds rules of small total cost, adds those that help to the pool, and says the smallest cost found. */
typedef struct eqp_direct_pricer {
    eqp_status (*price)(void *self, const eqp_direct_quote *quote, eqp_direct_pool *pool, double *least,
                        eqp_error *error);
    void *self;
} eqp_direct_pricer;

/* How far a group's share may lie from its base rate: up and down among the accepted; and by how much it may
 * fall and rise among the rejected when that of the accepted rises or falls. */
typedef struct eqp_direct_slack {
    double above, below, fall, rise;
} eqp_direct_slack;

typedef struct eqp_direct_request {
    double yield;                  /* at least this share is accepted */
    const eqp_direct_slack *slack; /* K */
    double min_chance;             /* of everybody, as a share of the yield; 0: none */
    double strict_budget;          /* NaN: only the mixture counts */
    double trust;     /* how far to believe chances instead of labels, 0 to 1; 0 where there are none */
    double tolerance; /* of the duality gap, in units of the objective, */
    double relative;  /* and that much more as a share of it */
    bool thorough;    /* see eqp_direct_quote */
    size_t max_rounds;
} eqp_direct_request;

/* A view into the solver, until the next solve. */
typedef struct eqp_direct_solution {
    const double *part; /* x_j, one per column of the pool: chance that h_j decides; the rest is h ≡ 0 */
    const double *composition; /* K, of the accepted among the rows learned from */
    double yield; /* >= the one asked for: the largest with this composition and both sides in slack */
    double objective, variance; /* variance: sum_i w_i² A_i² */
    double gap;                 /* objective less a bound from the best rule that the prices suggest */
    size_t calls;               /* of the pricer */
    bool settled;               /* the gap is within the tolerance */
} eqp_direct_solution;

typedef struct eqp_direct_solver eqp_direct_solver;

/* Rows and pricer are borrowed and must outlive the solver. */
eqp_status eqp_direct_solver_new(const eqp_direct_rows *rows, const eqp_direct_pricer *pricer, double spread,
                                 eqp_direct_solver **solver, eqp_error *error);
void eqp_direct_solver_free(eqp_direct_solver *solver);
eqp_status eqp_direct_solve(eqp_direct_solver *solver, const eqp_direct_request *request,
                            eqp_direct_solution *solution, eqp_error *error);
/* The rules behind the parts; owned by the solver, changed by the next solve. */
const eqp_direct_pool *eqp_direct_solver_pool(const eqp_direct_solver *solver);

/* Lets chance alone decide about some, and changes the solution accordingly. */
void eqp_direct_solver_dilute(eqp_direct_solver *solver, eqp_dilution dilution,
                              eqp_direct_solution *solution);

/* What solving within a budget works with. */
typedef struct eqp_direct_margins {
    eqp_outlook *outlook;
    double caution;          /* the sampling variance counts so many times */
    eqp_tally *tally;        /* of the rows learned from */
    double *target;          /* K: how much of the budget each group may use */
    eqp_direct_slack *slack; /* K */
    float *mix;              /* one per row */
    double inner_budget;     /* the least that a group may disclose on the rows learned from */
} eqp_direct_margins;

/* Solves at this budget and yield (tighten.c).  With a confidence the budget holds in the population with it;
 * without, on the rows learned from. */
eqp_status eqp_direct_solve_within(eqp_direct_solver *solver, const eqp_direct_rows *rows,
                                   const eqp_learn_options *options, double budget, double yield,
                                   eqp_direct_margins *margins, eqp_direct_solution *solution,
                                   eqp_error *error);

#endif
