/* G = sum of w_i x_i x_i', by fold, in one pass over the rows.
 *
 * A row has few entries that are not 0: a 1 in its *active* slots (the intercept, one code a coded feature,
 * the missing slots of absent numbers) and its numbers.  So G falls into three parts,
 *
 *     active × active     one addition of w for each pair: weighted counts
 *     active × number     one addition of w z, the numbers side by side
 *     number × number     Z'WZ by blocks of rows, dense
 *
 * Rows are packed block by block, those of one fold together and those of weight 0 left out. */
#include "linalg/design.h"

#include "base/memory.h"
#include "linalg/blas.h"

#include <string.h>

#define BLOCK_ROWS 2048

typedef struct gram_work {
    const eqp_blas *blas;
    const eqp_design *design;
    size_t width, numbers;
    size_t *number; /* the number features */
    double *cross;  /* [fold]: width × numbers, sums of w z in active slots */
    double *square; /* [fold]: numbers × numbers */
    size_t packed;  /* rows of the packed block */
    double *weight;
    uint32_t *active; /* row after row, rising */
    uint32_t *start;  /* of each packed row in `active`; one more at the end */
    double *z, *wz;   /* packed × numbers */
} gram_work;

/* Which rows are summed: all, or those listed. */
typedef struct summed_rows {
    const uint32_t *row; /* NULL: all */
    size_t rows;
    const double *weight; /* of each listed row; NULL: 1 */
    const uint8_t *fold;  /* of each listed row; NULL: 0 */
    size_t folds;
} summed_rows;

static void work_free(gram_work *work)
{
    free(work->number);
    free(work->cross);
    free(work->square);
    free(work->weight);
    free(work->active);
    free(work->start);
    free(work->z);
    free(work->wz);
}

static eqp_status work_init(gram_work *work, const eqp_design *design, size_t folds, eqp_error *error)
{
    size_t features = design->encoding->feature_count;
    *work = (gram_work){.design = design, .width = design->encoding->width};
    eqp_status status = eqp_blas_get(&work->blas, error);
    if (status != EQP_OK) return status;
    work->number = eqp_alloc(features, sizeof *work->number);
    if (work->number == NULL) return eqp_fail_memory(error);
    for (size_t f = 0; f < features; f++)
        if (design->standard[f] != NULL) work->number[work->numbers++] = f;

    size_t numbers = work->numbers;
    work->cross = eqp_alloc_zero(folds * work->width, numbers * sizeof *work->cross);
    work->square = eqp_alloc_zero(folds * numbers, numbers * sizeof *work->square);
    work->weight = eqp_alloc(BLOCK_ROWS, sizeof *work->weight);
    work->active = eqp_alloc(BLOCK_ROWS, (features + 1) * sizeof *work->active);
    work->start = eqp_alloc(BLOCK_ROWS + 1, sizeof *work->start);
    work->z = eqp_alloc(BLOCK_ROWS, numbers * sizeof *work->z);
    work->wz = eqp_alloc(BLOCK_ROWS, numbers * sizeof *work->wz);
    bool complete =
        work->cross && work->square && work->weight && work->active && work->start && work->z && work->wz;
    return complete ? EQP_OK : eqp_fail_memory(error);
}

/* The active slots of one row; returns how many. */
static size_t active_slots(const eqp_design *design, size_t row, uint32_t *active)
{
    const eqp_feature *features = design->encoding->features;
    size_t count = 0;
    active[count++] = 0;
    for (size_t f = 0; f < design->encoding->feature_count; f++) {
        if (design->codes[f] != NULL)
            active[count++] = features[f].slot + design->codes[f][row];
        else if (design->missing[f] != NULL && design->missing[f][row])
            active[count++] = features[f].slot + 1;
    }
    return count;
}

/* Packs the rows of one fold among first … end-1 of those summed. */
static void pack_block(gram_work *work, const summed_rows *from, size_t wanted, size_t first, size_t end)
{
    size_t packed = 0, used = 0;
    for (size_t i = first; i < end; i++) {
        double w = from->weight ? from->weight[i] : 1.0;
        size_t row = from->row ? from->row[i] : i;
        if (w == 0 || (from->fold != NULL && from->fold[i] != wanted)) continue;
        work->start[packed] = (uint32_t)used;
        used += active_slots(work->design, row, work->active + used);
        work->weight[packed] = w;
        for (size_t k = 0; k < work->numbers; k++) {
            double z = work->design->standard[work->number[k]][row];
            work->z[packed * work->numbers + k] = z;
            work->wz[packed * work->numbers + k] = w * z;
        }
        packed++;
    }
    work->start[packed] = (uint32_t)used;
    work->packed = packed;
}

