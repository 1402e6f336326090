/* How a result stands: a learned rule against its budget, methods against each other.  For screens and pages
 * alike. */
#ifndef EQP_REPORT_STANDING_H
#define EQP_REPORT_STANDING_H

#include "report/series.h"

#include <stdbool.h>

/* Of a learning document or a point of a frontier: figures on unseen rows where they were estimated, else on
 * the training rows. */
const json_t *eqp_learned_figures(const json_t *document);
bool eqp_learned_unseen(const json_t *document); /* whether they are of unseen rows */

typedef enum eqp_budget_standing {
    EQP_BUDGET_KEPT,
    EQP_BUDGET_NEAR, /* above it by less than two standard errors */
    EQP_BUDGET_BROKEN
} eqp_budget_standing;
eqp_budget_standing eqp_budget_kept(const json_t *document);

/* Held-out disclosure this far above the budget counts as breaking it. */
#define EQP_BUDGET_SLACK 0.01

/* As the method was asked for, with its oracle where that was named. */
const char *eqp_method_name(const json_t *method);
eqp_series eqp_compared_budgets(const json_t *document);
/* The point of a method at a budget, or NULL. */
const json_t *eqp_compared_point(const json_t *method, double budget);
bool eqp_breaks_budget(const json_t *point, double budget);
/* The method with the lowest held-out imbalance among those that keep the budget on unseen rows, or NULL. */
const json_t *eqp_best_method(const json_t *document, double budget);
/* The imbalance that no rule beats at a budget of the curve; NaN when the curve has no such point. */
double eqp_limit_at(const json_t *document, double budget);

#endif
