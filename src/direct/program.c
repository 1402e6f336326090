/* Direct learner: master program and prices, in turn, until no rule helps (M9). */
#include "direct/program.h"

#include "base/memory.h"
#include "base/wide.h"
#include "direct/bonds.h"
#include "solve/qp.h"

#include <math.h>
#include <string.h>

/* Rules; so many that lie idle make master programs slower than finding again the few that will be wanted. */
enum { POOL_CAPACITY = 96, SPARE_COLUMNS = 8, MOST_IDLE = 24 };
enum { MOST_PARTS = 12, THINNINGS = 6, CORRECTIONS = 4 };
static const double LABEL_TOLERANCE = 1e-6,
                    SMALL_MOVE = 1e-3; /* of a share: of the rule found, of rules to find */
static const double NEGLIGIBLE_PART = 1e-9, SMALL_PART = 2e-3;

struct eqp_direct_solver {
    const eqp_direct_rows *rows;
    const eqp_direct_pricer *pricer;
    double spread;
    double strict_budget; /* that all rules of the pool keep by themselves; NaN: none */
    eqp_direct_pool *pool;
    eqp_qp_solver *qp;
    bool warm;
    size_t master_rows; /* 2K + 1, and the bonds of the rows */
    eqp_arena arena;    /* of the arrays below */
    /* the master program, as eqp_qp wants it */
    double *quadratic, *linear, *equal, *unequal, *right, *least, *most;
    double *believed; /* [column][group]: masses by labels and by chances, mixed */
    double *offset;   /* K: composition by labels less composition as believed, of the rule in use */
    /* its answer, and the prices made of it */
    double *z, *composition, *price;
    double *label_price, *chance_price, *bond_price; /* E: parts of the price */
    double *cost;                                    /* one per row learned from */
    float *mix;                                      /* A_i */
    uint8_t *keep;
};

static eqp_status allocate(eqp_direct_solver *s, eqp_error *error)
{
    size_t m = POOL_CAPACITY, groups = s->rows->groups->group_count, cells = s->rows->groups->cell_count;
    eqp_arena *arena = &s->arena;
    s->master_rows = 2 * groups + 1 + s->rows->bonds;
    s->quadratic = eqp_take(arena, m * m, sizeof(double));
    s->linear = eqp_take(arena, m, sizeof(double));
    s->equal = eqp_take(arena, m, sizeof(double));
    s->unequal = eqp_take(arena, m * s->master_rows, sizeof(double));
    s->right = eqp_take(arena, s->master_rows, sizeof(double));
    s->least = eqp_take_zero(arena, m, sizeof(double));
    s->most = eqp_take(arena, m, sizeof(double));
    s->believed = eqp_take(arena, m * groups, sizeof(double));
    s->offset = eqp_take_zero(arena, groups, sizeof(double));
    s->z = eqp_take_zero(arena, m, sizeof(double));
    s->composition = eqp_take(arena, groups, sizeof(double));
    s->price = eqp_take(arena, cells, sizeof(double));
    s->label_price = eqp_take(arena, cells, sizeof(double));
    s->bond_price = eqp_take(arena, cells, sizeof(double));
    s->chance_price = eqp_take(arena, cells, sizeof(double));
    s->cost = eqp_take(arena, s->rows->count, sizeof(double));
    s->mix = eqp_take(arena, s->rows->count, sizeof(float));
    s->keep = eqp_take(arena, m, 1);
    return arena->failed ? eqp_fail_memory(error) : EQP_OK;
}

eqp_status eqp_direct_solver_new(const eqp_direct_rows *rows, const eqp_direct_pricer *pricer, double spread,
                                 eqp_direct_solver **solver, eqp_error *error)
{
    *solver = NULL;
    eqp_direct_solver *s = eqp_alloc_zero(1, sizeof *s);
    if (s == NULL) return eqp_fail_memory(error);
    s->rows = rows;
    s->pricer = pricer;
    s->spread = spread;
    s->strict_budget = NAN;
    eqp_status status = allocate(s, error);
    if (status == EQP_OK) status = eqp_direct_pool_new(rows, POOL_CAPACITY, &s->pool, error);
    if (status == EQP_OK) status = eqp_qp_solver_new(&s->qp, error);
    if (status == EQP_OK) *solver = s;
    if (status != EQP_OK) eqp_direct_solver_free(s);
    return status;
}

void eqp_direct_solver_free(eqp_direct_solver *s)
{
    if (s == NULL) return;
    eqp_direct_pool_free(s->pool);
    eqp_qp_solver_free(s->qp);
    eqp_arena_free(&s->arena);
    free(s);
}

