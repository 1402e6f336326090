/* Inspecting as a public call: a table in, what each of its columns is fit for out. */
#include "learn/training.h"
#include "method/methods.h"
#include "report/documents.h"
#include "report/report.h"

/* Without sensitive columns nothing is measured. */
static eqp_status find_groups(const eqp_table *table, const eqp_learn_options *options, eqp_groups **groups,
                              eqp_sample **sample, eqp_error *error)
{
    eqp_notes notes = {0};
    *groups = NULL;
    *sample = NULL;
    if (options->sensitive_count == 0) return EQP_OK;
    eqp_status status = eqp_learn_groups(table, options, groups, sample, &notes, error);
    eqp_notes_free(&notes);
    return status;
}

static eqp_status check_ignored(const eqp_triage *triage, const eqp_learn_options *options, eqp_error *error)
{
    eqp_columns columns;
    eqp_status status = eqp_columns_choose(triage, options, &columns, error);
    bool none = status == EQP_DATA && columns.count == 0 && columns.names != NULL;
    eqp_columns_free(&columns);
    return none ? EQP_OK : status; /* that no column can be used is a finding, not a failure */
}

eqp_status eqp_inspect(const eqp_table *table, const eqp_learn_options *options, const eqp_watch *watch,
                       eqp_report **report, eqp_error *error)
{
    eqp_groups *groups = NULL;
    eqp_sample *sample = NULL;
    eqp_table *taken = NULL;
    eqp_triage *triage = NULL;
    const eqp_table *labelled = table;
    *report = NULL;
    eqp_status status = options->sensitive_count > 0 ? eqp_learn_options_check(options, error) : EQP_OK;
    if (status == EQP_OK) status = find_groups(table, options, &groups, &sample, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "inspecting", 0.1, error);
    if (status == EQP_OK && sample != NULL)
        status = eqp_labelled_rows(table, sample, &taken, &labelled, error);
    if (status == EQP_OK) status = eqp_triage_new(labelled, sample, options, watch, &triage, error);
    if (status == EQP_OK) status = check_ignored(triage, options, error);
    if (status == EQP_OK) status = eqp_report_from_json(eqp_inspect_document(triage), report, error);
    eqp_triage_free(triage);
    eqp_table_free(taken);
    eqp_sample_free(sample);
    eqp_groups_free(groups);
    return status;
}
