/* Boosting: one tree, by histograms.
 *
 *     rows of a node -> sums of slopes per feature and code -> best question -> rows of its two children
 *
 * Of two children the one with fewer rows is summed up, the other is what is left of the parent.  Depth
 * first, so that one histogram per level is enough. */
#include "oracle/boosting.h"

#include "base/memory.h"

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

eqp_status eqp_grower_open(eqp_grower *grower, const eqp_boost_rows *rows, const eqp_boost_options *options,
                           eqp_error *error)
{
    size_t most = (size_t)2 << options->depth, entries = rows->start[rows->features];
    *grower = (eqp_grower){.rows = rows, .options = options};
    grower->list = eqp_take(&grower->arena, rows->rows, sizeof *grower->list);
    grower->other = eqp_take(&grower->arena, rows->rows, sizeof *grower->other);
    grower->side = eqp_take(&grower->arena, rows->rows, sizeof *grower->side);
    grower->columns = eqp_take(&grower->arena, rows->features, sizeof *grower->columns);
    grower->histogram = eqp_take(&grower->arena, options->depth + 1, entries * sizeof *grower->histogram);
    grower->branches = eqp_take(&grower->arena, most, sizeof *grower->branches);
    grower->steps = eqp_take(&grower->arena, most, sizeof *grower->steps);
    return grower->arena.failed ? eqp_fail_memory(error) : EQP_OK;
}

void eqp_grower_close(eqp_grower *grower)
{
    eqp_arena_free(&grower->arena);
}

/* ---- histograms ---------------------------------------------------------------------------------------- */

static void sum_rows(const eqp_grower *g, const uint32_t *list, size_t count, const eqp_slopes *slopes,
                     eqp_slopes *histogram)
{
    const eqp_boost_rows *rows = g->rows;
    for (size_t c = 0; c < g->column_count; c++) {
        uint32_t from = rows->start[g->columns[c]], to = rows->start[g->columns[c] + 1];
        memset(histogram + from, 0, (to - from) * sizeof *histogram);
    }
    for (size_t i = 0; i < count; i++) {
        const uint16_t *code = rows->code + list[i] * rows->features;
        eqp_slopes own = slopes[list[i]];
        for (size_t c = 0; c < g->column_count; c++) {
            eqp_slopes *entry = &histogram[rows->start[g->columns[c]] + code[g->columns[c]]];
            entry->first += own.first;
            entry->second += own.second;
        }
    }
}

static void subtract(const eqp_grower *g, const eqp_slopes *part, eqp_slopes *whole)
{
    for (size_t c = 0; c < g->column_count; c++)
        for (uint32_t e = g->rows->start[g->columns[c]]; e < g->rows->start[g->columns[c] + 1]; e++) {
            whole[e].first -= part[e].first;
            whole[e].second -= part[e].second;
        }
}

/* ---- the best question --------------------------------------------------------------------------------- */

typedef struct question {
    uint32_t column, code;
    bool missing_yes;
    double gain;
    eqp_slopes yes;
} question;

static double quality(const eqp_grower *g, eqp_slopes sums)
{
    return sums.first * sums.first / (sums.second + g->options->ridge);
}

static void consider(const eqp_grower *g, eqp_slopes all, eqp_slopes yes, question asked, question *best)
{
    eqp_slopes no = {all.first - yes.first, all.second - yes.second};
    if (yes.second < g->options->min_weight || no.second < g->options->min_weight) return;
    asked.gain = quality(g, yes) + quality(g, no) - quality(g, all);
    asked.yes = yes;
    if (asked.gain > best->gain) *best = asked;
}

static void add(eqp_slopes *sum, eqp_slopes more)
{
    sum->first += more.first;
    sum->second += more.second;
}

/* Numbers: those below a cut, missing ones on either side; where none is missing, with the larger side. */
static void consider_cuts(const eqp_grower *g, eqp_slopes all, const eqp_slopes *entry, uint32_t column,
                          question *best)
{
    const eqp_bins *bins = &g->rows->bins[column];
    eqp_slopes missing = entry[bins->count], below = {0};
    for (uint32_t code = 1; code < bins->count; code++) {
        add(&below, entry[code - 1]);
        question asked = {.column = column, .code = code};
        if (missing.second > 0) {
            consider(g, all, below, asked, best);
            asked.missing_yes = true;
            eqp_slopes with = below;
            add(&with, missing);
            consider(g, all, with, asked, best);
        } else {
            asked.missing_yes = below.second > all.second / 2;
            consider(g, all, below, asked, best);
        }
    }
}

static question best_question(const eqp_grower *g, eqp_slopes all, const eqp_slopes *histogram)
{
    const eqp_boost_rows *rows = g->rows;
    question best = {.gain = 1e-9 * (fabs(all.first) + all.second)}; /* more than rounding */
    for (size_t c = 0; c < g->column_count; c++) {
        uint32_t column = g->columns[c], from = rows->start[column], to = rows->start[column + 1];
        if (rows->bins[column].count > 0) {
            consider_cuts(g, all, histogram + from, column, &best);
            continue;
        }
        for (uint32_t e = from; e < to; e++)
            consider(g, all, histogram[e], (question){.column = column, .code = e - from}, &best);
    }
    return best;
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
    eqp_slopes all;
    uint32_t level;
} tree_node;

static uint32_t grow_node(eqp_grower *g, tree_node node, eqp_slopes *histogram, const eqp_slopes *slopes)
{
    const eqp_boost_options *options = g->options;
    uint32_t at = g->count++;
    eqp_branch *branch = &g->branches[at];
    question asked = {0};
    if (node.level < options->depth) asked = best_question(g, node.all, histogram);
    if (asked.yes.second == 0) {
        *branch = (eqp_branch){.feature = -1,
                               .value = -options->rate * node.all.first / (node.all.second + options->ridge)};
        g->steps[at] = (struct eqp_step){
            .child = {(uint16_t)at, (uint16_t)at}, .first = node.first, .count = node.count};
        return at;
    }
    write_question(g, &asked, at);
    size_t yes = part_rows(g, &g->steps[at], node.first, node.count), no = node.count - yes;
    tree_node left = {node.first, yes, asked.yes, node.level + 1};
    tree_node right = {node.first + yes,
                       no,
                       {node.all.first - asked.yes.first, node.all.second - asked.yes.second},
                       node.level + 1};
    eqp_slopes *fewer = histogram + g->rows->start[g->rows->features];
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

void eqp_grower_grow(eqp_grower *g, const eqp_slopes *slopes, eqp_random *random)
{
    tree_node root = {.count = g->listed};
    draw_columns(g, random);
    g->count = 0;
    for (size_t i = 0; i < g->listed; i++) add(&root.all, slopes[g->list[i]]);
    sum_rows(g, g->list, g->listed, slopes, g->histogram);
    grow_node(g, root, g->histogram, slopes);
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
void eqp_grower_add(const eqp_grower *g, double *sum)
{
    size_t in_leaves = 0;
    for (uint32_t b = 0; b < g->count; b++) {
        const struct eqp_step *step = &g->steps[b];
        double value = g->branches[b].value;
        for (size_t i = step->first; i < step->first + step->count; i++) sum[g->list[i]] += value;
        in_leaves += step->count;
    }
    assert(in_leaves == g->listed);
    for (size_t i = 0; i < g->others; i++) sum[g->other[i]] += g->branches[walk(g, g->other[i])].value;
}
