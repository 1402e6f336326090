/* Text of a cell -> code of its level: one multiplication and one look for nearly every cell.
 *
 * The texts of a feature are known beforehand, so the hash is chosen to keep them apart.  Marks of missing
 * cells are entries like any other, so asking "is it missing?" costs nothing. */
#ifndef EQP_FILTER_LEXICON_H
#define EQP_FILTER_LEXICON_H

#include "encode/encoding.h"
#include "table/missing.h"

#include <endian.h>
#include <string.h>

/* Texts that are looked up must be readable so far beyond their first byte. */
#define EQP_LEXICON_PADDING 8
/* Longer texts have bytes that none of the three words holds. */
#define EQP_LEXICON_WORDS 24
/* Marks the length of a text that the quick look passes by: one that the words do not hold, or one that
 * begins with a quote and so stands in no file as it is. */
#define EQP_LEXICON_CAREFUL (UINT32_C(1) << 31)

/* The first eight bytes, the second eight, the last eight; they overlap in a text of fewer than 24, and a
 * text of fewer than eight stands in each of them alone. */
typedef struct eqp_lexicon_key {
    uint64_t head, middle, tail;
} eqp_lexicon_key;

typedef struct eqp_lexicon_entry {
    eqp_lexicon_key key;
    uint32_t length; /* with EQP_LEXICON_CAREFUL where that applies */
    uint32_t code;   /* EQP_NO_CODE: the place is free */
} eqp_lexicon_entry;

typedef struct eqp_lexicon {
    eqp_lexicon_entry *entries; /* a power of two of them, at most half in use */
    const char **texts;         /* of the entries: the model's, or a mark */
    uint64_t mask;
    uint64_t multiplier;
    uint32_t other; /* code of a text that is not there */
} eqp_lexicon;

/* Borrows the texts of the feature and of the marks. */
eqp_status eqp_lexicon_init(eqp_lexicon *lexicon, const eqp_feature *feature, const eqp_missing *missing,
                            eqp_error *error);
void eqp_lexicon_free(eqp_lexicon *lexicon);

static inline uint64_t eqp_lexicon_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return le64toh(word);
}

/* Without a branch on the length, which nobody can foresee. */
static inline eqp_lexicon_key eqp_lexicon_key_of(const char *text, size_t length)
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
    size_t last = length > 8 ? length - 8 : 0, second = last < 8 ? last : 8;
    uint64_t keep = kept[length < 8 ? length : 8];
    return (eqp_lexicon_key){eqp_lexicon_word(text) & keep, eqp_lexicon_word(text + second) & keep,
                             eqp_lexicon_word(text + last) & keep};
}

static inline size_t eqp_lexicon_place(const eqp_lexicon *lexicon, eqp_lexicon_key key)
{
    uint64_t mixed = (key.head ^ (key.tail << 23 | key.tail >> 41)) * lexicon->multiplier;
    return (size_t)(mixed >> 32 & lexicon->mask);
}

static inline uint64_t eqp_lexicon_differs(const eqp_lexicon_entry *entry, eqp_lexicon_key key,
                                           uint32_t length)
{
    return (entry->key.head ^ key.head) | (entry->key.middle ^ key.middle) | (entry->key.tail ^ key.tail) |
           (entry->length ^ length);
}

/* The first look, at a field as it stands in the file; false where only the careful way knows. */
static inline bool eqp_lexicon_glance(const eqp_lexicon *lexicon, const char *field, size_t length,
                                      uint32_t *code)
{
    eqp_lexicon_key key = eqp_lexicon_key_of(field, length);
    const eqp_lexicon_entry *entry = &lexicon->entries[eqp_lexicon_place(lexicon, key)];
    *code = entry->code;
    return eqp_lexicon_differs(entry, key, (uint32_t)length) == 0;
}

/* The code of a value, unquoted; `other` when it is not there. */
uint32_t eqp_lexicon_find(const eqp_lexicon *lexicon, const char *text, size_t length);

#endif
