/* Comparison: the downstream effect. */
#include "study/downstream.h"

#include "base/memory.h"
#include "base/random.h"
#include "baseline/logit.h"
#include "baseline/smote.h"

#include <math.h>
#include <string.h>

enum { DRAW_STREAM = 12, ORDER_STREAM = 13 };
enum { FEWEST_ROWS = 30, LOGIT_ITERATIONS = 60 };
static const double LOGIT_RIDGE = 1, LINEAR_RIDGE = 1e-2;

typedef struct labels {
    size_t rows;
    uint32_t *class_of; /* EQP_NO_CODE where missing; or */
    double *value;      /* NaN where missing */
} labels;

struct eqp_downstream {
    const eqp_parts *parts;
    const eqp_view *view;
    size_t classes;  /* 0: the label is a number */
    eqp_arena arena; /* of the labels, draws and order */
    labels test, post;
    eqp_block *post_block;
    eqp_design *post_design;
    double *draw;  /* of each test row: accepted when below its chance */
    size_t *order; /* the test rows in random order */
};

/* ---- labels ------------------------------------------------------------------------------------------ */

static bool is_binary(const eqp_column *column, size_t rows)
{
    for (size_t i = 0; column->kind == EQP_NUMBER && i < rows; i++)
        if (!isnan(column->numbers[i]) && column->numbers[i] != 0 && column->numbers[i] != 1) return false;
    return true;
}

static eqp_status read_labels(const eqp_table *table, const char *name, bool classified, eqp_arena *arena,
                              labels *out, eqp_error *error)
{
    const eqp_column *column;
    eqp_status status = eqp_table_require(table, name, &column, error);
    if (status != EQP_OK) return status;
    out->rows = table->rows;
    if (classified)
        out->class_of = eqp_take(arena, table->rows, sizeof *out->class_of);
    else
        out->value = eqp_take(arena, table->rows, sizeof *out->value);
    if (arena->failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < table->rows; i++) {
        if (!classified)
            out->value[i] = column->numbers[i];
        else if (column->kind == EQP_TEXT)
            out->class_of[i] = column->codes[i];
        else
            out->class_of[i] = isnan(column->numbers[i]) ? EQP_NO_CODE : (uint32_t)column->numbers[i];
    }
    return EQP_OK;
}

static eqp_status read_both(eqp_downstream *d, const char *label, eqp_error *error)
{
    const eqp_column *test, *post;
    const eqp_parts *parts = d->parts;
    eqp_status status = eqp_table_require(parts->test, label, &test, error);
    if (status == EQP_OK) status = eqp_table_require(parts->post, label, &post, error);
    if (status != EQP_OK) return status;
    bool classified = is_binary(test, parts->test->rows) && is_binary(post, parts->post->rows);
    if (classified) d->classes = test->kind == EQP_TEXT ? eqp_dictionary_size(test->levels) : 2;
    status = read_labels(parts->test, label, classified, &d->arena, &d->test, error);
    if (status == EQP_OK) status = read_labels(parts->post, label, classified, &d->arena, &d->post, error);
    return status;
}

static bool is_known(const labels *l, size_t row)
{
    return l->class_of != NULL ? l->class_of[row] != EQP_NO_CODE : !isnan(l->value[row]);
}

/* ---- setting up -------------------------------------------------------------------------------------- */

static eqp_status draw_rows(eqp_downstream *d, uint64_t seed, eqp_error *error)
{
    size_t rows = d->parts->test->rows;
    eqp_random random = eqp_random_from(seed, DRAW_STREAM);
    d->draw = eqp_take(&d->arena, rows, sizeof *d->draw);
    d->order = eqp_take(&d->arena, rows, sizeof *d->order);
    if (d->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < rows; i++) d->draw[i] = eqp_random_unit(&random);
    random = eqp_random_from(seed, ORDER_STREAM);
    eqp_random_permutation(&random, d->order, rows);
    return EQP_OK;
}

eqp_status eqp_downstream_new(eqp_parts *parts, const eqp_learn_options *options, const char *label,
                              uint64_t seed, eqp_downstream **downstream, eqp_error *error)
{
    eqp_view *view;
    *downstream = NULL;
    eqp_downstream *d = eqp_alloc_zero(1, sizeof *d);
    if (d == NULL) return eqp_fail_memory(error);
    d->parts = parts;
    eqp_status status = eqp_parts_view(parts, (eqp_training_needs){.design = true}, options, &view, error);
    if (status == EQP_OK) {
        d->view = view;
        status = read_both(d, label, error);
    }
    if (status == EQP_OK) status = draw_rows(d, seed, error);
    if (status == EQP_OK)
        status = eqp_block_from_table(view->training->encoding, parts->post, &d->post_block, error);
    if (status == EQP_OK)
        status = eqp_design_new(view->training->encoding, d->post_block, NULL, d->post_block->rows,
                                &d->post_design, error);
    if (status == EQP_OK) *downstream = d;
    if (status != EQP_OK) eqp_downstream_free(d);
    return status;
}

