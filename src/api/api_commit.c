/* Commitments, their verification and the public page behind the public interface. */
#include "base/memory.h"
#include "base/order.h"
#include "base/output.h"
#include "report/report.h"
#include "table/table.h"
#include "verify/verify.h"

#include <math.h>
#include <string.h>

void eqp_commit_options_init(eqp_commit_options *options)
{
    *options = (eqp_commit_options){0};
}

/* ---- everybody's chance before the draw ------------------------------------------------------------------
 */

/* Seats go in proportion to acceptance, but nobody has more than one. */
static void share_seats(double *chance, size_t count, double seats)
{
    double scale = 0;
    for (int pass = 0; pass < 60; pass++) {
        double sum = 0, full = 0;
        for (size_t i = 0; i < count; i++) {
            full += scale * chance[i] >= 1;
            sum += scale * chance[i] >= 1 ? 0 : chance[i];
        }
        double next = sum > 0 ? (seats - full) / sum : scale;
        if (!(next > scale)) break;
        scale = next;
    }
    for (size_t i = 0; i < count; i++) chance[i] = fmin(1, scale * chance[i]);
}

static json_t *summary_of(double *chance, size_t count, double seats)
{
    json_t *object = json_object(), *quartiles = json_array();
    double sum = 0, ranked = 0, none = 0;
    share_seats(chance, count, seats);
    eqp_sort_numbers(chance, count);
    for (size_t i = 0; i < count; i++) {
        sum += chance[i];
        ranked += (double)(2 * i + 1) * chance[i];
        none += chance[i] <= 0;
    }
    for (size_t q = 1; q <= 3; q++) eqp_json_append(&quartiles, eqp_json_number(chance[q * (count - 1) / 4]));
    eqp_json_set_number(&object, FIELD_least, chance[0]);
    eqp_json_set(&object, FIELD_quartiles, quartiles);
    eqp_json_set_number(&object, FIELD_most, chance[count - 1]);
    eqp_json_set_number(&object, FIELD_none, none / (double)count);
    eqp_json_set_number(&object, FIELD_gini, sum > 0 ? ranked / ((double)count * sum) - 1 : 0);
    return object;
}

static eqp_status find_chances(const eqp_model *model, const char *input, const eqp_select_options *options,
                               json_t **chances, eqp_error *error)
{
    eqp_table *table = NULL;
    eqp_read_options read = options->filter.read;
    read.text_columns = &options->filter.id;
    read.text_column_count = 1;
    eqp_status status = eqp_table_read(input, &read, NULL, &table, error);
    size_t rows = status == EQP_OK ? eqp_table_rows(table) : 0;
    double *chance = eqp_alloc(rows, sizeof *chance);
    if (status == EQP_OK && chance == NULL) status = eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_model_probabilities(model, table, chance, error);
    if (status == EQP_OK) *chances = summary_of(chance, rows, (double)options->size);
    free(chance);
    eqp_table_free(table);
    return status;
}

/* ---- commit ----------------------------------------------------------------------------------------------
 */

static eqp_status write_commitment(const eqp_commitment *commitment, eqp_output *output, eqp_error *error)
{
    eqp_buffer text = {0};
    eqp_json_write(commitment->document, &text);
    eqp_status status =
        text.failed ? eqp_fail_memory(error) : eqp_output_write(output, text.bytes, text.length, error);
    eqp_buffer_free(&text);
    return status;
}

static eqp_status report_commitment(const eqp_commitment *commitment, json_t *chances, eqp_report **report,
                                    eqp_error *error)
{
    json_t *document = eqp_commitment_copy(commitment), *list = json_array();
    if (document == NULL) {
        json_decref(list);
        json_decref(chances);
        return eqp_fail_memory(error);
    }
    if (!eqp_field_is_known(document, FIELD_randomness))
        eqp_json_append(&list, eqp_json_text("no public randomness: whoever made the key could have tried "
                                             "others until they liked the draw"));
    else if (!eqp_field_is_known(document, FIELD_randomness_time))
        eqp_json_append(&list, eqp_json_text("it is not stated when the randomness will be known; say so "
                                             "with --randomness-time"));
    const char *form = eqp_field_text(document, FIELD_randomness_form);
    if (*form != '\0' && strchr(form, ':') == NULL)
        eqp_json_append(&list, eqp_json_text("it is not stated how many numbers or digits count, so one "
                                             "could be left out; say so with --randomness-form numbers:6"));
    if (!eqp_field_is_known(document, FIELD_log))
        eqp_json_append(&list, eqp_json_text("no log: nobody can see how many draws were made; keep one with "
                                             "--log"));
    eqp_json_set_text(&document, FIELD_command, "commit");
    eqp_json_set(&document, FIELD_chances, chances);
    eqp_json_set(&document, FIELD_warnings, list);
    return eqp_report_from_json(document, report, error);
}

