/* The direct learner (M9): the accept/reject rule itself, in one convex program.
 *
 *     direct.c         the conductor: all steps in order; at the end, the mixture as a rule
 *     folds.c          rows dealt into folds
 *     cross_fit.c      linear class scores, each by a fit without the row; refit.c: boosted ones
 *     solve_points.c   the program at every point, on all rows and without each fold
 *       program.c        one program: prices -> rules -> mixture
 *       pool.c           the rules found; class_scores.c, stump_pricer.c, refit.c: where they come from
 *       outlook.c        what the population may be like, given the rows
 *       tighten.c        how much of the budget a program may use for it to hold there
 *     judge.c          figures on unseen rows
 *     choose_yield.c   one yield for each budget */
#ifndef EQP_DIRECT_DIRECT_H
#define EQP_DIRECT_DIRECT_H

#include "direct/cross_fit.h"
#include "learn/method.h"
#include "learn/tally.h"

extern const eqp_method eqp_method_direct;

/* What the learner does for an oracle of the oracle table; one that is not here is refused. */
typedef struct eqp_direct_oracle {
    const char *name;
    bool stumps;     /* rules come from the oracle itself, not from class scores */
    bool boosted;    /* boosted class scores beside linear ones, their components refitted */
    bool bins;       /* numbers have bins besides, so that linear scores bend (docs/held-out.md) */
    bool accept_few; /* rules gain on unseen rows by accepting fewer than linear ones should */
} eqp_direct_oracle;

/* A budget with a yield, and what was found there. */
typedef struct eqp_direct_point {
    double budget, min_yield; /* as asked for */
    double inner_budget;      /* tightened when a confidence was asked for */
    double gap;
    size_t calls; /* of the oracle, on all rows */
    size_t rule_count;
    eqp_direct_rule *rules;        /* the mixture, largest share first; owned */
    eqp_tally *seen;               /* of the program on all rows */
    eqp_tally *held[EQP_FOLDS];    /* of each fold, by the program that had not seen it */
    eqp_tally *unseen;             /* of these together */
    eqp_figures fitted, validated; /* from these tallies, once judged */
} eqp_direct_point;

/* One run of the learner. */
typedef struct eqp_direct_run {
    const eqp_training *training; /* borrowed, as is all up to the folds */
    const eqp_learn_options *options;
    const eqp_direct_oracle *oracle;
    const eqp_watch *watch;
    eqp_direct_folds *folds;     /* on which rules are judged */
    eqp_direct_folds *own_folds; /* behind the rule itself; may be the same */
    eqp_noise *noise;
    eqp_direct_fits *fits, *own_fits;   /* linear class scores; NULL for stumps */
    eqp_direct_boosted *boosted;        /* boosted class scores, else NULL */
    double *deployed[EQP_LINEAR_BASES]; /* width × E coefficients of the linear ones, fitted on all rows */
    size_t yields;                      /* points per budget */
    size_t asked;                       /* points of the budgets asked for; those of budget 1 may follow */
    size_t count;
    eqp_direct_point *points; /* budget by budget, in each yield by yield, both rising */
} eqp_direct_run;

/* Solves points first … after-1 on all rows and without each fold, and keeps their budgets on unseen rows.
 * With `refine`, the components along boosted scores are fitted again, each by itself, and the points solved
 * with these. */
eqp_status eqp_direct_solve_points(eqp_direct_run *run, size_t first, size_t after, bool refine,
                                   eqp_error *error);
void eqp_direct_point_clear(eqp_direct_point *point);

/* Figures of the point on the rows it was learned from, and on unseen ones. */
eqp_status eqp_direct_judge(eqp_direct_point *point, const eqp_sample *sample, eqp_error *error);

#endif
