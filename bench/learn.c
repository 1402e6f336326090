/* How long does learning take beside reading?  On a labelled CSV file, by least processor time of several
 * rounds, one thread:
 *
 *     read       the file into typed columns
 *     learn      a direct rule at budget 0.2, yield chosen, cross-validation included
 *     frontier   ten budgets by ten yields, cross-validated
 *
 *     bench-learn FILE SENSITIVE [IGNORE [ROUNDS [ORACLE]]]
 *
 * IGNORE: comma-separated columns; 5 rounds and linear scores unless given.
 */
#include "equipoise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct least_times {
    double read, learn, frontier;
} least_times;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void keep_least(double *least, double start)
{
    *least = fmin(*least, cpu_seconds() - start);
}

static eqp_status learn_once(const eqp_table *table, const eqp_learn_options *options, double *least,
                             eqp_error *error)
{
    eqp_model *model = NULL;
    eqp_report *report = NULL;
    double start = cpu_seconds();
    eqp_status status = eqp_learn(table, options, NULL, &model, &report, error);
    keep_least(least, start);
    eqp_model_free(model);
    eqp_report_free(report);
    return status;
}

static eqp_status frontier_once(const eqp_table *table, const eqp_learn_options *options, double *least,
                                eqp_error *error)
{
    eqp_study_options study;
    eqp_report *report = NULL;
    eqp_study_options_init(&study);
    study.learn = *options;
    double start = cpu_seconds();
    eqp_status status = eqp_frontier(table, &study, NULL, &report, error);
    keep_least(least, start);
    eqp_report_free(report);
    return status;
}

static eqp_status run_round(const char *path, const eqp_learn_options *options, least_times *least,
                            eqp_error *error)
{
    eqp_table *table = NULL;
    eqp_read_options read = {.text_columns = options->sensitive, .text_column_count = 1};
    double start = cpu_seconds();
    eqp_status status = eqp_table_read(path, &read, NULL, &table, error);
    keep_least(&least->read, start);
    if (status == EQP_OK) status = learn_once(table, options, &least->learn, error);
    if (status == EQP_OK) status = frontier_once(table, options, &least->frontier, error);
    eqp_table_free(table);
    return status;
}

int main(int count, char **words)
{
    if (count < 3)
        return fprintf(stderr, "usage: bench-learn FILE SENSITIVE [IGNORE [ROUNDS [ORACLE]]]\n"), 2;
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.sensitive = (const char *const[]){words[2]};
    options.sensitive_count = 1;
    options.ignore = count > 3 ? words[3] : NULL;
    options.max_disclosure = 0.2;
    options.oracle = count > 5 ? words[5] : "linear";
    options.threads = 1;
    least_times least = {INFINITY, INFINITY, INFINITY};
    for (int round = count > 4 ? atoi(words[4]) : 5; round > 0; round--) {
        eqp_error error = {0};
        if (run_round(words[1], &options, &least, &error) == EQP_OK) continue;
        fprintf(stderr, "bench-learn: %s\n", error.message);
        return 1;
    }
    printf("read     %8.1f ms\n", 1e3 * least.read);
    printf("learn    %8.1f ms   %4.1f times reading\n", 1e3 * least.learn, least.learn / least.read);
    printf("frontier %8.1f ms   %4.1f times learning\n", 1e3 * least.frontier, least.frontier / least.learn);
    return 0;
}
