/* Boosting: one tree, by histograms.
 *
 *     rows of a node -> sums of slopes per feature and code -> best question -> rows of its two children
 *
 * Of two children the one with fewer rows is summed up, the other is what is left of the parent.  Depth
 * first, so that one histogram per level is enough.
 *
 * Sums of a row or node are added four lanes at a time, by code compiled for the usual strides. */
#include "oracle/boosting.h"

#include "base/memory.h"
#include "base/wide.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A branch as walking over codes wants it: yes when the code is from … below `to`, or the second code. */
struct eqp_step {
    uint32_t column;
    uint16_t from, width; /* yes when code - from < width */
    uint16_t also;        /* or when the code is this one: a missing number */
    uint16_t child[2];    /* no, yes; a leaf leads to itself */
    size_t first, count;  /* of a leaf: its rows in the list */
};

enum { CURVATURE = 0, FIRST_SLOPE = 1, LANES = 4 };
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/* One target needs two numbers; more are filled up to whole vectors. */
static size_t stride_for(size_t targets)
{
    size_t sums = targets + FIRST_SLOPE;
    return targets == 1 ? sums : (sums + LANES - 1) / LANES * LANES;
}

eqp_status eqp_grower_open(eqp_grower *grower, const eqp_boost_rows *rows, size_t targets,
                           const eqp_boost_options *options, eqp_error *error)
{
    size_t most = (size_t)2 << options->depth, levels = options->depth + 1;
    size_t entries = rows->start[rows->features], stride = stride_for(targets);
    *grower = (eqp_grower){.rows = rows, .options = options, .targets = targets, .stride = stride};
    eqp_arena *arena = &grower->arena;
    grower->importance = eqp_take_zero(arena, stride, sizeof *grower->importance);
    grower->list = eqp_take(arena, rows->rows, sizeof *grower->list);
    grower->other = eqp_take(arena, rows->rows, sizeof *grower->other);
    grower->side = eqp_take(arena, rows->rows, sizeof *grower->side);
    grower->columns = eqp_take(arena, rows->features, sizeof *grower->columns);
    grower->histogram = eqp_take(arena, levels * entries, stride * sizeof *grower->histogram);
    grower->sums = eqp_take(arena, (2 * levels + 1) * stride, sizeof *grower->sums);
    grower->scratch = eqp_take(arena, 2 * stride, sizeof *grower->scratch);
    grower->branches = eqp_take(arena, most, sizeof *grower->branches);
    grower->value = eqp_take(arena, most * targets, sizeof *grower->value);
    grower->steps = eqp_take(arena, most, sizeof *grower->steps);
    if (arena->failed) return eqp_fail_memory(error);
    for (size_t t = 0; t < targets; t++) grower->importance[FIRST_SLOPE + t] = 1;
    return EQP_OK;
}

void eqp_grower_close(eqp_grower *grower)
{
    eqp_arena_free(&grower->arena);
}

/* ---- histograms ---------------------------------------------------------------------------------------- */

#define FOR_STRIDE(stride, call, ...)                                                                        \
    switch (stride) {                                                                                        \
    case 2:                                                                                                  \
        call(__VA_ARGS__, 2);                                                                                \
        break;                                                                                               \
    case 4:                                                                                                  \
        call(__VA_ARGS__, 4);                                                                                \
        break;                                                                                               \
    case 8:                                                                                                  \
        call(__VA_ARGS__, 8);                                                                                \
        break;                                                                                               \
    case 16:                                                                                                 \
        call(__VA_ARGS__, 16);                                                                               \
        break;                                                                                               \
    default:                                                                                                 \
        call(__VA_ARGS__, stride);                                                                           \
    }

static inline void add(double *restrict sum, const double *restrict more, size_t stride)
{
    size_t s = 0;
    for (; s + LANES <= stride; s += LANES) *(lanes *)(sum + s) += *(const lanes *)(more + s);
    for (; s < stride; s++) sum[s] += more[s];
}

