/* The joint audit: chances and one draw of every model for every labelled row, then masses and counts of each
 * pattern of outcomes. */
#include "audit/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BATCH      256
#define FEW_MODELS 6  /* of so many, every choice is looked at */
#define SHARED     32 /* keys over which shared draws are counted */

/* ---- what is refused ----------------------------------------------------------------------------------- */

static void list_attributes(const eqp_groups *groups, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t a = 0; a < groups->attribute_count && used < size; a++)
        used += (size_t)snprintf(text + used, size - used, "%s\"%.60s\"", a == 0 ? "" : ", ",
                                 groups->attributes[a]);
}

static bool same_attributes(const eqp_groups *one, const eqp_groups *other)
{
    if (one->attribute_count != other->attribute_count) return false;
    for (size_t a = 0; a < one->attribute_count; a++)
        if (strcmp(one->attributes[a], other->attributes[a]) != 0) return false;
    return true;
}

static eqp_status check_pair(const eqp_model *first, const eqp_model *other, eqp_error *error)
{
    if (strcmp(first->id, other->id) == 0) {
        eqp_fail(error, EQP_USAGE, "model %s is given twice", first->id);
        eqp_hint(error, "the same model draws the same outcome for a record: asking again adds nothing");
        return EQP_USAGE;
    }
    if (same_attributes(first->groups, other->groups)) return EQP_OK;
    char one[140], two[140];
    list_attributes(first->groups, one, sizeof one);
    list_attributes(other->groups, two, sizeof two);
    return eqp_fail(error, EQP_USAGE, "model %s is about %s, model %s about %s: not the same attributes",
                    first->id, one, other->id, two);
}

eqp_status eqp_joint_check(const eqp_model *const *models, size_t model_count, eqp_error *error)
{
    if (model_count > EQP_JOINT_MODELS)
        return eqp_fail(error, EQP_USAGE, "%zu models are too many to be audited jointly: at most %d",
                        model_count, EQP_JOINT_MODELS);
    eqp_status status = EQP_OK;
    for (size_t t = 1; t < model_count && status == EQP_OK; t++)
        for (size_t u = 0; u < t && status == EQP_OK; u++) status = check_pair(models[u], models[t], error);
    return status;
}

/* ---- chances and draws --------------------------------------------------------------------------------- */

typedef struct joint_rows {
    const eqp_audited *audited;
    const eqp_sample *sample; /* of them */
    size_t models;
    double *chance;   /* labelled rows × models */
    uint32_t *drawn;  /* of each labelled row: bit t says that model t accepts it */
    uint32_t *shared; /* with permanent draws: labelled rows × SHARED such patterns; else NULL */
} joint_rows;

/* The chances of all rows of the block. */
static bool chances_of(const eqp_model *model, const eqp_block *block, double *chance)
{
    eqp_arena arena = {0};
    size_t leaves = model->rule->leaf_count;
    double *leaf = eqp_take(&arena, leaves, BATCH * sizeof *leaf);
    double *scratch = eqp_take(&arena, eqp_rule_scratch(model->rule, BATCH), sizeof *scratch);
    bool complete = !arena.failed;
    for (size_t first = 0; complete && first < block->rows; first += BATCH) {
        size_t count = block->rows - first < BATCH ? block->rows - first : BATCH;
        eqp_rule_leaves(model->encoding, model->rule, block, first, count, leaf, scratch);
        for (size_t i = 0; i < count; i++)
            chance[first + i] = fmin(1, eqp_rule_chance(model->rule, leaf + i * leaves));
    }
    eqp_arena_free(&arena);
    return complete;
}

static bool is_drawn(const eqp_model *model, const eqp_drawer *drawer, const eqp_block *block, size_t row,
                     const eqp_row_id *id)
{
    eqp_outcome outcome =
        eqp_rule_outcome(model->encoding, model->rule, drawer, block, row, id->text, id->length);
    return outcome.draw < eqp_draw_threshold(model->rule->accept[outcome.leaf]);
}

/* The same draws for every model, with one key after the other. */
static void draw_shared(const eqp_model *model, size_t t, const eqp_block *block, joint_rows *rows)
{
    for (size_t n = 0; n < SHARED; n++) {
        char purpose[32];
        eqp_key key;
        eqp_drawer drawer;
        snprintf(purpose, sizeof purpose, "shared %zu", n);
        eqp_key_derive(&rows->audited->key, purpose, &key);
        eqp_drawer_init(&drawer, &key, EQP_PERMANENT);
        for (size_t i = 0; i < rows->sample->rows; i++)
            rows->shared[i * SHARED + n] |=
                (uint32_t)is_drawn(model, &drawer, block, rows->sample->row[i], &rows->audited->id[i]) << t;
    }
}

