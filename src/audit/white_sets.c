/* Sets of rows that someone with the model file can tell apart. */
#include "audit/white_sets.h"

#include "base/order.h"

#define FEW_TESTS 8 /* with so many, all 3^n patterns of some of them are looked at */
#define CELLS     (1u << FEW_TESTS)

/* The tallies of one set: all its rows, and those in the half. */
typedef struct set_tally {
    eqp_shift_tally all, half;
} set_tally;

static set_tally set_tally_take(eqp_arena *arena, size_t groups)
{
    return (set_tally){eqp_shift_tally_take(arena, groups), eqp_shift_tally_take(arena, groups)};
}

static void set_tally_clear(set_tally *tally, size_t groups)
{
    eqp_shift_tally_clear(&tally->all, groups);
    eqp_shift_tally_clear(&tally->half, groups);
}

static void set_tally_add(set_tally *tally, const eqp_groups *groups, uint32_t cell, bool half, double rows)
{
    eqp_shift_tally_add(&tally->all, groups, cell, rows);
    if (half) eqp_shift_tally_add(&tally->half, groups, cell, rows);
}

/* ---- joint patterns ------------------------------------------------------------------------------------ */

/* Rows that are alike in tests, cell and half, as one. */
typedef struct alike {
    uint64_t tests;
    uint32_t cell;
    bool half;
    double rows;
} alike;

typedef struct pattern_search {
    const eqp_groups *groups;
    eqp_shift_search *search;
    const alike *rows; /* in the order of their tests */
    size_t count, tests;
    eqp_progress *progress;
    set_tally cells[CELLS];
} pattern_search;

/* By cell and half, then by tests: the second sort keeps the order of the first. */
static size_t join_alike(const eqp_white_rows *rows, eqp_keyed *items, eqp_keyed *spare, alike *joined)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        items[i] = (eqp_keyed){2 * (uint64_t)rows->cell[i] + rows->half[i], i};
    eqp_keyed *order = eqp_order_by_key(items, spare, rows->count), *other = order == items ? spare : items;
    for (size_t i = 0; i < rows->count; i++) order[i].key = rows->tests[rows->row[order[i].item]];
    order = eqp_order_by_key(order, other, rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        size_t at = order[i].item;
        alike next = {order[i].key, rows->cell[at], rows->half[at], 1};
        alike *last = count > 0 ? &joined[count - 1] : NULL;
        if (last != NULL && last->tests == next.tests && last->cell == next.cell && last->half == next.half)
            last->rows += 1;
        else
            joined[count++] = next;
    }
    return count;
}

/* Which bits a mask asks for, the highest first. */
typedef struct bit_list {
    unsigned shift[FEW_TESTS];
    size_t count;
} bit_list;

static bit_list bits_of_mask(uint64_t mask)
{
    bit_list bits = {.count = 0};
    for (unsigned shift = 64; shift-- > 0;)
        if (mask >> shift & 1) bits.shift[bits.count++] = shift;
    return bits;
}

/* Those bits of `tests`, side by side. */
static size_t gather(uint64_t tests, const bit_list *bits)
{
    size_t gathered = 0;
    for (size_t b = 0; b < bits->count; b++) gathered = 2 * gathered + (tests >> bits->shift[b] & 1);
    return gathered;
}

/* Every pattern of the few tests in `mask`. */
static eqp_status look_at_mask(pattern_search *patterns, uint64_t mask, eqp_error *error)
{
    bit_list bits = bits_of_mask(mask);
    size_t cells = (size_t)1 << bits.count, groups = patterns->groups->group_count;
    for (size_t c = 0; c < cells; c++) set_tally_clear(&patterns->cells[c], groups);
    for (size_t i = 0; i < patterns->count; i++) {
        const alike *row = &patterns->rows[i];
        set_tally_add(&patterns->cells[gather(row->tests, &bits)], patterns->groups, row->cell, row->half,
                      row->rows);
    }
    for (size_t c = 0; c < cells; c++)
        eqp_shift_look(patterns->search, (eqp_set){.kind = EQP_SET_TESTS, .tests = mask},
                       &patterns->cells[c].all, &patterns->cells[c].half);
    return eqp_progress_add(patterns->progress, 0, error);
}

/* Every pattern of the first so many tests: rows are in their order, so each pattern is a run. */
static eqp_status look_at_beginning(pattern_search *patterns, size_t tests, eqp_error *error)
{
    uint64_t mask = ~UINT64_C(0) << (64 - tests);
    set_tally *tally = &patterns->cells[0];
    set_tally_clear(tally, patterns->groups->group_count);
    for (size_t i = 0; i < patterns->count; i++) {
        const alike *row = &patterns->rows[i];
        set_tally_add(tally, patterns->groups, row->cell, row->half, row->rows);
        bool last = i + 1 == patterns->count || ((row[1].tests ^ row->tests) & mask) != 0;
        if (!last) continue;
        eqp_shift_look(patterns->search, (eqp_set){.kind = EQP_SET_TESTS, .tests = mask}, &tally->all,
                       &tally->half);
        set_tally_clear(tally, patterns->groups->group_count);
    }
    return eqp_progress_add(patterns->progress, 0, error);
}

