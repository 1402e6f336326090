/* Time of a sweep of 11 budgets, 0 … 1, with the paper's proxy (method tree, oracle prc, solver exact).
 *
 *     bench-sweep TABLE SENSITIVE [IGNORED [RUNS [ORACLE]]]
 *
 * Prints what each budget gave, then the least processor time of all runs; the table is read and encoded
 * outside of it, everything else is inside.  bench/sweep.py sets it beside another program. */
#include "base/memory.h"
#include "tree_sweep.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

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

static eqp_status sweep_once(tree_sweep *t, bool print, double *least, eqp_error *error)
{
    double start = cpu_seconds();
    eqp_status status = tree_sweep_run(t, error);
    *least = fmin(*least, cpu_seconds() - start);
    for (int b = 0; b < BUDGETS && status == EQP_OK && print; b++) print_budget(t->budgets[b], t->found[b]);
    tree_sweep_forget(t);
    return status;
}

static eqp_status run(int argc, char **argv, eqp_error *error)
{
    tree_sweep t;
    const char *sensitive = argv[2];
    long runs = argc > 4 ? atol(argv[4]) : 5;
    double least = INFINITY;
    eqp_status status = tree_sweep_open(&t, argv[1], &sensitive, argc > 3 ? argv[3] : NULL,
                                        argc > 5 ? argv[5] : "prc", error);
    for (long i = 0; i < runs && status == EQP_OK; i++) status = sweep_once(&t, i == 0, &least, error);
    if (status == EQP_OK) printf("%.4f CPU s\n", least);
    tree_sweep_close(&t);
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
