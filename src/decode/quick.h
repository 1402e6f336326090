/* The quick way down a column: numbers that are a few digits and texts that the model knows, which is nearly
 * every cell.  A run ends at the first cell that is something else; the careful way (decode.c) takes that
 * one, and the quick way goes on behind it. */
#ifndef EQP_DECODE_QUICK_H
#define EQP_DECODE_QUICK_H

#include "decode/bin_map.h"
#include "decode/lexicon.h"

/* The cells of one column: cell i begins at bytes[before[i × before_stride]] and ends before
 * bytes[ends[i × ends_stride] - gap], where `gap` is 1 behind a delimiter, which `bytes` has passed. */
typedef struct eqp_column_cells {
    const char *bytes;
    const uint32_t *before, *ends;
    size_t before_stride, ends_stride;
    size_t gap;
} eqp_column_cells;

static inline const char *eqp_cell_start(const eqp_column_cells *cells, size_t i)
{
    return cells->bytes + cells->before[i * cells->before_stride];
}

static inline size_t eqp_cell_length(const eqp_column_cells *cells, size_t i)
{
    return (size_t)cells->ends[i * cells->ends_stride] - cells->before[i * cells->before_stride] - cells->gap;
}

typedef struct eqp_quick {
    /* These two fill from row `from` < rows on and return the row where they stopped, `rows` at most. */
    size_t (*digits)(const eqp_column_cells *cells, size_t from, size_t rows, uint32_t *whole);
    size_t (*levels)(const eqp_lexicon *lexicon, const eqp_column_cells *cells, size_t from, size_t rows,
                     uint32_t *codes);
    /* False when some numbers are beyond the map's `most`; their bins mean nothing. */
    bool (*bins)(const eqp_bin_map *map, const uint32_t *whole, size_t rows, uint32_t *bins);
} eqp_quick;

/* The ways that this processor can go, the best last; the first is portable.  All give the same answers. */
#define EQP_QUICK_WAYS 3
size_t eqp_quick_ways(eqp_quick ways[EQP_QUICK_WAYS]);
eqp_quick eqp_quick_best(void);

#endif
