/* What a method of learning is: a row of the method table (method/methods.h), kept by the folder that
 * implements it. */
#ifndef EQP_LEARN_METHOD_H
#define EQP_LEARN_METHOD_H

#include "learn/learning.h"

/* The points to learn: every budget with every yield, or with a yield that the method chooses. */
typedef struct eqp_sweep {
    const double *budgets; /* rising */
    size_t budget_count;
    const double *yields; /* rising; NULL: options->min_yield, or the method's own choice */
    size_t yield_count;
} eqp_sweep;

static inline size_t eqp_sweep_count(const eqp_sweep *sweep)
{
    return sweep->budget_count * (sweep->yields != NULL ? sweep->yield_count : 1);
}

/* The options of one point: the given ones with its budget and, where one is asked for, its yield. */
static inline eqp_learn_options eqp_sweep_options(const eqp_sweep *sweep, const eqp_learn_options *options,
                                                  size_t point)
{
    size_t yields = sweep->yields != NULL ? sweep->yield_count : 1;
    eqp_learn_options at = *options;
    at.max_disclosure = sweep->budgets[point / yields];
    if (sweep->yields != NULL) at.min_yield = sweep->yields[point % yields];
    return at;
}

/* The words of the option `prefer`. */
#define EQP_PREFER_BALANCE "balance"
#define EQP_PREFER_YIELD   "yield"

typedef struct eqp_method eqp_method;
struct eqp_method {
    const char *name;
    const char *summary;                      /* one line for people */
    bool (*takes_oracle)(const char *oracle); /* of the oracle table; NULL: the method asks none */
    const char *usual_oracle;                 /* unless another is given; NULL: the first of the table */
    bool solver;                              /* takes a row of the solver table */
    const char *usual_solver;                 /* as for the oracle */
    bool confidence, strict, relaxed;         /* options that it takes */
    bool limits;                              /* takes a ratio, a least chance, protected columns */
    double usual_confidence;                  /* with which budgets hold in the population; 0: none */
    double spread;                            /* unless another is given */
    bool cross_fits; /* learnings have figures on unseen rows; others are cross-validated */
    const struct eqp_baseline *baseline; /* a predictor that serves all budgets (baseline.h); else NULL */
    eqp_training_needs (*needs)(const eqp_learn_options *options);
    /* One learning per point, budget by budget and in each yield by yield; eqp_method_sweep frees what there
     * is when one fails.  Options are checked, budgets above 0.  NULL where the method gives no rule. */
    eqp_status (*sweep)(const eqp_method *method, const eqp_training *training,
                        const eqp_learn_options *options, const eqp_sweep *sweep, const eqp_watch *watch,
                        eqp_learning **learnings, eqp_error *error);
};

bool eqp_method_takes_any_oracle(const char *oracle);
/* What a method needs that works on standardised rows without bins: most of them. */
eqp_training_needs eqp_method_needs_design(const eqp_learn_options *options);

/* All points of a sweep whose first budget may be 0, where one rule is left and no method is asked. */
eqp_status eqp_method_sweep(const eqp_method *method, const eqp_training *training,
                            const eqp_learn_options *options, const eqp_sweep *sweep, const eqp_watch *watch,
                            eqp_learning **learnings, eqp_error *error);
/* One point: the budget of the options. */
eqp_status eqp_method_learn(const eqp_method *method, const eqp_training *training,
                            const eqp_learn_options *options, const eqp_watch *watch, eqp_learning **learning,
                            eqp_error *error);

/* ---- figures on unseen rows --------------------------------------------------------------------------- */

/* Figures on unseen rows for methods without a cross-fitting of their own: learn on four fifths, measure on
 * the fifth, five times. */

/* Composition and yield pool the accepted of all folds; disclosure is the mean over the folds.  Standard
 * errors come from the spread over the folds.  Where a fold could not be learned (a tiny group is missing
 * from it), the figures stay NaN and a note says why.  The folds are learned with the options of the learning
 * itself: a support that it chose is theirs too. */
eqp_status eqp_validate(const eqp_method *method, const eqp_training *training,
                        const eqp_learn_options *options, const eqp_watch *watch, eqp_learning *learning,
                        eqp_error *error);

/* What a choice between settings should make small: the mean imbalance of the folds, and what their mean
 * disclosure is above the budget.  Infinite where a fold could not be learned or accepts nobody. */
eqp_status eqp_validate_loss(const eqp_method *method, const eqp_training *training,
                             const eqp_learn_options *options, const eqp_watch *watch, double *loss,
                             eqp_error *error);

#endif
