/* G = sum of w_i x_i x_i' over rows of a design.
 *
 * A row has a *dense* part, d = (1, its numbers, the marks of those that may be missing), and a 1 in one slot
 * of each coded feature.  So G falls into three parts,
 *
 *     coded × coded     one addition of w for each pair: weighted counts
 *     coded × dense     one addition of w d in the line of the code
 *     dense × dense     D'WD by tiles
 *
 * The moments by cell come from the same pass: a cell is one more code.
 *
 * Rows are packed block by block, those of weight 0 left out.  No sum depends on how wide vectors are. */
#include "design/design.h"

#include "base/wide.h"

#include <string.h>

enum { BLOCK_ROWS = 256, LANES = 8 };

typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

typedef struct gram_work {
    const eqp_design *design;
    size_t width;
    size_t coded, dense; /* features with codes; entries of d */
    size_t pitch;        /* of d, a multiple of LANES; what is past `dense` stays 0 */
    eqp_arena arena;     /* of the arrays below */
    uint32_t *code_of;   /* the coded features */
    uint32_t *dense_slot;
    double *cross;  /* width × pitch: sums of w d by slot */
    double *square; /* pitch × pitch: sums of d w d', for d on or after the tile of the diagonal */
    size_t packed;  /* rows of the packed block */
    double *weight;
    uint32_t *row;
    double *by_cell; /* cells × pitch: sums of w d by cell, where moments are wanted */
    uint32_t *slot;  /* packed × coded, rising in a row */
    double *d, *wd;  /* packed × pitch */
} gram_work;

/* Which rows are summed. */
typedef struct summed_rows {
    const uint32_t *row; /* NULL: first, first + 1, … */
    size_t first, rows;
    const double *weight; /* of each; NULL: 1 */
    const uint32_t *cell; /* of each row of the design; NULL: no moments */
    size_t cells;
} summed_rows;

static void sort_features(gram_work *work)
{
    const eqp_design *design = work->design;
    work->dense_slot[work->dense++] = 0;
    for (size_t f = 0; f < design->encoding->feature_count; f++) {
        uint32_t slot = design->encoding->features[f].slot;
        if (design->codes[f] != NULL) {
            work->code_of[work->coded++] = (uint32_t)f;
            continue;
        }
        work->dense_slot[work->dense++] = slot;
        if (design->missing[f] != NULL) work->dense_slot[work->dense++] = slot + 1;
    }
    work->pitch = (work->dense + LANES - 1) / LANES * LANES;
}

static eqp_status work_init(gram_work *work, const eqp_design *design, size_t cells, eqp_error *error)
{
    size_t features = design->encoding->feature_count;
    *work = (gram_work){.design = design, .width = design->encoding->width};
    eqp_arena *arena = &work->arena;
    work->code_of = eqp_take(arena, features, sizeof *work->code_of);
    work->dense_slot = eqp_take(arena, 2 * features + 1, sizeof *work->dense_slot);
    if (arena->failed) return eqp_fail_memory(error);
    sort_features(work);
    size_t line = work->pitch * sizeof(double);
    work->cross = eqp_take_zero(arena, work->width, line);
    work->square = eqp_take_zero(arena, work->pitch, line);
    work->by_cell = eqp_take_zero(arena, cells, line);
    work->d = eqp_take_zero(arena, BLOCK_ROWS, line);
    work->wd = eqp_take_zero(arena, BLOCK_ROWS, line);
    work->weight = eqp_take(arena, BLOCK_ROWS, sizeof *work->weight);
    work->row = eqp_take(arena, BLOCK_ROWS, sizeof *work->row);
    work->slot = eqp_take(arena, BLOCK_ROWS, work->coded * sizeof *work->slot);
    return arena->failed ? eqp_fail_memory(error) : EQP_OK;
}

/* ---- packing ----------------------------------------------------------------------------------------- */

