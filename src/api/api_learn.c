/* Learning as a public call: labelled table in, model and report out; and the names that its options take. */
#include "api/api_release.h"
#include "audit/audit.h"
#include "audit/white_box.h"
#include "base/clock.h"
#include "base/memory.h"
#include "export/dialect.h"
#include "method/methods.h"
#include "model/cells.h"
#include "report/documents.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* What the model file tells of the rows that it was learned from; bounds would need other rows. */
static eqp_status look_into_model(const eqp_training *training, const eqp_model *model,
                                  const eqp_watch *watch, json_t **found, eqp_error *error)
{
    eqp_white_box *box = NULL;
    eqp_audited *audited = NULL;
    eqp_block *block;
    eqp_status status = eqp_training_block(training, model->encoding, &block, error);
    if (status == EQP_OK) status = eqp_audited_new(training->sample, NULL, NULL, 1, &audited, error);
    if (status == EQP_OK)
        status = eqp_white_box_new(model, block, audited, NAN, training->threads, watch, &box, error);
    if (status == EQP_OK) *found = eqp_white_box_json(box, training->groups, &training->sdc);
    eqp_white_box_free(box);
    eqp_audited_free(audited);
    eqp_block_free(block);
    return status;
}

/* Everyone's chance, of those learned from, and what makes it large or small. */
typedef struct told_chances {
    json_t *spread, *bands, *reasons;
} told_chances;

static void free_chances(told_chances *told)
{
    json_decref(told->spread);
    json_decref(told->bands);
    json_decref(told->reasons);
}

static eqp_status tell_chances(const eqp_training *training, const eqp_model *model, told_chances *told,
                               eqp_error *error)
{
    size_t rows = training->sample->rows;
    eqp_block *block = NULL;
    double *chance = eqp_alloc(rows, sizeof *chance);
    if (chance == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_model_probabilities(model, eqp_training_labelled(training), chance, error);
    if (status == EQP_OK) status = eqp_training_block(training, model->encoding, &block, error);
    if (status == EQP_OK) {
        /* A rule that can be read says it all by itself. */
        told->reasons = eqp_rule_is_readable(model)
                            ? json_array()
                            : eqp_reasons_document(model->encoding, block, chance, &training->sdc);
        told->bands = eqp_bands_document(chance, rows, &training->sdc);
        eqp_spread spread = eqp_spread_of(chance, rows);
        told->spread = eqp_spread_json(&spread, &training->sdc, (double)rows);
        if (told->reasons == NULL || told->bands == NULL) status = eqp_fail_memory(error);
    }
    eqp_block_free(block);
    free(chance);
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
    json_t *white_box = NULL, *release = NULL;
    told_chances told = {NULL, NULL, NULL};
    if (status == EQP_OK) status = eqp_watch_step(watch, "measuring", 1, error);
    if (status == EQP_OK) status = look_into_model(training, learning->model, watch, &white_box, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "measuring", 1, error);
    if (status == EQP_OK) status = tell_chances(training, learning->model, &told, error);
    if (status == EQP_OK && options->check_release)
        status = eqp_release_check(training, learning->model, options, watch, &release, error);
    if (status != EQP_OK) {
        json_decref(white_box);
        free_chances(&told);
    }
    if (status == EQP_OK) {
        eqp_learn_times times = {.read = table->seconds,
                                 .total = table->seconds + eqp_clock_seconds() - begun};
        json_t *document = eqp_learn_document(training, learning, options, &times);
        eqp_protect_document(&document, training->groups, &training->sdc, training->sdc_key,
                             (double)training->sample->rows);
        eqp_json_set(&document, FIELD_white_box, white_box);
        eqp_json_set(&document, FIELD_chances, told.spread);
        eqp_json_set(&document, FIELD_bands, told.bands);
        eqp_json_set(&document, FIELD_reasons, told.reasons);
        if (options->check_release) eqp_json_set(&document, FIELD_release, release);
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
