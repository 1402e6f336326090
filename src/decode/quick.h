/* The quick way down a column: numbers that are a few digits and texts that the model knows, which is nearly
 * every cell.  A run ends at the first cell that is something else; the careful way (decode.c) takes that
 * one, and the quick way goes on behind it. */
#ifndef EQP_DECODE_QUICK_H
#define EQP_DECODE_QUICK_H

#include "base/dictionary.h"
#include "base/number.h"
#include "encode/encoding.h"
#include "table/missing.h"
#include <string.h>

/* ---- bins --------------------------------------------------------------------------------------------- */

/* Whole numbers -> bins by one look and a few comparisons.
 *
 * Nearly every cell of a number column holds a whole number, and a column's numbers span a range that a small
 * table covers: the table says where to begin, a comparison or two with the cuts do the rest.  The quick way
 * (quick.h) does so for many numbers at once. */
#define EQP_BIN_STRETCHES 1024
#define EQP_NOT_WHOLE     UINT32_MAX

/* For numbers up to `most`.  A stretch is a run of 2^shift numbers; `first` has the bin of its first, and
 * `steps` cuts at most lie within it. */
typedef struct eqp_bin_map {
    uint32_t *first; /* of EQP_BIN_STRETCHES; the last stands for everything beyond it too */
    uint32_t
        *below; /* the greatest whole number below each cut above 0, then UINT32_MAX, which ends a walk */
    unsigned shift, steps;
    uint32_t most;
} eqp_bin_map;

/* Its arrays, as those of a lexicon, belong to the arena. */
eqp_status eqp_bin_map_init(eqp_bin_map *map, const eqp_feature *feature, eqp_arena *arena, eqp_error *error);

/* ---- texts -------------------------------------------------------------------------------------------- */

/* Text of a cell -> code of its level: one multiplication and one look for nearly every cell.
 *
 * The texts of a feature are known in advance, so the hash is chosen to keep them apart.  Marks of missing
 * cells are entries like any other, so asking "is it missing?" costs nothing. */

/* Texts that are looked up must be readable so far beyond their first byte. */
#define EQP_LEXICON_PADDING 32
extern const char eqp_lexicon_padding[EQP_LEXICON_PADDING]; /* zeros, to be put behind a text */

/* A text of fewer than 32 bytes, zeros behind it.  No cell holds a zero byte, so no length is needed. */
typedef struct eqp_word {
    _Alignas(32) uint64_t part[4];
} eqp_word;

typedef struct eqp_lexicon {
    eqp_word *words;        /* of each place; none that a cell could be where only the careful way knows */
    uint32_t *codes;        /* EQP_NO_CODE: the place is free */
    eqp_dictionary *texts;  /* all of them, for the careful way: the place holds only the first that comes */
    uint32_t *code_of_text; /* by its code in the dictionary */
    uint64_t multiplier;
    uint64_t further; /* 0 where eight bytes and the length tell the texts apart, all ones where sixteen do */
    unsigned shift;   /* 64 - the logarithm of the number of places, at most half of which are in use */
    uint32_t other;   /* code of a text that is not there */
} eqp_lexicon;

/* The places belong to the arena; eqp_lexicon_clear frees the rest, also after a failure. */
eqp_status eqp_lexicon_init(eqp_lexicon *lexicon, const eqp_feature *feature, const eqp_missing *missing,
                            eqp_arena *arena, eqp_error *error);
void eqp_lexicon_clear(eqp_lexicon *lexicon);

/* Where a text belongs, by its first bytes and its length. */
static inline size_t eqp_lexicon_place(const eqp_lexicon *lexicon, uint64_t head, uint64_t second,
                                       size_t length)
{
    second &= lexicon->further;
    uint64_t mixed = (head ^ (second << 23 | second >> 41)) + length;
    return (size_t)(mixed * lexicon->multiplier >> lexicon->shift);
}

/* The first 32 bytes of a text, zeros in place of what stands behind it; without a branch on the length,
 * which nobody can predict. */
static inline eqp_word eqp_lexicon_word(const char *text, size_t length)
{
    static const uint64_t kept[9] = {0,
                                     UINT64_C(0xff),
                                     UINT64_C(0xffff),
                                     UINT64_C(0xffffff),
                                     UINT64_C(0xffffffff),
                                     UINT64_C(0xffffffffff),
                                     UINT64_C(0xffffffffffff),
                                     UINT64_C(0xffffffffffffff),
                                     UINT64_C(0xffffffffffffffff)};
    eqp_word word;
    for (size_t i = 0; i < 4; i++) {
        size_t left = length > 8 * i ? length - 8 * i : 0;
        word.part[i] = eqp_load_word(text + 8 * i) & kept[left < 8 ? left : 8];
    }
    return word;
}

/* The code of a value, unquoted; `other` when it is not there. */
uint32_t eqp_lexicon_find(const eqp_lexicon *lexicon, const char *text, size_t length);

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
    /* Sets whole[i] to the i-th number where it is whole and fits 32 bits with its sign, else to
     * EQP_NOT_WHOLE, and `odd` to the count of those that are not whole, too large or below zero.  False when
     * some are infinite. */
    bool (*whole)(const double *numbers, size_t rows, uint32_t *whole, size_t *odd);
    /* False when some numbers are beyond the map's `most`; their bins mean nothing. */
    bool (*bins)(const eqp_bin_map *map, const uint32_t *whole, size_t rows, uint32_t *bins);
} eqp_quick;

/* The ways that this processor can go, the best last; the first is portable.  All give the same answers. */
#define EQP_QUICK_WAYS 3
size_t eqp_quick_ways(eqp_quick ways[EQP_QUICK_WAYS]);
eqp_quick eqp_quick_best(void);

#endif