const eqp_direct_pool *eqp_direct_solver_pool(const eqp_direct_solver *solver)
{
    return solver->pool;
}

/* ---- master ------------------------------------------------------------------------------------------ */

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static void fill_masses(eqp_direct_solver *s, double trust)
{
    const eqp_direct_pool *pool = s->pool;
    for (size_t i = 0; i < pool->count * s->rows->groups->group_count; i++)
        s->believed[i] = (1 - trust) * pool->mass[i] + trust * pool->expected[i];
}

static void fill_objective(eqp_direct_solver *s)
{
    const eqp_direct_pool *pool = s->pool;
    const eqp_groups *groups = s->rows->groups;
    size_t m = pool->count, K = groups->group_count;
    for (size_t j = 0; j < m; j++) {
        const double *mass = s->believed + j * K;
        for (size_t l = 0; l <= j; l++) {
            double entry =
                dot(mass, s->believed + l * K, K) + s->spread * pool->overlap[j * pool->capacity + l];
            s->quadratic[j * m + l] = s->quadratic[l * m + j] = 2 * entry;
        }
        s->linear[j] = 0;
        for (size_t k = 0; k < K; k++) s->linear[j] -= 2 * groups->groups[k].target * mass[k];
    }
}

/* Rows: K upper sides of the box, K lower sides, the yield, the bonds. */
static void fill_constraints(eqp_direct_solver *s, const eqp_direct_request *request)
{
    const eqp_direct_pool *pool = s->pool;
    size_t m = pool->count, K = s->rows->groups->group_count;
    for (size_t k = 0; k < K; k++) {
        for (size_t j = 0; j < m; j++) {
            s->unequal[k * m + j] = s->believed[j * K + k];
            s->unequal[(K + k) * m + j] = -s->believed[j * K + k];
        }
        s->right[k] = s->rows->base_rate[k] + request->slack[k].above - s->offset[k];
        s->right[K + k] = request->slack[k].below - s->rows->base_rate[k] + s->offset[k];
    }
    for (size_t j = 0; j < m; j++) s->unequal[2 * K * m + j] = 1;
    s->right[2 * K] = 1 / request->yield;
    for (size_t b = 0; b < s->rows->bonds; b++) {
        for (size_t j = 0; j < m; j++)
            s->unequal[(2 * K + 1 + b) * m + j] = pool->bond[j * s->rows->bonds + b];
        s->right[2 * K + 1 + b] = 0;
    }
    s->least[0] = request->min_chance; /* h ≡ 1 */
    memcpy(s->equal, pool->total, m * sizeof *s->equal);
}

static void keep_answer(eqp_direct_solver *s, const double *z)
{
    const eqp_direct_pool *pool = s->pool;
    size_t K = s->rows->groups->group_count;
    double total = 0;
    for (size_t j = 0; j < pool->count; j++) {
        s->z[j] = z[j] > NEGLIGIBLE_PART ? z[j] : 0;
        total += s->z[j] * pool->total[j];
    }
    memset(s->composition, 0, K * sizeof *s->composition);
    for (size_t j = 0; j < pool->count; j++) {
        s->z[j] /= total;
        for (size_t k = 0; k < K && s->z[j] > 0; k++) s->composition[k] += s->z[j] * s->believed[j * K + k];
    }
}

static eqp_status solve_master(eqp_direct_solver *s, const eqp_direct_request *request, eqp_qp_answer *answer,
                               eqp_error *error)
{
    const double one = 1;
    fill_masses(s, request->trust);
    fill_objective(s);
    fill_constraints(s, request);
    eqp_qp program = {.n = s->pool->count,
                      .Q = s->quadratic,
                      .c = s->linear,
                      .equalities = 1,
                      .A = s->equal,
                      .b = &one,
                      .inequalities = s->master_rows,
                      .G = s->unequal,
                      .h = s->right,
                      .low = s->least,
                      .high = s->most};
    eqp_status status = eqp_qp_solve(s->qp, &program, s->warm, answer, error);
    if (status != EQP_OK) return status;
    s->warm = true;
    keep_answer(s, answer->x);
    return EQP_OK;
}

/* ---- prices ------------------------------------------------------------------------------------------ */

