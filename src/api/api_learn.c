/* Learning as a public call: labelled table in, model and report out. */
#include "base/clock.h"
#include "method/methods.h"
#include "report/documents.h"
#include "report/report.h"

eqp_status eqp_learn(const eqp_table *table, const eqp_learn_options *options, const eqp_watch *watch,
                     eqp_model **model, eqp_report **report, eqp_error *error)
{
    *model = NULL;
    *report = NULL;
    double begun = eqp_clock_seconds();
    eqp_training *training = NULL;
    eqp_learning *learning = NULL;
    eqp_status status = eqp_learn_table(table, options, watch, &training, &learning, error);
    if (status == EQP_OK) {
        eqp_learn_times times = {.read = table->seconds,
                                 .total = table->seconds + eqp_clock_seconds() - begun};
        status = eqp_report_from_json(eqp_learn_document(training, learning, options, &times), report, error);
    }
    if (status == EQP_OK) {
        *model = learning->model;
        learning->model = NULL;
    }
    eqp_learning_free(learning);
    eqp_training_free(training);
    return status;
}
