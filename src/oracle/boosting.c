/* Boosting: round after round, a tree on what the trees before it left over. */
#include "oracle/boosting.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/wide.h"

#include <math.h>
#include <string.h>

enum { BINS = 256 };

eqp_boost_options eqp_boost_defaults(void)
{
    return (eqp_boost_options){.rounds = 50,
                               .depth = 3,
                               .rate = 0.2,
                               .ridge = 1,
                               .min_weight = 5,
                               .row_share = 1,
                               .column_share = 1};
}

/* ---- rows as codes ------------------------------------------------------------------------------------- */

static eqp_status code_numbers(eqp_boost_rows *rows, const eqp_block *block, const size_t *row, size_t column,
                               eqp_error *error)
{
    eqp_bins *bins = &rows->bins[column];
    eqp_status status =
        eqp_bins_init(bins, block->numbers[rows->feature[column]], row, rows->rows, BINS, error);
    for (size_t i = 0; i < rows->rows && status == EQP_OK; i++)
        rows->code[i * rows->features + column] = bins->code[i];
    free(bins->code);
    bins->code = NULL;
    return status;
}

static eqp_status code_rows(eqp_boost_rows *rows, const eqp_block *block, const size_t *row,
                            eqp_progress *watch, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t c = 0; c < rows->features && status == EQP_OK; c++) {
        const eqp_feature *feature = &rows->encoding->features[rows->feature[c]];
        const uint32_t *codes = block->codes[rows->feature[c]];
        for (size_t i = 0; i < rows->rows && codes != NULL; i++)
            rows->code[i * rows->features + c] = (uint16_t)codes[row ? row[i] : i];
        if (codes == NULL) status = code_numbers(rows, block, row, c, error);
        if (status == EQP_OK) status = eqp_progress_add(watch, 0, error);
        rows->start[c + 1] = rows->start[c] + (codes != NULL ? feature->slots : rows->bins[c].count + 1);
    }
    return status;
}

static void list_features(eqp_boost_rows *rows)
{
    for (uint32_t f = 0; f < rows->encoding->feature_count; f++) {
        if (rows->encoding->features[f].kind == EQP_FEATURE_BINS) continue;
        rows->column[f] = (uint32_t)rows->features;
        rows->feature[rows->features++] = f;
    }
}

eqp_status eqp_boost_rows_new(const eqp_encoding *encoding, const eqp_block *block, const size_t *row,
                              size_t rows, eqp_progress *watch, eqp_boost_rows **made, eqp_error *error)
{
    *made = NULL;
    eqp_boost_rows *own = eqp_alloc_zero(1, sizeof *own);
    if (own == NULL) return eqp_fail_memory(error);
    own->encoding = encoding;
    own->rows = row ? rows : block->rows;
    own->feature = eqp_take(&own->arena, encoding->feature_count, sizeof *own->feature);
    own->column = eqp_take(&own->arena, encoding->feature_count, sizeof *own->column);
    own->start = eqp_take_zero(&own->arena, encoding->feature_count + 1, sizeof *own->start);
    own->bins = eqp_take_zero(&own->arena, encoding->feature_count, sizeof *own->bins);
    if (!own->arena.failed) {
        list_features(own);
        own->code = eqp_take(&own->arena, own->rows, own->features * sizeof *own->code);
    }
    eqp_status status = own->arena.failed ? eqp_fail_memory(error) : code_rows(own, block, row, watch, error);
    if (status == EQP_OK) *made = own;
    if (status != EQP_OK) eqp_boost_rows_free(own);
    return status;
}

void eqp_boost_rows_free(eqp_boost_rows *rows)
{
    if (rows == NULL) return;
    for (size_t c = 0; c < rows->features && rows->bins != NULL; c++) eqp_bins_clear(&rows->bins[c]);
    eqp_arena_free(&rows->arena);
    free(rows);
}

/* ---- the rows of a round ------------------------------------------------------------------------------- */

