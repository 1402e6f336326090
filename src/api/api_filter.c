/* Filter, select and merge behind the public interface: their counts become reports (docs/json.md). */
#include "filter/filter.h"
#include "report/report.h"
#include "verify/verify.h"

#include <math.h>

void eqp_filter_options_init(eqp_filter_options *options)
{
    *options = (eqp_filter_options){0};
}

void eqp_select_options_init(eqp_select_options *options)
{
    *options = (eqp_select_options){0};
}

/* NULL when memory is short: no report is better than one that leaves a warning out. */
static json_t *warnings(bool by_id, bool append, const eqp_filter_stats *stats)
{
    json_t *list = json_array();
    if (!by_id)
        eqp_json_append(&list,
                        eqp_json_text("records are drawn by their content: whoever changes a record gets a "
                                      "fresh draw, and equal records share one; prefer --id"));
    if (append)
        eqp_json_append(&list, eqp_json_text("the column equipoise_probability reveals more than the outcome "
                                             "does; do not publish it"));
    if (!eqp_is_ordinary(&stats->habits)) {
        char unusual[EQP_HABITS_TEXT], text[EQP_HABITS_TEXT + 160];
        eqp_habits_explain(&stats->habits, unusual);
        snprintf(text, sizeof text, "the input is not plain CSV (%s); its records are written as plain CSV",
                 unusual);
        eqp_json_append(&list, eqp_json_text(text));
    }
    if (!stats->duplicates_exact)
        eqp_json_append(&list, eqp_json_text("there were too many ids to remember them all: the number of "
                                             "repeated ones is a lower bound"));
    return list;
}

static json_t *document(const char *command, const eqp_filter_stats *stats, const char *model_id,
                        const char *key_commitment, json_t *warned)
{
    json_t *object = json_object();
    eqp_json_set_text(&object, FIELD_command, command);
    eqp_json_set_count(&object, FIELD_read, stats->read);
    eqp_json_set_count(&object, FIELD_accepted, stats->accepted);
    eqp_json_set_count(&object, FIELD_missing_cells, stats->missing_cells);
    eqp_json_set_count(&object, FIELD_unseen_levels, stats->unseen_levels);
    if (stats->missing_columns[0] != '\0')
        eqp_json_set_text(&object, FIELD_missing_columns, stats->missing_columns);
    if (stats->unseen_columns[0] != '\0')
        eqp_json_set_text(&object, FIELD_unseen_columns, stats->unseen_columns);
    eqp_json_set_count(&object, FIELD_duplicate_ids, stats->duplicate_ids);
    eqp_json_set_bool(&object, FIELD_duplicate_ids_exact, stats->duplicates_exact);
    eqp_json_set_count(&object, FIELD_suspicious_cells, stats->suspicious_cells);
    eqp_json_set_number(&object, FIELD_seconds, stats->seconds);
    eqp_json_set_text(&object, FIELD_model_id, model_id);
    eqp_json_set_text(&object, FIELD_key_commitment, key_commitment);
    eqp_json_set(&object, FIELD_warnings, warned);
    return object;
}

eqp_status eqp_filter(const eqp_model *model, const eqp_key *key, const char *input, const char *output,
                      const eqp_filter_options *options, const eqp_watch *watch, eqp_report **report,
                      eqp_error *error)
{
    eqp_filter_stats stats;
    char commitment[65];
    *report = NULL;
    eqp_status status = eqp_filter_run(model, key, input, output, options, watch, &stats, error);
    if (status != EQP_OK) return status;
    eqp_key_commitment(key, commitment);
    json_t *warned = warnings(options->id != NULL, options->append, &stats);
    return eqp_report_from_json(document("filter", &stats, eqp_model_id(model), commitment, warned), report,
                                error);
}

/* Everybody's chance where quotas decide with the rule: people of a type have the same. */
static json_t *chances(const eqp_cohort *cohort)
{
    const eqp_quota_lottery *lottery = cohort->quota_lottery;
    const eqp_type *types = cohort->conditions.types.types;
    double least = INFINITY, most = 0;
    for (size_t t = 0; t < lottery->types; t++) {
        least = fmin(least, lottery->chance[t]);
        most = fmax(most, lottery->chance[t]);
    }
    double people = 0, placed = 0, sum = 0, apart = 0, read = (double)cohort->stats.records.read;
    for (size_t t = 0; t < lottery->types; t++) {
        people += (double)types[t].people;
        placed += lottery->chance[t] > 0 ? (double)types[t].people : 0;
        sum += (double)types[t].people * lottery->chance[t];
        for (size_t other = 0; other < lottery->types; other++)
            apart += (double)types[t].people * (double)types[other].people *
                     fabs(lottery->chance[t] - lottery->chance[other]);
    }
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_least, least);
    eqp_json_set_number(&object, FIELD_most, most);
    eqp_json_set_number(&object, FIELD_none, read > 0 ? 1 - placed / read : 0);
    eqp_json_set_number(&object, FIELD_gini, sum > 0 ? apart / (2 * people * sum) : 0);
    eqp_json_set_number(&object, FIELD_least_ratio, lottery->least_ratio);
    eqp_json_set_number(&object, FIELD_least_ratio_bound, lottery->bound);
    return object;
}

