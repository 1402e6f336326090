/* Rows -> XGBoost matrix, once; targets -> trees, again and again.
 *
 * Targets are centred and scaled before they become floats, weights are scaled to mean 1, so that the
 * penalties mean the same for every leaf and every unit; the intercept and the scale come back in doubles. */
#include "oracle/boosting.h"

#include "base/memory.h"
#include "oracle/xgboost.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_BINS 256

struct eqp_boost_rows {
    const eqp_xgboost *xgboost;
    const eqp_encoding *encoding;
    size_t rows;
    DMatrixHandle matrix;
    eqp_arena arena; /* of the arrays below */
    eqp_bins *bins;  /* [feature]; empty for coded ones */
    float *labels, *weights;
};

/* Trees that are being grown. */
typedef struct growing_trees {
    const eqp_xgboost *xgboost;
    BoosterHandle booster;
} growing_trees;

/* A compressed sparse matrix on its way into XGBoost. */
typedef struct sparse_rows {
    uint64_t *start;
    uint32_t *column;
    float *value;
} sparse_rows;

eqp_boost_options eqp_boost_defaults(void)
{
    return (eqp_boost_options){.rounds = 50, .depth = 3, .rate = 0.2, .ridge = 1, .min_weight = 5};
}

/* XGBoost reports short memory by the name of the C++ exception, and in no other way. */
static eqp_status boosting_failed(const eqp_xgboost *xgboost, eqp_error *error)
{
    const char *reason = xgboost->XGBGetLastError();
    if (strstr(reason, "bad_alloc") != NULL) return eqp_fail_memory(error);
    return eqp_fail(error, EQP_DATA, "boosting failed: %.300s", reason);
}

void eqp_boost_rows_free(eqp_boost_rows *rows)
{
    if (rows == NULL) return;
    for (size_t f = 0; rows->bins != NULL && f < rows->encoding->feature_count; f++)
        eqp_bins_clear(&rows->bins[f]);
    eqp_arena_free(&rows->arena);
    if (rows->matrix != NULL) rows->xgboost->XGDMatrixFree(rows->matrix);
    free(rows);
}

static eqp_status bin_numbers(eqp_boost_rows *rows, const eqp_block *block, const size_t *row,
                              eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t f = 0; f < rows->encoding->feature_count && status == EQP_OK; f++) {
        if (block->numbers[f] == NULL) continue;
        status = eqp_bins_init(&rows->bins[f], block->numbers[f], row, rows->rows, MOST_BINS, error);
    }
    return status;
}

static void fill_sparse(const eqp_boost_rows *rows, const eqp_block *block, const size_t *row,
                        sparse_rows *sparse)
{
    size_t used = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        sparse->start[i] = used;
        for (size_t f = 0; f < rows->encoding->feature_count; f++) {
            unsigned slot = rows->encoding->features[f].slot;
            if (block->codes[f] != NULL) {
                sparse->column[used] = slot + block->codes[f][row ? row[i] : i];
                sparse->value[used++] = 1;
            } else if (rows->bins[f].code[i] < rows->bins[f].count) {
                sparse->column[used] = slot;
                sparse->value[used++] = (float)rows->bins[f].code[i];
            }
        }
    }
    sparse->start[rows->rows] = used;
}

/* XGBoost writes warnings to the standard error stream unless told not to, thread by thread. */
static void silence(const eqp_xgboost *xgboost)
{
    xgboost->XGBSetGlobalConfig("{\"verbosity\": 0}");
}

/* What XGBoost may ask for where a refusal would end the program: small things, and an index of all values.
 */
static size_t spare_bytes(const eqp_boost_rows *rows)
{
    return ((size_t)32 << 20) + rows->rows * rows->encoding->feature_count * 8;
}

/* An array as Python's __array_interface__ describes it. */
typedef struct array_text {
    char json[128];
} array_text;

static array_text describe(const void *array, size_t count, const char *type)
{
    array_text text;
    snprintf(text.json, sizeof text.json,
             "{\"data\":[%" PRIuPTR ",true],\"shape\":[%zu],\"typestr\":\"%s\",\"version\":3}",
             (uintptr_t)array, count, type);
    return text;
}

