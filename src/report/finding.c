/* What screens, figures and pages look up in a document. */
#include "report/finding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- values -------------------------------------------------------------------------------------------- */

static const double SAME = 1e-9;

static void insert(eqp_series *series, double value)
{
    size_t at = series->count;
    for (; at > 0 && series->values[at - 1] > value - SAME; at--)
        if (fabs(series->values[at - 1] - value) < SAME) return;
    if (series->count == EQP_SERIES_CAPACITY) return;
    memmove(series->values + at + 1, series->values + at, (series->count - at) * sizeof *series->values);
    series->values[at] = value;
    series->count++;
}

eqp_series eqp_series_of(const json_t *list, eqp_field field)
{
    eqp_series series = {0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        double value = eqp_field_number(json_array_get(list, i), field);
        if (isfinite(value)) insert(&series, value);
    }
    return series;
}

eqp_series eqp_series_thinned(const eqp_series *series, size_t count)
{
    if (series->count <= count || count < 2) return *series;
    eqp_series thinned = {.count = count};
    for (size_t i = 0; i < count; i++)
        thinned.values[i] = series->values[(i * (series->count - 1) + (count - 1) / 2) / (count - 1)];
    return thinned;
}

const json_t *eqp_series_entry(const json_t *list, eqp_field field, double value)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (fabs(eqp_field_number(entry, field) - value) < SAME) return entry;
    }
    return NULL;
}

/* ---- groups -------------------------------------------------------------------------------------------- */

static bool has_several_attributes(const json_t *document)
{
    const char *first = eqp_field_text(eqp_field_entry(document, 0, FIELD_groups), FIELD_attribute);
    for (size_t i = 1; i < eqp_field_count(document, FIELD_groups); i++)
        if (strcmp(first, eqp_field_text(eqp_field_entry(document, i, FIELD_groups), FIELD_attribute)) != 0)
            return true;
    return false;
}

/* Whether the group is the first of its attribute. */
static bool is_first_of_attribute(const json_t *document, size_t index)
{
    const char *attribute = eqp_field_text(eqp_field_entry(document, index, FIELD_groups), FIELD_attribute);
    for (size_t i = 0; i < index; i++)
        if (strcmp(eqp_field_text(eqp_field_entry(document, i, FIELD_groups), FIELD_attribute), attribute) ==
            0)
            return false;
    return true;
}

void eqp_attributes_named(const json_t *document, char *text, size_t size)
{
    size_t count = 0, named = 0, used = 0, groups = eqp_field_count(document, FIELD_groups);
    text[0] = 0;
    for (size_t i = 0; i < groups; i++) count += is_first_of_attribute(document, i);
    for (size_t i = 0; i < groups && used < size; i++) {
        if (!is_first_of_attribute(document, i)) continue;
        const char *joint = named == 0 ? "" : named + 1 == count ? " and " : ", ";
        int length = snprintf(text + used, size - used, "%s%s", joint,
                              eqp_field_text(eqp_field_entry(document, i, FIELD_groups), FIELD_attribute));
        used += length > 0 ? (size_t)length : 0;
        named++;
    }
}

eqp_group_name eqp_group_named(const json_t *document, size_t index)
{
    const json_t *group = eqp_field_entry(document, index, FIELD_groups);
    const char *value = eqp_field_text(group, FIELD_value),
               *attribute = eqp_field_text(group, FIELD_attribute);
    eqp_group_name name;
    if (has_several_attributes(document))
        snprintf(name.text, sizeof name.text, "%s: %s", attribute, value);
    else
        snprintf(name.text, sizeof name.text, "%s", value);
    return name;
}

static double gap_of(const json_t *document, size_t index)
{
    const json_t *group = eqp_field_entry(document, index, FIELD_groups);
    double gap = fabs(eqp_field_number(group, FIELD_base_rate) - eqp_field_number(group, FIELD_target));
    return isfinite(gap) ? gap : 0;
}

/* Insertion into a short list kept in order of falling gaps. */
static size_t insert_by_gap(const json_t *document, size_t index, size_t *order, size_t count)
{
    size_t at = count < EQP_GROUPS_SHOWN ? count : EQP_GROUPS_SHOWN - 1;
    if (count == EQP_GROUPS_SHOWN && gap_of(document, index) <= gap_of(document, order[at])) return count;
    for (; at > 0 && gap_of(document, order[at - 1]) < gap_of(document, index); at--)
        order[at] = order[at - 1];
    order[at] = index;
    return count < EQP_GROUPS_SHOWN ? count + 1 : count;
}

size_t eqp_groups_shown(const json_t *document, size_t order[EQP_GROUPS_SHOWN])
{
    size_t groups = eqp_field_count(document, FIELD_groups), count = 0;
    for (size_t i = 0; i < groups; i++) {
        if (groups <= EQP_GROUPS_SHOWN)
            order[count++] = i;
        else
            count = insert_by_gap(document, i, order, count);
    }
    return count;
}