static void price_cells(eqp_direct_solver *s, const eqp_qp_answer *answer)
{
    const eqp_groups *groups = s->rows->groups;
    size_t K = groups->group_count;
    for (size_t e = 0; e < groups->cell_count; e++) {
        eqp_members of = eqp_members_of(groups, e);
        s->price[e] = answer->y[0];
        for (size_t m = 0; m < of.count; m++) {
            uint32_t k = of.group[m];
            double pull = 2 * (s->composition[k] - groups->groups[k].target);
            s->price[e] += pull + answer->z[k] - answer->z[K + k];
        }
    }
}

static void price_run(eqp_direct_solver *s, size_t first, size_t count)
{
    const eqp_direct_rows *rows = s->rows;
    float chances[EQP_BLEND_RUN] = {0}, *mix = s->mix + first;
    double *cost = s->cost + first;
    if (rows->chance != NULL)
        eqp_direct_blend(rows->chance + first, rows->count, rows->groups->cell_count, s->chance_price, count,
                         chances);
    eqp_direct_pool_mix(s->pool, s->z, first, count, mix);
    eqp_direct_cost(rows, first, count, s->label_price, chances, mix, s->spread, cost);
}

/* Labels and chances are believed in part each.  Run by run, so that sums stay in the cache. */
static void price_rows(eqp_direct_solver *s, double trust)
{
    for (size_t e = 0; e < s->rows->groups->cell_count; e++) {
        s->label_price[e] = (1 - trust) * s->price[e];
        s->chance_price[e] = trust * s->price[e];
        if (s->rows->bonds > 0) s->label_price[e] += s->bond_price[e];
    }
    for (size_t first = 0; first < s->rows->count; first += EQP_BLEND_RUN) {
        size_t left = s->rows->count - first;
        price_run(s, first, left < EQP_BLEND_RUN ? left : EQP_BLEND_RUN);
    }
}

static size_t idle_rules(const eqp_direct_solver *s)
{
    size_t idle = 0;
    for (size_t j = 0; j < s->pool->count; j++) idle += s->z[j] == 0;
    return idle;
}

/* Only rules in use stay. */
static void drop_idle(eqp_direct_solver *s)
{
    size_t kept = 1;
    for (size_t j = 0; j < s->pool->count; j++) s->keep[j] = s->z[j] > 0;
    for (size_t j = 1; j < s->pool->count; j++)
        if (s->keep[j]) s->z[kept++] = s->z[j];
    eqp_direct_pool_shrink(s->pool, s->keep);
    s->warm = false;
}

/* Rules that keep a larger budget by themselves need not keep this one: only h ≡ 1 stays. */
static void drop_unless_strict(eqp_direct_solver *s, double strict_budget)
{
    if (isnan(strict_budget) || strict_budget == s->strict_budget) return;
    memset(s->z, 0, s->pool->count * sizeof *s->z);
    drop_idle(s);
    s->strict_budget = strict_budget;
}

/* The gap that may be left.  The objective that the master program knows lacks |U|². */
static double tolerated_gap(const eqp_direct_solver *s, const eqp_direct_request *request,
                            const eqp_qp_answer *answer)
{
    double objective = answer->objective;
    for (size_t k = 0; k < s->rows->groups->group_count; k++)
        objective += s->rows->groups->groups[k].target * s->rows->groups->groups[k].target;
    return request->tolerance + request->relative * fmax(0, objective);
}

static eqp_status price_rules(eqp_direct_solver *s, const eqp_direct_request *request,
                              const eqp_qp_answer *answer, eqp_direct_solution *solution, eqp_error *error)
{
    double cap_price = answer->z[2 * s->rows->groups->group_count],
           tolerated = tolerated_gap(s, request, answer), least;
    price_cells(s, answer);
    const double *multiplier = answer->z + 2 * s->rows->groups->group_count + 1; /* of the bonds */
    eqp_direct_bonds_price(s->rows, multiplier, s->bond_price);
    price_rows(s, request->trust);
    eqp_direct_bonds_cost(s->rows, multiplier, s->cost);
    for (size_t e = 0; s->rows->bonds > 0 && e < s->rows->groups->cell_count; e++)
        s->price[e] += s->bond_price[e];
    eqp_direct_quote quote = {.price = s->price,
                              .mix = s->mix,
                              .spread = s->spread,
                              .cost = s->cost,
                              .part = s->z,
                              .must_beat = -cap_price - tolerated * request->yield,
                              .strict_budget = request->strict_budget,
                              .thorough = request->thorough};
    eqp_status status = s->pricer->price(s->pricer->self, &quote, s->pool, &least, error);
    /* Any mixture has sum z <= 1/y, so no objective is lower than this one by more than this. */
    solution->gap = fmax(0, -(least + cap_price) / request->yield);
    solution->settled = solution->gap <= tolerated;
    solution->calls++;
    return status;
}

