/* Best threshold without sorting all rows: histogram, then refine.
 *
 * Scores fall into buckets of equal width over the range where most of them lie.  A cut between two buckets
 * costs a prefix sum of bucket costs.  A cut inside a bucket costs at least the prefix before it plus the
 * negative costs in it; only buckets where that bound beats the best cut so far are sorted, a small share
 * near the minimum.  Where scores crowd into one bucket its sort (radix, on the bits of the scores) is still
 * linear. */
#include "oracle/threshold.h"

#include "base/order.h"
#include "base/wide.h"

#include <math.h>
#include <string.h>

#define BUCKETS 1024
#define PROBES  64 /* scores looked at for the range */
#define GROUP   8  /* rows passed over together: the bytes of a 64-bit word */
#define SHORT   48 /* items that are sorted by insertion */

/* Two sums side by side, so that a row is added to both at once. */
typedef double bucket __attribute__((vector_size(16)));
enum {
    COST,    /* of its rows; later the prefix before it */
    NEGATIVE /* sum of the negative ones; later the least cost a cut inside may have */
};

/* Scores of either width; one of the two is not NULL. */
typedef struct score_column {
    const double *wide;
    const float *narrow;
} score_column;

static double score_at(score_column scores, size_t i)
{
    return scores.wide != NULL ? scores.wide[i] : (double)scores.narrow[i];
}

typedef struct threshold_work {
    double low, factor; /* bucket = (score - low) · factor, clamped */
    bucket *buckets;
    uint32_t *end; /* [bucket]: end of its items, once gathered */
    eqp_keyed *items, *spare;
    uint32_t *picked; /* rows in promising buckets */
    uint16_t *place;  /* bucket of each row */
    uint8_t *refine;  /* [bucket]: promising */
    uint8_t *mark;    /* [row]: between the first and the last promising bucket; then a group of zeros */
    double best;      /* least cost so far, and where it is: */
    int boundary;     /* after this bucket, -1 before all, */
    double last;      /* or after this score, when not -inf, */
    double next;      /* and before this one, when not NaN */
} threshold_work;

size_t eqp_threshold_scratch(size_t rows)
{
    size_t fixed = BUCKETS * (sizeof(bucket) + sizeof(uint32_t) + sizeof(uint8_t)) + GROUP;
    size_t each = 2 * sizeof(eqp_keyed) + sizeof(uint32_t) + sizeof(uint16_t) + sizeof(uint8_t), bytes;
    if (__builtin_mul_overflow(rows, each, &bytes) || __builtin_add_overflow(bytes, fixed, &bytes))
        return SIZE_MAX;
    return bytes;
}

static threshold_work lay_out(void *scratch, size_t rows)
{
    threshold_work work = {.boundary = -1, .last = -INFINITY, .next = NAN};
    work.buckets = scratch;
    work.items = (eqp_keyed *)(work.buckets + BUCKETS);
    work.spare = work.items + rows;
    work.end = (uint32_t *)(work.spare + rows);
    work.picked = work.end + BUCKETS;
    work.place = (uint16_t *)(work.picked + rows);
    work.refine = (uint8_t *)(work.place + rows);
    work.mark = work.refine + BUCKETS;
    return work;
}

/* ---- the order of scores ----------------------------------------------------------------------------- */

/* The inverse of eqp_number_key. */
static double score_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

static void sort_short(eqp_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        eqp_keyed moving = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].key > moving.key; at--) items[at] = items[at - 1];
        items[at] = moving;
    }
}

/* The least score above `floor`, +inf when there is none: asked for only when the cut is between buckets. */
static double next_score(score_column scores, size_t rows, double floor)
{
    double next = INFINITY;
    for (size_t i = 0; i < rows; i++) {
        double score = score_at(scores, i);
        if (score > floor && score < next) next = score;
    }
    return next;
}

/* ---- buckets ----------------------------------------------------------------------------------------- */

/* A range that holds nearly all scores and is not stretched by a few far away: what evenly spaced probes span
 * except for their two extremes, widened.  Any range is correct; a poor one only means more to sort. */