/* ---- a learned rule, or a point of a frontier ---------------------------------------------------------- */

bool eqp_learned_unseen(const json_t *document)
{
    return eqp_field_is_known(document, FIELD_cross_validated, FIELD_yield);
}

bool eqp_release_tells(const json_t *document)
{
    return eqp_field_number(document, FIELD_release, FIELD_membership, FIELD_low) > 0.5;
}

const json_t *eqp_learned_figures(const json_t *document)
{
    return eqp_field_value(document, eqp_learned_unseen(document) ? FIELD_cross_validated : FIELD_train);
}

eqp_shown eqp_estimate(const json_t *figures, eqp_field figure, eqp_field error)
{
    return eqp_with_error(eqp_field_number(figures, figure), eqp_field_number(figures, error), 3);
}

eqp_budget_standing eqp_budget_kept(const json_t *document)
{
    const json_t *figures = eqp_learned_figures(document);
    double budget = eqp_field_number(document, FIELD_max_disclosure);
    double above = eqp_field_number(figures, FIELD_disclosure) - budget;
    if (eqp_field_number(document, FIELD_bound, FIELD_disclosure) <= budget + 1e-9) return EQP_BUDGET_HOLDS;
    if (!(above > 1e-9)) return EQP_BUDGET_EXPECTED;
    return above <= 2 * eqp_field_number(figures, FIELD_disclosure_error) ? EQP_BUDGET_NEAR
                                                                          : EQP_BUDGET_BROKEN;
}

eqp_shown eqp_learned_disclosure(const json_t *document)
{
    eqp_shown shown;
    if (eqp_budget_kept(document) != EQP_BUDGET_HOLDS)
        return eqp_estimate(eqp_learned_figures(document), FIELD_disclosure, FIELD_disclosure_error);
    snprintf(shown.text, sizeof shown.text, "≤ %.40s",
             eqp_decimal(eqp_field_number(document, FIELD_bound, FIELD_disclosure), 3).text);
    return shown;
}

const json_t *eqp_frontier_knee(const json_t *document)
{
    double knee = eqp_field_number(document, FIELD_knee);
    bool known = knee >= 0 && knee < (double)eqp_field_count(document, FIELD_points);
    return known ? eqp_field_entry(document, (size_t)knee, FIELD_points) : NULL;
}

const json_t *eqp_frontier_point(const json_t *document, double budget, double yield)
{
    for (size_t i = 0; i < eqp_field_count(document, FIELD_points); i++) {
        const json_t *point = eqp_field_entry(document, i, FIELD_points);
        if (fabs(eqp_field_number(point, FIELD_max_disclosure) - budget) < 1e-9 &&
            fabs(eqp_field_number(point, FIELD_min_yield) - yield) < 1e-9)
            return point;
    }
    return NULL;
}

/* How many groups the first attribute has; 0 where their shares do not add up to one. */
static size_t dividing_groups(const json_t *document)
{
    const char *first = eqp_field_text(eqp_field_entry(document, 0, FIELD_groups), FIELD_attribute);
    size_t count = 0;
    double sum = 0;
    for (; count < eqp_field_count(document, FIELD_groups); count++) {
        const json_t *group = eqp_field_entry(document, count, FIELD_groups);
        if (strcmp(eqp_field_text(group, FIELD_attribute), first) != 0) break;
        sum += eqp_field_number(group, FIELD_base_rate);
    }
    return fabs(sum - 1) < 0.05 ? count : 0; /* shares may be rounded */
}

eqp_dial eqp_dial_of(const json_t *document, size_t most)
{
    const json_t *list = eqp_field_value(document, FIELD_points), *knee = eqp_frontier_knee(document);
    eqp_series all = eqp_series_of(list, FIELD_max_disclosure);
    eqp_dial dial = {.group_count = dividing_groups(document), .budgets = eqp_series_thinned(&all, most)};
    dial.yield = eqp_field_number(knee ? knee : eqp_field_entry(document, 0, FIELD_points), FIELD_min_yield);
    for (size_t i = 0; i < dial.budgets.count; i++) {
        dial.points[i] = eqp_frontier_point(document, dial.budgets.values[i], dial.yield);
        if (dial.group_count == 0) return (eqp_dial){0};
        for (size_t k = 0; k < dial.group_count; k++) /* some may be withheld */
            if (!isfinite(eqp_dial_share(&dial, i, k))) return (eqp_dial){0};
    }
    return dial;
}

double eqp_dial_share(const eqp_dial *dial, size_t budget, size_t group)
{
    const json_t *shares = eqp_field_value(eqp_learned_figures(dial->points[budget]), FIELD_composition),
                 *share = json_array_get(shares, group);
    return json_is_number(share) ? json_number_value(share) : NAN;
}

/* ---- an audit ------------------------------------------------------------------------------------------ */

/* Figures may be withheld; those of an audit without labels are not there at all. */
bool eqp_audit_has_labels(const json_t *document)
{
    return json_is_object(eqp_field_value(document, FIELD_disclosure));
}

