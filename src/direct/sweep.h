/* The direct learner over budgets and yields: each point solved on all rows with cross-fitted scores, and
 * judged by nested cross-validation (M9).  `learn` sweeps the yields of one budget, `frontier` both. */
#ifndef EQP_DIRECT_SWEEP_H
#define EQP_DIRECT_SWEEP_H

#include "direct/class_scores.h"
#include "direct/cross_fit.h"
#include "direct/folds.h"
#include "direct/refit.h"
#include "direct/tally.h"

/* A rule of a mixture, free of the program that found it. */
typedef struct eqp_direct_part {
    double share; /* the chance that it decides; what is left of 1 is h ≡ 0 */
    bool always;  /* h ≡ 1 */
    uint32_t basis;
    double *direction; /* E, or NULL when the rule has a score of its own */
    eqp_score score;
    double threshold;
} eqp_direct_part;

typedef struct eqp_direct_point {
    double budget, min_yield; /* as asked for */
    double inner_budget;      /* tightened when a confidence was asked for */
    double gap;
    size_t calls; /* of the oracle, on all rows */
    size_t part_count;
    eqp_direct_part *parts;            /* largest share first */
    eqp_direct_tally *seen;            /* of the program on all rows */
    eqp_direct_tally *held[EQP_FOLDS]; /* of each fold, by the program that had not seen it */
    eqp_direct_tally *unseen;          /* of these together */
} eqp_direct_point;

typedef struct eqp_direct_sweep {
    const eqp_training *training; /* borrowed */
    eqp_direct_folds *folds;
    eqp_direct_fits *fits;              /* linear class scores; NULL for stumps */
    double *deployed[EQP_LINEAR_BASES]; /* width × E coefficients of these, fitted on all rows */
    eqp_direct_boosted *boosted;        /* boost: class scores, else NULL */
    size_t count;
    eqp_direct_point *points; /* budget by budget, in each yield by yield as given */
} eqp_direct_sweep;

/* Budgets should rise: a solution that its budget does not hold back serves smaller ones as well. */
eqp_status eqp_direct_sweep_new(const eqp_training *training, const eqp_learn_options *options,
                                const double *budgets, size_t budget_count, const double *yields,
                                size_t yield_count, const eqp_watch *watch, eqp_direct_sweep **sweep,
                                eqp_error *error);
void eqp_direct_sweep_free(eqp_direct_sweep *sweep);

/* Figures on unseen rows. */
eqp_status eqp_direct_validate(const eqp_direct_point *point, const eqp_sample *sample, eqp_figures *figures,
                               eqp_error *error);

/* Makes a point ready for a model.  With boosted scores the components are fitted again, each by itself, and
 * the point is solved and judged with these; other points are ready as they are. */
eqp_status eqp_direct_sweep_refine(eqp_direct_sweep *sweep, size_t point, const eqp_learn_options *options,
                                   const eqp_watch *watch, eqp_error *error);

/* The point's rule with the scores of the fit on all rows, as a model. */
eqp_status eqp_direct_point_model(const eqp_direct_sweep *sweep, const eqp_direct_point *point,
                                  const eqp_learn_options *options, eqp_model **model, eqp_error *error);

/* Of `count` points from `first` on, which differ in their yields alone, the one to take: refined, with its
 * model and figures and those of the others. */
eqp_status eqp_direct_take_best(eqp_direct_sweep *sweep, size_t first, size_t count,
                                const eqp_learn_options *options, const eqp_watch *watch,
                                eqp_learning *learning, eqp_error *error);

/* One component for h ≡ 1 alone: everybody is accepted alike, and nothing is disclosed. */
eqp_status eqp_direct_trivial_model(const eqp_training *training, const eqp_learn_options *options,
                                    eqp_model **model, eqp_error *error);

#endif
