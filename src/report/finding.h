/* What screens, figures and pages look up in a document: values that stand in it, groups, and how a learned
 * rule or a compared method does. */
#ifndef EQP_REPORT_FINDING_H
#define EQP_REPORT_FINDING_H

#include "base/field.h"
#include "report/shown.h"

/* ---- values: sorted lists of distinct numbers, the budgets and yields of a table or an axis ------------ */

#define EQP_SERIES_CAPACITY 64

typedef struct eqp_series {
    size_t count;
    double values[EQP_SERIES_CAPACITY];
} eqp_series;

/* The values of one field over a list of objects, rising; what exceeds the capacity is left out. */
eqp_series eqp_series_of(const json_t *list, eqp_field field);
/* At most `count` of them, spread evenly, first and last kept. */
eqp_series eqp_series_thinned(const eqp_series *series, size_t count);
/* The entry of a list whose field has this value, or NULL. */
const json_t *eqp_series_entry(const json_t *list, eqp_field field, double value);

/* ---- groups -------------------------------------------------------------------------------------------- */

#define EQP_GROUPS_SHOWN 12

typedef struct eqp_group_name {
    char text[200];
} eqp_group_name;

/* "race", "sex and race", "sex, race and age": the attributes of the groups. */
void eqp_attributes_named(const json_t *document, char *text, size_t size);

/* "White", or "race: White" where the document has several attributes. */
eqp_group_name eqp_group_named(const json_t *document, size_t index);

/* Fills `order` with at most EQP_GROUPS_SHOWN groups: all in their order, or, where there are more, those
 * whose share now is furthest from their target, the largest gap first.  Returns how many. */
size_t eqp_groups_shown(const json_t *document, size_t order[EQP_GROUPS_SHOWN]);

/* ---- a learned rule, or a point of a frontier ---------------------------------------------------------- */

/* Figures on unseen rows where they were estimated, else on the training rows. */
const json_t *eqp_learned_figures(const json_t *document);
bool eqp_learned_unseen(const json_t *document); /* whether they are of unseen rows */
/* Whether an attack on the model file told the people that it was learned from, beyond chance. */
bool eqp_release_tells(const json_t *document);
/* "≤ 0.200" where the budget holds in the population; else the estimate with its standard error. */
eqp_shown eqp_learned_disclosure(const json_t *document);
/* One of the figures with its standard error: "0.198 ± 0.006". */
eqp_shown eqp_estimate(const json_t *figures, eqp_field figure, eqp_field error);

/* What can be said of a learned rule and its budget, from the best to the worst. */
typedef enum eqp_budget_standing {
    EQP_BUDGET_HOLDS,    /* in the population, with the confidence of the bound */
    EQP_BUDGET_EXPECTED, /* in expectation only: the cross-validated figure is within it, no bound is */
    EQP_BUDGET_NEAR,     /* that figure is above it by less than two standard errors */
    EQP_BUDGET_BROKEN
} eqp_budget_standing;
eqp_budget_standing eqp_budget_kept(const json_t *document);

/* What each budget of a frontier buys, at the yield of the knee: one point per budget, at most EQP_DIAL of
 * them, and the groups of the first attribute, which divide the cohort among them. */
#define EQP_DIAL 8
typedef struct eqp_dial {
    double yield;
    eqp_series budgets;
    const json_t *points[EQP_DIAL];
    size_t group_count;
} eqp_dial;
/* Empty where the groups overlap, or where the points do not say whom they accept. */
eqp_dial eqp_dial_of(const json_t *document, size_t most);
double eqp_dial_share(const eqp_dial *dial, size_t budget, size_t group); /* of the cohort, on unseen rows */
/* The point of a frontier with this budget and least yield, or NULL. */
const json_t *eqp_frontier_point(const json_t *document, double budget, double yield);
/* The point of a frontier beyond which a larger budget buys little, or NULL. */
const json_t *eqp_frontier_knee(const json_t *document);

/* ---- an audit ------------------------------------------------------------------------------------------ */

bool eqp_audit_has_labels(const json_t *document); /* otherwise it shows drift only */
/* A figure of an object of an audit: "withheld" where it is not told because small counts are behind it. */
eqp_shown eqp_audit_figure(const json_t *object, eqp_field field, int digits);
eqp_shown eqp_audit_share(const json_t *object, eqp_field field); /* the same in per cent */
/* What the model file tells: "up to 0.876 in 148 rows, certified ≥ 0.767". */
eqp_shown eqp_audit_with_model(const json_t *document);

/* ---- a comparison -------------------------------------------------------------------------------------- */

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
/* Whether any method keeps the budget; then there is a best one, unless imbalances are withheld. */
bool eqp_some_keep(const json_t *document, double budget);
/* That method, where it is better than every other that keeps the budget by more than two standard errors of
 * their difference on the same splits; NULL where chance may have decided. */
const json_t *eqp_clear_winner(const json_t *document, double budget);
/* What twice as many labels would bring, by a learning curve: how many more, the imbalance with what there is
 * and with them, and the interval of the latter. */
typedef struct eqp_more_labels {
    eqp_shown rows, now, then, low, high;
} eqp_more_labels;
eqp_more_labels eqp_more_labels_of(const json_t *curve);
/* The imbalance that no rule beats at a budget of the curve; NaN when the curve has no such point. */
double eqp_limit_at(const json_t *document, double budget);

#endif
