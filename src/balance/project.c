/* Projection of the target onto the hull of the leaves (M4): Wolfe's nearest point in a polytope.
 *
 *     min |x|  over  x in conv{ p_j },  p_j = A_j - U
 *
 * A corral is a set of affinely independent points with x in the interior of its hull; each major step adds
 * the point that lies furthest on the near side of x, minor steps give up the points that the new nearest
 * point of the affine hull does not need.  The corral is kept as a QR factorisation of the columns (1, p_j):
 * the least squares solution of  sum w_j (1, p_j) = (1, 0)  is, scaled to sum 1, the nearest point of the
 * affine hull. */
#include "balance/hull.h"

#include <math.h>
#include <string.h>

typedef struct corral {
    const double *A, *target;
    size_t leaves, groups;
    size_t capacity, count;
    eqp_arena arena; /* of the arrays below */
    size_t *member;  /* leaf of each point */
    double *weight;  /* of each point; positive, sum 1 */
    double *wanted;  /* weights of the nearest point of the affine hull */
    double *Q;       /* capacity × (groups + 1): orthonormal columns */
    double *R;       /* capacity × capacity, column after column */
    double *x;       /* groups */
    double largest;  /* |p_j|, the largest: the scale of rounding */
} corral;

static bool allocate(corral *c)
{
    eqp_arena *arena = &c->arena;
    c->capacity = (c->leaves < c->groups + 1 ? c->leaves : c->groups + 1) + 1;
    c->member = eqp_take(arena, c->capacity, sizeof *c->member);
    c->weight = eqp_take(arena, c->capacity, sizeof *c->weight);
    c->wanted = eqp_take(arena, c->capacity, sizeof *c->wanted);
    c->Q = eqp_take(arena, c->capacity, (c->groups + 1) * sizeof *c->Q);
    c->R = eqp_take(arena, c->capacity, c->capacity * sizeof *c->R);
    c->x = eqp_take(arena, c->groups, sizeof *c->x);
    return !arena->failed;
}

static double coordinate(const corral *c, size_t leaf, size_t k)
{
    return c->A[leaf * c->groups + k] - c->target[k];
}

/* Column `at` of the factors, from the point of its leaf; Gram-Schmidt twice keeps Q orthonormal.  False when
 * the point lies in the affine hull of those before it. */
static bool factor_column(corral *c, size_t at)
{
    size_t length = c->groups + 1;
    double *column = c->Q + at * length, *r = c->R + at * c->capacity, before = 1, after = 0;
    column[0] = 1;
    for (size_t k = 0; k < c->groups; k++) {
        column[k + 1] = coordinate(c, c->member[at], k);
        before += column[k + 1] * column[k + 1];
    }
    memset(r, 0, at * sizeof *r);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < at; j++) {
            const double *basis = c->Q + j * length;
            double along = 0;
            for (size_t k = 0; k < length; k++) along += basis[k] * column[k];
            for (size_t k = 0; k < length; k++) column[k] -= along * basis[k];
            r[j] += along;
        }
    }
    for (size_t k = 0; k < length; k++) after += column[k] * column[k];
    if (after <= 1e-28 * before) return false;
    r[at] = sqrt(after);
    for (size_t k = 0; k < length; k++) column[k] /= r[at];
    return true;
}

static bool corral_add(corral *c, size_t leaf)
{
    if (c->count == c->capacity) return false;
    c->member[c->count] = leaf;
    c->weight[c->count] = 0;
    if (!factor_column(c, c->count)) return false;
    c->count++;
    return true;
}

/* Gives up the points without weight and factors those behind them again. */
static void corral_shrink(corral *c)
{
    size_t kept = 0, first_moved = c->count;
    for (size_t j = 0; j < c->count; j++) {
        if (c->weight[j] <= 0) {
            if (first_moved > kept) first_moved = kept;
            continue;
        }
        c->member[kept] = c->member[j];
        c->weight[kept++] = c->weight[j];
    }
    c->count = kept;
    for (size_t j = first_moved; j < kept; j++) factor_column(c, j);
}

