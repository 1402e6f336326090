/* Time of a sweep of 11 budgets, 0 … 1, with the paper's proxy (method tree, oracle prc, solver exact).
 *
 *     bench-sweep TABLE SENSITIVE [IGNORED [RUNS [ORACLE]]]
 *
 * Prints what each budget gave, then the least processor time of all runs; the table is read and encoded
 * outside of it, everything else is inside.  bench/sweep.py sets it beside another program. */
#include "base/memory.h"
#include "method/methods.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { BUDGETS = 11 };

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_budget(double budget, const eqp_learning *found)
{
    printf("budget %.1f: train imbalance %.4f disclosure %.4f yield %.4f leaves %zu limit %.4f calls %zu\n",
           budget, found->train.imbalance, found->train.disclosure, found->train.yield, found->leaves,
           found->limit, found->oracle_calls);
}

static eqp_status sweep_once(const eqp_training *training, const eqp_learn_options *options, bool print,
                             double *least, eqp_error *error)
{
    double budgets[BUDGETS];
    eqp_learning *found[BUDGETS];
    for (int b = 0; b < BUDGETS; b++) budgets[b] = b / 10.0;
    double start = cpu_seconds();
    eqp_sweep sweep = {.budgets = budgets, .budget_count = BUDGETS};
    eqp_status status =
        eqp_method_sweep(eqp_method_find("tree", NULL), training, options, &sweep, NULL, found, error);
    *least = fmin(*least, cpu_seconds() - start);
    for (int b = 0; b < BUDGETS && status == EQP_OK; b++) {
        if (print) print_budget(budgets[b], found[b]);
        eqp_learning_free(found[b]);
    }
    return status;
}

static eqp_status run(int argc, char **argv, eqp_error *error)
{
    const char *sensitive = argv[2];
    eqp_read_options reading = {.text_columns = &sensitive, .text_column_count = 1};
    eqp_learn_options options;
    eqp_table *table;
    eqp_training *training = NULL;
    long runs = argc > 4 ? atol(argv[4]) : 5;
    double least = INFINITY;
    eqp_learn_options_init(&options);
    options.sensitive = &sensitive;
    options.sensitive_count = 1;
    options.ignore = argc > 3 ? argv[3] : NULL;
    options.method = "tree";
    options.oracle = argc > 5 ? argv[5] : "prc";
    options.threads = 1;
    eqp_status status = eqp_table_read(argv[1], &reading, NULL, &table, error);
    options = eqp_learn_options_for(eqp_method_find("tree", NULL), &options);
    if (status == EQP_OK)
        status =
            eqp_training_new(table, NULL, &options, (eqp_training_needs){.design = true}, &training, error);
    for (long i = 0; i < runs && status == EQP_OK; i++)
        status = sweep_once(training, &options, i == 0, &least, error);
    if (status == EQP_OK) printf("%.4f CPU s\n", least);
    eqp_training_free(training);
    eqp_table_free(table);
    return status;
}

int main(int argc, char **argv)
{
    eqp_error error;
    if (argc < 3) {
        fputs("usage: bench-sweep TABLE SENSITIVE [IGNORED [RUNS [ORACLE]]]\n", stderr);
        return EQP_USAGE;
    }
    eqp_status status = run(argc, argv, &error);
    if (status != EQP_OK) fprintf(stderr, "bench-sweep: %s\n", error.message);
    return eqp_exit_code(status);
}