static eqp_status apply_model(const eqp_model *model, size_t t, const eqp_table *table, joint_rows *rows,
                              eqp_error *error)
{
    eqp_block *block;
    eqp_status status = eqp_block_from_table(model->encoding, table, &block, error);
    if (status != EQP_OK) return status;
    double *chance = eqp_alloc(block->rows, sizeof *chance);
    if (chance == NULL || !chances_of(model, block, chance)) status = eqp_fail_memory(error);
    eqp_drawer drawer;
    eqp_drawer_init(&drawer, &rows->audited->key, rows->shared != NULL ? EQP_PERMANENT : model->id);
    if (status == EQP_OK && rows->shared != NULL) draw_shared(model, t, block, rows);
    for (size_t i = 0; status == EQP_OK && i < rows->sample->rows; i++) {
        size_t row = rows->sample->row[i];
        rows->chance[i * rows->models + t] = chance[row];
        if (rows->audited->kept[i])
            rows->drawn[i] |= (uint32_t)is_drawn(model, &drawer, block, row, &rows->audited->id[i]) << t;
    }
    free(chance);
    eqp_block_free(block);
    return status;
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

typedef struct pattern_table {
    size_t patterns, groups;
    double *rows; /* patterns */
    double *hits; /* patterns × groups */
} pattern_table;

static pattern_table pattern_table_take(eqp_arena *arena, size_t models, size_t groups)
{
    size_t patterns = (size_t)1 << models;
    return (pattern_table){patterns, groups, eqp_take_zero(arena, patterns, sizeof(double)),
                           eqp_take_zero(arena, patterns, groups * sizeof(double))};
}

static void add_to_pattern(pattern_table *table, const eqp_groups *groups, size_t pattern, uint32_t cell,
                           double mass)
{
    eqp_members of = eqp_members_of(groups, cell);
    table->rows[pattern] += mass;
    for (size_t m = 0; m < of.count; m++) table->hits[pattern * table->groups + of.group[m]] += mass;
}

/* All patterns that the row can show: doubled by every model that does not decide for certain. */
static void add_expected(pattern_table *table, const joint_rows *rows, size_t i, size_t *pattern,
                         double *mass)
{
    const eqp_sample *sample = rows->sample;
    size_t count = 1;
    pattern[0] = 0;
    mass[0] = sample->weight[i] * (double)sample->rows;
    for (size_t t = 0; t < rows->models; t++) {
        double chance = rows->chance[i * rows->models + t];
        for (size_t p = 0, before = count; p < before; p++) {
            if (chance > 0 && chance < 1) {
                pattern[count] = pattern[p];
                mass[count++] = mass[p] * (1 - chance);
            }
            if (chance > 0) pattern[p] |= (size_t)1 << t;
            if (chance > 0) mass[p] *= chance;
        }
    }
    for (size_t p = 0; p < count; p++)
        add_to_pattern(table, sample->groups, pattern[p], sample->cell[i], mass[p]);
}

static void add_shared(pattern_table *table, const joint_rows *rows, size_t i)
{
    const eqp_sample *sample = rows->sample;
    double mass = sample->weight[i] * (double)sample->rows / SHARED;
    for (size_t n = 0; n < SHARED; n++)
        add_to_pattern(table, sample->groups, rows->shared[i * SHARED + n], sample->cell[i], mass);
}

static eqp_shift_tally whole_tally(const pattern_table *table, eqp_arena *arena)
{
    eqp_shift_tally whole = eqp_shift_tally_take(arena, table->groups);
    for (size_t p = 0; p < table->patterns && !arena->failed; p++) {
        whole.rows += table->rows[p];
        for (size_t k = 0; k < table->groups; k++) whole.hits[k] += table->hits[p * table->groups + k];
    }
    return whole;
}

/* Every pattern of the outcomes of some of the models, whatever the others do. */
static void look_at_some(const pattern_table *table, size_t models, pattern_table *sums,
                         eqp_shift_search *search)
{
    memset(sums->rows, 0, sums->patterns * sizeof *sums->rows);
    memset(sums->hits, 0, sums->patterns * sums->groups * sizeof *sums->hits);
    for (size_t p = 0; p < table->patterns; p++) {
        size_t at = p & models;
        sums->rows[at] += table->rows[p];
        for (size_t k = 0; k < table->groups; k++)
            sums->hits[at * table->groups + k] += table->hits[p * table->groups + k];
    }
    for (size_t p = 0; p < table->patterns; p++) {
        eqp_shift_tally tally = {sums->rows[p], sums->hits + p * table->groups};
        eqp_shift_look(search, (eqp_set){EQP_SET_PATTERN, p, models}, &tally, NULL);
    }
}

/* All choices of few models; of many, all of them together, pairs, and each by itself. */
static void look_at_table(const pattern_table *table, pattern_table *sums, eqp_shift_search *search)
{
    bool few = table->patterns <= (size_t)1 << FEW_MODELS;
    for (size_t models = table->patterns - 1; models > 0; models--)
        if (few || models + 1 == table->patterns || __builtin_popcountll(models) <= 2)
            look_at_some(table, models, sums, search);
}

/* ---- figures ------------------------------------------------------------------------------------------- */

static void measure_table(const pattern_table *table, pattern_table *sums, const eqp_shift_search *fresh,
                          eqp_joint *joint)
{
    eqp_shift_search search = *fresh;
    look_at_table(table, sums, &search);
    joint->found = search.found;
    for (size_t t = 0; t < joint->model_count; t++) {
        eqp_shift_search single = *fresh;
        look_at_some(table, (size_t)1 << t, sums, &single);
        joint->single[t] = single.found;
    }
    for (size_t p = 0; p < table->patterns; p++) joint->patterns += table->rows[p] >= EQP_SET_ROWS;
}

/* In expectation over the draws. */
static bool measure_expected(const joint_rows *rows, eqp_joint *joint)
{
    eqp_arena arena = {0};
    size_t groups = rows->sample->groups->group_count;
    pattern_table table = pattern_table_take(&arena, rows->models, groups);
    pattern_table sums = pattern_table_take(&arena, rows->models, groups);
    size_t *pattern = eqp_take(&arena, table.patterns, sizeof *pattern);
    double *mass = eqp_take(&arena, table.patterns, sizeof *mass);
    bool complete = !arena.failed;
    if (complete) {
        for (size_t i = 0; i < rows->sample->rows; i++)
            if (rows->shared == NULL)
                add_expected(&table, rows, i, pattern, mass);
            else
                add_shared(&table, rows, i);
        eqp_shift_tally whole = whole_tally(&table, &joint->arena);
        joint->group_rows = whole.hits;
        eqp_shift_search search;
        eqp_shift_begin(&search, groups, whole, (eqp_shift_tally){0}, NAN, &arena);
        complete = !joint->arena.failed && !arena.failed;
        if (complete) measure_table(&table, &sums, &search, joint);
    }
    eqp_arena_free(&arena);
    return complete;
}

/* From one draw a row. */
static bool bound_drawn(const joint_rows *rows, double error, eqp_joint *joint)
{
    eqp_arena arena = {0};
    const eqp_sample *sample = rows->sample;
    pattern_table table = pattern_table_take(&arena, rows->models, sample->groups->group_count);
    pattern_table sums = pattern_table_take(&arena, rows->models, sample->groups->group_count);
    bool complete = !arena.failed;
    if (complete) {
        for (size_t i = 0; i < sample->rows; i++)
            if (rows->audited->kept[i])
                add_to_pattern(&table, sample->groups, rows->drawn[i], sample->cell[i], 1);
        eqp_shift_tally whole = whole_tally(&table, &arena);
        eqp_shift_search search;
        eqp_shift_begin(&search, table.groups, whole, (eqp_shift_tally){0}, error, &arena);
        complete = !arena.failed;
        if (complete) look_at_table(&table, &sums, &search);
        joint->upper = isnan(search.upper) ? NAN : fmin(1, search.upper);
    }
    eqp_arena_free(&arena);
    return complete;
}

static eqp_status fill_joint(const eqp_table *table, const eqp_audited *audited, double error,
                             eqp_joint *joint, eqp_error *error_record)
{
    const eqp_sample *sample = audited->sample;
    eqp_arena arena = {0};
    joint_rows rows = {
        .audited = audited,
        .sample = sample,
        .models = joint->model_count,
        .chance = eqp_take(&arena, sample->rows, joint->model_count * sizeof(double)),
        .drawn = eqp_take_zero(&arena, sample->rows, sizeof(uint32_t)),
    };
    if (audited->permanent) rows.shared = eqp_take_zero(&arena, sample->rows, SHARED * sizeof(uint32_t));
    eqp_status status = arena.failed || joint->arena.failed ? eqp_fail_memory(error_record) : EQP_OK;
    for (size_t t = 0; t < rows.models && status == EQP_OK; t++)
        status = apply_model(joint->models[t], t, table, &rows, error_record);
    if (status == EQP_OK && !(measure_expected(&rows, joint) && bound_drawn(&rows, error, joint)))
        status = eqp_fail_memory(error_record);
    eqp_arena_free(&arena);
    return status;
}

eqp_status eqp_joint_new(const eqp_model *const *models, size_t model_count, const eqp_table *table,
                         const eqp_audited *audited, double budget, double error, eqp_joint **joint,
                         eqp_error *error_record)
{
    *joint = NULL;
    eqp_status status = eqp_joint_check(models, model_count, error_record);
    if (status != EQP_OK) return status;
    eqp_joint *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error_record);
    made->model_count = model_count;
    made->budget = budget;
    made->models = eqp_take(&made->arena, model_count, sizeof *made->models);
    made->single = eqp_take(&made->arena, model_count, sizeof *made->single);
    for (size_t t = 0; t < model_count && !made->arena.failed; t++) {
        made->models[t] = models[t];
        if (isnan(budget)) made->budget = fmin(made->budget, models[t]->provenance.max_disclosure);
    }
    status = fill_joint(table, audited, error, made, error_record);
    if (status == EQP_OK) *joint = made;
    if (status != EQP_OK) eqp_joint_free(made);
    return status;
}

void eqp_joint_free(eqp_joint *joint)
{
    if (joint == NULL) return;
    eqp_arena_free(&joint->arena);
    free(joint);
}
