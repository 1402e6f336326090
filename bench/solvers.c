/* Our simplex beside CLP on many random linear programs of several kinds and sizes.
 *
 *     bench-solvers [PROGRAMS [SEED]]
 *
 * Prints, kind by kind, how many programs had which outcome, on how many the two disagree, the largest
 * difference of objectives and the largest residuals of our answers, certified from the program alone.  Ends
 * with 1 if any answer is not certified, or differs where CLP's own is not the one in error. */
#include "../tests/unit/solve/certify.h"
#include "../tests/unit/solve/made_program.h"

#include <stdio.h>
#include <time.h>

static const double LIMIT = 1e-9;

typedef struct tally {
    size_t programs, outcome[4], clp_other, clp_off, wrong;
    double difference, primal, dual, gap, proof; /* the largest; proof: the least */
    double seconds, clp_seconds;
} tally;

typedef struct answer {
    eqp_simplex_outcome outcome;
    double x[MADE_COLUMNS], y[MADE_ROWS], ray[MADE_COLUMNS];
} answer;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool solve(const eqp_simplex_program *p, answer *a)
{
    eqp_simplex simplex;
    bool done = eqp_simplex_init(&simplex, p->rows, p->columns) &&
                eqp_simplex_solve(&simplex, p, &a->outcome, NULL) == EQP_OK;
    if (done) {
        if (a->outcome == EQP_SIMPLEX_OPTIMAL) eqp_simplex_refine(&simplex, p);
        eqp_simplex_values(&simplex, p, a->x);
        eqp_simplex_prices(&simplex, p, a->y);
        eqp_simplex_ray(&simplex, p, a->ray);
    }
    eqp_simplex_clear(&simplex);
    return done;
}

static double worst_of(residuals r)
{
    return fmax(r.primal, fmax(r.dual, r.gap));
}

/* Our optimum must be certified; and CLP's the same, unless its own residuals show that it is not one. */
static bool judge_optimal(const certified *c, const answer *ours, const answer *clp, tally *t)
{
    residuals r = certify_optimal(c, ours->x, ours->y);
    t->primal = fmax(t->primal, r.primal);
    t->dual = fmax(t->dual, r.dual);
    t->gap = fmax(t->gap, r.gap);
    if (clp->outcome != EQP_SIMPLEX_OPTIMAL) return worst_of(r) < LIMIT;
    residuals other = certify_optimal(c, clp->x, clp->y);
    double difference = fabs(r.value - other.value) / r.scale;
    bool clp_is_off = difference > LIMIT && worst_of(other) > worst_of(r);
    t->clp_off += clp_is_off;
    if (!clp_is_off) t->difference = fmax(t->difference, difference);
    return worst_of(r) < LIMIT && (difference < LIMIT || clp_is_off);
}

static bool judge(const certified *c, const answer *ours, const answer *clp, tally *t)
{
    double proof = INFINITY;
    t->outcome[ours->outcome]++;
    t->clp_other += ours->outcome != clp->outcome;
    if (ours->outcome == EQP_SIMPLEX_STUCK) return false;
    if (ours->outcome == EQP_SIMPLEX_OPTIMAL) return judge_optimal(c, ours, clp, t);
    if (ours->outcome == EQP_SIMPLEX_INFEASIBLE) proof = certify_infeasible(c, ours->y, LIMIT);
    if (ours->outcome == EQP_SIMPLEX_UNBOUNDED) proof = certify_unbounded(c, ours->x, ours->ray, LIMIT);
    t->proof = fmin(t->proof, proof);
    return proof > 1e-7;
}

static void try_program(size_t number, uint64_t seed, made_kind kind, tally *t)
{
    made_program made;
    answer ours, clp;
    double value;
    eqp_random random = eqp_random_from(seed, number);
    size_t most_rows = number % 64 == 0 ? MADE_ROWS : number % 4 == 0 ? 40 : 10;
    size_t most_columns = number % 64 == 0 ? MADE_COLUMNS : number % 4 == 0 ? 160 : 30;
    size_t rows = 2 + eqp_random_below(&random, most_rows - 1);
    size_t columns = 2 + eqp_random_below(&random, most_columns - 1);
    made_new(&made, &random, kind, rows, columns);
    double start = cpu_seconds();
    if (!solve(&made.program, &ours)) exit(EQP_MEMORY);
    double middle = cpu_seconds();
    clp.outcome = clp_solve(&made.program, false, &value, clp.x, clp.y);
    t->seconds += middle - start;
    t->clp_seconds += cpu_seconds() - middle;
    t->programs++;
    certified c = {&made.program, made.row_unit, made.column_unit};
    if (judge(&c, &ours, &clp, t)) return;
    if (t->wrong++ < 3)
        printf("  %s %zu: %zu × %zu, outcome %d, CLP %d\n", MADE_NAMES[kind], number, rows, columns,
               ours.outcome, clp.outcome);
}

int main(int argc, char **argv)
{
    size_t programs = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000, wrong = 0;
    uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    printf("kind          programs optimal infeasible unbounded stuck CLP other CLP off wrong  objective   "
           "primal     "
           "dual      gap   least proof   CPU s  CLP, CPU s\n");
    for (made_kind kind = 0; kind < MADE_KINDS; kind++) {
        tally t = {.proof = INFINITY};
        for (size_t number = kind; number < programs; number += MADE_KINDS)
            try_program(number / MADE_KINDS, seed * MADE_KINDS + kind, kind, &t);
        printf("%-13s %8zu %7zu %10zu %9zu %5zu %9zu %7zu %5zu %10.1e %8.1e %8.1e %8.1e %13.1e %7.2f %7.2f\n",
               MADE_NAMES[kind], t.programs, t.outcome[0], t.outcome[1], t.outcome[2], t.outcome[3],
               t.clp_other, t.clp_off, t.wrong, t.difference, t.primal, t.dual, t.gap, t.proof, t.seconds,
               t.clp_seconds);
        fflush(stdout);
        wrong += t.wrong;
    }
    printf("%zu programs, %zu answers not certified or different\n", programs, wrong);
    return wrong > 0;
}
