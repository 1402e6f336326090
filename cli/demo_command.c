/* equipoise demo: everything on a made-up population, each step as one would type it. */
#include "command.h"
#include "failure.h"
#include "print_outcome.h"
#include "print_screen.h"
#include "signals.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LABELLED_ROWS = 8000, AUDIT_ROWS = 100000, POOL_ROWS = 5000, MOST_WORDS = 40, LINE_BYTES = 400 };

static const double BUDGET = 0.3;

/* The word of a step that stands for --report. */
#define REPORT "report.html"

typedef struct demo_settings {
    const char *folder;
    const char *report;
    size_t rows;
    bool only_data;
    screen_settings screen;
} demo_settings;

static const option_spec demo_options[] = {
    {"dir", 0, OPTION_TEXT, offsetof(demo_settings, folder), "DIR", NULL, "equipoise-demo",
     "where the files go"},
    {"rows", 0, OPTION_COUNT, offsetof(demo_settings, rows), "N", NULL, "200000", "number of candidates"},
    {"report", 0, OPTION_TEXT, offsetof(demo_settings, report), "FILE", NULL, REPORT,
     "write the report as one HTML page; into --dir unless a path says where"},
    {"only-data", 0, OPTION_FLAG, offsetof(demo_settings, only_data), NULL, NULL, NULL,
     "write the made-up files and stop"},
    {0}};

static const option_section sections[] = {
    {"Demonstration", demo_options, 0}, {"Output", quiet_options, offsetof(demo_settings, screen)}, {0}};

/* A backslash at the end of a line is for the reader and parts words like a blank. */
typedef struct demo_step {
    const char *explanation;
    const char *line;
} demo_step;

static const demo_step steps[] = {
    {"What people did before: choose by language. How much does a language tell about\n"
     "somebody's group?",
     "audit labelled-later.csv --sensitive group --proxy language"},
    {"A rule may tell less, and balance better. How much less? Turn the dial.",
     "frontier labelled.csv --sensitive group --ignore admitted \\\n"
     "    --budgets 0.05,0.1,0.2,0.3,0.4,0.5 --yields 0.05 --report frontier.json"},
    {"Choose a budget, here 0.3, and learn the rule from those who stated their group.\n"
     "The surer of the budget now, the fewer people a certificate needs later.",
     "learn labelled.csv --sensitive group --ignore admitted --max-disclosure 0.3 \\\n"
     "    --confidence 0.99 --min-yield 0.05 --report learn.json -o panel.model"},
    {"Does it keep its promise among people it has not seen? Ask for a certificate.",
     "audit --model panel.model labelled-later.csv \\\n"
     "    --certificate certificate.json --report audit.json"},
    {"A key fixes every draw: asking again gives the same answer.", "key new draw.key"},
    {"Run the rule on candidates whose group nobody has asked for.",
     "filter --model panel.model --id record --key-file draw.key \\\n"
     "    candidates.csv -o accepted.csv"},
    {"A panel of 100 from those who applied, drawn so that nobody can rig it: first\n"
     "commit to everything, and to numbers that nobody knows yet …",
     "commit --model panel.model --key-file draw.key --id record --size 100 \\\n"
     "    --alternates 20 --randomness lottery-of-1-May --randomness-form numbers:6 \\\n"
     "    --log draws.log -o commitment.json pool.csv"},
    {"… then, when the numbers are known, draw …",
     "select --commitment commitment.json --key-file draw.key --randomness 4-8-15-16-23-42 \\\n"
     "    --selected panel.csv --alternates-file alternates.csv --log draws.log --stats draw.json pool.csv"},
    {"… and publish one page on which anybody can check the draw. It holds nobody's data.",
     "publish --commitment commitment.json --key-file draw.key --randomness 4-8-15-16-23-42 \\\n"
     "    -o draw.html pool.csv"},
    {"Everything on one page.", "report frontier.json learn.json audit.json draw.json -o " REPORT},
    {0}};

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A path holds from where the program was called, also after the folder is entered. */
static eqp_status find_report(const char *given, char report[PATH_MAX], eqp_error *error)
{
    char here[PATH_MAX] = "";
    bool relative = given[0] != '/' && strchr(given, '/') != NULL;
    if (relative && getcwd(here, sizeof here) == NULL) return fail_errno(error, "find", ".");
    int length = snprintf(report, PATH_MAX, "%s%s%s", here, relative ? "/" : "", given);
    if (length >= PATH_MAX) return fail(error, EQP_USAGE, "the path \"%.60s…\" is too long", given);
    return EQP_OK;
}

