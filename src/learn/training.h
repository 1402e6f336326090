/* What every method learns from: the table's labelled rows, encoded.
 *
 *     table --columns chosen--> encoding --> block, design      sensitive columns --> groups --> sample */
#ifndef EQP_LEARN_TRAINING_H
#define EQP_LEARN_TRAINING_H

#include "design/design.h"
#include "encode/encoding.h"
#include "encode/groups.h"
#include "model/rule.h"

typedef struct eqp_notes { /* warnings and notices for people, in order of discovery */
    size_t count, capacity;
    char **texts;
} eqp_notes;

eqp_status eqp_note(eqp_notes *notes, eqp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
eqp_status eqp_notes_append(eqp_notes *notes, const eqp_notes *more, eqp_error *error);
void eqp_notes_free(eqp_notes *notes);

/* EQP_USAGE where a value makes no sense. */
eqp_status eqp_learn_options_check(const eqp_learn_options *options, eqp_error *error);
/* The spread given, or the natural one of the method: 1, for trees the paper's 0. */
double eqp_learn_spread(const eqp_learn_options *options);

typedef struct eqp_training {
    const eqp_table *table; /* borrowed */
    eqp_table *labelled;    /* its labelled rows; NULL when all of them are */
    eqp_encoding *encoding;
    eqp_groups *groups;
    eqp_sample *sample; /* rows[i] of the sample is row i of block and design */
    eqp_block *block;   /* the labelled rows only */
    eqp_design *design;
    eqp_notes notes;
    size_t threads;
} eqp_training;

/* Chooses the columns (identifier-like, constant, sensitive, weight and ignored ones left out with a note),
 * fits the encoding, finds groups and target.  The direct method with linear scores has bins of numbers among
 * its features, the others have not: make a training a method. */
eqp_status eqp_training_new(const eqp_table *table, const eqp_learn_options *options, eqp_training **training,
                            eqp_error *error);
/* The same for part of a table whose groups and target are known, also where a group has no row in it; NULL
 * finds them. */
eqp_status eqp_training_in_groups(const eqp_table *table, const eqp_groups *groups,
                                  const eqp_learn_options *options, eqp_training **training,
                                  eqp_error *error);
void eqp_training_free(eqp_training *training);

/* Figures of a rule on labelled rows, in expectation over the draws (M2). */
typedef struct eqp_figures {
    double disclosure, imbalance, yield;
    double disclosure_error, imbalance_error, yield_error; /* standard errors; NaN where not estimated */
    double *composition_error;                             /* K, standard errors; NULL where not estimated */
    double *composition;                                   /* K; NULL where not kept */
} eqp_figures;

void eqp_figures_free(eqp_figures *figures); /* what the figures point to */

/* What learning found: a model and the figures that go with it. */
typedef struct eqp_learning {
    eqp_model *model;
    const char *method, *oracle, *solver;
    eqp_figures train, cross_validated;
    double limit, limit_budget; /* M3 at the budget; budget for full balance */
    size_t leaves, components, oracle_calls;
    size_t splits,
        lemma_splits; /* tree: made, and those that meet the conditions of the progress lemma (M5) */
    double gap, kkt;
    double seconds_learn;
    /* how the yield was chosen: the candidates with their cross-validated figures */
    size_t yield_count;
    double *yields;
    eqp_figures *yield_figures;
    size_t yield_chosen;
    char *yield_reason;
    double inner_budget; /* the tightened budget when a confidence was asked for */
    eqp_notes notes;
} eqp_learning;

void eqp_learning_free(eqp_learning *learning);

/* For the methods: an empty learning with the limit and the training's notes; figures of a rule on the
 * training rows; a model around a rule (which it takes over, also on failure); and all three in one. */
eqp_status eqp_learning_new(const eqp_training *training, const eqp_learn_options *options,
                            const char *method, eqp_learning **learning, eqp_error *error);
eqp_status eqp_training_measure(const eqp_training *training, const eqp_rule *rule, eqp_figures *figures,
                                eqp_error *error);
/* The same from the masses of the cells in the rule's leaves, where they are known. */
eqp_status eqp_training_weigh(const eqp_training *training, const eqp_rule *rule, const double *cell_mass,
                              eqp_figures *figures, eqp_error *error);
eqp_status eqp_training_model(const eqp_training *training, const eqp_learn_options *options,
                              const char *method, eqp_rule *rule, eqp_model **model, eqp_error *error);
eqp_status eqp_learning_from_rule(const eqp_training *training, const eqp_learn_options *options,
                                  const char *method, eqp_rule *rule, eqp_learning **learning,
                                  eqp_error *error);

/* The methods.  Each takes the training as it is and gives a learning or a clear failure. */
eqp_status eqp_learn_direct(const eqp_training *training, const eqp_learn_options *options,
                            const eqp_watch *watch, eqp_learning **learning, eqp_error *error);
eqp_status eqp_learn_tree(const eqp_training *training, const eqp_learn_options *options,
                          const eqp_watch *watch, eqp_learning **learning, eqp_error *error);
/* With figures on unseen rows; the support of the leaves is chosen first where it is not given. */
eqp_status eqp_learn_tree_validated(const eqp_training *training, const eqp_learn_options *options,
                                    const eqp_watch *watch, eqp_learning **learning, eqp_error *error);
/* One learning a budget, in the order given; where a tree was not held back by its budget it serves the next
 * larger ones too.  All of `learnings` or none. */
eqp_status eqp_learn_tree_sweep(const eqp_training *training, const eqp_learn_options *options,
                                const double *budgets, size_t count, const eqp_watch *watch,
                                eqp_learning **learnings, eqp_error *error);
eqp_status eqp_learn_baseline(const eqp_training *training, const eqp_learn_options *options,
                              const eqp_watch *watch, eqp_learning **learning, eqp_error *error);
eqp_status eqp_learn_proxy(const eqp_training *training, const eqp_learn_options *options,
                           const eqp_watch *watch, eqp_learning **learning, eqp_error *error);
/* By options->method. */
eqp_status eqp_learn_any(const eqp_training *training, const eqp_learn_options *options,
                         const eqp_watch *watch, eqp_learning **learning, eqp_error *error);

#endif
