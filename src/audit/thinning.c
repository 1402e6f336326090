/* Ids, weights and clusters of labelled rows. */
#include "audit/thinning.h"

#include "base/number.h"
#include "base/order.h"
#include "draw/digest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void audit_key(uint64_t seed, eqp_key *key)
{
    char text[64];
    int length = snprintf(text, sizeof text, "equipoise audit %llu", (unsigned long long)seed);
    eqp_digest_of(text, (size_t)length, key->hex);
}

/* ---- ids ----------------------------------------------------------------------------------------------- */

static void number_rows(eqp_audited *audited)
{
    for (size_t i = 0; i < audited->sample->rows; i++)
        audited->id[i].length = (size_t)snprintf(audited->id[i].text, sizeof audited->id[i].text, "%zu",
                                                 audited->sample->row[i] + 1);
}

/* Labelled rows by mark, those of one mark by cell, and those alike in the order of the table. */
static eqp_keyed *order_alike(const eqp_sample *sample, const eqp_row_mark *marks, eqp_keyed *items,
                              eqp_keyed *spare)
{
    for (size_t i = 0; i < sample->rows; i++) items[i] = (eqp_keyed){sample->cell[i], i};
    eqp_keyed *order = eqp_order_by_key(items, spare, sample->rows);
    for (size_t i = 0; i < sample->rows; i++) order[i].key = marks[sample->row[order[i].item]].low;
    return eqp_order_by_key(order, order == items ? spare : items, sample->rows);
}

static void spell_id(eqp_row_mark mark, uint64_t copy, eqp_row_id *id)
{
    uint64_t parts[3] = {mark.low, mark.high, copy};
    char hex[65];
    eqp_digest_of(parts, sizeof parts, hex);
    id->length = 20;
    memcpy(id->text, hex, id->length);
    id->text[id->length] = '\0';
}

/* By content alone, so that no order of the rows gives other draws; and but for rows of one content not by
 * the label either, so that guesses at a label do not have draws of their own. */
static bool name_rows(eqp_audited *audited, const eqp_row_mark *marks)
{
    const eqp_sample *sample = audited->sample;
    eqp_arena arena = {0};
    eqp_keyed *items = eqp_take(&arena, sample->rows, sizeof *items);
    eqp_keyed *spare = eqp_take(&arena, sample->rows, sizeof *spare);
    bool complete = !arena.failed;
    if (complete) {
        const eqp_keyed *order = order_alike(sample, marks, items, spare);
        uint64_t copy = 0;
        for (size_t i = 0; i < sample->rows; i++) {
            size_t at = order[i].item;
            copy = i > 0 && order[i].key == order[i - 1].key ? copy + 1 : 0;
            spell_id(marks[sample->row[at]], copy, &audited->id[at]);
        }
    }
    eqp_arena_free(&arena);
    return complete;
}

eqp_status eqp_repeated_rows(const eqp_sample *sample, const eqp_row_mark *marks, size_t *repeated,
                             eqp_error *error)
{
    eqp_arena arena = {0};
    eqp_keyed *items = eqp_take(&arena, sample->rows, sizeof *items);
    eqp_keyed *spare = eqp_take(&arena, sample->rows, sizeof *spare);
    *repeated = 0;
    bool complete = !arena.failed;
    if (complete) {
        const eqp_keyed *order = order_alike(sample, marks, items, spare);
        for (size_t i = 1; i < sample->rows; i++)
            *repeated += order[i].key == order[i - 1].key &&
                         sample->cell[order[i].item] == sample->cell[order[i - 1].item];
    }
    eqp_arena_free(&arena);
    return complete ? EQP_OK : eqp_fail_memory(error);
}

/* ---- weights ------------------------------------------------------------------------------------------- */

static void keep_by_weight(eqp_audited *audited)
{
    const eqp_sample *sample = audited->sample;
    eqp_drawer drawer;
    double largest = 0;
    eqp_drawer_init(&drawer, &audited->key, "thinning");
    for (size_t i = 0; i < sample->rows; i++) largest = fmax(largest, sample->weight[i]);
    largest *= 1 - 1e-12; /* equal weights differ in their last bits at most; none is thinned for that */
    for (size_t i = 0; i < sample->rows; i++) {
        eqp_draws draws;
        audited->kept[i] = sample->weight[i] >= largest;
        if (audited->kept[i]) continue;
        eqp_draw_block(&drawer, audited->id[i].text, audited->id[i].length, 0, &draws);
        audited->kept[i] = draws.draw[0] < eqp_draw_threshold(sample->weight[i] / largest);
    }
}

/* ---- clusters ------------------------------------------------------------------------------------------ */

static uint64_t cluster_of(const eqp_column *column, size_t row)
{
    if (column->kind == EQP_TEXT) return column->codes[row];
    return eqp_number_key(column->numbers[row]);
}

/* Of each run of one cluster the row with the smallest draw is left; the others are dropped. */
static void keep_one_each(eqp_audited *audited, const eqp_keyed *order, size_t count)
{
    eqp_drawer drawer;
    uint64_t smallest = 0;
    size_t left = 0;
    eqp_drawer_init(&drawer, &audited->key, "cluster");
    for (size_t i = 0; i < count; i++) {
        size_t at = order[i].item;
        eqp_draws draws;
        eqp_draw_block(&drawer, audited->id[at].text, audited->id[at].length, 0, &draws);
        bool starts = i == 0 || order[i].key != order[i - 1].key;
        audited->clusters += starts;
        if (starts || draws.draw[0] < smallest) {
            if (!starts) audited->kept[left] = false;
            left = at;
            smallest = draws.draw[0];
        } else {
            audited->kept[at] = false;
        }
    }
}

static bool keep_clusters(eqp_audited *audited, const eqp_column *column)
{
    const eqp_sample *sample = audited->sample;
    eqp_arena arena = {0};
    eqp_keyed *items = eqp_take(&arena, sample->rows, sizeof *items);
    eqp_keyed *spare = eqp_take(&arena, sample->rows, sizeof *spare);
    bool complete = !arena.failed;
    if (complete) {
        for (size_t i = 0; i < sample->rows; i++)
            items[i] = (eqp_keyed){cluster_of(column, sample->row[i]), i};
        keep_one_each(audited, eqp_order_by_key(items, spare, sample->rows), sample->rows);
    }
    eqp_arena_free(&arena);
    return complete;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

eqp_status eqp_audited_new(const eqp_sample *sample, const eqp_row_mark *marks, const eqp_column *cluster,
                           uint64_t seed, eqp_audited **audited, eqp_error *error)
{
    *audited = NULL;
    eqp_audited *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->sample = sample;
    made->id = eqp_take(&made->arena, sample->rows, sizeof *made->id);
    made->kept = eqp_take(&made->arena, sample->rows, sizeof *made->kept);
    bool complete = !made->arena.failed;
    audit_key(seed, &made->key);
    if (complete && marks != NULL) complete = name_rows(made, marks);
    if (complete && marks == NULL) number_rows(made);
    if (complete) keep_by_weight(made);
    if (complete && cluster != NULL) complete = keep_clusters(made, cluster);
    if (complete) *audited = made;
    if (!complete) eqp_audited_free(made);
    return complete ? EQP_OK : eqp_fail_memory(error);
}

void eqp_audited_free(eqp_audited *audited)
{
    if (audited == NULL) return;
    eqp_arena_free(&audited->arena);
    free(audited);
}
