/* Learning as a public call: labelled table in, model and report out; and the names that its options take. */
#include "base/clock.h"
#include "export/dialect.h"
#include "method/methods.h"
#include "report/documents.h"
#include "report/report.h"

#include <string.h>

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

const char *eqp_option_choice(const char *option, size_t index, const char **summary)
{
    const char *unused;
    if (summary == NULL) summary = &unused;
    if (strcmp(option, "dialect") == 0) return eqp_dialect_name(index, summary);
    return eqp_learn_choice(option, index, summary);
}