static void pack_codes(gram_work *work)
{
    for (size_t c = 0; c < work->coded; c++) {
        const uint32_t *codes = work->design->codes[work->code_of[c]];
        uint32_t slot = work->design->encoding->features[work->code_of[c]].slot;
        for (size_t i = 0; i < work->packed; i++)
            work->slot[i * work->coded + c] = slot + codes[work->row[i]];
    }
}

static void pack_dense(gram_work *work)
{
    const eqp_design *design = work->design;
    size_t pitch = work->pitch, k = 0;
    for (size_t i = 0; i < work->packed; i++) work->d[i * pitch] = 1;
    for (size_t f = 0; f < design->encoding->feature_count; f++) {
        if (design->codes[f] != NULL) continue;
        k++;
        for (size_t i = 0; i < work->packed; i++) work->d[i * pitch + k] = design->standard[f][work->row[i]];
        if (design->missing[f] == NULL) continue;
        k++;
        for (size_t i = 0; i < work->packed; i++) work->d[i * pitch + k] = design->missing[f][work->row[i]];
    }
    for (size_t i = 0; i < work->packed; i++)
        for (k = 0; k < work->dense; k++) work->wd[i * pitch + k] = work->weight[i] * work->d[i * pitch + k];
}

/* Rows at … end-1 of those summed. */
static void pack_block(gram_work *work, const summed_rows *from, size_t at, size_t end)
{
    work->packed = 0;
    for (size_t i = at; i < end; i++) {
        double w = from->weight ? from->weight[i] : 1.0;
        if (w == 0) continue;
        work->row[work->packed] = from->row ? from->row[i] : (uint32_t)(from->first + i);
        work->weight[work->packed++] = w;
    }
    pack_codes(work);
    pack_dense(work);
}

/* ---- adding ------------------------------------------------------------------------------------------ */

/* Above the diagonal.  Pair after pair within a row, so that neighbouring additions go to different places
 * and do not wait for each other. */
static void add_coded(const gram_work *work, double *gram)
{
    size_t coded = work->coded;
    for (size_t i = 0; i < work->packed; i++) {
        const uint32_t *slot = work->slot + i * coded, *end = slot + coded;
        double w = work->weight[i];
        for (; slot < end; slot++) {
            double *line = gram + *slot * work->width;
            for (const uint32_t *other = slot + 1; other < end; other++) line[*other] += w;
        }
    }
}

EQP_WIDE static void add_cross(const gram_work *work)
{
    size_t coded = work->coded, pitch = work->pitch;
    for (size_t i = 0; i < work->packed; i++)
        for (size_t c = 0; c < coded; c++) {
            const double *wd = work->wd + i * pitch;
            double *line = work->cross + work->slot[i * coded + c] * pitch;
            for (size_t k = 0; k < pitch; k += LANES) *(lanes *)(line + k) += *(const lanes *)(wd + k);
        }
}

static void add_moments(const gram_work *work, const summed_rows *from, double *moments)
{
    size_t coded = work->coded, pitch = work->pitch;
    for (size_t i = 0; i < work->packed; i++) {
        size_t cell = from->cell[work->row[i]];
        const uint32_t *slot = work->slot + i * coded;
        for (size_t c = 0; c < coded; c++) moments[slot[c] * from->cells + cell] += work->weight[i];
        for (size_t k = 0; k < work->dense; k++) work->by_cell[cell * pitch + k] += work->wd[i * pitch + k];
    }
}

