/* Walking, and what is walked on: a folder with tables, models and reports. */
#include "walk.h"

#include "calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

const eqp_watch walk_watch = {.step = calls_watch_step};
const char *const SENSITIVE[2] = {"group", "admitted"};
struct ground ground;
static char folder[] = "/tmp/equipoise-calls-XXXXXX";

/* ---- what a run found ---------------------------------------------------------------------------------- */

static uint64_t found; /* hash of all that a run handed back */

void note_bytes(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) found = (found ^ (unsigned char)bytes[i]) * 0x100000001b3u;
}

/* Without how long it took. */
static void note_text(const char *text)
{
    static const char *const CLOCKS[] = {"seconds", "\"read\":", "\"time\"", "\"digest\""};
    const char *end = text + strlen(text);
    while (text < end) {
        size_t line = strcspn(text, "\n");
        bool clock = false;
        for (size_t i = 0; i < sizeof CLOCKS / sizeof *CLOCKS; i++)
            clock |= memmem(text, line, CLOCKS[i], strlen(CLOCKS[i])) != NULL;
        if (!clock) note_bytes(text, line);
        text += line + (text[line] == '\n');
    }
}

void note_file(const char *path)
{
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    for (size_t length; file != NULL && (length = fread(bytes, 1, sizeof bytes, file)) > 0;)
        note_bytes(bytes, length);
    if (file != NULL) fclose(file);
}

/* What came out of a call stands exactly when it succeeded; then it is noted and released. */
eqp_status hand_back(eqp_status status, eqp_report *report)
{
    assert_int_equal(status == EQP_OK, report != NULL);
    if (report != NULL) note_text(eqp_report_json(report));
    eqp_report_free(report);
    return status;
}

eqp_status hand_back_text(eqp_status status, char *text)
{
    assert_int_equal(status == EQP_OK, text != NULL);
    if (text != NULL) note_text(text);
    eqp_text_free(text);
    return status;
}

