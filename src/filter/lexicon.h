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

typedef struct eqp_lexicon_entry {
    uint64_t head, tail; /* the first and the last eight bytes; of a shorter text all bytes, and 0 */
    const char *text;    /* the model's, or a mark's */
    uint32_t length;
    uint32_t code; /* EQP_NO_CODE: the place is free */
} eqp_lexicon_entry;

typedef struct eqp_lexicon {
    eqp_lexicon_entry *entries; /* a power of two of them, at most half in use */
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

static inline size_t eqp_lexicon_place(const eqp_lexicon *lexicon, uint64_t head, uint64_t tail)
{
    uint64_t mixed = (head ^ (tail << 23 | tail >> 41)) * lexicon->multiplier;
    return (size_t)(mixed >> 32 & lexicon->mask);
}

/* A text of more than 16 bytes has a middle that neither head nor tail holds. */
static inline bool eqp_lexicon_same_middle(const eqp_lexicon_entry *entry, const char *text, size_t length)
{
    return length <= 16 || memcmp(entry->text + 8, text + 8, length - 16) == 0;
}

static inline uint32_t eqp_lexicon_find(const eqp_lexicon *lexicon, const char *text, size_t length)
{
    uint64_t head = eqp_lexicon_word(text), tail = 0;
    if (length >= 8)
        tail = eqp_lexicon_word(text + length - 8);
    else
        head &= (UINT64_C(1) << 8 * length) - 1;
    for (size_t at = eqp_lexicon_place(lexicon, head, tail);; at = (at + 1) & lexicon->mask) {
        const eqp_lexicon_entry *entry = &lexicon->entries[at];
        if (entry->head == head && entry->tail == tail && entry->length == length &&
            eqp_lexicon_same_middle(entry, text, length))
            return entry->code;
        if (entry->code == EQP_NO_CODE) return lexicon->other;
    }
}

#endif
