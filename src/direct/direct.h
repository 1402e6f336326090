/* The direct learner (M9): the accept/reject rule itself, in one convex program.
 *
 *     direct.c         the conductor: all steps in order; at the end, the mixture as a rule
 *     bonds.c          columns to protect within groups, as rows of the program
 *     folds.c          rows dealt into folds
 *     cross_fit.c      linear class scores, each by a fit without the row
 *     logits.c         logits of the cells: linear too, and bent towards the rows that are accepted
 *     boosted.c        boosted ones; library.c: few single scores made of them
 *     solve_points.c   the program at every point, on all rows and without each fold
 *       program.c        one program: prices -> rules -> mixture
 *       pool.c           the rules found; class_scores.c, stump_pricer.c, library.c: where they come from
 *       outlook.c        what the population may be like, given the rows
 *       tighten.c        how much of the budget a program may use for it to hold there
 *     judge.c          figures on unseen rows
 *     choose_point.c   one point for each budget: simple scores, or richer ones where unseen rows want them
 *       choose_yield.c   its yield */
#ifndef EQP_DIRECT_DIRECT_H
#define EQP_DIRECT_DIRECT_H

#include "direct/bonds.h"
#include "direct/boosted.h"
#include "direct/cross_fit.h"
#include "direct/logits.h"
#include "learn/method.h"
#include "learn/tally.h"

extern const eqp_method eqp_method_direct;

/* What the learner does for an oracle of the oracle table; one that is not here is refused. */
typedef struct eqp_direct_oracle {
    const char *name;
    bool stumps;  /* rules come from the oracle itself, not from class scores */
    bool boosted; /* boosted scores beside linear ones */
    bool bins;    /* numbers have bins besides, so that linear scores bend (docs/held-out.md) */
    const char *simpler, *richer; /* tries both and keeps one of them; NULL: it is one itself */
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
    eqp_tally *held[EQP_FOLDS];    /* of each fold, by the program that had not seen it, */
    eqp_tally *rest[EQP_FOLDS];    /* and of the rows that this program had seen */
    eqp_tally *unseen;             /* of these together */
    eqp_figures fitted, validated; /* from these tallies, once judged */
    double fold_square[EQP_FOLDS]; /* |c_f - U|² - V_f of each fold held out, */
    double fold_weight[EQP_FOLDS]; /* how much it counts, */
    double fold_rest[EQP_FOLDS];   /* and the imbalance of the other rows by the same program */
} eqp_direct_point;

/* One run of the learner. */
typedef struct eqp_direct_run {
    const eqp_training *given;    /* borrowed, as is all up to the folds */
    const eqp_training *training; /* what programs see: the given one, or with cells divided */
    eqp_learn_options own;        /* the options, with the oracle of this run */
    const eqp_learn_options *options;
    const eqp_direct_oracle *oracle;
    const char *untried; /* richer scores, for which there are too many rows; else NULL */
    const eqp_watch *watch;
    double from, to;             /* of the whole work: what this run does */
    eqp_progress fitting;        /* the part of the work that comes before the programs */
    eqp_protection *protection;  /* NULL: no column is protected */
    eqp_direct_folds *folds;     /* on which rules are judged */
    eqp_direct_folds *own_folds; /* behind the rule itself; may be the same */
    eqp_noise *noise;
    eqp_direct_fits *fits, *own_fits;       /* linear class scores; NULL for stumps */
    eqp_direct_logits *logits, *own_logits; /* NULL for stumps, and where there are too many */
    eqp_direct_boosted *boosted;            /* boosted class scores, else NULL */
    eqp_direct_library *library;            /* of single scores made of them, else NULL */
    double *deployed[EQP_LINEAR_BASES]; /* width × E coefficients of the linear ones, fitted on all rows */
    bool every_point;                   /* is asked for; else one yield is chosen for each budget */
    size_t yields;                      /* points per budget */
    size_t asked;                       /* points of the budgets asked for; those of budget 1 may follow */
    size_t count;
    eqp_direct_point *points; /* budget by budget, in each yield by yield, both rising */
} eqp_direct_run;

/* How many times the sampling variance counts in the margins of the budget.  A boosted score is sharper than
 * those without a part of the rows that stand for it when thresholds are sought (docs/held-out.md). */
static inline double eqp_direct_caution(const eqp_direct_run *run)
{
    return run->oracle->boosted ? 1.3 : 1;
}

/* Solves all points on all rows and without each fold, and keeps their budgets on unseen rows. */
eqp_status eqp_direct_solve_points(eqp_direct_run *run, eqp_error *error);
void eqp_direct_point_clear(eqp_direct_point *point);

/* Figures of the point on the rows it was learned from, and on unseen ones; with those of protected columns,
 * where there are any. */
eqp_status eqp_direct_judge(eqp_direct_point *point, const eqp_sample *sample,
                            const eqp_protection *protection, eqp_error *error);

/* Of two points of the same folds: the richer is taken when it is better on unseen rows by more than the
 * standard error of the difference, and by more than 0.005; where an imbalance is asked for, also when it
 * alone reaches it.  A fold may be left out of the comparison (EQP_NO_FOLD: none). */
bool eqp_direct_takes_richer(const eqp_direct_point *simpler, const eqp_direct_point *richer, size_t left_out,
                             double max_imbalance);

/* What is chosen for a budget: a run, and in each run one of its points. */
enum { EQP_MOST_RUNS = 2 };
typedef struct eqp_direct_choice {
    size_t run, at[EQP_MOST_RUNS];
} eqp_direct_choice;

/* points[r] are `count` points of run r, which differ by their yields. */
eqp_direct_choice eqp_direct_choose(const eqp_learn_options *options, const eqp_direct_point *const *points,
                                    size_t runs, size_t count, size_t left_out);

/* The imbalance of what is chosen, on rows that had no part in the choice. */
double eqp_direct_chosen_imbalance(const eqp_learn_options *options, const eqp_direct_point *const *points,
                                   size_t runs, size_t count);

/* Why the points of one run have the yield that is chosen: a sentence to free. */
eqp_status eqp_direct_explain_choice(const eqp_learn_options *options, const eqp_direct_point *points,
                                     size_t count, char **reason, eqp_error *error);

#endif