/* Single tests are tails of their scores. */
static eqp_status look_at_patterns(pattern_search *patterns, eqp_error *error)
{
    size_t tests = patterns->tests;
    eqp_status status = EQP_OK;
    if (tests <= FEW_TESTS) {
        for (uint64_t choice = 1; choice < UINT64_C(1) << tests && status == EQP_OK; choice++)
            if (__builtin_popcountll(choice) > 1)
                status = look_at_mask(patterns, choice << (64 - tests), error);
        return status;
    }
    for (size_t a = 0; a < tests; a++)
        for (size_t b = a + 1; b < tests && status == EQP_OK; b++)
            status = look_at_mask(patterns, UINT64_C(1) << (63 - a) | UINT64_C(1) << (63 - b), error);
    for (size_t first = 3; first <= tests && status == EQP_OK; first++)
        status = look_at_beginning(patterns, first, error);
    return status;
}

eqp_status eqp_white_patterns(const eqp_white_rows *rows, size_t tests, eqp_shift_search *search,
                              eqp_error *error)
{
    if (tests < 2) return EQP_OK;
    eqp_arena arena = {0};
    pattern_search patterns = {
        .groups = rows->groups, .search = search, .tests = tests, .progress = rows->progress};
    eqp_keyed *items = eqp_take(&arena, rows->count, sizeof *items);
    eqp_keyed *spare = eqp_take(&arena, rows->count, sizeof *spare);
    alike *joined = eqp_take(&arena, rows->count, sizeof *joined);
    size_t cells = tests <= FEW_TESTS ? (size_t)1 << tests : 4;
    for (size_t c = 0; c < cells; c++) patterns.cells[c] = set_tally_take(&arena, rows->groups->group_count);
    eqp_status status = arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) {
        patterns.rows = joined;
        patterns.count = join_alike(rows, items, spare, joined);
        status = look_at_patterns(&patterns, error);
    }
    eqp_arena_free(&arena);
    return status;
}

/* ---- runs of equal keys -------------------------------------------------------------------------------- */

/* Rows in the order of a key; with `growing`, each run is looked at together with all before it. */
static void look_along(const eqp_white_rows *rows, const eqp_keyed *order, ptrdiff_t step, eqp_set set,
                       bool growing, set_tally *tally, eqp_shift_search *search)
{
    if (rows->count == 0) return;
    const eqp_keyed *at = step > 0 ? order : order + rows->count - 1;
    set_tally_clear(tally, search->groups);
    for (size_t i = 0; i < rows->count; i++, at += step) {
        set_tally_add(tally, rows->groups, rows->cell[at->item], rows->half[at->item], 1);
        bool last = i + 1 == rows->count || at[step].key != at->key;
        if (!last) continue;
        if (!growing) set.index = (size_t)at->key;
        eqp_shift_look(search, set, &tally->all, &tally->half);
        if (!growing) set_tally_clear(tally, search->groups);
    }
}

typedef struct sorting {
    eqp_arena arena;
    eqp_keyed *items, *spare;
    set_tally tally;
} sorting;

static bool sorting_take(sorting *sorted, const eqp_white_rows *rows)
{
    sorted->items = eqp_take(&sorted->arena, rows->count, sizeof *sorted->items);
    sorted->spare = eqp_take(&sorted->arena, rows->count, sizeof *sorted->spare);
    sorted->tally = set_tally_take(&sorted->arena, rows->groups->group_count);
    return !sorted->arena.failed;
}

eqp_status eqp_white_leaves(const eqp_white_rows *rows, eqp_shift_search *search, eqp_error *error)
{
    sorting leaves = {0};
    bool complete = sorting_take(&leaves, rows);
    if (complete) {
        for (size_t i = 0; i < rows->count; i++) leaves.items[i] = (eqp_keyed){rows->leaf[rows->row[i]], i};
        const eqp_keyed *order = eqp_order_by_key(leaves.items, leaves.spare, rows->count);
        look_along(rows, order, 1, (eqp_set){.kind = EQP_SET_LEAF}, false, &leaves.tally, search);
    }
    eqp_arena_free(&leaves.arena);
    return complete ? EQP_OK : eqp_fail_memory(error);
}

eqp_status eqp_white_tails(const eqp_white_rows *rows, size_t score, eqp_shift_search *search,
                           eqp_error *error)
{
    const eqp_rule *rule = rows->model->rule;
    sorting tails = {0};
    double *values = eqp_take(&tails.arena, rows->block->rows, sizeof *values);
    bool complete = sorting_take(&tails, rows);
    if (complete) {
        const double *value = score < rule->score_count ? values : rows->chance;
        if (score < rule->score_count)
            eqp_score_rows(rows->model->encoding, &rule->scores[score], rows->block, 0, rows->block->rows,
                           values);
        for (size_t i = 0; i < rows->count; i++)
            tails.items[i] = (eqp_keyed){eqp_number_key(value[rows->row[i]]), i};
        const eqp_keyed *order = eqp_order_by_key(tails.items, tails.spare, rows->count);
        look_along(rows, order, 1, (eqp_set){EQP_SET_LOW, score, 0}, true, &tails.tally, search);
        look_along(rows, order, -1, (eqp_set){EQP_SET_HIGH, score, 0}, true, &tails.tally, search);
    }
    eqp_arena_free(&tails.arena);
    return complete ? EQP_OK : eqp_fail_memory(error);
}
