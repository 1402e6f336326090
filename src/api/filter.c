/* The filter behind the public interface: its counts become a report (docs/json.md). */
#include "filter/filter.h"

#include "report/report.h"

void eqp_filter_options_init(eqp_filter_options *options)
{
    *options = (eqp_filter_options){0};
}

static json_t *warnings(const eqp_filter_options *options, const eqp_filter_stats *stats)
{
    json_t *list = json_array();
    if (options->id == NULL)
        json_array_append_new(list,
                              json_string("no id column: records are drawn by the columns of the model, "
                                          "so whoever changes a record gets a fresh draw; use --id"));
    if (options->append)
        json_array_append_new(list, json_string("the column equipoise_probability reveals more than the "
                                                "outcome does; do not publish it"));
    if (!stats->duplicates_exact)
        json_array_append_new(list, json_string("there were too many ids to remember all of them: the number "
                                                "of repeated ones is a lower bound"));
    return list;
}

static json_t *document(const eqp_model *model, const eqp_key *key, const eqp_filter_options *options,
                        const eqp_filter_stats *stats)
{
    char commitment[65];
    eqp_key_commitment(key, commitment);
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:o, s:s, s:s, s:o}", "command", "filter", "read",
        (json_int_t)stats->read, "accepted", (json_int_t)stats->accepted, "missing_cells",
        (json_int_t)stats->missing_cells, "unseen_levels", (json_int_t)stats->unseen_levels, "duplicate_ids",
        (json_int_t)stats->duplicate_ids, "duplicate_ids_exact", stats->duplicates_exact, "suspicious_cells",
        (json_int_t)stats->suspicious_cells, "seconds", eqp_json_number(stats->seconds), "model_id",
        eqp_model_id(model), "key_commitment", commitment, "warnings", warnings(options, stats));
}

eqp_status eqp_filter(const eqp_model *model, const eqp_key *key, const char *input, const char *output,
                      const eqp_filter_options *options, const eqp_watch *watch, eqp_report **report,
                      eqp_error *error)
{
    eqp_filter_stats stats;
    *report = NULL;
    eqp_status status = eqp_filter_run(model, key, input, output, options, watch, &stats, error);
    if (status != EQP_OK) return status;
    return eqp_report_from_json(document(model, key, options, &stats), report, error);
}
