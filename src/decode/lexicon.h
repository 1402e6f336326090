/* Text of a cell -> code of its level: one multiplication and one look for nearly every cell.
 *
 * The texts of a feature are known beforehand, so the hash is chosen to keep them apart.  Marks of missing
 * cells are entries like any other, so asking "is it missing?" costs nothing. */
#ifndef EQP_DECODE_LEXICON_H
#define EQP_DECODE_LEXICON_H

#include "base/short_number.h"
#include "encode/encoding.h"
#include "table/missing.h"

#include <string.h>

/* Texts that are looked up must be readable so far beyond their first byte. */
#define EQP_LEXICON_PADDING 32
extern const char eqp_lexicon_padding[EQP_LEXICON_PADDING]; /* zeros, to be put behind a text */

/* A text of fewer than 32 bytes, zeros behind it.  No cell holds a zero byte, so no length is needed. */
typedef struct eqp_word {
    _Alignas(32) uint64_t part[4];
} eqp_word;

typedef struct eqp_lexicon {
    eqp_word *words;    /* of each place; none that a cell could be where only the careful way knows */
    uint32_t *codes;    /* EQP_NO_CODE: the place is free */
    const char **texts; /* the model's, or a mark */
    uint64_t multiplier;
    uint64_t further; /* 0 where eight bytes and the length tell the texts apart, all ones where sixteen do */
    unsigned shift;   /* 64 - the logarithm of the number of places, at most half of which are in use */
    uint32_t other;   /* code of a text that is not there */
} eqp_lexicon;

/* Borrows the texts of the feature and of the marks. */
eqp_status eqp_lexicon_init(eqp_lexicon *lexicon, const eqp_feature *feature, const eqp_missing *missing,
                            eqp_error *error);
void eqp_lexicon_free(eqp_lexicon *lexicon);

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

#endif