static void affine_weights(corral *c)
{
    double sum = 0;
    for (size_t j = 0; j < c->count; j++) c->wanted[j] = c->Q[j * (c->groups + 1)];
    for (size_t j = c->count; j-- > 0;) {
        const double *r = c->R + j * c->capacity;
        c->wanted[j] /= r[j];
        for (size_t i = 0; i < j; i++) c->wanted[i] -= c->wanted[j] * r[i];
    }
    for (size_t j = 0; j < c->count; j++) sum += c->wanted[j];
    for (size_t j = 0; j < c->count; j++) c->wanted[j] /= sum;
}

/* Moves towards the affine weights as far as all stay positive.  True when they were reached. */
static bool move_weights(corral *c)
{
    double step = 1;
    size_t blocking = c->count;
    for (size_t j = 0; j < c->count; j++) {
        if (c->wanted[j] > 0) continue;
        double reach = c->weight[j] / (c->weight[j] - c->wanted[j]);
        if (blocking == c->count || reach < step) {
            step = reach < 1 ? reach : 1;
            blocking = j;
        }
    }
    for (size_t j = 0; j < c->count; j++)
        c->weight[j] = fmax(0, c->weight[j] + step * (c->wanted[j] - c->weight[j]));
    if (blocking < c->count) c->weight[blocking] = 0;
    return blocking == c->count;
}

static void settle(corral *c)
{
    affine_weights(c);
    while (!move_weights(c)) {
        corral_shrink(c);
        affine_weights(c);
    }
    memset(c->x, 0, c->groups * sizeof *c->x);
    for (size_t j = 0; j < c->count; j++)
        for (size_t k = 0; k < c->groups; k++) c->x[k] += c->weight[j] * coordinate(c, c->member[j], k);
}

static double along_x(const corral *c, size_t leaf)
{
    double sum = 0;
    for (size_t k = 0; k < c->groups; k++) sum += coordinate(c, leaf, k) * c->x[k];
    return sum;
}

static double length_of_x(const corral *c)
{
    double sum = 0;
    for (size_t k = 0; k < c->groups; k++) sum += c->x[k] * c->x[k];
    return sqrt(sum);
}

/* The leaf furthest on the near side of x; false when no leaf lies there beyond rounding. */
static bool find_nearer(const corral *c, size_t *leaf)
{
    double length = length_of_x(c), best = length * length;
    double tolerance = 1e-14 * c->largest * length;
    if (length <= 1e-15 * c->largest) return false;
    bool found = false;
    for (size_t j = 0; j < c->leaves; j++) {
        double along = along_x(c, j);
        if (along < best - (found ? 0 : tolerance)) {
            best = along;
            *leaf = j;
            found = true;
        }
    }
    return found;
}

static size_t nearest_leaf(corral *c)
{
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t j = 0; j < c->leaves; j++) {
        double sum = 0;
        for (size_t k = 0; k < c->groups; k++) sum += coordinate(c, j, k) * coordinate(c, j, k);
        c->largest = fmax(c->largest, sqrt(sum));
        if (sum < least) {
            least = sum;
            nearest = j;
        }
    }
    return nearest;
}

eqp_status eqp_hull_project(const double *A, size_t leaves, size_t groups, const double *target, double *q,
                            double *nearest, double *distance, eqp_error *error)
{
    corral c = {.A = A, .target = target, .leaves = leaves, .groups = groups};
    if (!allocate(&c)) {
        eqp_arena_free(&c.arena);
        return eqp_fail_memory(error);
    }
    size_t leaf = nearest_leaf(&c), most_steps = 100 + 10 * (leaves + groups);
    corral_add(&c, leaf);
    c.weight[0] = 1;
    settle(&c);
    double before = INFINITY, now = length_of_x(&c);
    for (size_t step = 0; step < most_steps && now < before && find_nearer(&c, &leaf); step++) {
        if (!corral_add(&c, leaf)) break;
        settle(&c);
        before = now;
        now = length_of_x(&c);
    }
    memset(q, 0, leaves * sizeof *q);
    for (size_t j = 0; j < c.count; j++) q[c.member[j]] += c.weight[j];
    for (size_t k = 0; nearest != NULL && k < groups; k++) nearest[k] = target[k] + c.x[k];
    *distance = now;
    eqp_arena_free(&c.arena);
    return EQP_OK;
}
