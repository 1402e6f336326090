/* The optimal stump (M6): one feature, one threshold or one level.
 *
 *     number     x < cut or x >= cut for a border of its bins, missing values on either side;
 *                or missing against present
 *     code       one code (a level, a bin, "other", missing) against the rest, either way round
 *     constant   h ≡ 0, h ≡ 1
 *
 * A leaf keeps H[feature][bin][cell], its mass by bin and cell.  The best stump for any prices costs O(bins ·
 * cells) and is exactly optimal within the class: all stumps where a number has at most 1,024 values, those
 * with cuts at 1,024-quantiles where it has more.  Rows are touched only to write `chosen`, and for extra
 * costs. */
#include "oracle/bins.h"
#include "oracle/kinds.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define MOST_BINS 1024
/* What a missing number scores: beyond any threshold, on the side wanted. */
#define FAR 1e300

typedef struct stump_run {
    size_t features;
    eqp_bins *bins;  /* [feature]; empty for coded ones */
    uint32_t *start; /* [feature]: its first bin among all; one more at the end */
} stump_run;

typedef struct stump_leaf {
    eqp_arena arena; /* of the arrays below */
    double *mass;    /* H: all bins × cells */
    double *cost;    /* of each bin at the prices at hand */
    uint8_t *side;   /* [bin of a feature]: does the stump choose it */
} stump_leaf;

/* A stump of a number chooses bins < cut (or >= cut when `above`), of a code the bin `cut` alone (or all
 * others). */
typedef struct stump {
    double cost;
    size_t feature;
    uint32_t cut;
    bool single;  /* one bin against the rest */
    bool above;   /* the other way round */
    bool missing; /* threshold: missing values are chosen */
    uint32_t constant;
} stump;

/* ---- the run: bins ----------------------------------------------------------------------------------- */

static void unshare(void *state)
{
    stump_run *run = state;
    if (run == NULL) return;
    for (size_t f = 0; run->bins != NULL && f < run->features; f++) eqp_bins_clear(&run->bins[f]);
    free(run->bins);
    free(run->start);
    free(run);
}

static eqp_status share(eqp_oracle_shared *shared, const double *weight, eqp_error *error)
{
    (void)weight;
    const eqp_encoding *encoding = shared->design->encoding;
    if (encoding->feature_count == 0) return eqp_fail(error, EQP_DATA, "there is no column to split on");
    stump_run *run = shared->state = eqp_alloc_zero(1, sizeof *run);
    if (run == NULL) return eqp_fail_memory(error);
    run->features = encoding->feature_count;
    run->bins = eqp_alloc_zero(run->features, sizeof *run->bins);
    run->start = eqp_alloc_zero(run->features + 1, sizeof *run->start);
    if (run->bins == NULL || run->start == NULL) return eqp_fail_memory(error);

    eqp_status status = EQP_OK;
    for (size_t f = 0; f < run->features && status == EQP_OK; f++) {
        bool number = shared->block->numbers[f] != NULL;
        if (number)
            status = eqp_bins_init(&run->bins[f], shared->block->numbers[f], NULL, shared->block->rows,
                                   MOST_BINS, error);
        run->start[f + 1] = run->start[f] + (number ? run->bins[f].count + 1 : encoding->features[f].slots);
    }
    return status;
}

static inline uint32_t bin_of(const stump_run *run, const eqp_design *design, size_t feature, size_t row)
{
    return design->codes[feature] ? design->codes[feature][row] : run->bins[feature].code[row];
}

/* ---- the leaf: masses by bin and cell ---------------------------------------------------------------- */

static void close_leaf(void *state)
{
    stump_leaf *leaf = state;
    if (leaf == NULL) return;
    eqp_arena_free(&leaf->arena);
    free(leaf);
}

static eqp_status open_leaf(eqp_oracle *oracle, eqp_error *error)
{
    const stump_run *run = oracle->shared->state;
    const eqp_leaf_rows *rows = &oracle->leaf;
    size_t all = run->start[run->features];
    stump_leaf *leaf = oracle->state = eqp_alloc_zero(1, sizeof *leaf);
    if (leaf == NULL) return eqp_fail_memory(error);
    leaf->mass = eqp_take_zero(&leaf->arena, all, rows->cells * sizeof *leaf->mass);
    leaf->cost = eqp_take(&leaf->arena, all, sizeof *leaf->cost);
    leaf->side = eqp_take(&leaf->arena, all, 1);
    if (leaf->arena.failed) return eqp_fail_memory(error);

    for (size_t i = 0; i < eqp_leaf_count(rows); i++) {
        size_t row = eqp_leaf_row(rows, i);
        if (rows->weight[i] == 0) continue;
        for (size_t f = 0; f < run->features; f++) {
            size_t bin = run->start[f] + bin_of(run, rows->design, f, row);
            leaf->mass[bin * rows->cells + rows->cell[row]] += rows->weight[i];
        }
    }
    return EQP_OK;
}

/* ---- a call ------------------------------------------------------------------------------------------ */

static void price_bins(eqp_oracle *oracle, const double *prices, const double *extra)
{
    const stump_run *run = oracle->shared->state;
    const eqp_leaf_rows *rows = &oracle->leaf;
    stump_leaf *leaf = oracle->state;
    for (size_t b = 0; b < run->start[run->features]; b++) {
        leaf->cost[b] = 0;
        for (size_t e = 0; e < rows->cells; e++) leaf->cost[b] += leaf->mass[b * rows->cells + e] * prices[e];
    }
    for (size_t i = 0; extra != NULL && i < eqp_leaf_count(rows); i++) {
        size_t row = eqp_leaf_row(rows, i);
        if (rows->weight[i] == 0) continue;
        for (size_t f = 0; f < run->features; f++)
            leaf->cost[run->start[f] + bin_of(run, rows->design, f, row)] += rows->weight[i] * extra[i];
    }
}

