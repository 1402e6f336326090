/* Tables, models, audits, draws and exports when any call fails (walk.h). */
#include "../unit/table/made_stream.h"
#include "walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- tables, models, keys ------------------------------------------------------------------------------ */

static eqp_status read_table(const void *wishes, eqp_error *error)
{
    eqp_read_options options = {.text_columns = SENSITIVE, .text_column_count = 1};
    eqp_table *table;
    eqp_status status = eqp_table_read(wishes, &options, &walk_watch, &table, error);
    assert_int_equal(status == EQP_OK, table != NULL);
    eqp_table_free(table);
    return status;
}

static eqp_status read_arrow(const void *wishes, eqp_error *error)
{
    (void)wishes;
    static const int32_t places[] = {0, 1, 2, 3};
    static const int64_t numbers[] = {1, 2, INT64_MAX};
    static const made_column columns[] = {{"u", "u", {NULL, places, "abc"}, 3, 3, 0, 0, NULL},
                                          {"id", "u", {NULL, places, "xyz"}, 3, 3, 0, 0, NULL},
                                          {"l", "l", {NULL, numbers}, 2, 3, 0, 0, NULL},
                                          {"g", "g", {NULL, numbers}, 2, 3, 0, 0, NULL}};
    made_stream made = {.columns = columns, .column_count = 4, .rows = 3, .batches = 2};
    eqp_table *table;
    eqp_status status = import_columns(&made, &(eqp_read_options){.id_column = "id"}, &table, error);
    assert_int_equal(status == EQP_OK, table != NULL);
    eqp_table_free(table);
    return status;
}

static eqp_status write_population(const void *wishes, eqp_error *error)
{
    (void)wishes;
    eqp_status status = eqp_population_write("people.csv", 30, 4, true, error);
    note_file("people.csv");
    return status;
}

static eqp_status save_and_load(const void *wishes, eqp_error *error)
{
    eqp_model *made;
    eqp_status status = eqp_model_save(wishes, "new.model", error);
    if (status != EQP_OK) return status;
    status = eqp_model_load("new.model", &made, error);
    return hand_back_model(status, made);
}

static eqp_status explain(const void *wishes, eqp_error *error)
{
    char *text;
    eqp_status status = eqp_model_explain(wishes, &text, error);
    return hand_back_text(status, text);
}

static eqp_status decide(const void *wishes, eqp_error *error)
{
    double probability[ROWS];
    bool accepted[ROWS];
    eqp_status status = eqp_model_probabilities(wishes, ground.labelled, probability, error);
    if (status == EQP_OK)
        status = eqp_model_decide(wishes, ground.labelled, "record", &ground.key, 1, accepted, error);
    if (status == EQP_OK)
        status = eqp_model_decide(wishes, ground.labelled, NULL, &ground.key, 2, accepted, error);
    if (status == EQP_OK) note_bytes((const char *)accepted, sizeof accepted);
    return status;
}

static eqp_status make_key(const void *wishes, eqp_error *error)
{
    (void)wishes;
    eqp_key made;
    unlink("new.key");
    eqp_status status = eqp_key_create("new.key", error);
    return status == EQP_OK ? eqp_key_read("new.key", &made, error) : status;
}

static void test_files(void **state)
{
    (void)state;
    walk("read", read_table, "labelled.csv");
    walk("read gzip", read_table, "candidates.csv.gz");
    walk("read zstd", read_table, "candidates.csv.zst");
    walk("read Arrow", read_arrow, NULL);
    walk("population", write_population, NULL);
    walk("save and load", save_and_load, ground.model);
    walk("save and load a tree", save_and_load, ground.tree);
    walk("explain", explain, ground.model);
    walk("explain a tree", explain, ground.tree);
    walk("decide", decide, ground.model);
    walk("decide by a tree", decide, ground.tree);
    walk("key", make_key, NULL);
}

/* ---- audit --------------------------------------------------------------------------------------------- */

