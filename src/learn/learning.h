/* What learning finds: a model and the figures that go with it. */
#ifndef EQP_LEARN_LEARNING_H
#define EQP_LEARN_LEARNING_H

#include "balance/hull.h"
#include "learn/training.h"
#include "model/rule.h"

/* Figures of a rule on labelled rows, in expectation over the draws (M2). */
typedef struct eqp_figures {
    double disclosure, imbalance, yield;
    double disclosure_error, imbalance_error, yield_error; /* standard errors; NaN where not estimated */
    double distortion, distortion_error; /* the largest of protected columns; NaN without them */
    double *composition_error;           /* K, standard errors; NULL where not estimated */
    double *composition;                 /* K; NULL where not kept */
} eqp_figures;

eqp_status eqp_figures_copy(const eqp_figures *figures, size_t groups, eqp_figures *copy, eqp_error *error);
void eqp_figures_free(eqp_figures *figures); /* what the figures point to */

/* The largest ratio between a group's share and its base rate, either way round, among the accepted and among
 * the rejected; `shift` is the accepted mass of the group less its base rate times the yield. */
double eqp_share_ratio(double shift, double base_rate, double yield);
/* Of all groups; NaN where the composition is not known. */
double eqp_figures_ratio(const eqp_figures *figures, const double *base_rate, size_t groups);

typedef struct eqp_learning {
    eqp_model *model;
    const char *method, *oracle, *solver;
    eqp_figures train;        /* of the rule as deployed, on its own rows */
    eqp_figures cross_fitted; /* the same with scores that have not seen the row; NaN where there are none */
    eqp_figures cross_validated; /* of rules learned without the rows they are measured on */
    double limit;                /* M3 at the budget */
    double bound,
        bound_confidence; /* the rule discloses at most this in the population, with the confidence */
    double bound_ratio;   /* and no share differs from its base rate by more than this ratio */
    double reach,
        reach_error; /* cross-validated imbalance that the columns allow at any budget; NaN: unknown */
    size_t leaves, components, oracle_calls;
    size_t splits, lemma_splits; /* tree: made, and those under the conditions of the progress lemma (M5) */
    size_t min_leaf;             /* tree: the support of its leaves, as given or as chosen */
    double gap, kkt;
    double seconds_learn;
    /* how the yield was chosen: the candidates with their cross-validated figures */
    size_t yield_count;
    double *yields;
    eqp_figures *yield_figures;
    size_t yield_chosen;
    char *yield_reason;
    /* what another oracle would have given on unseen rows; NULL: none was tried */
    const char *other_oracle;
    double other_imbalance, other_error, other_yield;
    double inner_budget; /* the tightened budget when a confidence was asked for */
    eqp_notes notes;
} eqp_learning;

void eqp_learning_free(eqp_learning *learning);

/* What the options allow at a yield (0: any), for M3. */
eqp_limits eqp_learn_limits(const eqp_learn_options *options, double yield);

/* For the methods.  An empty learning, with the limit and the training's notes. */
eqp_status eqp_learning_new(const eqp_training *training, const eqp_learn_options *options,
                            const char *method, eqp_learning **learning, eqp_error *error);
/* Gives it a model around the rule, which it takes over, also on failure. */
eqp_status eqp_learning_take_rule(eqp_learning *learning, const eqp_training *training,
                                  const eqp_learn_options *options, eqp_rule *rule, eqp_error *error);
/* The same for a rule with an encoding of its own, both taken over. */
eqp_status eqp_learning_take_parts(eqp_learning *learning, const eqp_training *training,
                                   const eqp_learn_options *options, eqp_encoding *encoding, eqp_rule *rule,
                                   eqp_error *error);
/* Standard error of a mean over folds, such that 1.96 of them hold the truth as often as for one of many
 * values. */
double eqp_fold_error(const double *values, size_t folds);
/* States the yield of the rule itself among the figures of unseen rows.  Nothing is chosen to make a yield
 * look good, so that on the rows learned from is right up to sampling; rules of folds have other yields. */
void eqp_learning_state_yield(eqp_learning *learning, const eqp_sample *sample);
/* Figures of a rule on the training rows. */
eqp_status eqp_training_measure(const eqp_training *training, const eqp_rule *rule, eqp_figures *figures,
                                eqp_error *error);
/* The same for a rule with an encoding of its own, and the training rows in it. */
eqp_status eqp_training_measure_by(const eqp_training *training, const eqp_encoding *encoding,
                                   const eqp_rule *rule, const eqp_block *block, eqp_figures *figures,
                                   eqp_error *error);
/* Figures on the training rows from the masses of the cells in the leaves of a rule. */
eqp_status eqp_training_weigh(const eqp_training *training, const eqp_rule *rule, const double *cell_mass,
                              eqp_figures *figures, eqp_error *error);
/* A learning from a rule, taken over, and its figures on the training rows. */
eqp_status eqp_learning_from_rule(const eqp_training *training, const eqp_learn_options *options,
                                  const char *method, eqp_rule *rule, eqp_learning **learning,
                                  eqp_error *error);

/* Budget 0: everybody is accepted alike and nothing is disclosed.  Known exactly, so that figures on the
 * training rows and on others agree. */
eqp_status eqp_learning_of_everybody(const eqp_training *training, const eqp_learn_options *options,
                                     const char *method, eqp_learning **learning, eqp_error *error);

#endif