static eqp_status enter_folder(const char *folder, eqp_error *error)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return fail_errno(error, "create", folder);
    if (chdir(folder) != 0) return fail_errno(error, "enter", folder);
    return EQP_OK;
}

/* Seeds keep the files apart; the truth is the candidates again, with their groups. */
static eqp_status write_data(size_t rows, eqp_error *error)
{
    size_t labelled = rows < LABELLED_ROWS ? rows : LABELLED_ROWS,
           later = rows < AUDIT_ROWS ? rows : AUDIT_ROWS;
    eqp_status status = eqp_population_write("labelled.csv", labelled, 1, true, error);
    if (status == EQP_OK) status = eqp_population_write("candidates.csv", rows, 2, false, error);
    if (status == EQP_OK)
        status = eqp_population_write("pool.csv", rows < POOL_ROWS ? rows : POOL_ROWS, 4, false, error);
    if (status == EQP_OK) status = eqp_population_write("labelled-later.csv", later, 3, true, error);
    if (status == EQP_OK) status = eqp_population_write("truth.csv", rows, 2, true, error);
    return status;
}

/* The first word of a step is its command. */
static bool is_available(const char *name)
{
    char first[16];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(name, " "), name);
    return command_find(first) != NULL;
}

static void print_step(const demo_step *step, const char *report)
{
    const char *place = strstr(step->line, REPORT);
    printf("\n%s\n\n$ equipoise ", step->explanation);
    if (place == NULL)
        printf("%s\n", step->line);
    else
        printf("%.*s%s%s\n", (int)(place - step->line), step->line, report, place + strlen(REPORT));
    fflush(stdout);
}

/* Runs the step in this process, through the same door as main. */
static eqp_status run_step(const demo_step *step, char *report, eqp_error *error)
{
    char line[LINE_BYTES], *words[MOST_WORDS];
    size_t count = 0;
    int exit_code;
    print_step(step, report);
    snprintf(line, sizeof line, "%s", step->line);
    for (char *word = strtok(line, " \\\n"); word; word = strtok(NULL, " \\\n"))
        words[count++] = strcmp(word, REPORT) == 0 ? report : word;
    return command_line_run(words, count, &exit_code, error);
}

static eqp_status walk(char *report, eqp_error *error)
{
    eqp_status status = EQP_OK;
    /* Of an earlier demonstration: keys are kept, attempts and draws are counted. */
    unlink("draw.key");
    unlink("equipoise-attempts.log");
    unlink("draws.log");
    for (const demo_step *step = steps; status == EQP_OK && step->line; step++) {
        if (signals_stop_wanted()) return fail(error, EQP_CANCELLED, "stopped");
        if (is_available(step->line)) status = run_step(step, report, error);
    }
    if (status != EQP_OK || !is_available("filter")) return status;
    printf("\nWho was accepted? The groups below come from truth.csv, which no command read.\n\n");
    return outcome_draw("truth.csv", "accepted.csv", BUDGET, error);
}

static eqp_status run_demo(invocation *call, eqp_error *error)
{
    const demo_settings *settings = call->settings;
    double started = now_seconds();
    bool is_path = strchr(settings->report, '/') != NULL;
    char report[PATH_MAX];
    if (settings->rows == 0) return fail(error, EQP_USAGE, "a population needs at least one row");
    eqp_status status = find_report(settings->report, report, error);
    if (status == EQP_OK) status = enter_folder(settings->folder, error);
    if (status == EQP_OK) status = write_data(settings->rows, error);
    if (status != EQP_OK) return status;
    if (!settings->screen.quiet)
        printf("made up a population; %zu candidates and two labelled samples are in %s\n", settings->rows,
               settings->folder);
    if (settings->only_data) return EQP_OK;
    status = walk(report, error);
    if (status == EQP_OK)
        printf("\nall of this took %.1f s; open %s%s%s for the whole story\n"
               "next: equipoise ui %s, to do the same in a browser\n",
               now_seconds() - started, is_path ? "" : settings->folder, is_path ? "" : "/",
               is_path ? settings->report : report, settings->folder);
    return status;
}

const command_spec demo_command = {
    .name = "demo",
    .operands = "",
    .summary = "show everything on a made-up population",
    .description =
        "Makes up a population of applicants in four groups of unequal size, learns a rule from a labelled "
        "sample, filters the candidates, audits the rule, selects a panel, and shows who was accepted. "
        "Every step is printed as one would type it, and the files stay in --dir to play with.",
    .examples = "equipoise demo\nequipoise demo --only-data --dir play",
    .sections = sections,
    .settings_size = sizeof(demo_settings),
    .run = run_demo,
};
