/* The frontier as a JSON document, every point with its model, so that one can be taken without learning
 * again. */
#include "balance/hull.h"
#include "report/documents.h"

#include <math.h>
#include <string.h>

/* The model as its own document; NULL when memory is short. */
static json_t *model_document(const eqp_model *model)
{
    return eqp_json_load(model->text, strlen(model->text), JSON_REJECT_DUPLICATES, NULL);
}

/* From base rates as they may be told: at small yields a limit moves by many records when one record is gone.
 */
static double told_limit(const eqp_frontier_result *result, double budget, double yield)
{
    eqp_limits within = eqp_learn_limits(&result->options, yield);
    within.budget = budget;
    return eqp_limit_within(result->training->groups, result->training->told_rate, within, NULL);
}

static json_t *point_document(const eqp_frontier_result *result, const eqp_frontier_point *point)
{
    const eqp_sample *sample = result->training->sample;
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_max_disclosure, point->budget);
    eqp_json_set_number(&object, FIELD_min_yield, point->min_yield);
    eqp_json_set_number(&object, FIELD_limit, told_limit(result, point->budget, 0));
    eqp_json_set_number(&object, FIELD_at_yield, told_limit(result, point->budget, point->min_yield));
    eqp_json_set(&object, FIELD_train, eqp_figures_document(&point->train, sample));
    eqp_json_set(&object, FIELD_cross_validated, eqp_figures_document(&point->cross_validated, sample));
    eqp_json_set_number(&object, FIELD_bound, point->bound);
    if (!isnan(point->price)) eqp_json_set_number(&object, FIELD_price, point->price);
    eqp_json_set_bool(&object, FIELD_efficient, point->efficient);
    eqp_json_set(&object, FIELD_chances,
                 eqp_spread_json(&point->chances, &result->training->sdc, (double)sample->rows));
    eqp_json_set(&object, FIELD_model, model_document(point->model));
    return object;
}

static json_t *points_document(const eqp_frontier_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->count; i++)
        eqp_json_append(&list, point_document(result, &result->points[i]));
    return list;
}

json_t *eqp_frontier_document(const eqp_frontier_result *result)
{
    const eqp_provenance *from = &result->points[0].model->provenance; /* the same at every point */
    const eqp_training *training = result->training;
    const double *base_rate = training->told_rate;
    double read = training->table->seconds;
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "frontier");
    eqp_json_set_text(&document, FIELD_version, eqp_version());
    eqp_json_set_text(&document, FIELD_method, from->method);
    eqp_json_set_text(&document, FIELD_oracle, from->oracle);
    eqp_limits_document(&document, from);
    eqp_json_set_text(&document, FIELD_data_digest, training->fingerprint);
    eqp_json_set_text(&document, FIELD_source, training->table->source);
    eqp_json_set_count(&document, FIELD_rows, training->sample->rows);
    eqp_json_set(&document, FIELD_groups, eqp_groups_document(training->groups, base_rate));
    eqp_json_set(&document, FIELD_limit_curve,
                 eqp_limit_curve_document(training->groups, base_rate, &result->options));
    eqp_json_set_number(&document, FIELD_disclosure_for_balance,
                        eqp_limit_budget(training->groups, base_rate));
    eqp_json_set(&document, FIELD_points, points_document(result));
    eqp_json_set_count(&document, FIELD_knee, result->knee);
    eqp_json_set(&document, FIELD_warnings, eqp_notes_document(&result->notes));
    eqp_json_set(&document, FIELD_notices, eqp_triage_notices_document(training->triage, EQP_NOTICES_SHOWN));
    eqp_json_set(&document, FIELD_seconds,
                 eqp_seconds_document(read, result->seconds, read + result->seconds));
    return document;
}
