/* A bounded heap. */
#include "select/select.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static int compare_names(eqp_cell a, eqp_cell b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int sign = shorter > 0 ? memcmp(a.bytes, b.bytes, shorter) : 0;
    return sign != 0 ? sign : (a.length > b.length) - (a.length < b.length);
}

/* Negative when a is better. */
static int compare(const void *left, const void *right)
{
    const eqp_ranked *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    int sign = compare_names(eqp_ranked_name(a), eqp_ranked_name(b));
    if (sign != 0) return sign;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

double eqp_ranking_bound(const eqp_ranking *ranking)
{
    if (ranking->count < ranking->most) return INFINITY;
    return ranking->count > 0 ? ranking->entries[0].rank : -INFINITY;
}

static void move_up(eqp_ranking *ranking, size_t at)
{
    eqp_ranked moved = ranking->entries[at];
    for (size_t above; at > 0; at = above) {
        above = (at - 1) / 2;
        if (compare(&moved, &ranking->entries[above]) <= 0) break;
        ranking->entries[at] = ranking->entries[above];
    }
    ranking->entries[at] = moved;
}

static void move_down(eqp_ranking *ranking)
{
    eqp_ranked moved = ranking->entries[0];
    size_t at = 0;
    for (size_t below; (below = 2 * at + 1) < ranking->count; at = below) {
        if (below + 1 < ranking->count && compare(&ranking->entries[below + 1], &ranking->entries[below]) > 0)
            below++;
        if (compare(&moved, &ranking->entries[below]) >= 0) break;
        ranking->entries[at] = ranking->entries[below];
    }
    ranking->entries[at] = moved;
}

static eqp_status add_to_heap(eqp_ranking *ranking, eqp_ranked entry, eqp_error *error)
{
    eqp_ranked *entries =
        eqp_reserve(ranking->entries, &ranking->capacity, ranking->count + 1, sizeof *ranking->entries);
    if (entries == NULL) {
        free(entry.bytes);
        return eqp_fail_memory(error);
    }
    ranking->entries = entries;
    entries[ranking->count++] = entry;
    move_up(ranking, ranking->count - 1);
    return EQP_OK;
}

static void replace_worst(eqp_ranking *ranking, eqp_ranked entry)
{
    if (compare(&entry, &ranking->entries[0]) >= 0) {
        free(entry.bytes);
        return;
    }
    free(ranking->entries[0].bytes);
    ranking->entries[0] = entry;
    move_down(ranking);
}

eqp_status eqp_ranking_enter(eqp_ranking *ranking, const eqp_ranked *like, eqp_cell name, eqp_cell record,
                             eqp_error *error)
{
    if (!(like->rank <= eqp_ranking_bound(ranking))) return EQP_OK;
    eqp_ranked entry = *like;
    entry.name_length = name.length;
    entry.record_length = record.length;
    entry.bytes = eqp_alloc(name.length + record.length, 1);
    if (entry.bytes == NULL) return eqp_fail_memory(error);
    if (name.length > 0) memcpy(entry.bytes, name.bytes, name.length);
    if (record.length > 0) memcpy(entry.bytes + name.length, record.bytes, record.length);
    assert(ranking->count <= ranking->most);
    if (ranking->count < ranking->most) return add_to_heap(ranking, entry, error);
    replace_worst(ranking, entry);
    return EQP_OK;
}

void eqp_ranking_sort(eqp_ranking *ranking)
{
    if (ranking->count > 0) qsort(ranking->entries, ranking->count, sizeof *ranking->entries, compare);
}

void eqp_ranking_free(eqp_ranking *ranking)
{
    for (size_t i = 0; i < ranking->count; i++) free(ranking->entries[i].bytes);
    free(ranking->entries);
    *ranking = (eqp_ranking){0};
}