/* ---- labels ------------------------------------------------------------------------------------------ */

/* By half of the slack at most, so that h ≡ 1 stays within. */
static double offset_in_slack(const eqp_direct_request *request, size_t k, double offset)
{
    return fmin(fmax(offset, -request->slack[k].below / 2), request->slack[k].above / 2);
}

/* Scores tell rules apart with less luck than labels do, but may be wrong about all of them together.  The
 * budget is kept by labels: its constraints are moved by what the two differ for the rule in use.  Returns
 * how far they moved. */
static double correct_by_labels(eqp_direct_solver *s, const eqp_direct_request *request)
{
    const eqp_direct_pool *pool = s->pool;
    size_t K = s->rows->groups->group_count;
    double moved = 0;
    for (size_t k = 0; k < K && request->trust > 0; k++) {
        double offset = 0;
        for (size_t j = 0; j < pool->count; j++)
            offset += s->z[j] * (pool->mass[j * K + k] - s->believed[j * K + k]);
        offset = offset_in_slack(request, k, offset);
        moved = fmax(moved, fabs(offset - s->offset[k]));
        s->offset[k] = offset;
    }
    return moved;
}

/* What the last program learned about labels is a start for the next, as far as its slack allows. */
static void keep_offsets_in_slack(eqp_direct_solver *s, const eqp_direct_request *request)
{
    for (size_t k = 0; k < s->rows->groups->group_count; k++)
        s->offset[k] = request->trust > 0 ? offset_in_slack(request, k, s->offset[k]) : 0;
}

/* The master program, and its constraints where its own answer wants them: a few more masters cost less than
 * looking for rules at prices that are about to change. */
static eqp_status solve_by_labels(eqp_direct_solver *s, const eqp_direct_request *request, double tolerance,
                                  eqp_qp_answer *answer, eqp_error *error)
{
    eqp_status status;
    int corrections = 0;
    do status = solve_master(s, request, answer, error);
    while (status == EQP_OK && correct_by_labels(s, request) > tolerance && corrections++ < CORRECTIONS);
    return status;
}

/* What the program ends with is the composition by labels. */
static void count_labels(eqp_direct_solver *s)
{
    const eqp_direct_pool *pool = s->pool;
    size_t K = s->rows->groups->group_count;
    memset(s->composition, 0, K * sizeof *s->composition);
    for (size_t j = 0; j < pool->count; j++)
        for (size_t k = 0; k < K; k++) s->composition[k] += s->z[j] * pool->mass[j * K + k];
}

static bool breaks_slack(eqp_direct_solver *s, const eqp_direct_request *request)
{
    bool breaks = false;
    count_labels(s);
    for (size_t k = 0; k < s->rows->groups->group_count; k++) {
        double shift = s->composition[k] - s->rows->base_rate[k];
        breaks |=
            fabs(shift) > (shift > 0 ? request->slack[k].above : request->slack[k].below) + SMALL_MOVE / 10;
    }
    return breaks;
}

/* Where chances and labels do not come to terms, labels alone decide about the rules found. */
static eqp_status trust_labels(eqp_direct_solver *s, const eqp_direct_request *request, eqp_error *error)
{
    eqp_direct_request own = *request;
    eqp_qp_answer answer;
    own.trust = 0;
    s->warm = false;
    memset(s->offset, 0, s->rows->groups->group_count * sizeof *s->offset);
    return solve_master(s, &own, &answer, error);
}

/* ---- fewer components -------------------------------------------------------------------------------- */

/* Bars the smallest parts from the mixture: those that hardly matter, and those beyond a handful.  False when
 * there are none. */
static bool bar_small_parts(eqp_direct_solver *s)
{
    double sum = 0;
    size_t used = 0, barred = 0;
    for (size_t j = 0; j < s->pool->count; j++) {
        sum += s->z[j];
        used += s->z[j] > 0;
    }
    for (size_t j = 0; j < s->pool->count; j++) {
        size_t larger = 0;
        if (s->z[j] == 0 || s->pool->rules[j].always) continue;
        for (size_t l = 0; l < s->pool->count; l++) larger += s->z[l] > s->z[j];
        if (larger < MOST_PARTS && s->z[j] >= SMALL_PART * sum) continue;
        s->most[j] = 0;
        barred++;
    }
    return barred > 0 && used > 1;
}