static json_t *cohort_document(const char *command, const eqp_cohort *cohort)
{
    const eqp_select_stats *stats = &cohort->stats;
    bool by_id = cohort->id != NULL && *cohort->id != '\0';
    json_t *warned = warnings(by_id, false, &stats->records);
    if (cohort->quota_lottery != NULL && eqp_quota_lottery_falls_short(cohort->quota_lottery)) {
        char text[256];
        snprintf(text, sizeof text,
                 "the search for the most even lottery became too long: the smallest chance is %.6f of the "
                 "rule's acceptance, and at most %.6f is possible",
                 cohort->quota_lottery->least_ratio, cohort->quota_lottery->bound);
        eqp_json_append(&warned, eqp_json_text(text));
    }
    json_t *object = document(command, &stats->records, cohort->model_id, cohort->key_commitment, warned);
    eqp_json_set_count(&object, FIELD_size, cohort->size);
    eqp_json_set_count(&object, FIELD_selected, stats->selected);
    eqp_json_set_count(&object, FIELD_alternates, stats->alternates);
    eqp_json_set_count(&object, FIELD_reachable, stats->reachable);
    if (cohort->conditions.avoided != NULL) eqp_json_set_count(&object, FIELD_avoided, stats->avoided);
    if (cohort->conditions.one_per_count > 0)
        eqp_json_set_count(&object, FIELD_households, stats->households);
    if (cohort->quota_lottery != NULL) eqp_json_set(&object, FIELD_chances, chances(cohort));
    return object;
}

static eqp_status report_cohort(const char *command, const eqp_cohort *cohort, eqp_report **report,
                                eqp_error *error)
{
    return eqp_report_from_json(cohort_document(command, cohort), report, error);
}

/* ---- draws that were committed to -----------------------------------------------------------------------
 */

void eqp_draw_options_init(eqp_draw_options *options)
{
    *options = (eqp_draw_options){0};
}

static eqp_status draw_committed(const char *command, const eqp_model *model, const eqp_key *key,
                                 const char *input, const eqp_draw_options *options, const eqp_watch *watch,
                                 eqp_report **report, eqp_error *error)
{
    eqp_committed committed;
    eqp_cohort cohort = {0};
    *report = NULL;
    eqp_status status = eqp_committed_open(model, key, input, options, &committed, error);
    if (status == EQP_OK) status = eqp_committed_refuse(&committed, error);
    if (status == EQP_OK)
        status = eqp_committed_draw(&committed, key, input, true, false, watch, &cohort, error);
    if (status == EQP_OK) status = eqp_committed_log(&committed, key, command, &cohort, error);
    if (status == EQP_OK) {
        json_t *drawn = cohort_document(command, &cohort);
        const json_t *source = eqp_field_value(committed.commitment.document, FIELD_randomness);
        eqp_json_set_text(&drawn, FIELD_commitment,
                          eqp_field_text(committed.commitment.document, FIELD_digest));
        eqp_json_set_count(&drawn, FIELD_rounds, committed.rounds);
        eqp_json_set_text(&drawn, FIELD_randomness_value, committed.randomness);
        eqp_json_set_bool(&drawn, FIELD_foreseen, !json_is_string(source));
        eqp_json_set_bool(&drawn, FIELD_reordered, committed.reordered);
        status = eqp_report_from_json(drawn, report, error);
    }
    eqp_cohort_clear(&cohort);
    eqp_committed_clear(&committed);
    return status;
}

eqp_status eqp_select_committed(const eqp_model *model, const eqp_key *key, const char *input,
                                const eqp_draw_options *options, const eqp_watch *watch, eqp_report **report,
                                eqp_error *error)
{
    *report = NULL;
    if (options->declined_count > 0)
        return eqp_fail(error, EQP_USAGE, "declines come after the draw: they belong to replace");
    return draw_committed("select", model, key, input, options, watch, report, error);
}

eqp_status eqp_replace(const eqp_model *model, const eqp_key *key, const char *input,
                       const eqp_draw_options *options, const eqp_watch *watch, eqp_report **report,
                       eqp_error *error)
{
    *report = NULL;
    if (options->declined_count == 0) {
        eqp_fail(error, EQP_USAGE, "no list of declines given");
        eqp_hint(error, "name those who declined, by their ids, with --declined FILE");
        return EQP_USAGE;
    }
    return draw_committed("replace", model, key, input, options, watch, report, error);
}

/* ---- select and merge -----------------------------------------------------------------------------------
 */

eqp_status eqp_select(const eqp_model *model, const eqp_key *key, const char *input,
                      const eqp_select_options *options, const eqp_watch *watch, eqp_report **report,
                      eqp_error *error)
{
    eqp_cohort cohort;
    *report = NULL;
    eqp_selection selection = {.model = model, .key = key, .input = input, .options = options};
    eqp_status status = eqp_select_run(&selection, watch, &cohort, error);
    if (status == EQP_OK) status = report_cohort("select", &cohort, report, error);
    eqp_cohort_clear(&cohort);
    return status;
}

eqp_status eqp_merge(const char *const *parts, size_t part_count, const eqp_key *key,
                     const eqp_select_options *options, eqp_report **report, eqp_error *error)
{
    eqp_cohort cohort;
    *report = NULL;
    eqp_status status = eqp_merge_run(parts, part_count, key, options, &cohort, error);
    if (status == EQP_OK) status = report_cohort("merge", &cohort, report, error);
    eqp_cohort_clear(&cohort);
    return status;
}
