/* A table ready for sweeps of the tree: 11 budgets, 0 … 1, as in the paper. */
#ifndef EQP_BENCH_TREE_SWEEP_H
#define EQP_BENCH_TREE_SWEEP_H

#include "method/methods.h"
#include "table/table.h"

enum { BUDGETS = 11 };

typedef struct tree_sweep {
    const eqp_method *method;
    eqp_learn_options options;
    eqp_table *table;
    eqp_training *training;
    double budgets[BUDGETS];
    eqp_learning *found[BUDGETS];
} tree_sweep;

/* `sensitive` is borrowed; `ignored` may be NULL. */
static inline eqp_status tree_sweep_open(tree_sweep *t, const char *path, const char *const *sensitive,
                                         const char *ignored, const char *oracle, eqp_error *error)
{
    eqp_read_options reading = {.text_columns = sensitive, .text_column_count = 1};
    eqp_learn_options options;
    *t = (tree_sweep){.method = eqp_method_find("tree", NULL)};
    for (int b = 0; b < BUDGETS; b++) t->budgets[b] = b / 10.0;
    eqp_learn_options_init(&options);
    options.sensitive = sensitive;
    options.sensitive_count = 1;
    options.ignore = ignored;
    options.oracle = oracle;
    options.threads = 1;
    t->options = eqp_learn_options_for(t->method, &options);
    eqp_status status = eqp_table_read(path, &reading, NULL, &t->table, error);
    if (status != EQP_OK) return status;
    return eqp_training_new(t->table, NULL, &t->options, t->method->needs(&t->options), NULL, &t->training,
                            error);
}

static inline void tree_sweep_forget(tree_sweep *t)
{
    for (int b = 0; b < BUDGETS; b++) eqp_learning_free(t->found[b]);
    for (int b = 0; b < BUDGETS; b++) t->found[b] = NULL;
}

/* Learns all budgets into `found`. */
static inline eqp_status tree_sweep_run(tree_sweep *t, eqp_error *error)
{
    eqp_sweep sweep = {.budgets = t->budgets, .budget_count = BUDGETS};
    return eqp_method_sweep(t->method, t->training, &t->options, &sweep, NULL, t->found, error);
}

static inline void tree_sweep_close(tree_sweep *t)
{
    tree_sweep_forget(t);
    eqp_training_free(t->training);
    eqp_table_free(t->table);
}

#endif