/* Lists rows with weight, or those of them that are drawn, and the others. */
static void draw_rows(eqp_grower *g, const double *weight, eqp_random *random)
{
    double share = g->options->row_share;
    g->listed = g->others = 0;
    for (size_t i = 0; i < g->rows->rows; i++) {
        bool drawn = (weight == NULL || weight[i] > 0) && (share >= 1 || eqp_random_unit(random) < share);
        g->list[g->listed] = g->other[g->others] = (uint32_t)i; /* one is overwritten by the next row */
        g->listed += drawn;
        g->others += !drawn;
    }
}

/* Weights are counted in rows of average weight. */
static double unit_of(const double *weight, size_t rows)
{
    double sum = 0;
    size_t count = 0;
    if (weight == NULL) return 1;
    for (size_t i = 0; i < rows; i++) sum += weight[i], count += weight[i] > 0;
    return sum > 0 ? (double)count / sum : 0;
}

/* ---- least squares ------------------------------------------------------------------------------------- */

/* Of one target per row, or of the indicators of all cells. */
typedef struct regression {
    const eqp_boost_rows *rows;
    const double *target; /* NULL: indicators of */
    const uint32_t *cell;
    size_t targets;
    const double *weight; /* NULL: 1 */
    eqp_progress *watch;
    eqp_grower grower;
    eqp_arena arena; /* of the arrays below */
    double *mean;    /* [target] */
    double *fitted;  /* [row][target] */
    double *slopes;
} regression;

static double target_of(const regression *r, size_t row, size_t t)
{
    return r->target != NULL ? r->target[row] : r->cell[row] == t;
}

static void find_means(regression *r)
{
    double weight = 0;
    memset(r->mean, 0, r->targets * sizeof *r->mean);
    for (size_t i = 0; i < r->rows->rows; i++) {
        double own = r->weight ? r->weight[i] : 1;
        for (size_t t = 0; t < r->targets; t++) r->mean[t] += own * target_of(r, i, t);
        weight += own;
    }
    for (size_t t = 0; t < r->targets; t++) r->mean[t] = weight > 0 ? r->mean[t] / weight : 0;
}

/* Indicators count in units of their variance: what tells a rare cell apart is worth as much as what tells a
 * large one. */
static void find_importances(regression *r)
{
    const double RAREST = 1e-3;
    for (size_t t = 0; t < r->targets && r->cell != NULL; t++)
        r->grower.importance[1 + t] = 1 / fmax(RAREST, r->mean[t] * (1 - r->mean[t]));
}

/* The curvature first, then the slope of each target. */
EQP_WIDE static void find_slopes(const regression *r, double unit)
{
    size_t stride = r->grower.stride;
    for (size_t n = 0; n < r->grower.listed; n++) {
        uint32_t i = r->grower.list[n];
        double own = unit * (r->weight ? r->weight[i] : 1), *slope = r->slopes + i * stride;
        const double *fitted = r->fitted + i * r->targets;
        *slope++ = own;
        if (r->target != NULL) {
            *slope = own * (*fitted - r->target[i]);
            continue;
        }
        for (size_t t = 0; t < r->targets; t++) slope[t] = own * fitted[t];
        slope[r->cell[i]] = own * (fitted[r->cell[i]] - 1);
    }
}

static eqp_status keep_tree(const eqp_grower *g, eqp_score *score, size_t *capacity, double **value,
                            eqp_error *error)
{
    uint32_t start = score->tree_start[score->tree_count], after = start + g->count;
    eqp_branch *grown = eqp_reserve(score->branches, capacity, after, sizeof *grown);
    if (grown == NULL) return eqp_fail_memory(error);
    score->branches = grown;
    memcpy(grown + start, g->branches, g->count * sizeof *grown);
    for (uint32_t b = start; b < after; b++) /* a model knows a number's cut alone */
        if (grown[b].feature >= 0 && g->rows->bins[g->rows->column[grown[b].feature]].count > 0)
            grown[b].code = 0;
    if (value != NULL) {
        double *values = eqp_resize(*value, *capacity, g->targets * sizeof *values);
        if (values == NULL) return eqp_fail_memory(error);
        *value = values;
        memcpy(values + start * g->targets, g->value, g->count * g->targets * sizeof *values);
    }
    score->tree_start[++score->tree_count] = after;
    return EQP_OK;
}

