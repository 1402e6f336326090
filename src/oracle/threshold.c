/* Best threshold without sorting all rows: histogram, then refine.
 *
 * Scores fall into buckets of equal width.  A cut between two buckets costs a prefix sum of bucket costs.  A
 * cut inside a bucket costs at least the prefix before it plus the negative costs in it; only buckets where
 * that bound beats the best cut between buckets are sorted, a handful near the minimum.  Where scores crowd
 * into one bucket, the sort (radix, on the bits of the scores) is still linear. */
#include "oracle/threshold.h"

#include <math.h>
#include <string.h>

#define BUCKETS 2048
#define LANES   8 /* independent minima and maxima, so that the compiler vectorises */

typedef struct bucket {
    double cost;     /* of its rows */
    double negative; /* sum of the negative ones */
} bucket;

typedef struct item {
    uint64_t key; /* rises with the score */
    double cost;
} item;

typedef struct threshold_work {
    double low, factor; /* bucket = (score - low) · factor */
    bucket *buckets;
    uint8_t *refine; /* [bucket] */
    item *items, *spare;
    uint16_t *place; /* bucket of each row */
} threshold_work;

size_t eqp_threshold_scratch(size_t rows)
{
    size_t fixed = BUCKETS * (sizeof(bucket) + 1), each = 2 * sizeof(item) + sizeof(uint16_t);
    size_t bytes;
    if (__builtin_mul_overflow(rows, each, &bytes) || __builtin_add_overflow(bytes, fixed, &bytes))
        return SIZE_MAX;
    return bytes;
}

static threshold_work lay_out(void *scratch, size_t rows)
{
    threshold_work work;
    work.buckets = scratch;
    work.items = (item *)(work.buckets + BUCKETS);
    work.spare = work.items + rows;
    work.place = (uint16_t *)(work.spare + rows);
    work.refine = (uint8_t *)(work.place + rows);
    return work;
}

/* Least and largest score among those above `floor` (-inf: all). */
static void range_above(const double *scores, size_t rows, double floor, double *least, double *largest)
{
    double low[LANES], high[LANES];
    size_t i = 0;
    for (size_t l = 0; l < LANES; l++) low[l] = INFINITY, high[l] = -INFINITY;
    for (; i + LANES <= rows; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            double score = scores[i + l], above = score > floor ? score : INFINITY;
            low[l] = above < low[l] ? above : low[l];
            high[l] = score > high[l] ? score : high[l];
        }
    for (; i < rows; i++) {
        if (scores[i] > floor && scores[i] < low[0]) low[0] = scores[i];
        if (scores[i] > high[0]) high[0] = scores[i];
    }
    for (size_t l = 1; l < LANES; l++) {
        if (low[l] < low[0]) low[0] = low[l];
        if (high[l] > high[0]) high[0] = high[l];
    }
    *least = low[0];
    *largest = high[0];
}

/* Every step of this map is monotone in floating point too. */
static inline uint16_t place_of(const threshold_work *work, double score)
{
    return (uint16_t)(int)((score - work->low) * work->factor);
}

static void fill_buckets(threshold_work *work, const double *scores, const double *costs, size_t rows)
{
    double high;
    range_above(scores, rows, -INFINITY, &work->low, &high);
    work->factor = (BUCKETS - 0.5) / (high - work->low);
    if (!(work->factor < INFINITY)) work->factor = 0; /* all alike */
    for (size_t i = 0; i < rows; i++) work->place[i] = place_of(work, scores[i]);

    memset(work->buckets, 0, BUCKETS * sizeof *work->buckets);
    for (size_t i = 0; i < rows; i++) {
        bucket *in = &work->buckets[work->place[i]];
        in->cost += costs[i];
        in->negative += costs[i] < 0 ? costs[i] : 0;
    }
}