void eqp_downstream_free(eqp_downstream *d)
{
    if (d == NULL) return;
    eqp_design_free(d->post_design);
    eqp_block_free(d->post_block);
    eqp_arena_free(&d->arena);
    free(d);
}

/* ---- models for the label ---------------------------------------------------------------------------- */

/* What a model is fitted to: rows of the test part, with their weights and labels. */
typedef struct fitting {
    eqp_design *design;
    eqp_arena arena; /* of all arrays */
    size_t count;
    double *weight; /* sums to 1 */
    uint32_t *class_of;
    double *target;       /* weight × value */
    double *coefficients; /* what is fitted */
} fitting;

/* `rows` of a block whose row i stands for row origin[i] of the test part (NULL: is that row). */
static eqp_status collect(const eqp_downstream *d, const eqp_block *block, const size_t *rows,
                          const size_t *origin, fitting *f, eqp_error *error)
{
    double total = 0;
    size_t count = f->count, columns = d->classes > 0 ? d->classes : 1;
    f->weight = eqp_take(&f->arena, count, sizeof *f->weight);
    f->class_of = eqp_take(&f->arena, count, sizeof *f->class_of);
    f->target = eqp_take(&f->arena, count, sizeof *f->target);
    f->coefficients =
        eqp_take(&f->arena, d->view->training->encoding->width, columns * sizeof *f->coefficients);
    if (f->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        size_t from = origin != NULL ? origin[rows[i]] : rows[i];
        total += f->weight[i] = d->parts->test_sample->weight[from];
        f->class_of[i] = d->classes > 0 ? d->test.class_of[from] : 0;
        f->target[i] = d->classes > 0 ? 0 : d->test.value[from];
    }
    for (size_t i = 0; i < count; i++) {
        f->weight[i] /= total;
        f->target[i] *= f->weight[i];
    }
    return eqp_design_new(d->view->training->encoding, block, rows, count, &f->design, error);
}

static eqp_status fit_classes(const eqp_downstream *d, const fitting *f, eqp_error *error)
{
    eqp_logit *logit;
    eqp_status status = eqp_logit_fit(f->design, f->class_of, d->classes, f->weight, LOGIT_RIDGE,
                                      LOGIT_ITERATIONS, NULL, &logit, error);
    if (status != EQP_OK) return status;
    memcpy(f->coefficients, logit->coefficients, logit->width * logit->classes * sizeof *f->coefficients);
    eqp_logit_free(logit);
    return EQP_OK;
}

static eqp_status fit_number(const fitting *f, eqp_error *error)
{
    size_t width = f->design->encoding->width;
    eqp_status status = eqp_design_check_width(f->design, error);
    if (status != EQP_OK) return status;
    double *gram = eqp_alloc(width, width * sizeof *gram), *factor = eqp_alloc(width, width * sizeof *factor);
    status = gram != NULL && factor != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_design_gram(f->design, f->weight, 0, f->design->rows, gram, error);
    if (status == EQP_OK) {
        eqp_design_sum(f->design, f->target, f->coefficients);
        status = eqp_ridge_solve(gram, width, LINEAR_RIDGE, factor, f->coefficients, 1, error);
    }
    free(gram);
    free(factor);
    return status;
}

/* 1 for a label predicted rightly, or the size of the error. */
static double judge_row(const eqp_downstream *d, const double *score, size_t row)
{
    size_t best = 0;
    if (d->classes == 0) return fabs(score[0] - d->post.value[row]);
    for (size_t c = 1; c < d->classes; c++)
        if (score[c] > score[best]) best = c;
    return best == d->post.class_of[row];
}