static eqp_status regress(regression *r, eqp_score *score, double **value, eqp_error *error)
{
    const eqp_boost_options *options = r->grower.options;
    eqp_random random = eqp_random_from(options->seed, 'b');
    double unit = unit_of(r->weight, r->rows->rows);
    size_t capacity = 0;
    eqp_status status = EQP_OK;
    find_means(r);
    find_importances(r);
    for (size_t i = 0; i < r->rows->rows; i++)
        memcpy(r->fitted + i * r->targets, r->mean, r->targets * sizeof *r->mean);
    for (uint32_t round = 0; round < options->rounds && status == EQP_OK; round++) {
        draw_rows(&r->grower, r->weight, &random);
        find_slopes(r, unit);
        eqp_grower_grow(&r->grower, r->slopes, &random);
        eqp_grower_add(&r->grower, r->fitted);
        status = keep_tree(&r->grower, score, &capacity, value, error);
        if (status == EQP_OK) status = eqp_progress_add(r->watch, 0, error);
    }
    return status;
}

/* `value` is NULL where branches hold the values themselves. */
static eqp_status fit(regression *r, const eqp_boost_options *options, eqp_score *score, double **value,
                      eqp_error *error)
{
    const eqp_boost_rows *rows = r->rows;
    *score = (eqp_score){.terms = eqp_alloc_zero(rows->encoding->width, sizeof *score->terms),
                         .tree_start = eqp_alloc_zero(options->rounds + 1, sizeof *score->tree_start)};
    eqp_status status = eqp_grower_open(&r->grower, rows, r->targets, options, error);
    if (r->fitted == NULL) r->fitted = eqp_take(&r->arena, rows->rows * r->targets, sizeof *r->fitted);
    r->slopes = eqp_take_zero(&r->arena, rows->rows * r->grower.stride, sizeof *r->slopes);
    if (status == EQP_OK && (score->terms == NULL || score->tree_start == NULL || r->arena.failed))
        status = eqp_fail_memory(error);
    if (status == EQP_OK) status = regress(r, score, value, error);
    eqp_grower_close(&r->grower);
    eqp_arena_free(&r->arena);
    return status;
}

eqp_status eqp_boost_fit(const eqp_boost_rows *rows, const double *target, const double *weight,
                         const eqp_boost_options *options, eqp_progress *watch, eqp_score *score,
                         double *fitted, eqp_error *error)
{
    double mean = 0;
    regression r = {.rows = rows, .target = target, .targets = 1, .weight = weight, .watch = watch};
    r.mean = &mean;
    r.fitted = fitted;
    eqp_status status = fit(&r, options, score, NULL, error);
    if (status == EQP_OK) score->terms[0] = mean;
    if (status != EQP_OK) eqp_score_clear(score);
    return status;
}

eqp_status eqp_boost_fit_cells(const eqp_boost_rows *rows, const uint32_t *cell, size_t cells,
                               const double *weight, const eqp_boost_options *options, eqp_progress *watch,
                               eqp_shared_trees *trees, double *fitted, eqp_error *error)
{
    regression r = {.rows = rows, .cell = cell, .targets = cells, .weight = weight, .watch = watch};
    *trees = (eqp_shared_trees){.cells = cells, .mean = eqp_alloc_zero(cells, sizeof *trees->mean)};
    r.mean = trees->mean;
    r.fitted = fitted;
    eqp_status status = trees->mean != NULL ? fit(&r, options, &trees->questions, &trees->value, error)
                                            : eqp_fail_memory(error);
    if (status != EQP_OK) eqp_shared_trees_clear(trees);
    return status;
}
