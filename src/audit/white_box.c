/* The conductor of the white box: rows, what the file says of each, sets of rows, the largest shift. */
#include "audit/white_box.h"

#include "audit/white_sets.h"
#include "base/threads.h"

#include <math.h>

#define BATCH        256
#define HIGHEST_TEST (UINT64_C(1) << 63)

/* ---- which rows ---------------------------------------------------------------------------------------- */

/* The halves hang on nothing but the ids of the rows. */
static void keep_rows(const eqp_audited *audited, eqp_white_rows *rows)
{
    const eqp_sample *sample = audited->sample;
    bool only_labelled = rows->block->rows == sample->rows; /* a block of the labelled rows, or of all */
    eqp_drawer drawer;
    eqp_drawer_init(&drawer, &audited->key, "halves");
    for (size_t i = 0; i < sample->rows; i++) {
        eqp_draws draws;
        if (!audited->kept[i]) continue;
        eqp_draw_block(&drawer, audited->id[i].text, audited->id[i].length, 0, &draws);
        rows->row[rows->count] = only_labelled ? i : sample->row[i];
        rows->cell[rows->count] = sample->cell[i];
        rows->half[rows->count++] = draws.draw[0] < eqp_draw_threshold(0.5);
    }
}

static bool take_rows(eqp_arena *arena, const eqp_model *model, const eqp_block *block,
                      const eqp_audited *audited, eqp_white_rows *rows)
{
    const eqp_sample *sample = audited->sample;
    *rows = (eqp_white_rows){.groups = sample->groups, .model = model, .block = block};
    rows->row = eqp_take(arena, sample->rows, sizeof *rows->row);
    rows->cell = eqp_take(arena, sample->rows, sizeof *rows->cell);
    rows->half = eqp_take(arena, sample->rows, sizeof *rows->half);
    rows->tests = eqp_take_zero(arena, block->rows, sizeof *rows->tests);
    rows->leaf = eqp_take(arena, block->rows, sizeof *rows->leaf);
    rows->chance = eqp_take(arena, block->rows, sizeof *rows->chance);
    if (arena->failed) return false;
    keep_rows(audited, rows);
    return true;
}

/* ---- what the file says of each row -------------------------------------------------------------------- */

typedef struct file_reader {
    const eqp_white_box *box;
    eqp_white_rows *rows;
} file_reader;

static void read_tests(const file_reader *reader, size_t first, size_t count, double *score)
{
    const eqp_model *model = reader->rows->model;
    for (size_t t = 0; t < reader->box->test_count; t++) {
        const eqp_component *component = &model->rule->components[reader->box->tests[t]];
        eqp_score_rows(model->encoding, &model->rule->scores[component->score], reader->rows->block, first,
                       count, score);
        for (size_t i = 0; i < count; i++)
            if (score[i] < component->threshold) reader->rows->tests[first + i] |= HIGHEST_TEST >> t;
    }
}

static void read_leaves(const file_reader *reader, size_t first, size_t count, double *leaves,
                        double *scratch)
{
    const eqp_model *model = reader->rows->model;
    size_t leaf_count = model->rule->leaf_count;
    eqp_rule_leaves(model->encoding, model->rule, reader->rows->block, first, count, leaves, scratch);
    for (size_t i = 0; i < count; i++) {
        const double *leaf = leaves + i * leaf_count;
        size_t likeliest = 0;
        for (size_t j = 1; j < leaf_count; j++)
            if (leaf[j] > leaf[likeliest]) likeliest = j;
        reader->rows->leaf[first + i] = (uint32_t)likeliest;
        reader->rows->chance[first + i] = eqp_rule_chance(model->rule, leaf);
    }
}

static eqp_status read_batch(void *context, size_t batch, eqp_error *error)
{
    const file_reader *reader = context;
    const eqp_rule *rule = reader->rows->model->rule;
    size_t first = batch * BATCH, left = reader->rows->block->rows - first,
           count = left < BATCH ? left : BATCH;
    eqp_arena arena = {0};
    double *leaves = eqp_take(&arena, rule->leaf_count, BATCH * sizeof(double));
    double *scratch = eqp_take(&arena, eqp_rule_scratch(rule, BATCH), sizeof(double));
    double score[BATCH];
    bool complete = !arena.failed;
    if (complete) {
        read_tests(reader, first, count, score);
        read_leaves(reader, first, count, leaves, scratch);
    }
    eqp_arena_free(&arena);
    return complete ? eqp_progress_add(reader->rows->progress, 0, error) : eqp_fail_memory(error);
}