static void consider(stump *best, stump candidate)
{
    if (candidate.cost < best->cost) *best = candidate;
}

static double sum_of(const double *cost, size_t count)
{
    double sum = 0;
    for (size_t b = 0; b < count; b++) sum += cost[b];
    return sum;
}

static void best_of_codes(stump *best, size_t feature, const double *cost, uint32_t count)
{
    double total = sum_of(cost, count);
    for (uint32_t b = 0; b < count; b++) {
        consider(best, (stump){.cost = cost[b], .feature = feature, .cut = b, .single = true});
        consider(
            best,
            (stump){.cost = total - cost[b], .feature = feature, .cut = b, .single = true, .above = true});
    }
}

/* `count` bins, then the missing one. */
static void best_of_number(stump *best, size_t feature, const double *cost, uint32_t count)
{
    double total = sum_of(cost, count), missing = cost[count], below = 0;
    bool take = missing < 0;
    double with = take ? missing : 0;
    for (uint32_t cut = 1; cut < count; cut++) {
        below += cost[cut - 1];
        consider(best, (stump){.cost = below + with, .feature = feature, .cut = cut, .missing = take});
        consider(best, (stump){.cost = total - below + with,
                               .feature = feature,
                               .cut = cut,
                               .above = true,
                               .missing = take});
    }
    consider(best, (stump){.cost = missing, .feature = feature, .cut = count, .single = true});
    consider(best, (stump){.cost = total, .feature = feature, .cut = count, .single = true, .above = true});
}

/* A constant wins unless a stump beats it by more than the rounding of the sums. */
static stump best_constant(const double *cost, size_t count)
{
    double margin = 0;
    for (size_t b = 0; b < count; b++) margin += 1e-13 * fabs(cost[b]);
    stump best = {.cost = -margin, .constant = EQP_SCORE_NEVER};
    consider(&best, (stump){.cost = sum_of(cost, count) - margin, .constant = EQP_SCORE_ALWAYS});
    return best;
}

static stump best_stump(const stump_run *run, const eqp_design *design, const double *cost)
{
    stump best = best_constant(cost, run->start[1]);
    for (size_t f = 0; f < run->features; f++) {
        uint32_t count = run->start[f + 1] - run->start[f];
        if (design->codes[f])
            best_of_codes(&best, f, cost + run->start[f], count);
        else
            best_of_number(&best, f, cost + run->start[f], count - 1);
    }
    return best;
}

/* side[bin] for the bins of the stump's feature; a number's last bin is the missing one. */
static void find_sides(const stump *best, uint32_t count, uint8_t *side)
{
    for (uint32_t b = 0; b < count; b++) {
        bool in = best->single ? b == best->cut : b < best->cut;
        side[b] = in != best->above;
    }
    if (!best->single) side[count - 1] = best->missing;
}

/* The stump as a score: h = score < threshold, to the last bit the same as the sides. */
static void write_score(const stump *best, const stump_run *run, const eqp_encoding *encoding,
                        eqp_splitter *splitter)
{
    const eqp_feature *feature = &encoding->features[best->feature];
    double *terms = splitter->score.terms + feature->slot;
    bool number = feature->kind == EQP_FEATURE_NUMBER;
    if (best->single) {
        terms[number ? 1 : best->cut] = best->above ? 1 : -1;
        splitter->threshold = best->above ? 0.5 : -0.5;
        return;
    }
    double cut = run->bins[best->feature].cuts[best->cut - 1];
    terms[0] = best->above ? -1 : 1;
    terms[1] = best->missing ? -FAR : FAR;
    splitter->threshold = best->above ? -nextafter(cut, -INFINITY) : cut; /* -x < -(before cut): x >= cut */
}

static eqp_status best(eqp_oracle *oracle, const double *prices, const double *extra, eqp_splitter *splitter,
                       eqp_error *error)
{
    (void)error;
    const stump_run *run = oracle->shared->state;
    const eqp_leaf_rows *rows = &oracle->leaf;
    stump_leaf *leaf = oracle->state;
    price_bins(oracle, prices, extra);
    stump found = best_stump(run, rows->design, leaf->cost);
    size_t first = run->start[found.feature];
    uint32_t count = run->start[found.feature + 1] - run->start[found.feature];
    if (found.constant) {
        memset(leaf->side, found.constant == EQP_SCORE_ALWAYS, count);
        eqp_splitter_settle(splitter, found.constant == EQP_SCORE_ALWAYS ? INFINITY : -INFINITY);
    } else {
        find_sides(&found, count, leaf->side);
        write_score(&found, run, rows->design->encoding, splitter);
    }

    for (size_t i = 0; splitter->chosen != NULL && i < eqp_leaf_count(rows); i++)
        splitter->chosen[i] = leaf->side[bin_of(run, rows->design, found.feature, eqp_leaf_row(rows, i))];
    for (uint32_t b = 0; b < count; b++)
        for (size_t e = 0; e < rows->cells && leaf->side[b]; e++)
            splitter->mass[e] += leaf->mass[(first + b) * rows->cells + e];
    return EQP_OK;
}

const eqp_oracle_kind eqp_oracle_stump = {
    "stump", "one column, one threshold or level; exactly optimal", share, unshare, open_leaf, close_leaf,
    best};
