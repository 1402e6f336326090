/* Studies as public calls: labelled table in, report out; a point of a frontier's report back to its model */
#include "report/documents.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

void eqp_study_options_init(eqp_study_options *options)
{
    *options = (eqp_study_options){.seeds = 20};
    eqp_learn_options_init(&options->learn);
}

eqp_status eqp_frontier(const eqp_table *table, const eqp_study_options *options, const eqp_watch *watch,
                        eqp_report **report, eqp_error *error)
{
    *report = NULL;
    eqp_frontier_result *result;
    eqp_status status = eqp_frontier_trace(table, options, watch, &result, error);
    if (status != EQP_OK) return status;
    json_t *document = eqp_frontier_document(result);
    const eqp_training *training = result->training;
    double rows = (double)training->sample->rows;
    eqp_protect_document(&document, training->groups, &training->sdc, training->sdc_key, rows);
    if (result->curve != NULL) {
        json_t *labels = eqp_curve_document(result->curve);
        eqp_protect_document(&labels, NULL, &training->sdc, training->sdc_key, rows);
        eqp_json_set(&document, FIELD_labels, labels);
    }
    status = eqp_report_from_json(document, report, error);
    eqp_frontier_result_free(result);
    return status;
}

static eqp_status parse_point(const json_t *document, size_t point, eqp_model **model, eqp_error *error)
{
    const json_t *points = eqp_field_value(document, FIELD_points);
    const json_t *found = eqp_field_value(json_array_get(points, point), FIELD_model);
    if (!json_is_array(points)) return eqp_fail(error, EQP_DATA, "these figures are not those of a frontier");
    if (found == NULL) {
        eqp_fail(error, EQP_USAGE, "the frontier has no point %zu", point + 1);
        eqp_hint(error, "its points are numbered from 1 to %zu", json_array_size(points));
        return EQP_USAGE;
    }
    char *text = eqp_json_dump(found, JSON_REAL_PRECISION(17));
    if (text == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_model_parse(text, strlen(text), model, error);
    free(text);
    return status;
}

eqp_status eqp_frontier_model(const char *json, size_t point, eqp_model **model, eqp_error *error)
{
    *model = NULL;
    json_error_t wrong;
    json_t *document = eqp_json_load(json, strlen(json), JSON_REJECT_DUPLICATES, &wrong);
    if (document == NULL && errno == ENOMEM) return eqp_fail_memory(error);
    if (document == NULL)
        return eqp_fail(error, EQP_DATA, "the frontier is not JSON: line %d: %s", wrong.line, wrong.text);
    eqp_status status = parse_point(document, point, model, error);
    json_decref(document);
    return status;
}

eqp_status eqp_compare(const eqp_table *table, const eqp_study_options *options, const eqp_watch *watch,
                       eqp_report **report, eqp_error *error)
{
    *report = NULL;
    eqp_comparison *comparison;
    eqp_status status = eqp_comparison_run(table, options, watch, &comparison, error);
    if (status != EQP_OK) return status;
    json_t *document = eqp_compare_document(comparison);
    eqp_protect_document(&document, comparison->groups, &comparison->sdc, comparison->sdc_key,
                         (double)comparison->sample->rows);
    status = eqp_report_from_json(document, report, error);
    eqp_comparison_free(comparison);
    return status;
}