static eqp_status copy_matrix(eqp_boost_rows *rows, const sparse_rows *sparse, eqp_error *error)
{
    size_t count = sparse->start[rows->rows];
    array_text start = describe(sparse->start, rows->rows + 1, "<u8");
    array_text column = describe(sparse->column, count, "<u4");
    array_text value = describe(sparse->value, count, "<f4");
    eqp_status status = eqp_spare_take(spare_bytes(rows), error);
    if (status != EQP_OK) return status;
    silence(rows->xgboost);
    if (rows->xgboost->XGDMatrixCreateFromCSR(start.json, column.json, value.json, rows->encoding->width,
                                              "{\"missing\": NaN, \"nthread\": 1}", &rows->matrix) != 0)
        status = boosting_failed(rows->xgboost, error);
    eqp_spare_drop();
    return status;
}

static eqp_status make_matrix(eqp_boost_rows *rows, const eqp_block *block, const size_t *row,
                              eqp_error *error)
{
    size_t features = rows->encoding->feature_count;
    eqp_arena arena = {0};
    sparse_rows sparse = {.start = eqp_take(&arena, rows->rows + 1, sizeof *sparse.start),
                          .column = eqp_take(&arena, rows->rows, features * sizeof *sparse.column),
                          .value = eqp_take(&arena, rows->rows, features * sizeof *sparse.value)};
    eqp_status status = arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) {
        fill_sparse(rows, block, row, &sparse);
        status = copy_matrix(rows, &sparse, error);
    }
    eqp_arena_free(&arena);
    return status;
}

eqp_status eqp_boost_rows_new(const eqp_encoding *encoding, const eqp_block *block, const size_t *row,
                              size_t rows, eqp_boost_rows **made, eqp_error *error)
{
    const eqp_xgboost *xgboost;
    *made = NULL;
    eqp_status status = eqp_xgboost_get(&xgboost, error);
    if (status != EQP_OK) return status;
    eqp_boost_rows *building = eqp_alloc_zero(1, sizeof *building);
    if (building == NULL) return eqp_fail_memory(error);
    building->xgboost = xgboost;
    building->encoding = encoding;
    building->rows = row ? rows : block->rows;
    building->bins = eqp_take_zero(&building->arena, encoding->feature_count, sizeof *building->bins);
    building->labels = eqp_take(&building->arena, building->rows, sizeof *building->labels);
    building->weights = eqp_take(&building->arena, building->rows, sizeof *building->weights);
    status = building->arena.failed ? eqp_fail_memory(error) : bin_numbers(building, block, row, error);
    if (status == EQP_OK) status = make_matrix(building, block, row, error);
    if (status == EQP_OK) *made = building;
    if (status != EQP_OK) eqp_boost_rows_free(building);
    return status;
}

/* Weighted mean and spread of the targets; a spread of 0 (all alike) counts as 1. */
typedef struct target_scale {
    double mean, spread, weight; /* of all rows */
} target_scale;

static target_scale scale_of(const double *target, const double *weight, size_t rows)
{
    target_scale scale = {0};
    for (size_t i = 0; i < rows; i++) {
        double w = weight ? weight[i] : 1.0;
        scale.weight += w;
        scale.mean += w * target[i];
    }
    if (scale.weight > 0) scale.mean /= scale.weight;
    for (size_t i = 0; i < rows; i++)
        scale.spread += (weight ? weight[i] : 1.0) * (target[i] - scale.mean) * (target[i] - scale.mean);
    scale.spread = scale.weight > 0 ? sqrt(scale.spread / scale.weight) : 0;
    if (!(scale.spread > 0)) scale.spread = 1;
    return scale;
}

static eqp_status set_targets(eqp_boost_rows *rows, const double *target, const double *weight,
                              const target_scale *scale, eqp_error *error)
{
    double unit = scale->weight > 0 ? (double)rows->rows / scale->weight : 0;
    for (size_t i = 0; i < rows->rows; i++) {
        rows->labels[i] = (float)((target[i] - scale->mean) / scale->spread);
        rows->weights[i] = (float)((weight ? weight[i] : 1.0) * unit);
    }
    if (rows->xgboost->XGDMatrixSetFloatInfo(rows->matrix, "label", rows->labels, rows->rows) != 0 ||
        rows->xgboost->XGDMatrixSetFloatInfo(rows->matrix, "weight", rows->weights, rows->rows) != 0)
        return boosting_failed(rows->xgboost, error);
    return EQP_OK;
}