static eqp_status audit(const void *wishes, eqp_error *error)
{
    eqp_audit_options options;
    eqp_audit_options_init(&options);
    options.sensitive = SENSITIVE;
    options.sensitive_count = 1;
    options.threads = 1;
    options.proxy = strcmp(wishes, "labels") == 0 ? NULL : wishes;
    options.attempt_log = "attempts.log";
    options.certificate = options.proxy == NULL ? "certificate.json" : NULL;
    unlink("attempts.log");
    eqp_report *report;
    const eqp_model *used = options.proxy == NULL ? ground.tree : NULL;
    eqp_status status = eqp_audit(used, ground.later, &options, &walk_watch, &report, error);
    return hand_back(status, report);
}

static eqp_status drift(const void *wishes, eqp_error *error)
{
    (void)wishes;
    eqp_report *report;
    eqp_status status = eqp_model_drift(ground.tree, ground.later, NULL, 1, &report, error);
    return hand_back(status, report);
}

static eqp_status check_certificate(const void *wishes, eqp_error *error)
{
    (void)wishes;
    eqp_report *report;
    eqp_status status = eqp_certificate_check("kept.json", ground.tree, ground.later, NULL, &report, error);
    return hand_back(status, report);
}

static void test_audit(void **state)
{
    (void)state;
    walk("audit", audit, "labels");
    walk("audit of a proxy", audit, "region");
    walk("audit of a number", audit, "income");
    walk("drift", drift, NULL);
    assert_int_equal(rename("certificate.json", "kept.json"), 0);
    walk("certificate", check_certificate, NULL);
}

/* ---- draws --------------------------------------------------------------------------------------------- */

typedef struct draw_wishes {
    const char *name, *input, *id;
    const eqp_model *model;
    size_t threads, chunk;
    bool append, excel_safe;
} draw_wishes;

static eqp_filter_options filter_options(const draw_wishes *w)
{
    eqp_filter_options options;
    eqp_filter_options_init(&options);
    options.id = w->id;
    options.by_content = w->id == NULL;
    options.append = w->append;
    options.excel_safe = w->excel_safe;
    options.threads = w->threads;
    options.chunk_bytes = w->chunk;
    return options;
}

static eqp_status filter(const void *wishes, eqp_error *error)
{
    const draw_wishes *w = wishes;
    eqp_filter_options options = filter_options(w);
    eqp_report *report;
    eqp_status status =
        eqp_filter(w->model, &ground.key, w->input, "new.csv", &options, &walk_watch, &report, error);
    if (status == EQP_OK) note_file("new.csv");
    return hand_back(status, report);
}

static eqp_select_options select_options(const draw_wishes *w)
{
    eqp_select_options options;
    eqp_select_options_init(&options);
    options.filter = filter_options(w);
    options.size = 3;
    options.alternates = 3;
    options.selected = "selected.csv";
    return options;
}

static eqp_status draw_cohort(const void *wishes, eqp_error *error)
{
    const draw_wishes *w = wishes;
    eqp_select_options options = select_options(w);
    options.alternates_file = "alternates.csv";
    options.remaining = "remaining.csv";
    eqp_report *report;
    eqp_status status = eqp_select(w->model, &ground.key, w->input, &options, &walk_watch, &report, error);
    if (status == EQP_OK) note_file("selected.csv");
    return hand_back(status, report);
}

static eqp_status draw_part(const void *wishes, eqp_error *error)
{
    const draw_wishes *w = wishes;
    eqp_select_options options = select_options(w);
    options.parts = "new.part";
    options.selected = NULL;
    eqp_report *report;
    eqp_status status = eqp_select(w->model, &ground.key, w->input, &options, &walk_watch, &report, error);
    return hand_back(status, report);
}

static eqp_status merge(const void *wishes, eqp_error *error)
{
    static const char *const PARTS[] = {"new.part"};
    eqp_select_options options = select_options(wishes);
    eqp_report *report;
    eqp_status status = eqp_merge(PARTS, 1, &ground.key, &options, &report, error);
    return hand_back(status, report);
}

static eqp_status commit(const void *wishes, eqp_error *error)
{
    const draw_wishes *w = wishes;
    eqp_report *report;
    eqp_commit_options options;
    eqp_commit_options_init(&options);
    options.select = select_options(w);
    options.randomness = "dice of tomorrow";
    options.log = "draws.log";
    options.output = "commitment.json";
    unlink("draws.log");
    eqp_status status = eqp_commit(w->model, &ground.key, w->input, &options, &report, error);
    return hand_back(status, report);
}

