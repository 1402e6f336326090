/* Disclosure, imbalance and yield on labelled rows (M2), in expectation over the draws.
 *
 * The rows are cut into chunks that depend on their number alone; each chunk is summed by itself and the sums
 * are joined in chunk order, so that the result has the same bits for any number of threads. */
#include "model/measure.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>

#define MAX_CHUNKS 64
#define LEAST_ROWS 1024 /* a chunk */
#define BATCH      256  /* rows evaluated at a time */

typedef struct measuring {
    const eqp_encoding *encoding;
    const eqp_rule *rule;
    const eqp_block *block;
    const eqp_sample *sample;
    size_t chunk_rows, chunk_count;
    size_t size;  /* of one chunk's sums: leaves × cells */
    double *sums; /* chunk by chunk */
} measuring;

static void add_batch(const measuring *measure, size_t first, size_t count, const double *probability,
                      double *sums)
{
    const eqp_sample *sample = measure->sample;
    size_t leaves = measure->rule->leaf_count, cells = sample->groups->cell_count;
    for (size_t i = 0; i < count; i++) {
        const double *row = probability + i * leaves;
        double weight = sample->weight[first + i], *at = sums + sample->cell[first + i];
        for (size_t leaf = 0; leaf < leaves; leaf++, at += cells)
            if (row[leaf] > 0) *at += weight * row[leaf];
    }
}

static eqp_status sum_chunk(void *context, size_t chunk, eqp_error *error)
{
    const measuring *measure = context;
    const eqp_rule *rule = measure->rule;
    size_t first = chunk * measure->chunk_rows, rows = measure->sample->rows;
    size_t end = first + measure->chunk_rows < rows ? first + measure->chunk_rows : rows;
    double *probability = eqp_alloc(rule->leaf_count, BATCH * sizeof *probability);
    double *scratch = eqp_alloc(eqp_rule_scratch(rule, BATCH), sizeof *scratch);
    eqp_status status = probability != NULL && scratch != NULL ? EQP_OK : eqp_fail_memory(error);
    for (; first < end && status == EQP_OK; first += BATCH) {
        size_t count = end - first < BATCH ? end - first : BATCH;
        eqp_rule_leaves(measure->encoding, rule, measure->block, first, count, probability, scratch);
        add_batch(measure, first, count, probability, measure->sums + chunk * measure->size);
    }
    free(probability);
    free(scratch);
    return status;
}

static void plan_chunks(measuring *measure)
{
    size_t rows = measure->sample->rows;
    measure->chunk_rows = (rows + MAX_CHUNKS - 1) / MAX_CHUNKS;
    if (measure->chunk_rows < LEAST_ROWS) measure->chunk_rows = LEAST_ROWS;
    measure->chunk_count = (rows + measure->chunk_rows - 1) / measure->chunk_rows;
}

/* Into the first chunk's sums, in chunk order. */
static void join_chunks(measuring *measure)
{
    for (size_t chunk = 1; chunk < measure->chunk_count; chunk++)
        for (size_t i = 0; i < measure->size; i++)
            measure->sums[i] += measure->sums[chunk * measure->size + i];
}

/* ---- figures ----------------------------------------------------------------------------------------- */

static void sum_groups(const eqp_groups *groups, const double *sums, eqp_measured *measured)
{
    for (size_t leaf = 0; leaf < measured->leaves; leaf++) {
        const double *cells = sums + leaf * measured->cells;
        for (size_t cell = 0; cell < measured->cells; cell++) measured->mass[leaf] += cells[cell];
        eqp_groups_sum(groups, cells, measured->joint + leaf * measured->groups);
    }
}

/* From the same sums as the leaves' shares, so that a rule with one leaf discloses exactly 0. */
static void find_base_rates(eqp_measured *measured)
{
    double total = 0;
    for (size_t leaf = 0; leaf < measured->leaves; leaf++) {
        total += measured->mass[leaf];
        for (size_t k = 0; k < measured->groups; k++)
            measured->base_rate[k] += measured->joint[leaf * measured->groups + k];
    }
    for (size_t k = 0; k < measured->groups; k++) measured->base_rate[k] /= total;
}

