/* The learning curve as a JSON document: what parts of the labels reach, what more of them would. */
#include "report/documents.h"

#include <math.h>

static const double FACTORS[] = {1.25, 1.5, 2, 4}; /* of the labels there are */

static json_t *value_document(double rows, eqp_curve_value value)
{
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_rows, rows);
    eqp_json_set_number(&object, FIELD_imbalance, value.imbalance);
    eqp_json_set_number(&object, FIELD_low, value.low);
    eqp_json_set_number(&object, FIELD_high, value.high);
    return object;
}

static json_t *measured_document(const eqp_learning_curve *curve)
{
    json_t *list = json_array();
    for (size_t s = 0; s < EQP_CURVE_SIZES; s++)
        eqp_json_append(&list, value_document((double)curve->size[s], eqp_curve_measured(curve, s)));
    return list;
}

static json_t *forecast_document(const eqp_learning_curve *curve)
{
    double rows = (double)curve->rows;
    json_t *list = json_array();
    eqp_json_append(&list, value_document(rows, eqp_curve_at(curve, rows)));
    for (size_t i = 0; i < sizeof FACTORS / sizeof *FACTORS; i++) {
        double more = round(FACTORS[i] * rows);
        eqp_json_append(&list, value_document(more, eqp_curve_at(curve, more)));
    }
    return list;
}

static json_t *needed_document(eqp_curve_rows needed)
{
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_rows, needed.rows); /* null: none suffice */
    eqp_json_set_number(&object, FIELD_least, needed.low);
    eqp_json_set_number(&object, FIELD_most, needed.high);
    return object;
}

json_t *eqp_curve_document(const eqp_learning_curve *curve)
{
    json_t *document = json_object();
    eqp_json_set_number(&document, FIELD_budget, curve->budget);
    eqp_json_set_number(&document, FIELD_confidence, curve->confidence);
    eqp_json_set_number(&document, FIELD_rows, (double)curve->rows);
    eqp_json_set(&document, FIELD_curve, measured_document(curve));
    eqp_json_set(&document, FIELD_forecast, forecast_document(curve));
    eqp_json_set_number(&document, FIELD_reach, eqp_curve_at(curve, INFINITY).imbalance);
    return document;
}

json_t *eqp_plan_document(const eqp_learning_curve *curve, double imbalance)
{
    json_t *document = eqp_curve_document(curve);
    eqp_json_set_text(&document, FIELD_command, "plan");
    eqp_json_set_text(&document, FIELD_version, eqp_version());
    eqp_json_set_number(&document, FIELD_imbalance, imbalance);
    eqp_json_set(&document, FIELD_labels, needed_document(eqp_curve_rows_for(curve, imbalance)));
    eqp_json_set(&document, FIELD_warnings, eqp_notes_document(&curve->notes));
    return document;
}
