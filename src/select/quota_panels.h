/* Panels that keep quotas, as integer programs over the seats of each type. */
#ifndef EQP_SELECT_QUOTA_PANELS_H
#define EQP_SELECT_QUOTA_PANELS_H

#include "select/quotas.h"
#include "solve/integer.h"

#include <math.h>

#define EQP_ANY_PANEL INFINITY

/* The rows of all quotas: at most, at least (as "at most" of the negative), and all seats together. */
typedef struct eqp_panel_rows {
    eqp_arena arena;
    size_t rows, columns; /* one column per type; more for relaxations */
    double *element;      /* column after column */
    double *right, *cost, *low, *high;
    unsigned char *equal;
    double enough;        /* a panel that costs no more will do */
    size_t most_branches; /* of the search */
    eqp_simplex simplex;  /* from one solve to the next */
    bool solved_before;
} eqp_panel_rows;

typedef struct eqp_bounds {
    double min, max;
} eqp_bounds;

/* Programs for `size` seats with bounds on each quota and on each type; costs are 0, the best is sought. */
bool eqp_panel_rows_init(const eqp_quotas *quotas, const eqp_type *types, size_t type_count, size_t more,
                         const eqp_bounds *quota, double size, eqp_panel_rows *rows);
void eqp_panel_rows_clear(eqp_panel_rows *rows);

eqp_status eqp_panel_solve(eqp_panel_rows *rows, double *seats, eqp_integer_answer *answer, eqp_error *error);

/* Least and most seats of each quota; NULL: memory is short. */
eqp_bounds *eqp_quotas_bounds(const eqp_quotas *quotas);

/* Which types have a place in some panel: nobody else can have a chance, whatever the lottery. */
eqp_status eqp_quotas_possible(const eqp_quotas *quotas, const eqp_type *types, size_t type_count,
                               size_t size, bool *possible, eqp_error *error);

/* Makes the smallest chance of a lottery as large as panels allow, where its compositions fall short of
 * lottery->bound, and lowers the bound to what is proved (quota_columns.c); chances are counted afterwards.
 * The effort is in multiplications, roughly: not in seconds, as the answer must not depend on the machine. */
#define EQP_MAXIMIN_EFFORT 30e9
eqp_status eqp_quota_columns(const eqp_quotas *quotas, const eqp_type *types, size_t type_count, size_t size,
                             double effort, eqp_quota_lottery *lottery, eqp_error *error);

/* Says which quotas stand in the way, and the least change that would do. */
eqp_status eqp_quotas_fail(const eqp_quotas *quotas, const eqp_type *types, size_t type_count, size_t size,
                           eqp_error *error);

#endif
