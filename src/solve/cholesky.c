/* Cholesky by tiles: A = U'U, in place of the upper half.
 *
 * A tile of U is what is left of A's after the products of the lines above, solved against the tile on the
 * diagonal.  Lines are finished band by band, and each band is subtracted from all tiles below it while it is
 * in the cache.  A sum runs over the lines in order and lanes lie side by side, so that the factor has the
 * same bits on every processor. */
#include "solve/cholesky.h"

#include "base/wide.h"

#include <math.h>
#include <string.h>

enum { TILE = 8, BAND = 64 };

typedef double lanes __attribute__((vector_size(8 * TILE), aligned(8), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE void load(const double *from, size_t columns, lanes *loaded)
{
    if (columns == TILE) {
        *loaded = *(const lanes *)from;
        return;
    }
    *loaded = (lanes){0};
    memcpy(loaded, from, columns * sizeof *from);
}

/* left[l] = A[top + l][side …] - sum over lines k of the band before `end` of U[k][top + l] U[k][side …], for
 * `rows` lines.  The sums are an array of their own, never indexed by a variable, so that they stay in
 * registers. */
INLINE void subtract_band(const double *u, size_t width, size_t band, size_t end, size_t top, size_t rows,
                          size_t side, size_t columns, lanes *left)
{
    lanes sum[TILE], across;
    for (size_t l = 0; l < rows; l++) load(u + (top + l) * width + side, columns, &sum[l]);
    for (size_t k = band; k < end; k++) {
        const double *line = u + k * width;
        load(line + side, columns, &across);
        for (size_t l = 0; l < rows; l++) sum[l] -= line[top + l] * across;
    }
    for (size_t l = 0; l < rows; l++) left[l] = sum[l];
}

INLINE void store(const lanes *tile, size_t rows, size_t columns, size_t width, double *to)
{
    for (size_t l = 0; l < rows; l++) memcpy(to + l * width, &tile[l], columns * sizeof *to);
}

/* ---- lines of the band --------------------------------------------------------------------------------- */

/* The tile on the diagonal; false where a pivot is not positive. */
EQP_WIDE static bool factor_tile(double *u, size_t width, size_t band, size_t top, size_t rows)
{
    lanes tile[TILE];
    if (rows == TILE)
        subtract_band(u, width, band, top, top, TILE, top, TILE, tile);
    else
        subtract_band(u, width, band, top, top, rows, top, rows, tile);
    for (size_t l = 0; l < rows; l++) {
        double pivot = tile[l][l];
        if (!(pivot > 0) || !isfinite(pivot)) return false;
        tile[l] /= sqrt(pivot);
        for (size_t m = l + 1; m < rows; m++) tile[m] -= tile[l][m] * tile[l];
    }
    store(tile, rows, rows, width, u + top * width + top);
    return true;
}

INLINE void solve_tile(double *u, size_t width, size_t band, size_t top, size_t side, size_t columns)
{
    lanes tile[TILE];
    subtract_band(u, width, band, top, top, TILE, side, columns, tile);
    for (size_t l = 0; l < TILE; l++) {
        const double *diagonal = u + top * width + top + l;
        for (size_t m = 0; m < l; m++) tile[l] -= diagonal[m * width] * tile[m];
        tile[l] /= diagonal[l * width];
    }
    store(tile, TILE, columns, width, u + top * width + side);
}

/* The tiles right of the diagonal. */
EQP_WIDE static void solve_line(double *u, size_t width, size_t band, size_t top)
{
    size_t side = top + TILE;
    for (; side + TILE <= width; side += TILE) solve_tile(u, width, band, top, side, TILE);
    if (side < width) solve_tile(u, width, band, top, side, width - side);
}

/* ---- lines below it ------------------------------------------------------------------------------------ */

INLINE void update_tile(double *u, size_t width, size_t band, size_t top, size_t rows, size_t side,
                        size_t columns)
{
    lanes tile[TILE];
    subtract_band(u, width, band, band + BAND, top, rows, side, columns, tile);
    store(tile, rows, columns, width, u + top * width + side);
}

EQP_WIDE static void update_line(double *u, size_t width, size_t band, size_t top)
{
    size_t side = top;
    for (; side + TILE <= width; side += TILE) update_tile(u, width, band, top, TILE, side, TILE);
    if (side == width) return;
    if (side > top)
        update_tile(u, width, band, top, TILE, side, width - side);
    else
        update_tile(u, width, band, top, width - top, side, width - side);
}

static bool finish_band(double *u, size_t width, size_t band)
{
    for (size_t top = band; top < band + BAND && top < width; top += TILE) {
        size_t rows = width - top < TILE ? width - top : TILE;
        if (!factor_tile(u, width, band, top, rows)) return false;
        if (rows == TILE) solve_line(u, width, band, top);
    }
    return true;
}

bool eqp_cholesky(double *matrix, size_t width)
{
    for (size_t band = 0; band < width; band += BAND) {
        if (!finish_band(matrix, width, band)) return false;
        for (size_t top = band + BAND; top < width; top += TILE) update_line(matrix, width, band, top);
    }
    return true;
}

/* ---- solutions ----------------------------------------------------------------------------------------- */

EQP_WIDE void eqp_cholesky_forward(const double *restrict factor, size_t width, double *restrict x)
{
    for (size_t k = 0; k < width; k++) {
        const double *line = factor + k * width;
        double found = x[k] /= line[k];
        for (size_t i = k + 1; i < width; i++) x[i] -= line[i] * found;
    }
}

/* sum of line[i] x[i] from i = `from`, in lanes. */
INLINE double dot(const double *restrict line, const double *restrict x, size_t from, size_t width)
{
    double lane[TILE] = {0}, sum = 0;
    size_t i = from;
    for (; i + TILE <= width; i += TILE)
        for (size_t l = 0; l < TILE; l++) lane[l] += line[i + l] * x[i + l];
    for (; i < width; i++) sum += line[i] * x[i];
    for (size_t l = 0; l < TILE; l++) sum += lane[l];
    return sum;
}

EQP_WIDE void eqp_cholesky_backward(const double *restrict factor, size_t width, double *restrict x)
{
    for (size_t k = width; k-- > 0;) {
        const double *line = factor + k * width;
        x[k] = (x[k] - dot(line, x, k + 1, width)) / line[k];
    }
}

EQP_WIDE void eqp_cholesky_multiply(const double *restrict factor, size_t width, double *restrict x)
{
    for (size_t k = 0; k < width; k++) x[k] = dot(factor + k * width, x, k, width);
}
