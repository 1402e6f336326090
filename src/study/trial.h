/* A trial: one method on one seed at every budget.  All its figures are plain numbers in one array, so that
 * they can be kept in a file and read back. */
#ifndef EQP_STUDY_TRIAL_H
#define EQP_STUDY_TRIAL_H

#include "study/contender.h"
#include "study/downstream.h"
#include "study/parts.h"

/* The numbers of a budget; behind these come three runs of one number per group. */
typedef enum eqp_trial_field {
    EQP_TRIAL_TRAIN,                        /* disclosure, imbalance, yield */
    EQP_TRIAL_TEST = EQP_TRIAL_TRAIN + 3,   /* the same on unseen rows */
    EQP_TRIAL_SECONDS = EQP_TRIAL_TEST + 3, /* to learn this point */
    EQP_TRIAL_LEAVES,                       /* that the rule has */
    EQP_TRIAL_SPLITS,                       /* made by a tree */
    EQP_TRIAL_LEMMA_SPLITS,                 /* of these, under the conditions of the progress lemma */
    EQP_TRIAL_FIGURES
} eqp_trial_field;

typedef enum eqp_trial_run { EQP_RUN_TRAIN, EQP_RUN_TEST, EQP_RUN_DOWNSTREAM, EQP_RUNS } eqp_trial_run;

typedef struct eqp_trial {
    size_t budgets, groups;
    double *values; /* NaN where unknown */
} eqp_trial;

/* Numbers per budget. */
static inline size_t eqp_trial_stride(const eqp_trial *trial)
{
    return EQP_TRIAL_FIGURES + EQP_RUNS * trial->groups;
}
static inline double *eqp_trial_point(const eqp_trial *trial, size_t budget)
{
    return trial->values + budget * eqp_trial_stride(trial);
}
static inline double *eqp_trial_run_at(const eqp_trial *trial, size_t budget, eqp_trial_run run)
{
    return eqp_trial_point(trial, budget) + EQP_TRIAL_FIGURES + (size_t)run * trial->groups;
}

/* Learns and measures.  `downstream` is NULL where no label is given. */
eqp_status eqp_trial_learned(const eqp_contender *contender, const eqp_learn_options *options,
                             const double *budgets, eqp_parts *parts, const eqp_downstream *downstream,
                             const eqp_watch *watch, eqp_trial *trial, eqp_error *error);
/* The same for methods that predict the group (M10): fitted once, then noise for each budget. */
eqp_status eqp_trial_predicted(const eqp_contender *contender, const eqp_learn_options *options,
                               const double *budgets, eqp_parts *parts, const eqp_downstream *downstream,
                               eqp_trial *trial, eqp_error *error);

#endif