/* The best cut between buckets: after bucket `*last`, -1 for before all. */
static double best_boundary(const bucket *buckets, int *last)
{
    double best = 0, prefix = 0;
    *last = -1;
    for (int b = 0; b < BUCKETS; b++) {
        prefix += buckets[b].cost;
        if (prefix < best) best = prefix, *last = b;
    }
    return best;
}

/* Marks the buckets that may hold a better cut, turning their costs into the prefix before them. */
static bool mark_promising(threshold_work *work, double best)
{
    double prefix = 0;
    bool any = false;
    for (size_t b = 0; b < BUCKETS; b++) {
        double cost = work->buckets[b].cost;
        work->refine[b] = prefix + work->buckets[b].negative < best;
        any |= work->refine[b];
        work->buckets[b].cost = prefix;
        prefix += cost;
    }
    return any;
}

/* Adding 0 makes one zero of the two. */
static uint64_t key_of(double score)
{
    uint64_t bits;
    score += 0.0;
    memcpy(&bits, &score, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double score_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

/* Sorts by key, byte by byte from the last; a byte that all keys share is skipped.  Returns where the result
 * is. */
static item *sort_items(item *items, item *spare, size_t count)
{
    uint32_t counts[8][256] = {{0}};
    for (size_t i = 0; i < count; i++)
        for (size_t d = 0; d < 8; d++) counts[d][items[i].key >> (8 * d) & 255]++;
    for (size_t d = 0; d < 8; d++) {
        if (counts[d][items[0].key >> (8 * d) & 255] == count) continue;
        size_t next[256], sum = 0;
        for (size_t k = 0; k < 256; k++) next[k] = sum, sum += counts[d][k];
        for (size_t i = 0; i < count; i++) spare[next[items[i].key >> (8 * d) & 255]++] = items[i];
        item *swapped = items;
        items = spare;
        spare = swapped;
    }
    return items;
}

/* Packs the rows of promising buckets; returns how many. */
static size_t gather(threshold_work *work, const double *scores, const double *costs, size_t rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        work->items[count] = (item){key_of(scores[i]), costs[i]};
        count += work->refine[work->place[i]];
    }
    return count;
}

/* Looks at every cut inside the promising buckets; true when one beats `*best`, with its last chosen score.
 */
static bool refine(threshold_work *work, size_t count, double *best, double *last)
{
    const item *items = sort_items(work->items, work->spare, count);
    double prefix = 0;
    size_t current = BUCKETS;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        size_t in = place_of(work, score_of(items[i].key));
        if (in != current) current = in, prefix = work->buckets[in].cost;
        prefix += items[i].cost;
        bool tied = i + 1 < count && items[i + 1].key == items[i].key;
        if (!tied && prefix < *best) *best = prefix, *last = score_of(items[i].key), found = true;
    }
    return found;
}

static double last_before(const threshold_work *work, const double *scores, size_t rows, int boundary)
{
    double last = -INFINITY;
    for (size_t i = 0; i < rows; i++)
        last = work->place[i] <= boundary && scores[i] > last ? scores[i] : last;
    return last;
}

/* Midway to the next score, so that rounding in the deployed score flips no row; above `last` in any case. */
static double threshold_after(const double *scores, size_t rows, double last)
{
    double next, largest;
    if (last == -INFINITY) return -INFINITY;
    range_above(scores, rows, last, &next, &largest);
    double middle = last / 2 + next / 2;
    return middle > last ? middle : next;
}

eqp_cut eqp_best_threshold(const double *scores, const double *costs, size_t rows, void *scratch)
{
    threshold_work work = lay_out(scratch, rows);
    int boundary;
    double last = -INFINITY;

    fill_buckets(&work, scores, costs, rows);
    double best = best_boundary(work.buckets, &boundary);
    size_t promising = mark_promising(&work, best) ? gather(&work, scores, costs, rows) : 0;
    if (promising == 0 || !refine(&work, promising, &best, &last))
        last = last_before(&work, scores, rows, boundary);
    return (eqp_cut){.cost = best, .threshold = threshold_after(scores, rows, last)};
}
