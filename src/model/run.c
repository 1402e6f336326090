/* The outcomes of many records (M12, M13): the twin of outcome.c, a batch at a time and level by level.
 *
 *     draw     block 0 of all records; a later block of those that a node asks for, when it asks
 *     pick     the component that decides where each record stands
 *     sum      its score, feature by feature over all records (sums.c)
 *     step     to a child; who reaches a leaf is done
 *
 * So the digests run side by side and the sums in loops without branches. */
#include "base/memory.h"
#include "model/forest.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define AT_ONCE 128

/* Records on their way from the root to a leaf. */
typedef struct walkers {
    const eqp_runner *runner;
    const eqp_block *block;
    size_t first; /* row of record 0 */
    const char *ids;
    const size_t *id_start;
    const uint32_t *id_length;
    size_t count;            /* still on their way */
    int32_t record[AT_ONCE]; /* which they are; all of them in order at first */
    bool all;
    int32_t node[AT_ONCE];    /* where each stands, by place in `record` */
    uint32_t picked[AT_ONCE]; /* component, likewise */
    eqp_draws draws[AT_ONCE]; /* by record */
    unsigned drawn[AT_ONCE];  /* the block that `draws` holds */
} walkers;

/* ---- draws ------------------------------------------------------------------------------------------- */

/* The block in which the draw of this depth stands, for those whose node asks for it. */
static void draw_for(walkers *walk, unsigned block)
{
    const eqp_rule *rule = walk->runner->rule;
    int32_t asking[AT_ONCE];
    size_t start[AT_ONCE], count = 0;
    uint32_t length[AT_ONCE];
    eqp_draws draws[AT_ONCE];
    for (size_t i = 0; i < walk->count; i++) {
        int32_t record = walk->record[i];
        if (walk->drawn[record] == block || rule->nodes[walk->node[i]].component_count == 1) continue;
        asking[count] = record;
        start[count] = walk->id_start[record];
        length[count++] = walk->id_length[record];
    }
    eqp_draw_blocks(&walk->runner->drawer, block, walk->ids, start, length, count, draws);
    for (size_t i = 0; i < count; i++) {
        walk->draws[asking[i]] = draws[i];
        walk->drawn[asking[i]] = block;
    }
}

/* The stretch of draws that holds u says which component decides; the last takes what is left. */
static void pick(walkers *walk, size_t number)
{
    const eqp_node *nodes = walk->runner->rule->nodes;
    for (size_t i = 0; i < walk->count; i++) {
        const eqp_node *node = &nodes[walk->node[i]];
        const eqp_choice *choices = walk->runner->choices + node->first_component;
        uint64_t u = walk->draws[walk->record[i]].draw[number % EQP_DRAWS_PER_BLOCK];
        uint32_t c = 0;
        for (uint32_t other = 0; other + 1 < node->component_count; other++) c += u >= choices[other].end;
        walk->picked[i] = node->first_component + c;
    }
}

/* ---- scores ------------------------------------------------------------------------------------------ */

static void sum_linear(const walkers *walk, double *score)
{
    const eqp_runner *runner = walk->runner;
    const eqp_encoding *encoding = runner->encoding;
    int32_t begin[AT_ONCE];
    for (size_t i = 0; i < walk->count; i++) {
        begin[i] = runner->choices[walk->picked[i]].begin;
        score[i] = runner->terms[begin[i]];
    }
    eqp_summands rows = {runner->terms, begin, walk->all ? NULL : walk->record, walk->count};
    for (size_t f = 0; f < encoding->feature_count; f++) {
        int32_t slot = (int32_t)encoding->features[f].slot;
        if (walk->block->codes[f] != NULL)
            runner->sums.levels(&rows, slot, walk->block->codes[f] + walk->first, score);
        else
            runner->sums.numbers(&rows, slot, walk->block->numbers[f] + walk->first, score);
    }
}

static bool is_constant(const eqp_component *component)
{
    return component->score == EQP_SCORE_ALWAYS || component->score == EQP_SCORE_NEVER;
}

static double score_of(const walkers *walk, const eqp_component *component, size_t row)
{
    const eqp_runner *runner = walk->runner;
    if (is_constant(component)) return 0;
    return eqp_score_row(runner->encoding, &runner->rule->scores[component->score], walk->block, row);
}

/* Those that are scored side by side.  A group that is not full is filled with its first. */
typedef struct forest_group {
    const eqp_forest *forest[EQP_FOREST_ROWS];
    size_t row[EQP_FOREST_ROWS], walker[EQP_FOREST_ROWS];
    size_t count;
} forest_group;

