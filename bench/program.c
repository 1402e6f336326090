/* How long does the direct program itself take, its scores given?  One budget and yield after the other from
 * no rule at all, on a labelled CSV file, by least processor time of several rounds, one thread.
 *
 *     bench-program FILE SENSITIVE [IGNORE [ROUNDS]]        IGNORE: comma-separated columns; default 9 rounds
 */
#include "direct/direct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_ROUNDS = 80, MOST_GROUPS = 64 };
static const double TOLERANCE = 1e-6;
static const double POINTS[][2] = {{0.2, 0.03}, {0.5, 0.03}, {1.0, 0.01}}; /* budget, yield */

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static eqp_status time_point(const double *point, const eqp_direct_rows *rows, eqp_direct_scores *scores,
                             int rounds, eqp_error *error)
{
    eqp_direct_pricer pricer = eqp_direct_score_pricer(scores);
    double least = INFINITY;
    eqp_direct_slack slack[MOST_GROUPS];
    eqp_direct_solution solution = {0};
    eqp_status status = EQP_OK;
    for (size_t k = 0; k < rows->groups->group_count; k++)
        slack[k] = (eqp_direct_slack){point[0], point[0], point[0], point[0]};
    eqp_direct_request request = {.yield = point[1],
                                  .slack = slack,
                                  .strict_budget = NAN,
                                  .tolerance = TOLERANCE,
                                  .max_rounds = MOST_ROUNDS};
    for (int round = 0; round < rounds && status == EQP_OK; round++) {
        eqp_direct_solver *solver = NULL;
        double start = cpu_seconds();
        scores->turn = 0;
        status = eqp_direct_solver_new(rows, &pricer, 1.0, &solver, error);
        if (status == EQP_OK) status = eqp_direct_solve(solver, &request, &solution, error);
        least = fmin(least, cpu_seconds() - start);
        eqp_direct_solver_free(solver);
    }
    if (status == EQP_OK)
        printf("budget %.1f yield %.2f: %6.2f ms, %zu calls, gap %.1e, objective %.6f\n", point[0], point[1],
               1e3 * least, solution.calls, solution.gap, solution.objective);
    return status;
}

static eqp_status time_points(const eqp_training *training, int rounds, eqp_error *error)
{
    eqp_direct_folds *folds = NULL;
    eqp_direct_fits *fits = NULL;
    eqp_direct_scores *scores = NULL;
    eqp_direct_rows *rows = NULL;
    eqp_status status = eqp_direct_folds_new(training, 1, NULL, &folds, error);
    if (status == EQP_OK) status = eqp_direct_fits_new(folds, &fits, error);
    if (status == EQP_OK) status = eqp_direct_cross_fit(fits, EQP_NO_FOLD, &scores, error);
    if (status == EQP_OK) status = eqp_direct_folds_rows(folds, EQP_NO_FOLD, &rows, error);
    if (status == EQP_OK) scores->bases = 1; /* numbers and levels, nothing else */
    for (size_t i = 0; i < sizeof POINTS / sizeof *POINTS && status == EQP_OK; i++)
        status = time_point(POINTS[i], rows, scores, rounds, error);
    eqp_direct_rows_free(rows);
    eqp_direct_scores_free(scores);
    eqp_direct_fits_free(fits);
    eqp_direct_folds_free(folds);
    return status;
}

int main(int count, char **words)
{
    if (count < 3) return fprintf(stderr, "usage: bench-program FILE SENSITIVE [IGNORE [ROUNDS]]\n"), 2;
    eqp_error error = {0};
    eqp_table *table = NULL;
    eqp_training *training = NULL;
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.oracle = "linear";
    options.sensitive = (const char *const[]){words[2]};
    options.sensitive_count = 1;
    options.ignore = count > 3 ? words[3] : NULL;
    options.threads = 1;
    eqp_read_options read = {.text_columns = options.sensitive, .text_column_count = 1};
    eqp_status status = eqp_table_read(words[1], &read, NULL, &table, &error);
    if (status == EQP_OK)
        status = eqp_training_new(table, NULL, &options, eqp_method_direct.needs(&options), NULL, &training,
                                  &error);
    if (status == EQP_OK && training->groups->group_count > MOST_GROUPS)
        status = eqp_fail(&error, EQP_DATA, "more than %d groups", MOST_GROUPS);
    if (status == EQP_OK) status = time_points(training, count > 4 ? atoi(words[4]) : 9, &error);
    if (status != EQP_OK) fprintf(stderr, "bench-program: %s\n", error.message);
    eqp_training_free(training);
    eqp_table_free(table);
    return status == EQP_OK ? 0 : 1;
}