static int set_whole(const growing_trees *trees, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return trees->xgboost->XGBoosterSetParam(trees->booster, name, text);
}

/* In millionths, so that no locale can change the decimal point. */
static int set_real(const growing_trees *trees, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%" PRIu64 "e-6", (uint64_t)llround(value * 1e6));
    return trees->xgboost->XGBoosterSetParam(trees->booster, name, text);
}

static eqp_status set_options(const growing_trees *trees, const eqp_boost_options *options, eqp_error *error)
{
    static const char *const fixed[][2] = {{"objective", "reg:squarederror"},
                                           {"tree_method", "hist"},
                                           {"base_score", "0"},
                                           {"nthread", "1"},
                                           {"max_bin", "512"},
                                           {"disable_default_eval_metric", "1"},
                                           {"verbosity", "0"}};
    int failed = 0;
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        failed |= trees->xgboost->XGBoosterSetParam(trees->booster, fixed[k][0], fixed[k][1]);
    failed |= set_whole(trees, "max_depth", options->depth);
    failed |= set_whole(trees, "seed", options->seed & INT32_MAX);
    failed |= set_real(trees, "eta", options->rate);
    failed |= set_real(trees, "lambda", options->ridge);
    failed |= set_real(trees, "min_child_weight", options->min_weight);
    return failed ? boosting_failed(trees->xgboost, error) : EQP_OK;
}

static eqp_status grow_trees(const growing_trees *trees, eqp_boost_rows *rows,
                             const eqp_boost_options *options, double spread, eqp_score *score,
                             eqp_error *error)
{
    const eqp_xgboost *xgboost = trees->xgboost;
    eqp_status status = set_options(trees, options, error);
    if (status != EQP_OK) return status;
    for (uint32_t round = 0; round < options->rounds; round++)
        if (xgboost->XGBoosterUpdateOneIter(trees->booster, (int)round, rows->matrix) != 0)
            return boosting_failed(xgboost, error);
    bst_ulong count;
    const char **dumps;
    if (xgboost->XGBoosterDumpModelEx(trees->booster, "", 0, "json", &count, &dumps) != 0)
        return boosting_failed(xgboost, error);
    eqp_tree_columns columns = {.encoding = rows->encoding, .bins = rows->bins};
    return eqp_trees_convert(&columns, dumps, count, spread, score, error);
}

static eqp_status fit(eqp_boost_rows *rows, const double *target, const double *weight,
                      const eqp_boost_options *options, eqp_score *score, eqp_error *error)
{
    growing_trees trees = {.xgboost = rows->xgboost};
    silence(rows->xgboost);
    target_scale scale = scale_of(target, weight, rows->rows);
    eqp_status status = set_targets(rows, target, weight, &scale, error);
    if (status != EQP_OK) return status;
    score->terms = eqp_alloc_zero(rows->encoding->width, sizeof *score->terms);
    if (score->terms == NULL) return eqp_fail_memory(error);
    score->terms[0] = scale.mean;

    if (rows->xgboost->XGBoosterCreate(&rows->matrix, 1, &trees.booster) == 0) {
        status = grow_trees(&trees, rows, options, scale.spread, score, error);
        rows->xgboost->XGBoosterFree(trees.booster);
    } else {
        status = boosting_failed(rows->xgboost, error);
    }
    if (status != EQP_OK) eqp_score_clear(score);
    return status;
}

eqp_status eqp_boost_fit(eqp_boost_rows *rows, const double *target, const double *weight,
                         const eqp_boost_options *options, eqp_score *score, eqp_error *error)
{
    *score = (eqp_score){0};
    eqp_status status = eqp_spare_take(spare_bytes(rows), error);
    if (status != EQP_OK) return status;
    status = fit(rows, target, weight, options, score, error);
    eqp_spare_drop();
    return status;
}
