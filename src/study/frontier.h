/* The frontier: what a method reaches for each budget and each yield (M9), with the model of every
 * point.  Scores and rules found are shared between the points. */
#ifndef EQP_STUDY_FRONTIER_H
#define EQP_STUDY_FRONTIER_H

#include "audit/audit.h"
#include "learn/learning.h"
#include "study/learning_curve.h"

typedef struct eqp_frontier_point {
    double budget, min_yield; /* as asked for */
    double limit;             /* M3 at the budget, */
    double limit_at_yield;    /* and at the least yield too */
    eqp_figures train, cross_fitted, cross_validated;
    double bound; /* on the disclosure in the population; NaN where there is none */
    double price; /* imbalance on unseen rows that ratio, least chance and protection cost; NaN: none asked */
    bool efficient;     /* none is as good in disclosure, imbalance and yield, and better in one */
    eqp_spread chances; /* of acceptance, of the rows learned from */
    eqp_model *model;
} eqp_frontier_point;

typedef struct eqp_frontier_result {
    eqp_training *training;
    eqp_learn_options options; /* as given, with the method's own where none was */
    size_t count;
    eqp_frontier_point *points; /* budget by budget, in each yield by yield, both rising */
    size_t knee;                /* the smallest budget with nine tenths of the gain */
    eqp_learning_curve *curve;  /* of the knee; NULL: not asked for, or not to be told */
    eqp_notes notes;
    double seconds;
} eqp_frontier_result;

eqp_status eqp_frontier_trace(const eqp_table *table, const eqp_study_options *options,
                              const eqp_watch *watch, eqp_frontier_result **result, eqp_error *error);
void eqp_frontier_result_free(eqp_frontier_result *result);

#endif