/* Adds the packed rows to the upper half of a fold's matrices. */
static void add_block(const gram_work *work, size_t fold, double *gram)
{
    size_t numbers = work->numbers;
    double *counts = gram + fold * work->width * work->width;
    double *cross = work->cross + fold * work->width * numbers;
    double *square = work->square + fold * numbers * numbers;

    for (size_t i = 0; i < work->packed; i++) {
        const uint32_t *active = work->active + work->start[i];
        const uint32_t *end = work->active + work->start[i + 1];
        const double *wz = work->wz + i * numbers;
        double w = work->weight[i];
        for (; active < end; active++) {
            double *line = counts + *active * work->width;
            for (const uint32_t *other = active; other < end; other++) line[*other] += w;
            double *sums = cross + *active * numbers;
            for (size_t k = 0; k < numbers; k++) sums[k] += wz[k];
        }
    }
    if (numbers == 0 || work->packed == 0) return;
    int n = (int)numbers;
    work->blas->cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, (int)work->packed, 1.0, work->z, n,
                            work->wz, n, 1.0, square, n);
}

/* Puts the parts with numbers in their places, then copies the upper half to the lower. */
static void assemble(const gram_work *work, size_t fold, double *gram)
{
    const eqp_feature *features = work->design->encoding->features;
    size_t width = work->width, numbers = work->numbers;
    const double *cross = work->cross + fold * width * numbers;
    const double *square = work->square + fold * numbers * numbers;
    double *g = gram + fold * width * width;

    for (size_t k = 0; k < numbers; k++) {
        size_t slot = features[work->number[k]].slot;
        for (size_t s = 0; s < width; s++) {
            size_t low = s < slot ? s : slot, high = s < slot ? slot : s;
            if (s != slot) g[low * width + high] += cross[s * numbers + k];
        }
        for (size_t l = k; l < numbers; l++)
            g[slot * width + features[work->number[l]].slot] = square[k * numbers + l];
    }
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < i; j++) g[i * width + j] = g[j * width + i];
}

eqp_status eqp_design_check_width(const eqp_design *design, eqp_error *error)
{
    size_t width = design->encoding->width;
    if (width <= EQP_GRAM_WIDTH_LIMIT) return EQP_OK;
    eqp_fail(error, EQP_DATA,
             "the columns give %zu coefficients, more than the %d that can be fitted at once", width,
             EQP_GRAM_WIDTH_LIMIT);
    eqp_hint(error, "leave out text columns with very many values, or use the oracle \"stump\"");
    return EQP_DATA;
}

static eqp_status sum_gram(const eqp_design *design, const summed_rows *from, double *gram, eqp_error *error)
{
    size_t width = design->encoding->width;
    eqp_status status = eqp_design_check_width(design, error);
    if (status != EQP_OK) return status;
    gram_work work;
    status = work_init(&work, design, from->folds, error);
    if (status == EQP_OK) {
        memset(gram, 0, from->folds * width * width * sizeof *gram);
        for (size_t first = 0; first < from->rows; first += BLOCK_ROWS) {
            size_t end = from->rows - first < BLOCK_ROWS ? from->rows : first + BLOCK_ROWS;
            for (size_t f = 0; f < from->folds; f++) {
                pack_block(&work, from, f, first, end);
                add_block(&work, f, gram);
            }
        }
        for (size_t f = 0; f < from->folds; f++) assemble(&work, f, gram);
    }
    work_free(&work);
    return status;
}

eqp_status eqp_design_gram(const eqp_design *design, const double *weight, const uint8_t *fold, size_t folds,
                           double *gram, eqp_error *error)
{
    summed_rows all = {.rows = design->rows, .weight = weight, .fold = fold, .folds = folds};
    return sum_gram(design, &all, gram, error);
}

eqp_status eqp_design_gram_of(const eqp_design *design, const uint32_t *row, size_t rows,
                              const double *weight, double *gram, eqp_error *error)
{
    summed_rows some = {.row = row, .rows = row ? rows : design->rows, .weight = weight, .folds = 1};
    return sum_gram(design, &some, gram, error);
}