__attribute__((always_inline)) static inline void add_rows(const eqp_grower *g, const uint32_t *list,
                                                           size_t count, const double *slopes,
                                                           double *histogram, size_t stride)
{
    const eqp_boost_rows *rows = g->rows;
    for (size_t i = 0; i < count; i++) {
        const uint16_t *code = rows->code + list[i] * rows->features;
        const double *own = slopes + list[i] * stride;
        for (size_t c = 0; c < g->column_count; c++)
            add(histogram + (rows->start[g->columns[c]] + code[g->columns[c]]) * stride, own, stride);
    }
}

EQP_WIDE static void sum_rows(const eqp_grower *g, const uint32_t *list, size_t count, const double *slopes,
                              double *histogram)
{
    for (size_t c = 0; c < g->column_count; c++) {
        size_t from = g->rows->start[g->columns[c]], to = g->rows->start[g->columns[c] + 1];
        memset(histogram + from * g->stride, 0, (to - from) * g->stride * sizeof *histogram);
    }
    FOR_STRIDE(g->stride, add_rows, g, list, count, slopes, histogram)
}

EQP_WIDE static void subtract(const eqp_grower *g, const double *part, double *whole)
{
    for (size_t c = 0; c < g->column_count; c++) {
        size_t from = g->rows->start[g->columns[c]], to = g->rows->start[g->columns[c] + 1];
        for (size_t e = from * g->stride; e < to * g->stride; e++) whole[e] -= part[e];
    }
}

/* ---- the best question --------------------------------------------------------------------------------- */

typedef struct question {
    uint32_t column, code;
    bool missing_yes, found;
    double before, gain; /* quality of the node, and what the question adds to it */
} question;

/* How far a leaf with these sums lowers the loss; sums are added up lane by lane. */
static inline double quality(const eqp_grower *g, const double *sums, size_t stride)
{
    double lane[LANES] = {0};
    for (size_t s = 0; s < stride; s++) lane[s % LANES] += g->importance[s] * sums[s] * sums[s];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) / (sums[CURVATURE] + g->options->ridge);
}

static inline double rest_quality(const eqp_grower *g, const double *all, const double *part, size_t stride)
{
    double lane[LANES] = {0};
    for (size_t s = 0; s < stride; s++) {
        double rest = all[s] - part[s];
        lane[s % LANES] += g->importance[s] * rest * rest;
    }
    double curvature = all[CURVATURE] - part[CURVATURE];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) / (curvature + g->options->ridge);
}

static inline void consider(const eqp_grower *g, const double *all, const double *yes, question asked,
                            question *best, size_t stride)
{
    double least = g->options->min_weight;
    if (yes[CURVATURE] < least || all[CURVATURE] - yes[CURVATURE] < least) return;
    asked.before = best->before;
    asked.gain = quality(g, yes, stride) + rest_quality(g, all, yes, stride) - best->before;
    if (asked.gain > best->gain) *best = asked;
}

/* Numbers: those below a cut, missing ones on either side; where none is missing, with the larger side. */
__attribute__((always_inline)) static inline void consider_cuts(const eqp_grower *g, const double *all,
                                                                const double *entry, uint32_t column,
                                                                double *below, double *with, question *best,
                                                                size_t stride)
{
    const eqp_bins *bins = &g->rows->bins[column];
    const double *missing = entry + bins->count * stride;
    memset(below, 0, stride * sizeof *below);
    for (uint32_t code = 1; code < bins->count; code++) {
        add(below, entry + (code - 1) * stride, stride);
        question asked = {.column = column, .code = code, .found = true};
        if (missing[CURVATURE] > 0) {
            consider(g, all, below, asked, best, stride);
            asked.missing_yes = true;
            memcpy(with, below, stride * sizeof *with);
            add(with, missing, stride);
            consider(g, all, with, asked, best, stride);
        } else {
            asked.missing_yes = below[CURVATURE] > all[CURVATURE] / 2;
            consider(g, all, below, asked, best, stride);
        }
    }
}

