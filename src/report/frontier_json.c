/* The frontier as a JSON document, every point with its model, so that one can be taken without learning
 * again. */
#include "report/frontier_json.h"

#include "balance/hull.h"
#include "base/json.h"
#include "report/learn_json.h"
#include "report/report.h"

#include <string.h>

/* The model as its own document; NULL when memory is short. */
static json_t *model_document(const eqp_model *model)
{
    char *text;
    if (eqp_model_text(model, &text, NULL) != EQP_OK) return NULL;
    json_t *document = eqp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, NULL);
    eqp_text_free(text);
    return document;
}

static json_t *point_document(const eqp_frontier_point *point, size_t groups)
{
    json_t *object =
        json_pack("{s:o, s:o, s:o}", "max_disclosure", eqp_json_number(point->budget), "min_yield",
                  eqp_json_number(point->min_yield), "limit", eqp_json_number(point->limit));
    eqp_json_set(&object, "train", eqp_figures_document(&point->train, groups));
    eqp_json_set(&object, "cross_validated", eqp_figures_document(&point->cross_validated, groups));
    eqp_json_set(&object, "efficient", json_boolean(point->efficient));
    eqp_json_set(&object, "model", model_document(point->model));
    return object;
}

static json_t *points_document(const eqp_frontier_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->count; i++)
        eqp_json_append(&list, point_document(&result->points[i], result->training->groups->group_count));
    return list;
}

json_t *eqp_frontier_document(const eqp_frontier_result *result, const eqp_learn_options *options)
{
    const eqp_training *training = result->training;
    const double *base_rate = training->sample->base_rate;
    double read = training->table->seconds;
    json_t *document = json_pack("{s:s, s:s, s:s, s:s, s:s}", "command", "frontier", "version", eqp_version(),
                                 "method", options->method, "oracle", options->oracle, "data_digest",
                                 eqp_table_digest(training->table));
    eqp_json_set(&document, "source", eqp_json_text(training->table->source));
    eqp_json_set(&document, "rows", json_integer((json_int_t)training->sample->rows));
    eqp_json_set(&document, "groups", eqp_groups_document(training->groups, base_rate));
    eqp_json_set(&document, "limit_curve", eqp_limit_curve_document(training->groups, base_rate));
    eqp_json_set(&document, "disclosure_for_balance",
                 eqp_json_number(eqp_limit_budget(training->groups, base_rate)));
    eqp_json_set(&document, "points", points_document(result));
    eqp_json_set(&document, "knee", json_integer((json_int_t)result->knee));
    eqp_json_set(&document, "warnings", eqp_notes_document(&result->notes));
    eqp_json_set(&document, "seconds",
                 json_pack("{s:o, s:o, s:o}", "read", eqp_json_number(read), "learn",
                           eqp_json_number(result->seconds), "total",
                           eqp_json_number(read + result->seconds)));
    return document;
}