static void find_range(threshold_work *work, score_column scores, size_t rows)
{
    eqp_keyed probes[PROBES];
    for (size_t k = 0; k < PROBES; k++) probes[k].key = eqp_number_key(score_at(scores, k * rows / PROBES));
    sort_short(probes, PROBES);
    double low = score_of(probes[1].key), high = score_of(probes[PROBES - 2].key);
    double margin = (high - low) / 4;
    work->low = low - margin;
    work->factor = BUCKETS / (high - low + 2 * margin);
    if (!(work->factor < INFINITY)) work->low = low, work->factor = 1;
}

/* Every step of these maps is monotone in floating point too. */
EQP_WIDE static void place_wide(const double *restrict scores, double low, double factor, size_t rows,
                                uint16_t *restrict places)
{
    for (size_t i = 0; i < rows; i++) {
        double place = (scores[i] - low) * factor;
        place = place > 0 ? place : 0;
        place = place < BUCKETS - 1 ? place : BUCKETS - 1;
        places[i] = (uint16_t)(int)place;
    }
}

EQP_WIDE static void place_narrow(const float *restrict scores, float low, float factor, size_t rows,
                                  uint16_t *restrict places)
{
    for (size_t i = 0; i < rows; i++) {
        float place = (scores[i] - low) * factor;
        place = place > 0 ? place : 0;
        place = place < BUCKETS - 1 ? place : BUCKETS - 1;
        places[i] = (uint16_t)(int)place;
    }
}

/* Into the second sum of a bucket only what is negative. */
EQP_WIDE static void add_costs(const double *restrict costs, const uint16_t *restrict places, size_t rows,
                               bucket *restrict buckets)
{
    typedef int64_t bucket_mask __attribute__((vector_size(16)));
    const bucket limit = {INFINITY, 0};
#pragma GCC unroll 4
    for (size_t i = 0; i < rows; i++) {
        bucket both = {costs[i], costs[i]};
        buckets[places[i]] += (bucket)((bucket_mask)both & (bucket_mask)(both < limit));
    }
}

/* Run by run, so that places are still in the cache when costs are added. */
static void fill_buckets(threshold_work *work, score_column scores, const double *costs, size_t rows)
{
    enum { RUN = 2048 };
    memset(work->buckets, 0, BUCKETS * sizeof *work->buckets);
    for (size_t first = 0; first < rows; first += RUN) {
        size_t after = rows - first < RUN ? rows : first + RUN;
        if (scores.wide != NULL)
            place_wide(scores.wide + first, work->low, work->factor, after - first, work->place + first);
        else
            place_narrow(scores.narrow + first, (float)work->low, (float)work->factor, after - first,
                         work->place + first);
        add_costs(costs + first, work->place + first, after - first, work->buckets);
    }
}

/* The best cut between buckets; costs become prefixes, negative costs bounds. */
static void cut_between(threshold_work *work)
{
    double prefix = 0;
    for (int b = 0; b < BUCKETS; b++) {
        bucket in = work->buckets[b];
        work->buckets[b] = (bucket){prefix, in[NEGATIVE] + prefix};
        prefix += in[COST];
        if (prefix < work->best) work->best = prefix, work->boundary = b;
    }
}

/* ---- refinement -------------------------------------------------------------------------------------- */

EQP_WIDE static void mark_range(const uint16_t *restrict place, uint16_t first, uint16_t last, size_t rows,
                                uint8_t *restrict mark)
{
    for (size_t i = 0; i < rows; i++) mark[i] = place[i] >= first && place[i] <= last;
}

/* Promising buckets lie together, and hold few rows: groups of rows outside their range are passed over. */
static size_t pick_rows(threshold_work *work, size_t rows)
{
    size_t picked = 0, first = BUCKETS, last = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        work->refine[b] = work->buckets[b][NEGATIVE] < work->best;
        if (!work->refine[b]) continue;
        first = first < b ? first : b;
        last = b;
    }
    mark_range(work->place, (uint16_t)first, (uint16_t)last, rows, work->mark);
    memset(work->mark + rows, 0, GROUP);
    for (size_t start = 0; start < rows; start += GROUP) {
        uint64_t group;
        memcpy(&group, work->mark + start, sizeof group);
        if (group == 0) continue;
        for (size_t i = start; i < start + GROUP && i < rows; i++) {
            work->picked[picked] = (uint32_t)i;
            picked += work->refine[work->place[i]];
        }
    }
    return picked;
}

