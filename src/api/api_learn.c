/* Learning as a public call: labelled table in, model and report out; and the names that its options take. */
#include "audit/white_box.h"
#include "base/clock.h"
#include "export/dialect.h"
#include "method/methods.h"
#include "report/documents.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* What the model file tells of the rows that it was learned from; bounds would need other rows. */
static eqp_status look_into_model(const eqp_training *training, const eqp_model *model, json_t **found,
                                  eqp_error *error)
{
    eqp_white_box *box;
    eqp_status status =
        eqp_white_box_new(model, training->block, training->sample, NAN, training->threads, &box, error);
    if (status == EQP_OK) *found = eqp_white_box_json(box, training->groups, NULL);
    eqp_white_box_free(box);
    return status;
}

eqp_status eqp_learn(const eqp_table *table, const eqp_learn_options *options, const eqp_watch *watch,
                     eqp_model **model, eqp_report **report, eqp_error *error)
{
    *model = NULL;
    *report = NULL;
    double begun = eqp_clock_seconds();
    eqp_training *training = NULL;
    eqp_learning *learning = NULL;
    eqp_status status = eqp_learn_table(table, options, watch, &training, &learning, error);
    json_t *white_box = NULL;
    if (status == EQP_OK) status = look_into_model(training, learning->model, &white_box, error);
    if (status == EQP_OK) {
        eqp_learn_times times = {.read = table->seconds,
                                 .total = table->seconds + eqp_clock_seconds() - begun};
        json_t *document = eqp_learn_document(training, learning, options, &times);
        eqp_json_set(&document, FIELD_white_box, white_box);
        status = eqp_report_from_json(document, report, error);
    }
    if (status == EQP_OK) {
        *model = learning->model;
        learning->model = NULL;
    }
    eqp_learning_free(learning);
    eqp_training_free(training);
    return status;
}

const char *eqp_option_choice(const char *option, size_t index, const char **summary)
{
    const char *unused;
    if (summary == NULL) summary = &unused;
    if (strcmp(option, "dialect") == 0) return eqp_dialect_name(index, summary);
    return eqp_learn_choice(option, index, summary);
}
