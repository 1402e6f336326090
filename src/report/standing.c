/* How a result stands. */
#include "report/standing.h"

#include "base/field.h"

#include <math.h>

bool eqp_learned_unseen(const json_t *document)
{
    return eqp_field_is_known(document, FIELD_cross_validated, FIELD_imbalance);
}

const json_t *eqp_learned_figures(const json_t *document)
{
    return eqp_field_value(document, eqp_learned_unseen(document) ? FIELD_cross_validated : FIELD_train);
}

eqp_budget_standing eqp_budget_kept(const json_t *document)
{
    const json_t *figures = eqp_learned_figures(document);
    double above =
        eqp_field_number(figures, FIELD_disclosure) - eqp_field_number(document, FIELD_max_disclosure);
    if (!(above > 1e-9)) return EQP_BUDGET_KEPT;
    return above <= 2 * eqp_field_number(figures, FIELD_disclosure_error) ? EQP_BUDGET_NEAR
                                                                          : EQP_BUDGET_BROKEN;
}

const char *eqp_method_name(const json_t *method)
{
    return eqp_field_text(method, eqp_field_value(method, FIELD_name) != NULL ? FIELD_name : FIELD_method);
}

eqp_series eqp_compared_budgets(const json_t *document)
{
    return eqp_series_of(eqp_field_value(eqp_field_entry(document, 0, FIELD_methods), FIELD_points),
                         FIELD_max_disclosure);
}

const json_t *eqp_compared_point(const json_t *method, double budget)
{
    return eqp_series_entry(eqp_field_value(method, FIELD_points), FIELD_max_disclosure, budget);
}

bool eqp_breaks_budget(const json_t *point, double budget)
{
    return eqp_field_number(point, FIELD_test, FIELD_disclosure, FIELD_mean) > budget + EQP_BUDGET_SLACK;
}

const json_t *eqp_best_method(const json_t *document, double budget)
{
    const json_t *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *method = eqp_field_entry(document, i, FIELD_methods);
        const json_t *point = eqp_compared_point(method, budget);
        double imbalance = eqp_field_number(point, FIELD_test, FIELD_imbalance, FIELD_mean);
        if (eqp_breaks_budget(point, budget) || !(imbalance < least)) continue;
        least = imbalance;
        best = method;
    }
    return best;
}

double eqp_limit_at(const json_t *document, double budget)
{
    const json_t *limit =
        eqp_series_entry(eqp_field_value(document, FIELD_limit_curve), FIELD_max_disclosure, budget);
    return eqp_field_number(limit, FIELD_imbalance);
}