static bool is_withheld(const json_t *object, eqp_field field)
{
    return !isfinite(eqp_field_number(object, field)) && eqp_field_is_true(object, FIELD_suppressed);
}

eqp_shown eqp_audit_figure(const json_t *object, eqp_field field, int digits)
{
    if (is_withheld(object, field)) return (eqp_shown){"withheld"};
    return eqp_decimal(eqp_field_number(object, field), digits);
}

eqp_shown eqp_audit_share(const json_t *object, eqp_field field)
{
    return is_withheld(object, field) ? (eqp_shown){"withheld"}
                                      : eqp_percent(eqp_field_number(object, field));
}

eqp_shown eqp_audit_with_model(const json_t *document)
{
    const json_t *box = eqp_field_value(document, FIELD_white_box);
    double disclosure = eqp_field_number(box, FIELD_disclosure), lower = eqp_field_number(box, FIELD_lower);
    if (is_withheld(box, FIELD_disclosure)) return (eqp_shown){"withheld"};
    if (!isfinite(disclosure)) return (eqp_shown){"not known: too few rows"};
    if (!(disclosure > 0)) return (eqp_shown){"nothing more"};
    eqp_shown shown;
    snprintf(shown.text, sizeof shown.text, "up to %.6s in %.14s rows%s%.6s", eqp_decimal(disclosure, 3).text,
             eqp_count(eqp_field_number(box, FIELD_rows)).text, lower > 0 ? ", certified ≥ " : "",
             lower > 0 ? eqp_decimal(lower, 3).text : "");
    return shown;
}

/* ---- a comparison -------------------------------------------------------------------------------------- */

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

bool eqp_some_keep(const json_t *document, double budget)
{
    bool kept = false;
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *point = eqp_compared_point(eqp_field_entry(document, i, FIELD_methods), budget);
        kept |= eqp_field_is_known(point, FIELD_test, FIELD_disclosure, FIELD_mean) &&
                !eqp_breaks_budget(point, budget);
    }
    return kept;
}

static double imbalance_of(const json_t *point, size_t seed)
{
    const json_t *value = json_array_get(eqp_field_entry(point, seed, FIELD_by_seed, FIELD_test), 1);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The 97.5 % point of Student's distribution: few splits say little about how much splits differ. */
static double student_point(size_t degrees)
{
    static const double FEW[] = {12.71, 4.31, 3.19, 2.78, 2.58, 2.45, 2.37, 2.31, 2.27, 2.23};
    size_t count = sizeof FEW / sizeof *FEW;
    return degrees <= count ? FEW[degrees - 1] : 1.96 + 2.7 / (double)degrees; /* not below it, to 0.01 */
}

/* Whether one point has less imbalance than another on the same splits, beyond chance. */
static bool is_clearly_better(const json_t *point, const json_t *other)
{
    double count = 0, sum = 0, squares = 0;
    for (size_t seed = 0; seed < eqp_field_count(point, FIELD_by_seed, FIELD_test); seed++) {
        double gain = imbalance_of(other, seed) - imbalance_of(point, seed);
        if (!isfinite(gain)) continue;
        count++;
        sum += gain;
        squares += gain * gain;
    }
    double mean = sum / count, variance = (squares - sum * mean) / (count - 1);
    return count > 1 && mean > student_point((size_t)count - 1) * sqrt(fmax(variance, 0) / count);
}

const json_t *eqp_clear_winner(const json_t *document, double budget)
{
    const json_t *best = eqp_best_method(document, budget), *point = eqp_compared_point(best, budget);
    for (size_t i = 0; best && i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *method = eqp_field_entry(document, i, FIELD_methods);
        const json_t *other = eqp_compared_point(method, budget);
        if (method != best && !eqp_breaks_budget(other, budget) && !is_clearly_better(point, other))
            return NULL;
    }
    return best;
}

double eqp_limit_at(const json_t *document, double budget)
{
    const json_t *limit =
        eqp_series_entry(eqp_field_value(document, FIELD_limit_curve), FIELD_max_disclosure, budget);
    return eqp_field_number(limit, FIELD_imbalance);
}

eqp_more_labels eqp_more_labels_of(const json_t *curve)
{
    enum { NOW, TWICE = 3 }; /* of the forecasts */
    const json_t *now = eqp_field_entry(curve, NOW, FIELD_forecast);
    const json_t *twice = eqp_field_entry(curve, TWICE, FIELD_forecast);
    return (eqp_more_labels){
        .rows = eqp_count(eqp_field_number(twice, FIELD_rows) - eqp_field_number(now, FIELD_rows)),
        .now = eqp_decimal(eqp_field_number(now, FIELD_imbalance), 3),
        .then = eqp_decimal(eqp_field_number(twice, FIELD_imbalance), 3),
        .low = eqp_decimal(eqp_field_number(twice, FIELD_low), 3),
        .high = eqp_decimal(eqp_field_number(twice, FIELD_high), 3)};
}
