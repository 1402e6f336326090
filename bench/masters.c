/* Every linear program that learning solves, solved again by CLP and certified.
 *
 *     bench-masters TABLE SENSITIVE [IGNORED [ORACLE]]
 *
 * Learns trees at 11 budgets, 0 … 1.  The solver is wrapped by the linker (--wrap): each program passes by
 * here on its way, with the answer to it; nothing in the library knows.  Ends with 1 if an answer is not
 * certified, or differs from CLP's by more than 1e-9 where CLP's own is certified. */
#include "../tests/unit/solve/certify.h"
#include "../tests/unit/solve/made_program.h"
#include "base/memory.h"
#include "tree_sweep.h"

#include <stdio.h>

static const double LIMIT = 1e-9;

static struct {
    size_t programs, outcome[4], clp_other, clp_off, wrong, rows, columns;
    double difference, primal, dual, gap, proof;
} seen = {.proof = INFINITY};

eqp_status __real_eqp_simplex_solve(eqp_simplex *simplex, const eqp_simplex_program *program,
                                    eqp_simplex_outcome *outcome, eqp_error *error);
eqp_status __wrap_eqp_simplex_solve(eqp_simplex *simplex, const eqp_simplex_program *program,
                                    eqp_simplex_outcome *outcome, eqp_error *error);

static double worst_of(residuals r)
{
    return fmax(r.primal, fmax(r.dual, r.gap));
}

static bool judge_optimal(const certified *c, const double *x, const double *y, double *clp_x, double *clp_y)
{
    double value;
    residuals r = certify_optimal(c, x, y);
    seen.primal = fmax(seen.primal, r.primal);
    seen.dual = fmax(seen.dual, r.dual);
    seen.gap = fmax(seen.gap, r.gap);
    bool both = clp_solve(c->program, true, &value, clp_x, clp_y) == EQP_SIMPLEX_OPTIMAL;
    seen.clp_other += !both;
    if (!both) return worst_of(r) < LIMIT;
    residuals other = certify_optimal(c, clp_x, clp_y);
    double difference = fabs(r.value - other.value) / r.scale;
    bool off = difference > LIMIT && worst_of(other) > worst_of(r);
    seen.clp_off += off;
    if (!off) seen.difference = fmax(seen.difference, difference);
    return worst_of(r) < LIMIT && (off || difference < LIMIT);
}

static bool judge(const eqp_simplex *simplex, const eqp_simplex_program *p, eqp_simplex_outcome outcome)
{
    certified c = {.program = p};
    double *memory = calloc(2 * (p->columns + p->rows), sizeof *memory), value;
    double *x = memory, *clp_x = x + p->columns, *y = clp_x + p->columns, *clp_y = y + p->rows;
    bool right = false;
    eqp_simplex_values(simplex, p, x);
    eqp_simplex_prices(simplex, p, y);
    if (outcome == EQP_SIMPLEX_OPTIMAL) right = judge_optimal(&c, x, y, clp_x, clp_y);
    if (outcome == EQP_SIMPLEX_INFEASIBLE) {
        seen.clp_other += clp_solve(p, true, &value, NULL, NULL) != outcome;
        seen.proof = fmin(seen.proof, certify_infeasible(&c, y, LIMIT));
        right = seen.proof > 0;
    }
    free(memory);
    return right;
}

eqp_status __wrap_eqp_simplex_solve(eqp_simplex *simplex, const eqp_simplex_program *program,
                                    eqp_simplex_outcome *outcome, eqp_error *error)
{
    eqp_status status = __real_eqp_simplex_solve(simplex, program, outcome, error);
    if (status != EQP_OK) return status;
    seen.programs++;
    seen.outcome[*outcome]++;
    seen.rows = program->rows > seen.rows ? program->rows : seen.rows;
    seen.columns = program->columns > seen.columns ? program->columns : seen.columns;
    seen.wrong += !judge(simplex, program, *outcome);
    return status;
}

static eqp_status run(int argc, char **argv, eqp_error *error)
{
    tree_sweep t;
    const char *sensitive = argv[2];
    eqp_status status = tree_sweep_open(&t, argv[1], &sensitive, argc > 3 ? argv[3] : NULL,
                                        argc > 4 ? argv[4] : "prc", error);
    if (status == EQP_OK) status = tree_sweep_run(&t, error);
    tree_sweep_close(&t);
    return status;
}

int main(int argc, char **argv)
{
    eqp_error error;
    if (argc < 3) {
        fputs("usage: bench-masters TABLE SENSITIVE [IGNORED [ORACLE]]\n", stderr);
        return EQP_USAGE;
    }
    eqp_status status = run(argc, argv, &error);
    if (status != EQP_OK) {
        fprintf(stderr, "bench-masters: %s\n", error.message);
        return eqp_exit_code(status);
    }
    printf(
        "%zu programs, up to %zu × %zu: %zu optimal, %zu infeasible, %zu unbounded, %zu stuck; CLP's outcome "
        "other %zu, CLP off %zu\n",
        seen.programs, seen.rows, seen.columns, seen.outcome[0], seen.outcome[1], seen.outcome[2],
        seen.outcome[3], seen.clp_other, seen.clp_off);
    printf("largest difference of objectives %.1e, residuals primal %.1e dual %.1e gap %.1e, least proof "
           "%.1e; %zu "
           "wrong\n",
           seen.difference, seen.primal, seen.dual, seen.gap, seen.proof, seen.wrong);
    return seen.wrong > 0;
}