/* A tile of LANES lines and LANES columns at a time, its sums in registers. */
EQP_WIDE static void add_dense(const gram_work *work)
{
    size_t pitch = work->pitch;
    for (size_t top = 0; top < pitch; top += LANES)
        for (size_t left = top; left < pitch; left += LANES) {
            lanes sum[LANES];
            double *tile = work->square + top * pitch + left;
            for (size_t l = 0; l < LANES; l++) sum[l] = *(lanes *)(tile + l * pitch);
            for (size_t i = 0; i < work->packed; i++) {
                const double *d = work->d + i * pitch + top;
                const lanes wd = *(const lanes *)(work->wd + i * pitch + left);
                for (size_t l = 0; l < LANES; l++) sum[l] += d[l] * wd;
            }
            for (size_t l = 0; l < LANES; l++) *(lanes *)(tile + l * pitch) = sum[l];
        }
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void put(double *gram, size_t width, size_t a, size_t b, double value)
{
    gram[(a < b ? a : b) * width + (a < b ? b : a)] = value;
}

/* Puts the parts with dense entries in their places, then copies the upper half to the lower. */
static void assemble(const gram_work *work, double *gram)
{
    size_t width = work->width, pitch = work->pitch;
    for (size_t c = 0; c < work->coded; c++) {
        const eqp_feature *feature = &work->design->encoding->features[work->code_of[c]];
        for (size_t s = feature->slot; s < feature->slot + feature->slots; s++) {
            gram[s * width + s] = work->cross[s * pitch];
            for (size_t k = 0; k < work->dense; k++)
                put(gram, width, s, work->dense_slot[k], work->cross[s * pitch + k]);
        }
    }
    for (size_t k = 0; k < work->dense; k++)
        for (size_t l = k; l < work->dense; l++)
            put(gram, width, work->dense_slot[k], work->dense_slot[l], work->square[k * pitch + l]);
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < i; j++) gram[i * width + j] = gram[j * width + i];
}

static void assemble_moments(const gram_work *work, size_t cells, double *moments)
{
    for (size_t k = 0; k < work->dense; k++)
        for (size_t e = 0; e < cells; e++)
            moments[work->dense_slot[k] * cells + e] = work->by_cell[e * work->pitch + k];
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

static void sum_blocks(gram_work *work, const summed_rows *from, double *gram, double *moments)
{
    for (size_t at = 0; at < from->rows; at += BLOCK_ROWS) {
        pack_block(work, from, at, from->rows - at < BLOCK_ROWS ? from->rows : at + BLOCK_ROWS);
        add_coded(work, gram);
        add_cross(work);
        add_dense(work);
        if (from->cell != NULL) add_moments(work, from, moments);
    }
    assemble(work, gram);
    if (from->cell != NULL) assemble_moments(work, from->cells, moments);
}

static eqp_status sum_gram(const eqp_design *design, const summed_rows *from, double *gram, double *moments,
                           eqp_error *error)
{
    size_t width = design->encoding->width;
    eqp_status status = eqp_design_check_width(design, error);
    if (status != EQP_OK) return status;
    gram_work work;
    status = work_init(&work, design, from->cells, error);
    if (status == EQP_OK) {
        memset(gram, 0, width * width * sizeof *gram);
        if (from->cell != NULL) memset(moments, 0, width * from->cells * sizeof *moments);
        sum_blocks(&work, from, gram, moments);
    }
    eqp_arena_free(&work.arena);
    return status;
}

eqp_status eqp_design_gram(const eqp_design *design, const double *weight, size_t first, size_t count,
                           double *gram, eqp_error *error)
{
    summed_rows run = {.first = first, .rows = count, .weight = weight ? weight + first : NULL};
    return sum_gram(design, &run, gram, NULL, error);
}

eqp_status eqp_design_gram_and_moments(const eqp_design *design, const double *weight, const uint32_t *cell,
                                       size_t cells, size_t first, size_t count, double *gram,
                                       double *moments, eqp_error *error)
{
    summed_rows run = {.first = first,
                       .rows = count,
                       .weight = weight ? weight + first : NULL,
                       .cell = cell,
                       .cells = cells};
    return sum_gram(design, &run, gram, moments, error);
}

eqp_status eqp_design_gram_of(const eqp_design *design, const uint32_t *row, size_t rows,
                              const double *weight, double *gram, eqp_error *error)
{
    summed_rows some = {.row = row, .rows = row ? rows : design->rows, .weight = weight};
    return sum_gram(design, &some, gram, NULL, error);
}