/* Whose text is asked for only when nothing fails any more. */
eqp_status hand_back_model(eqp_status status, eqp_model *made)
{
    assert_int_equal(status == EQP_OK, made != NULL);
    if (made != NULL) note_text(eqp_model_id(made));
    eqp_model_free(made);
    return status;
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

typedef struct end {
    eqp_status status;
    uint64_t found;
    eqp_error error;
} end;

static end run_once(scenario *run, const void *wishes, size_t wanted, bool *reached)
{
    end e = {0};
    found = 0;
    calls_begin(wanted);
    e.status = run(wishes, &e.error);
    *reached = calls_end();
    e.found = found;
    return e;
}

static void check_end(const char *name, size_t number, const end *e, const end *whole)
{
    bool good;
    if (e->status == EQP_OK)
        good = e->found == whole->found;
    else if (strcmp(calls_hit_name(), "watch") == 0)
        good = e->status == EQP_CANCELLED;
    else if (calls_hit_memory())
        good = e->status == EQP_MEMORY || strstr(e->error.message, "memory") != NULL;
    else
        good = e->status == EQP_IO;
    if (good && (e->status == EQP_OK || e->error.message[0] != 0)) return;
    fail_msg("%s: call %zu, %s, ended with status %d (\"%s\")%s", name, number, calls_hit_name(), e->status,
             e->error.message, e->status == EQP_OK ? " and another result" : "");
}

/* Every call, or every so many where WALK_STRIDE says so: under a sanitizer, whose runs take long.  Scenarios
 * begin at different ones. */
static size_t stride(void)
{
    const char *asked = getenv("WALK_STRIDE");
    int number = asked != NULL ? atoi(asked) : 1;
    return number > 1 ? (size_t)number : 1;
}

void walk(const char *name, scenario *run, const void *wishes)
{
    static size_t met;
    bool reached;
    run_once(run, wishes, SIZE_MAX, &reached); /* libraries load, files appear */
    end whole = run_once(run, wishes, 0, &reached);
    if (whole.status != EQP_OK) fail_msg("%s fails by itself: %s", name, whole.error.message);
    size_t calls = calls_seen(), walked = 0;
    for (size_t number = 1; number <= calls; number++) {
        if (!calls_is_new(number) || met++ % stride() != 0) continue;
        end e = run_once(run, wishes, number, &reached);
        walked += reached;
        check_end(name, number, &e, &whole);
    }
    if (getenv("SHOW_CALLS") != NULL) print_message("%-28s %zu of %zu calls\n", name, walked, calls);
}

/* ---- options ------------------------------------------------------------------------------------------- */

eqp_learn_options learn_options(const learn_wishes *w)
{
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.sensitive = SENSITIVE;
    options.sensitive_count = w->sensitive ? w->sensitive : 1;
    options.intersect = w->intersect;
    options.features = "age,region,income,score";
    if (w->method) options.method = w->method;
    bool direct = w->method == NULL && w->proxy == NULL; /* both of its usual oracles would take long */
    options.oracle = w->oracle || !direct ? w->oracle : "linear";
    if (w->solver) options.solver = w->solver;
    options.weight = w->weight;
    options.proxy = w->proxy;
    if (w->target) options.target = w->target;
    if (w->min_yield > 0) options.min_yield = w->min_yield;
    if (w->confidence > 0) options.confidence = w->confidence;
    options.strict = w->strict;
    options.min_leaf = w->min_leaf;
    options.max_height = w->max_height ? w->max_height : 3;
    options.threads = w->threads ? w->threads : 1;
    return options;
}

static const double BUDGETS[] = {0.15, 0.5};

eqp_study_options study_options(void)
{
    static const learn_wishes wishes = {.min_leaf = 4};
    eqp_study_options options;
    eqp_study_options_init(&options);
    options.learn = learn_options(&wishes);
    options.budgets = BUDGETS;
    options.budget_count = 2;
    options.seeds = 1;
    return options;
}

/* ---- the ground ---------------------------------------------------------------------------------------- */

static void expect(eqp_status status, const eqp_error *error)
{
    if (status != EQP_OK) fail_msg("%s %s", error->message, error->hint);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void wrap_candidates(void)
{
    static char plain[1 << 16], packed[1 << 16];
    FILE *file = fopen("candidates.csv", "rb");
    assert_non_null(file);
    size_t length = fread(plain, 1, sizeof plain, file);
    fclose(file);
    gzFile gzip = gzopen("candidates.csv.gz", "wb");
    assert_int_equal(gzwrite(gzip, plain, (unsigned)length), length);
    gzclose(gzip);
    length = ZSTD_compress(packed, sizeof packed, plain, length, 1);
    assert_false(ZSTD_isError(length));
    file = fopen("candidates.csv.zst", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(packed, 1, length, file), length);
    fclose(file);
}

int ground_prepare(void **state)
{
    (void)state;
    eqp_error error = {0};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    expect(eqp_population_write("labelled.csv", ROWS, 2, true, &error), &error);
    expect(eqp_population_write("candidates.csv", CANDIDATES, 3, false, &error), &error);
    wrap_candidates();
    write_text("target.csv",
               "attribute,value,share\ngroup,Amber,0.4\ngroup,Birch,0.3\ngroup,Cedar,0.2\ngroup,Dune,0.1\n");
    eqp_read_options read = {.text_columns = SENSITIVE, .text_column_count = 2};
    expect(eqp_table_read("labelled.csv", &read, NULL, &ground.labelled, &error), &error);
    expect(eqp_population_write("later.csv", ROWS, 5, true, &error), &error);
    expect(eqp_table_read("later.csv", &read, NULL, &ground.later, &error), &error);

    eqp_learn_options options = learn_options(&(learn_wishes){.min_yield = 0.3});
    expect(eqp_learn(ground.labelled, &options, NULL, &ground.model, &ground.learned, &error), &error);
    options =
        learn_options(&(learn_wishes){.method = "tree", .oracle = "stump", .min_leaf = 4, .min_yield = 0.3});
    eqp_report *unused;
    expect(eqp_learn(ground.labelled, &options, NULL, &ground.tree, &unused, &error), &error);
    eqp_report_free(unused);

    eqp_study_options study = study_options();
    expect(eqp_frontier(ground.labelled, &study, NULL, &ground.frontier, &error), &error);
    study.methods = "direct,qp-cart";
    expect(eqp_compare(ground.labelled, &study, NULL, &ground.compared, &error), &error);
    eqp_audit_options audit_options;
    eqp_audit_options_init(&audit_options);
    audit_options.sensitive = SENSITIVE;
    audit_options.sensitive_count = 1;
    expect(eqp_audit(ground.model, ground.later, &audit_options, NULL, &ground.audited, &error), &error);
    /* Always the same: with some keys too few of forty candidates are accepted. */
    memset(ground.key.hex, '7', sizeof ground.key.hex - 1);
    return 0;
}

/* No temporary file may be left either. */
int ground_clear(void **state)
{
    (void)state;
    eqp_report_free(ground.learned);
    eqp_report_free(ground.audited);
    eqp_report_free(ground.compared);
    eqp_report_free(ground.frontier);
    eqp_model_free(ground.model);
    eqp_model_free(ground.tree);
    eqp_table_free(ground.labelled);
    eqp_table_free(ground.later);
    size_t rubbish = 0;
    DIR *directory = opendir(".");
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;
         unlink(entry->d_name))
        rubbish +=
            entry->d_name[0] == '.' && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return rubbish > 0 || chdir("/") != 0 || rmdir(folder) != 0;
}