/* The output is opened first: the log must not count a commitment that nobody can have. */
eqp_status eqp_commit(const eqp_model *model, const eqp_key *key, const char *input,
                      const eqp_commit_options *options, eqp_report **report, eqp_error *error)
{
    eqp_output *file = NULL;
    eqp_commitment commitment = {0};
    json_t *chances = NULL;
    *report = NULL;
    eqp_status status = EQP_OK;
    if (input == NULL || strcmp(input, "-") == 0)
        return eqp_fail(error, EQP_USAGE, "the pool is read again by the draw, so it must be a file");
    if (options->output != NULL) status = eqp_output_open(options->output, &file, error);
    if (status == EQP_OK) status = eqp_commitment_make(model, key, input, options, &commitment, error);
    if (status == EQP_OK) status = find_chances(model, input, &options->select, &chances, error);
    if (status == EQP_OK && file != NULL) status = write_commitment(&commitment, file, error);
    if (status == EQP_OK) {
        status = report_commitment(&commitment, chances, report, error);
        chances = NULL;
    }
    json_decref(chances);
    eqp_commitment_clear(&commitment);
    if (status != EQP_OK)
        eqp_output_abandon(file);
    else if (file != NULL)
        status = eqp_output_finish(file, error);
    if (status != EQP_OK) {
        eqp_report_free(*report);
        *report = NULL;
    }
    return status;
}

/* ---- verify and publish ----------------------------------------------------------------------------------
 */

eqp_status eqp_verify(const eqp_model *model, const eqp_key *key, const char *input,
                      const eqp_draw_options *options, eqp_report **report, eqp_error *error)
{
    eqp_verification verification;
    *report = NULL;
    eqp_status status = eqp_verify_run(model, key, input, options, &verification, error);
    if (status != EQP_OK) return status;
    bool pass = verification.difference[0] == '\0';
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "verify");
    eqp_json_set_count(&document, FIELD_records, verification.records);
    eqp_json_set_count(&document, FIELD_draws, verification.draws);
    eqp_json_set_count(&document, FIELD_rounds, verification.rounds);
    eqp_json_set_bool(&document, FIELD_same_bytes, verification.same_bytes);
    eqp_json_set_bool(&document, FIELD_same_cells, verification.same_cells);
    eqp_json_set_bool(&document, FIELD_page, verification.page);
    eqp_json_set_text(&document, FIELD_randomness_value,
                      verification.first[0] != '\0' ? verification.first : NULL);
    eqp_json_set_bool(&document, FIELD_reordered, verification.reordered);
    eqp_json_set_bool(&document, FIELD_foreseen, verification.foreseen);
    eqp_json_set_text(&document, FIELD_difference, pass ? NULL : verification.difference);
    eqp_json_set_bool(&document, FIELD_pass, pass);
    return eqp_report_from_json(document, report, error);
}

static eqp_status write_private(const char *path, const eqp_buffer *text, eqp_error *error)
{
    return eqp_output_private(path, text->bytes, text->length, error);
}

eqp_status eqp_publish(const eqp_model *model, const eqp_key *key, const char *input,
                       const eqp_draw_options *options, eqp_report **report, eqp_error *error)
{
    eqp_buffer page = {0}, tickets = {0};
    eqp_cohort cohort = {0};
    *report = NULL;
    eqp_status status = eqp_publish_run(model, key, input, options, &page,
                                        options->tickets != NULL ? &tickets : NULL, &cohort, error);
    if (status == EQP_OK && options->tickets != NULL)
        status = write_private(options->tickets, &tickets, error);
    if (status == EQP_OK) status = eqp_output_text(options->page, page.bytes, page.length, error);
    if (status == EQP_OK) {
        json_t *document = json_object();
        eqp_json_set_text(&document, FIELD_command, "publish");
        eqp_json_set_count(&document, FIELD_tickets, cohort.stats.records.read);
        eqp_json_set_count(&document, FIELD_selected, cohort.stats.selected);
        eqp_json_set_count(&document, FIELD_alternates, cohort.stats.alternates);
        eqp_json_set_count(&document, FIELD_rounds, cohort.rounds);
        eqp_json_set_count(&document, FIELD_quotas,
                           cohort.conditions.quotas != NULL ? cohort.conditions.quotas->count : 0);
        eqp_json_set_text(&document, FIELD_output, options->page);
        status = eqp_report_from_json(document, report, error);
    }
    eqp_cohort_clear(&cohort);
    eqp_buffer_free(&page);
    eqp_buffer_free(&tickets);
    return status;
}
