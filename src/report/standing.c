/* How a result stands. */
#include "report/standing.h"

#include "report/field.h"

#include <math.h>

bool eqp_learned_unseen(const json_t *document)
{
    return eqp_field_known(document, "cross_validated.imbalance");
}

const json_t *eqp_learned_figures(const json_t *document)
{
    return eqp_field(document, eqp_learned_unseen(document) ? "cross_validated" : "train");
}

eqp_budget_standing eqp_budget_kept(const json_t *document)
{
    const json_t *figures = eqp_learned_figures(document);
    double above = eqp_field_number(figures, "disclosure") - eqp_field_number(document, "max_disclosure");
    if (!(above > 1e-9)) return EQP_BUDGET_KEPT;
    return above <= 2 * eqp_field_number(figures, "disclosure_error") ? EQP_BUDGET_NEAR : EQP_BUDGET_BROKEN;
}

const char *eqp_method_name(const json_t *method)
{
    return eqp_field_text(method, json_object_get(method, "name") != NULL ? "name" : "method");
}

eqp_series eqp_compared_budgets(const json_t *document)
{
    return eqp_series_of(eqp_field(eqp_field_entry(document, "methods", 0), "points"), "max_disclosure");
}

const json_t *eqp_compared_point(const json_t *method, double budget)
{
    return eqp_series_entry(eqp_field(method, "points"), "max_disclosure", budget);
}

bool eqp_breaks_budget(const json_t *point, double budget)
{
    return eqp_field_number(point, "test.disclosure.mean") > budget + EQP_BUDGET_SLACK;
}

const json_t *eqp_best_method(const json_t *document, double budget)
{
    const json_t *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < eqp_field_count(document, "methods"); i++) {
        const json_t *method = eqp_field_entry(document, "methods", i);
        const json_t *point = eqp_compared_point(method, budget);
        double imbalance = eqp_field_number(point, "test.imbalance.mean");
        if (eqp_breaks_budget(point, budget) || !(imbalance < least)) continue;
        least = imbalance;
        best = method;
    }
    return best;
}

double eqp_limit_at(const json_t *document, double budget)
{
    const json_t *limit = eqp_series_entry(eqp_field(document, "limit_curve"), "max_disclosure", budget);
    return eqp_field_number(limit, "imbalance");
}