static double worst_of_leaf(const eqp_measured *measured, size_t leaf)
{
    double worst = 0;
    for (size_t k = 0; k < measured->groups; k++) {
        double share = measured->joint[leaf * measured->groups + k] / measured->mass[leaf];
        worst = fmax(worst, fabs(share - measured->base_rate[k]));
    }
    return worst;
}

static void find_composition(const eqp_rule *rule, eqp_measured *measured)
{
    for (size_t k = 0; k < measured->groups; k++) {
        double accepted = 0;
        for (size_t leaf = 0; leaf < measured->leaves; leaf++)
            accepted += rule->accept[leaf] * measured->joint[leaf * measured->groups + k];
        measured->composition[k] = accepted / measured->yield; /* NaN when nobody is accepted */
    }
}

static void find_figures(const eqp_rule *rule, const eqp_groups *groups, const double *sums,
                         eqp_measured *measured)
{
    double squares = 0;
    sum_groups(groups, sums, measured);
    find_base_rates(measured);
    for (size_t leaf = 0; leaf < measured->leaves; leaf++) {
        measured->yield += rule->accept[leaf] * measured->mass[leaf];
        if (measured->mass[leaf] > 0)
            measured->disclosure = fmax(measured->disclosure, worst_of_leaf(measured, leaf));
    }
    find_composition(rule, measured);
    for (size_t k = 0; k < measured->groups; k++) {
        double distance = measured->composition[k] - groups->groups[k].target;
        squares += distance * distance;
    }
    measured->imbalance = sqrt(squares);
}

static eqp_measured *empty_measured(const eqp_rule *rule, const eqp_groups *groups)
{
    eqp_measured *measured = eqp_alloc_zero(1, sizeof *measured);
    if (measured == NULL) return NULL;
    measured->leaves = rule->leaf_count;
    measured->groups = groups->group_count;
    measured->cells = groups->cell_count;
    measured->mass = eqp_take_zero(&measured->arena, rule->leaf_count, sizeof *measured->mass);
    measured->joint =
        eqp_take_zero(&measured->arena, rule->leaf_count, groups->group_count * sizeof *measured->joint);
    measured->base_rate = eqp_take_zero(&measured->arena, groups->group_count, sizeof *measured->base_rate);
    measured->composition =
        eqp_take_zero(&measured->arena, groups->group_count, sizeof *measured->composition);
    if (!measured->arena.failed) return measured;
    eqp_measured_free(measured);
    return NULL;
}

eqp_status eqp_measure(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_block *block,
                       const eqp_sample *sample, size_t threads, eqp_measured **measured, eqp_error *error)
{
    *measured = NULL;
    measuring measure = {.encoding = encoding, .rule = rule, .block = block, .sample = sample};
    plan_chunks(&measure);
    measure.size = rule->leaf_count * sample->groups->cell_count;
    measure.sums = eqp_alloc_zero(measure.chunk_count, measure.size * sizeof *measure.sums);
    eqp_measured *made = empty_measured(rule, sample->groups);
    eqp_status status = measure.sums != NULL && made != NULL ? EQP_OK : eqp_fail_memory(error);

    if (status == EQP_OK) status = eqp_parallel(measure.chunk_count, threads, sum_chunk, &measure, error);
    if (status == EQP_OK) {
        join_chunks(&measure);
        find_figures(rule, sample->groups, measure.sums, made);
    }
    free(measure.sums);
    if (status == EQP_OK) *measured = made;
    if (status != EQP_OK) eqp_measured_free(made);
    return status;
}

eqp_status eqp_measure_masses(const eqp_rule *rule, const eqp_groups *groups, const double *cell_mass,
                              eqp_measured **measured, eqp_error *error)
{
    *measured = empty_measured(rule, groups);
    if (*measured == NULL) return eqp_fail_memory(error);
    find_figures(rule, groups, cell_mass, *measured);
    return EQP_OK;
}

void eqp_measured_free(eqp_measured *measured)
{
    if (measured == NULL) return;
    eqp_arena_free(&measured->arena);
    free(measured);
}