static eqp_draw_options draw_options(const draw_wishes *w)
{
    eqp_draw_options options;
    eqp_draw_options_init(&options);
    options.commitment = "commitment.json";
    options.randomness = "1 2 3";
    options.threads = w->threads;
    options.selected = "selected.csv";
    return options;
}

static eqp_status draw_committed(const void *wishes, eqp_error *error)
{
    const draw_wishes *w = wishes;
    eqp_draw_options options = draw_options(w);
    eqp_report *report;
    eqp_status status =
        eqp_select_committed(w->model, &ground.key, w->input, &options, &walk_watch, &report, error);
    return hand_back(status, report);
}

static eqp_status verify(const void *wishes, eqp_error *error)
{
    const draw_wishes *w = wishes;
    eqp_draw_options options = draw_options(w);
    options.selected = "cohort.csv";
    eqp_report *report;
    eqp_status status = eqp_verify(w->model, &ground.key, w->input, &options, &report, error);
    return hand_back(status, report);
}

static eqp_status publish(const void *wishes, eqp_error *error)
{
    const draw_wishes *w = wishes;
    eqp_draw_options options = draw_options(w);
    options.page = "page.html";
    options.tickets = "tickets.csv";
    eqp_report *report;
    eqp_status status = eqp_publish(w->model, &ground.key, w->input, &options, &report, error);
    return hand_back(status, report);
}

static eqp_status plan(const void *wishes, eqp_error *error)
{
    (void)wishes;
    eqp_report *report;
    eqp_status status = eqp_plan(
        ground.model, &(eqp_plan_options){.size = 10, .response = 1, .confidence = 0.9}, &report, error);
    return hand_back(status, report);
}

static void keep(const char *from, const char *to)
{
    assert_int_equal(rename(from, to), 0);
}

static void test_draws(void **state)
{
    (void)state;
    const draw_wishes by_id = {
        .input = "candidates.csv", .id = "record", .model = ground.model, .threads = 1};
    draw_wishes many = {.input = "candidates.csv.gz",
                        .model = ground.tree,
                        .threads = 2,
                        .chunk = 512,
                        .append = true,
                        .excel_safe = true};
    walk("filter", filter, &by_id);
    walk("filter, two threads", filter, &many);
    walk("select", draw_cohort, &by_id);
    walk("select by values", draw_cohort, &many);
    walk("select a part", draw_part, &by_id);
    walk("merge", merge, &by_id);
    walk("plan", plan, NULL);
    walk("commit", commit, &by_id);
    walk("select as committed", draw_committed, &by_id);
    keep("selected.csv", "cohort.csv");
    walk("verify", verify, &by_id);
    walk("publish", publish, &by_id);
}

/* ---- export -------------------------------------------------------------------------------------------- */

static eqp_status export_all(const void *wishes, eqp_error *error)
{
    static const char *const FORMS[] = {NULL, "view", "predicate"};
    eqp_status status = EQP_OK;
    eqp_export_options options;
    eqp_export_options_init(&options);
    options.dialect = wishes;
    options.id = "record";
    bool sql = strcmp(wishes, "c") != 0 && strcmp(wishes, "json") != 0;
    for (size_t i = 0; i < (sql ? 3 : 1) && status == EQP_OK; i++) {
        char *text;
        options.form = strcmp(wishes, "bigquery") == 0 && i == 1 ? "function" : FORMS[i];
        options.name = i == 1 ? "fair" : NULL;
        options.size = sql && i == 0 ? 7 : 0;
        options.key = i == 0 ? &ground.key : NULL;
        status = eqp_export(i == 1 ? ground.tree : ground.model, &options, &text, error);
        hand_back_text(status, text);
    }
    return status;
}

static void test_export(void **state)
{
    (void)state;
    static const char *const DIALECTS[] = {"postgresql", "duckdb",   "sqlite", "clickhouse",
                                           "spark",      "bigquery", "c",      "json"};
    for (size_t i = 0; i < sizeof DIALECTS / sizeof *DIALECTS; i++)
        walk(DIALECTS[i], export_all, DIALECTS[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_audit),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_export),
    };
    return cmocka_run_group_tests(tests, ground_prepare, ground_clear);
}
