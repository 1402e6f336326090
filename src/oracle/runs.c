/* The layout of a leaf, and the two kernels that every call of prc and linear consists of.
 *
 * The kernels are written in 8 lanes with no contraction and no reassociation: whatever vectors the machine
 * has, and none, the bits are the same. */
#include "oracle/regression.h"

#include "base/wide.h"

#include <string.h>

typedef double lanes __attribute__((vector_size(EQP_LANES * sizeof(double)), may_alias));
typedef int64_t lane_mask __attribute__((vector_size(EQP_LANES * sizeof(int64_t)), may_alias));
typedef int8_t lane_bytes __attribute__((vector_size(EQP_LANES)));

static size_t run_of(const eqp_leaf_rows *leaf, size_t i)
{
    return leaf->weight[i] != 0 ? leaf->cell[eqp_leaf_row(leaf, i)] : leaf->cells;
}

static size_t padded(size_t count)
{
    return (count + EQP_LANES - 1) / EQP_LANES * EQP_LANES;
}

static void find_starts(eqp_runs *runs, const eqp_leaf_rows *leaf)
{
    for (size_t i = 0; i < runs->rows; i++) runs->start[run_of(leaf, i) + 1]++;
    for (size_t e = 0; e <= runs->cells; e++)
        runs->start[e + 1] = runs->start[e] + padded(runs->start[e + 1]);
}

/* Places the rows; `next` ends as the end of each run's rows, from where pads begin. */
static void place_rows(eqp_runs *runs, const eqp_leaf_rows *leaf, size_t *next)
{
    memcpy(next, runs->start, (runs->cells + 1) * sizeof *next);
    for (size_t i = 0; i < runs->rows; i++) {
        size_t at = next[run_of(leaf, i)]++;
        runs->position[i] = (uint32_t)at;
        runs->row[at] = (uint32_t)i;
        runs->weight[at] = leaf->weight[i];
    }
    for (size_t e = 0; e <= runs->cells; e++)
        for (size_t at = next[e]; at < runs->start[e + 1]; at++) {
            runs->row[at] = runs->row[runs->start[e]];
            runs->weight[at] = 0;
        }
}

eqp_status eqp_runs_init(eqp_runs *runs, const eqp_leaf_rows *leaf, eqp_error *error)
{
    *runs = (eqp_runs){.rows = eqp_leaf_count(leaf), .cells = leaf->cells};
    if (runs->rows > UINT32_MAX - EQP_LANES * (leaf->cells + 2))
        return eqp_fail(error, EQP_DATA, "%zu rows are more than can be learned from", runs->rows);
    eqp_arena *arena = &runs->arena;
    size_t *next = eqp_take(arena, runs->cells + 1, sizeof *next);
    runs->position = eqp_take(arena, runs->rows, sizeof *runs->position);
    runs->start = eqp_take_zero(arena, runs->cells + 2, sizeof *runs->start);
    if (arena->failed) return eqp_fail_memory(error);
    find_starts(runs, leaf);
    runs->row = eqp_take(arena, EQP_RUNS_ALL(runs), sizeof *runs->row);
    runs->weight = eqp_take(arena, EQP_RUNS_ALL(runs), sizeof *runs->weight);
    if (arena->failed) return eqp_fail_memory(error);
    place_rows(runs, leaf, next);
    return EQP_OK;
}

void eqp_runs_clear(eqp_runs *runs)
{
    eqp_arena_free(&runs->arena);
}

EQP_WIDE void eqp_run_scores(const double *p, size_t stride, const double *prices, size_t columns,
                             const double *base, size_t count, double *scores)
{
    for (size_t i = 0; i < count; i += EQP_LANES) {
        lanes sum = {0};
        if (base != NULL) sum = *(const lanes *)(base + i);
        for (size_t c = 0; c < columns; c++) sum += prices[c] * *(const lanes *)(p + c * stride + i);
        *(lanes *)(scores + i) = sum;
    }
}

EQP_WIDE void eqp_run_choose(const double *scores, const double *weight, double threshold, size_t count,
                             uint8_t *chosen, double sums[EQP_LANES])
{
    lanes total;
    memcpy(&total, sums, sizeof total);
    for (size_t i = 0; i < count; i += EQP_LANES) {
        lane_mask below = *(const lanes *)(scores + i) < threshold;
        total += (lanes)(*(const lane_mask *)(weight + i) & below);
        lane_bytes ones = -__builtin_convertvector(below, lane_bytes);
        if (chosen != NULL) memcpy(chosen + i, &ones, sizeof ones);
    }
    memcpy(sums, &total, sizeof total);
}

EQP_WIDE void eqp_run_weigh(const double *p, size_t stride, const double *prices, size_t columns,
                            const double *weight, size_t count, double sums[EQP_LANES])
{
    lanes total;
    memcpy(&total, sums, sizeof total);
    for (size_t i = 0; i < count; i += EQP_LANES) {
        lanes sum = {0};
        for (size_t c = 0; c < columns; c++) sum += prices[c] * *(const lanes *)(p + c * stride + i);
        lane_mask below = sum < 0.0;
        total += (lanes)(*(const lane_mask *)(weight + i) & below);
    }
    memcpy(sums, &total, sizeof total);
}

double eqp_lanes_total(const double sums[EQP_LANES])
{
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}