static void sum_group(const walkers *walk, forest_group *group, double *score)
{
    double sum[EQP_FOREST_ROWS];
    for (size_t g = group->count; g > 0 && g < EQP_FOREST_ROWS; g++) {
        group->forest[g] = group->forest[0];
        group->row[g] = group->row[0];
    }
    if (group->count > 0) eqp_forest_rows(group->forest, walk->block, group->row, sum);
    for (size_t g = 0; g < group->count; g++) score[group->walker[g]] = sum[g];
    group->count = 0;
}

static void sum_boosted(const walkers *walk, double *score)
{
    forest_group group = {.count = 0};
    for (size_t i = 0; i < walk->count; i++) {
        const eqp_component *component = &walk->runner->rule->components[walk->picked[i]];
        size_t row = walk->first + (size_t)walk->record[i];
        const eqp_forest *forest = is_constant(component) ? NULL : walk->runner->forests[component->score];
        if (forest == NULL) {
            score[i] = score_of(walk, component, row);
            continue;
        }
        if (group.count == EQP_FOREST_ROWS || (group.count > 0 && group.forest[0]->trees != forest->trees))
            sum_group(walk, &group, score);
        group.forest[group.count] = forest;
        group.row[group.count] = row;
        group.walker[group.count++] = i;
    }
    sum_group(walk, &group, score);
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

/* Moves everyone to a child; those that reach a leaf leave the walk. */
static void step(walkers *walk, const double *score, eqp_outcome *outcomes)
{
    size_t left = 0;
    for (size_t i = 0; i < walk->count; i++) {
        const eqp_choice *choice = &walk->runner->choices[walk->picked[i]];
        int32_t record = walk->record[i];
        int32_t at = choice->child[(score[i] < choice->threshold) | choice->always];
        outcomes[record].leaf = (uint32_t)~at; /* or whatever, to be overwritten at a leaf */
        walk->record[left] = record;
        walk->node[left] = at;
        left += at >= 0;
    }
    assert(left <= walk->count);
    walk->all = walk->all && left == walk->count;
    walk->count = left;
}

static void walk_tree(walkers *walk, eqp_outcome *outcomes)
{
    const eqp_rule *rule = walk->runner->rule;
    double score[AT_ONCE];
    for (size_t depth = 0; walk->count > 0; depth++) {
        size_t number = EQP_DRAW_ROUTE(depth, rule->noise);
        if (number >= EQP_DRAWS_PER_BLOCK) draw_for(walk, (unsigned)(number / EQP_DRAWS_PER_BLOCK));
        pick(walk, number);
        if (walk->runner->terms != NULL)
            sum_linear(walk, score);
        else
            sum_boosted(walk, score);
        step(walk, score, outcomes);
    }
}

/* The first of the largest scores. */
static void find_largest(const walkers *walk, size_t count, eqp_outcome *outcomes)
{
    const eqp_runner *runner = walk->runner;
    double score[AT_ONCE], largest[AT_ONCE];
    for (uint32_t leaf = 0; leaf < runner->rule->leaf_count; leaf++) {
        eqp_score_rows(runner->encoding, &runner->rule->scores[leaf], walk->block, walk->first, count, score);
        for (size_t i = 0; i < walk->count; i++) {
            int32_t record = walk->record[i];
            if (leaf > 0 && !(score[record] > largest[record])) continue;
            outcomes[record].leaf = leaf;
            largest[record] = score[record];
        }
    }
}

/* Everyone begins at the root, except those that noise has sent to a leaf already (M10). */
static void begin_walk(walkers *walk, size_t count, eqp_outcome *outcomes)
{
    const eqp_rule *rule = walk->runner->rule;
    uint64_t noise = eqp_draw_threshold(rule->noise);
    for (size_t i = 0; i < count; i++) {
        const eqp_draws *draws = &walk->draws[i];
        bool noisy = draws->draw[EQP_DRAW_NOISE] < noise;
        uint32_t leaf = noisy ? (uint32_t)(draws->draw[EQP_DRAW_NOISE_LEAF] % rule->leaf_count) : 0;
        outcomes[i] = (eqp_outcome){leaf, draws->draw[EQP_DRAW_ACCEPT]};
        walk->record[walk->count] = (int32_t)i;
        walk->count += !noisy;
    }
    walk->all = walk->count == count;
    memset(walk->node, 0, sizeof walk->node);
    memset(walk->drawn, 0, sizeof walk->drawn);
}

static void decide_some(walkers *walk, size_t count, eqp_outcome *outcomes)
{
    const eqp_rule *rule = walk->runner->rule;
    eqp_draw_blocks(&walk->runner->drawer, 0, walk->ids, walk->id_start, walk->id_length, count, walk->draws);
    begin_walk(walk, count, outcomes);
    if (rule->router == EQP_ROUTE_TREE) {
        if (rule->node_count > 0) walk_tree(walk, outcomes);
    } else if (rule->router == EQP_ROUTE_ARGMAX) {
        find_largest(walk, count, outcomes);
    } else {
        for (size_t i = 0; i < walk->count; i++)
            outcomes[walk->record[i]].leaf = walk->block->codes[0][walk->first + (size_t)walk->record[i]];
    }
}

void eqp_runner_outcomes(const eqp_runner *runner, const eqp_block *block, size_t first, size_t count,
                         const char *ids, const size_t *id_start, const uint32_t *id_length,
                         eqp_outcome *outcomes)
{
    walkers walk; /* whose arrays are filled as they are needed */
    walk.runner = runner;
    walk.block = block;
    walk.ids = ids;
    for (size_t done = 0; done < count; done += AT_ONCE) {
        size_t some = count - done < AT_ONCE ? count - done : AT_ONCE;
        walk.first = first + done;
        walk.id_start = id_start + done;
        walk.id_length = id_length + done;
        walk.count = 0;
        decide_some(&walk, some, outcomes + done);
    }
}

/* ---- the runner -------------------------------------------------------------------------------------- */

static eqp_choice make_choice(const eqp_runner *runner, const eqp_node *node, const eqp_component *component)
{
    bool constant = is_constant(component);
    return (eqp_choice){.threshold = constant ? -INFINITY : component->threshold,
                        .begin = constant ? 0 : (int32_t)(component->score * runner->encoding->width),
                        .child = {node->child[0], node->child[1]},
                        .always = component->score == EQP_SCORE_ALWAYS};
}

static void prepare_choices(const eqp_runner *runner)
{
    const eqp_rule *rule = runner->rule;
    for (size_t n = 0; n < rule->node_count; n++) {
        const eqp_node *node = &rule->nodes[n];
        double sum = 0;
        for (uint32_t c = node->first_component; c < node->first_component + node->component_count; c++) {
            sum += rule->components[c].weight;
            runner->choices[c] = make_choice(runner, node, &rule->components[c]);
            runner->choices[c].end = eqp_draw_threshold(sum);
            assert(c == node->first_component || runner->choices[c - 1].end <= runner->choices[c].end);
        }
    }
}

/* The terms of all scores one behind the other, for a tree of linear scores.  Places must fit 32 bits; more
 * would be a model of 16 GB. */
static eqp_status join_terms(eqp_runner *runner, eqp_error *error)
{
    const eqp_rule *rule = runner->rule;
    size_t width = runner->encoding->width;
    if (rule->router != EQP_ROUTE_TREE) return EQP_OK;
    for (size_t i = 0; i < rule->score_count; i++)
        if (rule->scores[i].tree_count > 0) return EQP_OK;
    if (rule->score_count > INT32_MAX / width) return eqp_fail_memory(error);
    runner->terms = eqp_take_zero(&runner->arena, rule->score_count + 1, width * sizeof *runner->terms);
    if (runner->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < rule->score_count; i++)
        memcpy(runner->terms + i * width, rule->scores[i].terms, width * sizeof *runner->terms);
    return EQP_OK;
}

/* Boosted scores made ready, where they can be. */
static eqp_status plant_forests(eqp_runner *runner, eqp_error *error)
{
    const eqp_rule *rule = runner->rule;
    if (runner->terms != NULL || rule->router != EQP_ROUTE_TREE) return EQP_OK;
    runner->forests = eqp_take_zero(&runner->arena, rule->score_count, sizeof(eqp_forest *));
    for (size_t i = 0; i < rule->score_count && !runner->arena.failed; i++)
        if (rule->scores[i].tree_count > 0)
            runner->forests[i] = eqp_forest_new(runner->encoding, &rule->scores[i], &runner->arena);
    return runner->arena.failed ? eqp_fail_memory(error) : EQP_OK;
}

eqp_status eqp_runner_new(const eqp_model *model, const eqp_key *key, eqp_runner **runner, eqp_error *error)
{
    *runner = NULL;
    const eqp_rule *rule = model->rule;
    eqp_runner *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    *made = (eqp_runner){.encoding = model->encoding, .rule = rule, .sums = eqp_sums_best()};
    made->choices = eqp_take_zero(&made->arena, rule->component_count, sizeof *made->choices);
    made->accept = eqp_take(&made->arena, rule->leaf_count, sizeof *made->accept);
    eqp_status status = made->arena.failed ? eqp_fail_memory(error) : join_terms(made, error);
    if (status == EQP_OK) status = plant_forests(made, error);
    if (status != EQP_OK) {
        eqp_runner_free(made);
        return status;
    }
    eqp_drawer_init(&made->drawer, key, model->id);
    prepare_choices(made);
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++)
        made->accept[leaf] = eqp_draw_threshold(rule->accept[leaf]);
    *runner = made;
    return EQP_OK;
}

void eqp_runner_free(eqp_runner *runner)
{
    if (runner == NULL) return;
    eqp_arena_free(&runner->arena);
    free(runner);
}