/* A mixture of many rules hardly beats one of few, and is harder to explain and slower to run.  Constraints
 * hold as before: h ≡ 1 is never barred. */
static eqp_status thin(eqp_direct_solver *s, const eqp_direct_request *request, eqp_error *error)
{
    eqp_status status = EQP_OK;
    eqp_qp_answer answer;
    for (int i = 0; i < THINNINGS && status == EQP_OK && bar_small_parts(s); i++) {
        s->warm = false;
        status = solve_master(s, request, &answer, error);
    }
    if (status == EQP_OK) status = solve_by_labels(s, request, LABEL_TOLERANCE, &answer, error);
    if (status == EQP_OK && breaks_slack(s, request)) status = trust_labels(s, request, error);
    s->warm = false;
    for (size_t j = 0; j < POOL_CAPACITY; j++) s->most[j] = INFINITY;
    return status;
}

/* ---- solution ---------------------------------------------------------------------------------------- */

/* With the composition kept, the yield can rise until h ≡ 0 is no longer used, or the rejected leave the
 * slack. */
static double largest_yield(const eqp_direct_solver *s, const eqp_direct_request *request)
{
    double sum = 0, pressure = 0;
    for (size_t j = 0; j < s->pool->count; j++) sum += s->z[j];
    for (size_t k = 0; k < s->rows->groups->group_count; k++) {
        double shift = s->composition[k] - s->rows->base_rate[k];
        double allowed = shift > 0 ? request->slack[k].fall : request->slack[k].rise;
        if (shift != 0) pressure = fmax(pressure, fabs(shift) / allowed);
    }
    double both_sides = pressure > 1 ? 0.5 : 1 / (1 + pressure); /* y/(1-y) · shift <= slack */
    return fmax(request->yield, fmin(1 / sum, both_sides));
}

static void finish(eqp_direct_solver *s, const eqp_direct_request *request, eqp_direct_solution *solution)
{
    const eqp_direct_pool *pool = s->pool;
    double distance = 0, variance = 0;
    count_labels(s);
    for (size_t k = 0; k < s->rows->groups->group_count; k++) {
        double shift = s->composition[k] - s->rows->groups->groups[k].target;
        distance += shift * shift;
    }
    for (size_t j = 0; j < pool->count; j++)
        if (s->z[j] > 0) variance += s->z[j] * dot(s->z, pool->overlap + j * pool->capacity, pool->count);
    solution->variance = variance;
    solution->objective = distance + s->spread * variance;
    solution->yield = largest_yield(s, request);
    for (size_t j = 0; j < pool->count; j++) s->z[j] *= solution->yield;
    solution->part = s->z;
    solution->composition = s->composition;
}

eqp_status eqp_direct_solve(eqp_direct_solver *solver, const eqp_direct_request *request,
                            eqp_direct_solution *solution, eqp_error *error)
{
    eqp_direct_solver *s = solver;
    eqp_status status = EQP_OK;
    if (idle_rules(s) > MOST_IDLE) drop_idle(s);
    drop_unless_strict(s, request->strict_budget);
    keep_offsets_in_slack(s, request);
    *solution = (eqp_direct_solution){0};
    for (size_t j = 0; j < POOL_CAPACITY; j++) s->most[j] = INFINITY;
    while (status == EQP_OK && solution->calls < request->max_rounds) {
        eqp_qp_answer answer;
        if (s->pool->count + SPARE_COLUMNS > POOL_CAPACITY) drop_idle(s);
        size_t known = s->pool->count;
        status = solve_by_labels(s, request, SMALL_MOVE, &answer, error);
        if (status == EQP_OK) status = price_rules(s, request, &answer, solution, error);
        for (size_t j = known; j < s->pool->count; j++) s->z[j] = 0;
        if (solution->settled || s->pool->count == known) break;
    }
    if (status == EQP_OK) status = thin(s, request, error);
    if (status == EQP_OK) finish(s, request, solution);
    return status;
}

void eqp_direct_solver_dilute(eqp_direct_solver *s, eqp_dilution d, eqp_direct_solution *solution)
{
    double yield = d.kept * solution->yield + d.chance;
    for (size_t k = 0; k < s->rows->groups->group_count; k++)
        s->composition[k] =
            (d.kept * solution->yield * s->composition[k] + d.chance * s->rows->base_rate[k]) / yield;
    for (size_t j = 0; j < s->pool->count; j++) s->z[j] *= d.kept;
    s->z[0] += d.chance;
    solution->yield = yield;
}
