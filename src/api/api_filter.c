/* Filter, select and merge behind the public interface: their counts become reports (docs/json.md). */
#include "filter/filter.h"
#include "report/report.h"
#include "select/select.h"

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
                        eqp_json_text("no id column: records are drawn by the columns of the model, so "
                                      "whoever changes a record gets a fresh draw; use --id"));
    if (append)
        eqp_json_append(&list, eqp_json_text("the column equipoise_probability reveals more than the outcome "
                                             "does; do not publish it"));
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

static eqp_status report_cohort(const char *command, const eqp_cohort *cohort, eqp_report **report,
                                eqp_error *error)
{
    const eqp_select_stats *stats = &cohort->stats;
    bool by_id = cohort->id != NULL && *cohort->id != '\0';
    json_t *cohort_json = document(command, &stats->records, cohort->model_id, cohort->key_commitment,
                                   warnings(by_id, false, &stats->records));
    eqp_json_set_count(&cohort_json, FIELD_size, cohort->size);
    eqp_json_set_count(&cohort_json, FIELD_selected, stats->selected);
    eqp_json_set_count(&cohort_json, FIELD_alternates, stats->alternates);
    eqp_json_set_count(&cohort_json, FIELD_reachable, stats->reachable);
    return eqp_report_from_json(cohort_json, report, error);
}

eqp_status eqp_select(const eqp_model *model, const eqp_key *key, const char *input,
                      const eqp_select_options *options, const eqp_watch *watch, eqp_report **report,
                      eqp_error *error)
{
    eqp_cohort cohort;
    *report = NULL;
    eqp_status status = eqp_select_run(model, key, input, options, watch, &cohort, error);
    if (status == EQP_OK) status = report_cohort("select", &cohort, report, error);
    eqp_cohort_clear(&cohort);
    return status;
}

eqp_status eqp_merge(const char *const *parts, size_t part_count, const eqp_select_options *options,
                     eqp_report **report, eqp_error *error)
{
    eqp_cohort cohort;
    *report = NULL;
    eqp_status status = eqp_merge_run(parts, part_count, options, &cohort, error);
    if (status == EQP_OK) status = report_cohort("merge", &cohort, report, error);
    eqp_cohort_clear(&cohort);
    return status;
}