/* Constant components say nothing; other routers have none. */
static void choose_tests(const eqp_rule *rule, eqp_white_box *box)
{
    if (rule->router != EQP_ROUTE_TREE) return;
    for (uint32_t c = 0; c < rule->component_count && box->test_count < EQP_JOINT_TESTS; c++)
        if (rule->components[c].score < rule->score_count) box->tests[box->test_count++] = c;
}

/* ---- the search ---------------------------------------------------------------------------------------- */

static eqp_shift_tally tally_rows(const eqp_white_rows *rows, bool half_only, eqp_arena *arena)
{
    eqp_shift_tally tally = eqp_shift_tally_take(arena, rows->groups->group_count);
    for (size_t i = 0; i < rows->count && !arena->failed; i++)
        if (!half_only || rows->half[i]) eqp_shift_tally_add(&tally, rows->groups, rows->cell[i], 1);
    return tally;
}

typedef struct tails_task {
    const eqp_white_rows *rows;
    eqp_shift_search *searches; /* one per score */
} tails_task;

static eqp_status search_tails(void *context, size_t score, eqp_error *error)
{
    tails_task *task = context;
    eqp_status status = eqp_progress_add(task->rows->progress, 0, error);
    return status == EQP_OK ? eqp_white_tails(task->rows, score, &task->searches[score], error) : status;
}

static eqp_status search_sets(const eqp_white_rows *rows, size_t threads, eqp_shift_search *search,
                              eqp_white_box *box, eqp_error *error)
{
    eqp_shift_search *searches = eqp_alloc(box->score_count, sizeof *searches);
    if (searches == NULL) return eqp_fail_memory(error);
    for (size_t s = 0; s < box->score_count; s++) searches[s] = *search;
    tails_task task = {rows, searches};
    eqp_status status = eqp_white_patterns(rows, box->test_count, search, error);
    if (status == EQP_OK) status = eqp_white_leaves(rows, search, error);
    if (status == EQP_OK) status = eqp_parallel(box->score_count, threads, search_tails, &task, error);
    for (size_t s = 0; s < box->score_count && status == EQP_OK; s++) {
        box->scores[s] = searches[s].found;
        eqp_shift_join(search, &searches[s]);
    }
    free(searches);
    return status;
}

static eqp_status fill_box(eqp_white_rows *rows, double error, size_t threads, eqp_white_box *box,
                           eqp_error *error_record)
{
    file_reader reader = {box, rows};
    choose_tests(rows->model->rule, box);
    eqp_status status =
        eqp_parallel((rows->block->rows + BATCH - 1) / BATCH, threads, read_batch, &reader, error_record);
    if (status != EQP_OK) return status;
    eqp_shift_tally all = tally_rows(rows, false, &box->arena), half = tally_rows(rows, true, &box->arena);
    eqp_shift_search search;
    eqp_shift_begin(&search, rows->groups->group_count, all, half, error, &box->arena);
    if (box->arena.failed) return eqp_fail_memory(error_record);
    status = search_sets(rows, threads, &search, box, error_record);
    box->found = search.found;
    box->lower = eqp_shift_lower(&search);
    box->upper = fmin(1, search.upper);
    if (isnan(search.upper)) box->upper = NAN;
    box->rows = all.rows;
    box->group_rows = all.hits;
    return status;
}

eqp_status eqp_white_box_new(const eqp_model *model, const eqp_block *block, const eqp_audited *audited,
                             double error, size_t threads, const eqp_watch *watch, eqp_white_box **white_box,
                             eqp_error *error_record)
{
    *white_box = NULL;
    eqp_white_box *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error_record);
    made->score_count = model->rule->score_count + 1;
    made->scores = eqp_take(&made->arena, made->score_count, sizeof *made->scores);
    eqp_arena arena = {0};
    eqp_white_rows rows;
    eqp_progress progress;
    eqp_progress_open(&progress, watch, "measuring", 1, 1);
    bool complete = take_rows(&arena, model, block, audited, &rows) && !made->arena.failed;
    rows.progress = &progress;
    eqp_status status =
        complete ? fill_box(&rows, error, threads, made, error_record) : eqp_fail_memory(error_record);
    eqp_progress_close(&progress);
    eqp_arena_free(&arena);
    if (status == EQP_OK) *white_box = made;
    if (status != EQP_OK) eqp_white_box_free(made);
    return status;
}

void eqp_white_box_free(eqp_white_box *white_box)
{
    if (white_box == NULL) return;
    eqp_arena_free(&white_box->arena);
    free(white_box);
}