/* Brings the rows of promising buckets together, bucket by bucket. */
static void gather(threshold_work *work, score_column scores, size_t rows)
{
    size_t picked = pick_rows(work, rows), sum = 0;
    memset(work->end, 0, BUCKETS * sizeof *work->end);
    for (size_t k = 0; k < picked; k++) work->end[work->place[work->picked[k]]]++;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t count = work->end[b];
        work->end[b] = (uint32_t)sum; /* its start; filling moves it to the end */
        sum += count;
    }
    for (size_t k = 0; k < picked; k++) {
        uint32_t i = work->picked[k];
        work->items[work->end[work->place[i]]++] = (eqp_keyed){eqp_number_key(score_at(scores, i)), i};
    }
}

static bool all_tied(const eqp_keyed *items, size_t count)
{
    size_t i = 1;
    while (i < count && items[i].key == items[0].key) i++;
    return i >= count;
}

/* Every cut inside one bucket. */
static void cut_inside(threshold_work *work, const double *costs, double prefix, eqp_keyed *items,
                       eqp_keyed *spare, size_t count)
{
    if (all_tied(items, count)) return;
    if (count <= SHORT)
        sort_short(items, count);
    else
        items = eqp_order_by_key(items, spare, count);
    for (size_t i = 0; i < count; i++) {
        prefix += costs[items[i].item];
        bool ends = i + 1 == count;
        if (prefix >= work->best || (!ends && items[i + 1].key == items[i].key)) continue;
        work->best = prefix;
        work->last = score_of(items[i].key);
        work->next = ends ? NAN : score_of(items[i + 1].key);
    }
}

/* The best so far only falls, so a bucket that was promising may no longer be. */
static void refine(threshold_work *work, const double *costs)
{
    size_t start = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        bucket in = work->buckets[b];
        size_t count = work->end[b] - start;
        if (in[NEGATIVE] < work->best)
            cut_inside(work, costs, in[COST], work->items + start, work->spare + start, count);
        start = work->end[b];
    }
}

/* The last score that is chosen. */
static double last_chosen(const threshold_work *work, score_column scores, size_t rows)
{
    double last = work->last;
    for (size_t i = 0; i < rows && work->last == -INFINITY; i++)
        if (work->place[i] <= work->boundary && score_at(scores, i) > last) last = score_at(scores, i);
    return last;
}

/* Midway to the next score, so that rounding in the deployed score flips no row; above `last` in any case. */
static double threshold_after(const threshold_work *work, score_column scores, size_t rows)
{
    double last = last_chosen(work, scores, rows);
    if (last == -INFINITY) return -INFINITY;
    double next = isnan(work->next) ? next_score(scores, rows, last) : work->next;
    double middle = last / 2 + next / 2;
    return middle > last ? middle : next;
}

/* No cut costs less: neither one inside a bucket nor one between two. */
static double least_bound(const threshold_work *work)
{
    double least = work->best;
    for (size_t b = 0; b < BUCKETS; b++)
        least = work->buckets[b][NEGATIVE] < least ? work->buckets[b][NEGATIVE] : least;
    return least;
}

static eqp_cut find_cut(score_column scores, const double *costs, size_t rows, double must_beat,
                        void *scratch)
{
    if (rows == 0) return (eqp_cut){.threshold = -INFINITY};
    threshold_work work = lay_out(scratch, rows);
    find_range(&work, scores, rows);
    fill_buckets(&work, scores, costs, rows);
    cut_between(&work);
    double bound = least_bound(&work);
    if (bound >= must_beat) return (eqp_cut){.cost = bound, .threshold = -INFINITY};
    gather(&work, scores, rows);
    refine(&work, costs);
    if (work.best >= must_beat) return (eqp_cut){.cost = work.best, .threshold = -INFINITY};
    return (eqp_cut){.cost = work.best, .threshold = threshold_after(&work, scores, rows)};
}

eqp_cut eqp_threshold_below(const float *scores, const double *costs, size_t rows, double must_beat,
                            void *scratch)
{
    return find_cut((score_column){.narrow = scores}, costs, rows, must_beat, scratch);
}

eqp_cut eqp_best_threshold(const double *scores, const double *costs, size_t rows, void *scratch)
{
    return find_cut((score_column){.wide = scores}, costs, rows, INFINITY, scratch);
}