__attribute__((always_inline)) static inline void look_for_question(const eqp_grower *g, const double *all,
                                                                    const double *histogram, question *best,
                                                                    size_t stride)
{
    const eqp_boost_rows *rows = g->rows;
    double *below = g->scratch, *with = below + stride;
    double rounding = all[CURVATURE];
    for (size_t t = 0; t < g->targets; t++) rounding += fabs(all[FIRST_SLOPE + t]);
    *best = (question){.before = quality(g, all, stride), .gain = 1e-9 * rounding};
    for (size_t c = 0; c < g->column_count; c++) {
        uint32_t column = g->columns[c], from = rows->start[column], to = rows->start[column + 1];
        const double *entry = histogram + from * stride;
        if (rows->bins[column].count > 0) {
            consider_cuts(g, all, entry, column, below, with, best, stride);
            continue;
        }
        for (uint32_t code = 0; code < to - from; code++)
            consider(g, all, entry + code * stride, (question){.column = column, .code = code, .found = true},
                     best, stride);
    }
}

EQP_WIDE static question best_question(const eqp_grower *g, const double *all, const double *histogram)
{
    question best;
    FOR_STRIDE(g->stride, look_for_question, g, all, histogram, &best)
    return best;
}

/* The sums of the rows that say yes, added up as they were when the question was considered. */
static void sum_yes(const eqp_grower *g, const question *asked, const double *histogram, double *yes)
{
    const eqp_bins *bins = &g->rows->bins[asked->column];
    const double *entry = histogram + g->rows->start[asked->column] * g->stride;
    if (bins->count == 0) {
        memcpy(yes, entry + asked->code * g->stride, g->stride * sizeof *yes);
        return;
    }
    memset(yes, 0, g->stride * sizeof *yes);
    for (uint32_t code = 0; code < asked->code; code++) add(yes, entry + code * g->stride, g->stride);
    const double *missing = entry + bins->count * g->stride;
    if (asked->missing_yes && missing[CURVATURE] > 0) add(yes, missing, g->stride);
}

/* ---- nodes --------------------------------------------------------------------------------------------- */

/* Both questions at once: which of them says yes cannot be predicted. */
static inline bool goes_yes(const struct eqp_step *step, const uint16_t *code)
{
    uint16_t own = code[step->column];
    return ((uint16_t)(own - step->from) < step->width) | (own == step->also);
}

/* The rows that answer yes come first, both sides in their order; returns how many. */
static size_t part_rows(eqp_grower *g, const struct eqp_step *asked, size_t first, size_t count)
{
    const struct eqp_step step = *asked;
    const uint16_t *code = g->rows->code;
    size_t yes = 0, no = 0, features = g->rows->features;
    uint32_t *list = g->list + first, *side = g->side;
    for (size_t i = 0; i < count; i++) {
        uint32_t row = list[i];
        bool goes = goes_yes(&step, code + row * features);
        list[yes] = row; /* one of the two is overwritten by the next row */
        side[no] = row;
        yes += goes;
        no += !goes;
    }
    memcpy(list + yes, side, no * sizeof *list);
    return yes;
}

static void write_question(eqp_grower *g, const question *asked, uint32_t at)
{
    const eqp_bins *bins = &g->rows->bins[asked->column];
    eqp_branch *branch = &g->branches[at];
    struct eqp_step *step = &g->steps[at];
    memset(g->value + at * g->targets, 0, g->targets * sizeof *g->value);
    *branch = (eqp_branch){.feature = (int32_t)g->rows->feature[asked->column],
                           .code = asked->code,
                           .missing_yes = asked->missing_yes};
    *step = (struct eqp_step){.column = asked->column, .from = (uint16_t)asked->code, .width = 1};
    step->also = step->from;
    if (bins->count == 0) return;
    branch->cut = bins->cuts[asked->code - 1];
    step->from = 0;
    step->width = (uint16_t)asked->code;
    step->also = asked->missing_yes ? (uint16_t)bins->count : 0;
}

typedef struct tree_node {
    size_t first, count; /* rows of the list */
    const double *all;   /* their sums */
    uint32_t level;
} tree_node;

static void write_leaf(eqp_grower *g, const tree_node *node, uint32_t at)
{
    const eqp_boost_options *options = g->options;
    double *value = g->value + at * g->targets;
    for (size_t t = 0; t < g->targets; t++)
        value[t] = -options->rate * node->all[FIRST_SLOPE + t] / (node->all[CURVATURE] + options->ridge);
    g->branches[at] = (eqp_branch){.feature = -1, .value = g->targets == 1 ? *value : 0};
    g->steps[at] =
        (struct eqp_step){.child = {(uint16_t)at, (uint16_t)at}, .first = node->first, .count = node->count};
}

