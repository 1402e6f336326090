/* Linear programs from standard input through our simplex: for tests/python/test_solvers.py.
 *
 * A program is, in words apart by white space: rows, columns; per row 1 for an equation, else 0; right sides;
 * upper bounds; costs; entries column after column.  Its answer is a line: outcome, then x. */
#include "base/memory.h"
#include "solve/simplex.h"

#include <stdio.h>

static void read_numbers(double *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (scanf("%lf", &values[k]) != 1) exit(2);
}

static void answer(const eqp_simplex_program *p, double *x)
{
    static const char *const names[] = {"optimal", "infeasible", "unbounded", "stuck"};
    eqp_simplex simplex;
    eqp_simplex_outcome outcome;
    if (!eqp_simplex_init(&simplex, p->rows, p->columns)) exit(EQP_MEMORY);
    if (eqp_simplex_solve(&simplex, p, &outcome, NULL) != EQP_OK) exit(EQP_MEMORY);
    eqp_simplex_values(&simplex, p, x);
    printf("%s", names[outcome]);
    for (size_t j = 0; j < p->columns; j++) printf(" %a", x[j]);
    putchar('\n');
    eqp_simplex_clear(&simplex);
}

int main(void)
{
    size_t rows, columns;
    while (scanf("%zu %zu", &rows, &columns) == 2) {
        double *flags = eqp_alloc(rows, sizeof *flags), *right = eqp_alloc(rows, sizeof *right);
        double *upper = eqp_alloc(columns, sizeof *upper), *cost = eqp_alloc(columns, sizeof *cost);
        double *element = eqp_alloc(columns, rows * sizeof *element), *x = eqp_alloc(columns, sizeof *x);
        unsigned char *equal = eqp_alloc(rows, 1);
        if (!flags || !right || !upper || !cost || !element || !x || !equal) exit(EQP_MEMORY);
        read_numbers(flags, rows);
        read_numbers(right, rows);
        read_numbers(upper, columns);
        read_numbers(cost, columns);
        read_numbers(element, rows * columns);
        for (size_t i = 0; i < rows; i++) equal[i] = flags[i] != 0;
        answer(&(eqp_simplex_program){rows, columns, element, cost, right, equal, upper, false}, x);
        free(flags), free(right), free(upper), free(cost), free(element), free(x), free(equal);
    }
    return 0;
}