/* Mean judgement of each group's rows of the last part. */
static eqp_status judge(const eqp_downstream *d, const double *coefficients, double *merit, eqp_error *error)
{
    const eqp_groups *groups = d->parts->groups;
    const eqp_sample *sample = d->parts->post_sample;
    size_t columns = d->classes > 0 ? d->classes : 1;
    double *score = eqp_alloc(columns, sizeof *score),
           *mass = eqp_alloc_zero(groups->group_count, sizeof *mass);
    eqp_status status = score != NULL && mass != NULL ? EQP_OK : eqp_fail_memory(error);
    memset(merit, 0, groups->group_count * sizeof *merit);
    for (size_t i = 0; i < sample->rows && status == EQP_OK; i++) {
        if (!is_known(&d->post, i)) continue;
        eqp_design_scores(d->post_design, coefficients, columns, i, 1, score);
        double judgement = sample->weight[i] * judge_row(d, score, i);
        eqp_members of = eqp_members_of(groups, sample->cell[i]);
        for (size_t m = 0; m < of.count; m++) {
            merit[of.group[m]] += judgement;
            mass[of.group[m]] += sample->weight[i];
        }
    }
    for (size_t k = 0; k < groups->group_count && status == EQP_OK; k++)
        merit[k] /= mass[k]; /* NaN: no row */
    free(score);
    free(mass);
    return status;
}

static eqp_status fit_and_judge(const eqp_downstream *d, const eqp_block *block, const size_t *rows,
                                size_t count, const size_t *origin, double *merit, eqp_error *error)
{
    fitting f = {.count = count};
    eqp_status status = collect(d, block, rows, origin, &f, error);
    if (status == EQP_OK) status = d->classes > 0 ? fit_classes(d, &f, error) : fit_number(&f, error);
    if (status == EQP_OK) status = judge(d, f.coefficients, merit, error);
    eqp_design_free(f.design);
    eqp_arena_free(&f.arena);
    return status;
}

/* ---- the difference ---------------------------------------------------------------------------------- */

static size_t accepted_rows(const eqp_downstream *d, const double *chance, size_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < d->test.rows; i++)
        if (is_known(&d->test, i) && d->draw[i] < chance[i]) rows[count++] = i;
    return count;
}

static void random_rows(const eqp_downstream *d, size_t wanted, size_t *rows)
{
    for (size_t i = 0, count = 0; i < d->test.rows && count < wanted; i++)
        if (is_known(&d->test, d->order[i])) rows[count++] = d->order[i];
}

eqp_status eqp_downstream_difference(const eqp_downstream *d, const double *chance, double *difference,
                                     eqp_error *error)
{
    size_t groups = d->parts->groups->group_count;
    size_t *rows = eqp_alloc(d->test.rows, sizeof *rows);
    double *unfiltered = eqp_alloc(groups, sizeof *unfiltered);
    eqp_status status = rows != NULL && unfiltered != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t k = 0; k < groups; k++) difference[k] = NAN;
    size_t count = status == EQP_OK ? accepted_rows(d, chance, rows) : 0;
    if (count >= FEWEST_ROWS) {
        status = fit_and_judge(d, d->view->test, rows, count, NULL, difference, error);
        random_rows(d, count, rows);
        if (status == EQP_OK) status = fit_and_judge(d, d->view->test, rows, count, NULL, unfiltered, error);
        for (size_t k = 0; k < groups && status == EQP_OK; k++) difference[k] -= unfiltered[k];
    }
    free(rows);
    free(unfiltered);
    return status;
}

/* ---- SMOTE ------------------------------------------------------------------------------------------- */

static size_t labelled_rows(const eqp_downstream *d, const size_t *origin, size_t rows, size_t *labelled)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++)
        if (is_known(&d->test, origin[i])) labelled[count++] = i;
    return count;
}

eqp_status eqp_downstream_grown(const eqp_downstream *d, const uint32_t *class_of, size_t classes,
                                uint64_t seed, double *difference, eqp_error *error)
{
    eqp_grown *grown;
    size_t groups = d->parts->groups->group_count, count = 0;
    eqp_status status =
        eqp_smote_grow(d->view->training->encoding, d->view->test, class_of, classes, seed, &grown, error);
    if (status != EQP_OK) return status;
    size_t *rows = eqp_alloc(grown->rows, sizeof *rows);
    double *unfiltered = eqp_alloc(groups, sizeof *unfiltered);
    status = rows != NULL && unfiltered != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) {
        count = labelled_rows(d, grown->origin, grown->rows, rows);
        status = fit_and_judge(d, grown->block, rows, count, grown->origin, difference, error);
    }
    if (status == EQP_OK) {
        count = labelled_rows(d, grown->origin, d->test.rows, rows); /* the given rows come first */
        status = fit_and_judge(d, d->view->test, rows, count, NULL, unfiltered, error);
    }
    for (size_t k = 0; k < groups && status == EQP_OK; k++) difference[k] -= unfiltered[k];
    free(rows);
    free(unfiltered);
    eqp_grown_free(grown);
    return status;
}