static uint32_t grow_node(eqp_grower *g, tree_node node, double *histogram, const double *slopes)
{
    const eqp_boost_options *options = g->options;
    uint32_t at = g->count++;
    eqp_branch *branch = &g->branches[at];
    question asked = {0};
    if (node.level < options->depth) asked = best_question(g, node.all, histogram);
    if (!asked.found) {
        write_leaf(g, &node, at);
        return at;
    }
    double *yes_sums = g->sums + (2 * node.level + 1) * g->stride, *no_sums = yes_sums + g->stride;
    sum_yes(g, &asked, histogram, yes_sums);
    for (size_t s = 0; s < g->stride; s++) no_sums[s] = node.all[s] - yes_sums[s];
    write_question(g, &asked, at);
    size_t yes = part_rows(g, &g->steps[at], node.first, node.count), no = node.count - yes;
    tree_node left = {node.first, yes, yes_sums, node.level + 1};
    tree_node right = {node.first + yes, no, no_sums, node.level + 1};
    double *fewer = histogram + g->rows->start[g->rows->features] * g->stride;
    if (node.level + 1 < options->depth) {
        const tree_node *small = yes < no ? &left : &right;
        sum_rows(g, g->list + small->first, small->count, slopes, fewer);
        subtract(g, fewer, histogram);
    }
    /* The child that owns this level's histogram goes last: growing the other needs the levels behind. */
    if (yes < no) {
        branch->yes = grow_node(g, left, fewer, slopes);
        branch->no = grow_node(g, right, histogram, slopes);
    } else {
        branch->no = grow_node(g, right, fewer, slopes);
        branch->yes = grow_node(g, left, histogram, slopes);
    }
    g->steps[at].child[0] = (uint16_t)branch->no;
    g->steps[at].child[1] = (uint16_t)branch->yes;
    return at;
}

static void draw_columns(eqp_grower *g, eqp_random *random)
{
    double share = g->options->column_share;
    g->column_count = 0;
    for (uint32_t c = 0; c < g->rows->features; c++)
        if (share >= 1 || eqp_random_unit(random) < share) g->columns[g->column_count++] = c;
    if (g->column_count == 0 && g->rows->features > 0)
        g->columns[g->column_count++] = (uint32_t)eqp_random_below(random, g->rows->features);
}

void eqp_grower_grow(eqp_grower *g, const double *slopes, eqp_random *random)
{
    double *all = g->sums;
    draw_columns(g, random);
    g->count = 0;
    memset(all, 0, g->stride * sizeof *all);
    for (size_t i = 0; i < g->listed; i++) add(all, slopes + g->list[i] * g->stride, g->stride);
    sum_rows(g, g->list, g->listed, slopes, g->histogram);
    grow_node(g, (tree_node){.count = g->listed, .all = all}, g->histogram, slopes);
}

/* The leaf of a row: as many steps as the tree is deep, since a leaf leads to itself. */
static inline uint32_t walk(const eqp_grower *g, size_t row)
{
    const uint16_t *code = g->rows->code + row * g->rows->features;
    uint32_t at = 0;
    for (uint32_t level = 0; level < g->options->depth; level++) {
        const struct eqp_step *step = &g->steps[at];
        at = step->child[goes_yes(step, code)];
    }
    return at;
}

/* Rows that the tree grew on lie leaf by leaf; the others walk. */
EQP_WIDE static void add_values(const eqp_grower *g, double *sum)
{
    size_t in_leaves = 0, targets = g->targets;
    for (uint32_t b = 0; b < g->count; b++) {
        const struct eqp_step *step = &g->steps[b];
        for (size_t i = step->first; i < step->first + step->count; i++)
            add(sum + g->list[i] * targets, g->value + b * targets, targets);
        in_leaves += step->count;
    }
    assert(in_leaves == g->listed);
    for (size_t i = 0; i < g->others; i++)
        add(sum + g->other[i] * targets, g->value + walk(g, g->other[i]) * targets, targets);
}

void eqp_grower_add(const eqp_grower *grower, double *sum)
{
    add_values(grower, sum);
}
