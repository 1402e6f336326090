/* Comparison: the parts of one seed. */
#include "study/parts.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"

enum { SPLIT_STREAM = 11 };

/* None is empty: two groups of two rows each are the least that is learned from. */
static eqp_status take_parts(const eqp_table *table, const size_t *rows, size_t count, eqp_parts *parts,
                             eqp_error *error)
{
    size_t train = (size_t)(EQP_TRAIN_SHARE * (double)count);
    size_t test = (size_t)((EQP_TRAIN_SHARE + EQP_TEST_SHARE) * (double)count) - train;
    size_t post = count - train - test;
    eqp_status status = eqp_table_take(table, rows, train, &parts->train, error);
    if (status == EQP_OK) status = eqp_table_take(table, rows + train, test, &parts->test, error);
    if (status == EQP_OK) status = eqp_table_take(table, rows + train + test, post, &parts->post, error);
    return status;
}

/* The labelled rows in random order. */
static eqp_status shuffle(const eqp_sample *sample, uint64_t seed, size_t **rows, eqp_error *error)
{
    eqp_random random = eqp_random_from(seed, SPLIT_STREAM);
    *rows = eqp_alloc(sample->rows, sizeof **rows);
    if (*rows == NULL) return eqp_fail_memory(error);
    eqp_random_permutation(&random, *rows, sample->rows);
    for (size_t i = 0; i < sample->rows; i++) (*rows)[i] = sample->row[(*rows)[i]];
    return EQP_OK;
}

eqp_status eqp_parts_new(const eqp_table *table, const eqp_sample *sample, const char *weight, uint64_t seed,
                         eqp_parts **parts, eqp_error *error)
{
    size_t *rows = NULL;
    *parts = NULL;
    eqp_parts *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->groups = sample->groups;
    eqp_status status = shuffle(sample, seed, &rows, error);
    if (status == EQP_OK) status = take_parts(table, rows, sample->rows, made, error);
    if (status == EQP_OK)
        status = eqp_sample_from_table(sample->groups, made->test, weight, &made->test_sample, error);
    if (status == EQP_OK)
        status = eqp_sample_from_table(sample->groups, made->post, weight, &made->post_sample, error);
    free(rows);
    if (status == EQP_OK) *parts = made;
    if (status != EQP_OK) eqp_parts_free(made);
    return status;
}

static void view_close(eqp_view *view)
{
    eqp_block_free(view->test);
    eqp_training_free(view->training);
}

void eqp_parts_free(eqp_parts *parts)
{
    if (parts == NULL) return;
    for (size_t i = 0; i < sizeof parts->predictors / sizeof *parts->predictors; i++)
        eqp_predictor_free(parts->predictors[i]);
    view_close(&parts->plain);
    view_close(&parts->binned);
    eqp_sample_free(parts->test_sample);
    eqp_sample_free(parts->post_sample);
    eqp_table_free(parts->train);
    eqp_table_free(parts->test);
    eqp_table_free(parts->post);
    free(parts);
}

eqp_status eqp_parts_view(eqp_parts *parts, eqp_training_needs needs, const eqp_learn_options *options,
                          eqp_view **view, eqp_error *error)
{
    eqp_view *wanted = *view = needs.bins ? &parts->binned : &parts->plain;
    if (wanted->test != NULL) return EQP_OK;
    needs.design = needs.design || !needs.bins; /* some method without bins will want it */
    eqp_status status =
        eqp_training_new(parts->train, parts->groups, options, needs, parts->watch, &wanted->training, error);
    if (status == EQP_OK)
        status = eqp_block_from_table(wanted->training->encoding, parts->test, &wanted->test, error);
    return status;
}

eqp_status eqp_parts_predictor(eqp_parts *parts, const eqp_method *method, const eqp_learn_options *options,
                               eqp_predictor **predictor, eqp_error *error)
{
    eqp_predictor_kind kind = method->baseline->predictor;
    eqp_view *view;
    eqp_status status = eqp_parts_view(parts, method->needs(options), options, &view, error);
    double begun = eqp_clock_seconds();
    if (status == EQP_OK && parts->predictors[kind] == NULL) {
        status = eqp_predictor_fit(view->training, kind, parts->watch, &parts->predictors[kind], error);
        parts->predictor_seconds[kind] = eqp_clock_seconds() - begun;
    }
    *predictor = parts->predictors[kind];
    return status;
}
