/* Making a lexicon: the multiplier that makes texts meet least is taken from a few that are tried. */
#include "decode/quick.h"

#include "base/memory.h"
#include "base/random.h"

#include <string.h>

#define MANY_TEXTS 4096 /* more are worth fewer tries and fewer places each */
#define TRIES      64

const char eqp_lexicon_padding[EQP_LEXICON_PADDING] = {0};

typedef struct entry {
    const char *text;
    size_t length;
    uint32_t code;
    eqp_word word;
} entry;

typedef struct entry_list {
    entry *entries;
    size_t count;
} entry_list;

static void add_entry(entry_list *list, const char *text, size_t length, uint32_t code)
{
    char padded[EQP_LEXICON_PADDING] = {0};
    memcpy(padded, text, length < sizeof padded ? length : sizeof padded);
    list->entries[list->count++] = (entry){text, length, code, eqp_lexicon_word(padded, length)};
}

/* The empty cell, the marks, then the levels that no mark hides. */
static void list_entries(entry_list *list, const eqp_feature *feature, const eqp_missing *missing)
{
    add_entry(list, "", 0, EQP_MISSING(feature));
    for (size_t i = 0; i < missing->count; i++)
        if (missing->lengths[i] > 0)
            add_entry(list, missing->marks[i], missing->lengths[i], EQP_MISSING(feature));
    for (uint32_t level = 0; level < feature->level_count; level++) {
        size_t length = strlen(feature->levels[level]);
        if (!eqp_is_missing(missing, feature->levels[level], length))
            add_entry(list, feature->levels[level], length, level);
    }
}

static size_t places(const eqp_lexicon *lexicon)
{
    return (size_t)1 << (64 - lexicon->shift);
}

/* Of no text: its bytes do not end in zeros, nor would a text of 32 bytes begin with one. */
static eqp_word no_word(void)
{
    return (eqp_word){{0, 0, 0, UINT64_MAX}};
}

/* A long text is not held whole, and one that begins with a quote stands in no file as it is. */
static bool has_word(const entry *one)
{
    return one->length < sizeof(eqp_word) && one->text[0] != '"';
}

static size_t place_of(const eqp_lexicon *lexicon, const eqp_word *word, size_t length)
{
    return eqp_lexicon_place(lexicon, word->part[0], word->part[1], length);
}

/* How many texts meet another at their place: they are left to the careful way. */
static size_t place_entries(eqp_lexicon *lexicon, const entry_list *list)
{
    size_t met = 0, count = places(lexicon);
    for (size_t i = 0; i < count; i++) {
        lexicon->codes[i] = EQP_NO_CODE;
        lexicon->words[i] = no_word();
    }
    for (size_t i = 0; i < list->count; i++) {
        const entry *one = &list->entries[i];
        size_t at = place_of(lexicon, &one->word, one->length);
        if (lexicon->codes[at] != EQP_NO_CODE) {
            met++;
            continue;
        }
        lexicon->codes[at] = one->code;
        if (has_word(one)) lexicon->words[at] = one->word;
    }
    return met;
}

/* By eight bytes where that keeps all texts apart, which is the quickest; else by sixteen. */
static void choose_hash(eqp_lexicon *lexicon, const entry_list *list)
{
    eqp_random random = eqp_random_from(0, 0);
    size_t tries = list->count > MANY_TEXTS ? 1 : TRIES, fewest = SIZE_MAX;
    eqp_lexicon best = *lexicon;
    for (size_t i = 0; i < 2 * tries && fewest > 0; i++) {
        lexicon->further = i < tries ? 0 : UINT64_MAX;
        lexicon->multiplier = eqp_random_bits(&random) | 1;
        size_t met = place_entries(lexicon, list);
        if (met >= fewest) continue;
        fewest = met;
        best = *lexicon;
    }
    *lexicon = best;
    place_entries(lexicon, list);
}

/* The first entry of a text counts: a mark is often named twice. */
static bool remember_texts(eqp_lexicon *lexicon, const entry_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        uint32_t known = eqp_dictionary_size(lexicon->texts);
        uint32_t text = eqp_dictionary_add(lexicon->texts, list->entries[i].text, list->entries[i].length);
        if (text == EQP_NO_CODE) return false;
        if (text == known) lexicon->code_of_text[text] = list->entries[i].code;
    }
    return true;
}

void eqp_lexicon_clear(eqp_lexicon *lexicon)
{
    eqp_dictionary_free(lexicon->texts);
    lexicon->texts = NULL;
}

eqp_status eqp_lexicon_init(eqp_lexicon *lexicon, const eqp_feature *feature, const eqp_missing *missing,
                            eqp_arena *arena, eqp_error *error)
{
    size_t most = feature->level_count + missing->count + 1;
    unsigned bits = 6;
    while ((size_t)1 << bits < most * (most > MANY_TEXTS ? 2 : 4)) bits++;
    entry_list list = {eqp_alloc_aligned(most, sizeof *list.entries), 0};
    *lexicon = (eqp_lexicon){.words = eqp_take(arena, (size_t)1 << bits, sizeof *lexicon->words),
                             .codes = eqp_take(arena, (size_t)1 << bits, sizeof *lexicon->codes),
                             .texts = eqp_dictionary_new(),
                             .code_of_text = eqp_take(arena, most, sizeof *lexicon->code_of_text),
                             .shift = 64 - bits,
                             .other = EQP_OTHER(feature)};
    bool complete = list.entries != NULL && lexicon->texts != NULL && !arena->failed;
    if (complete) {
        list_entries(&list, feature, missing);
        complete = remember_texts(lexicon, &list);
    }
    if (complete) choose_hash(lexicon, &list);
    free(list.entries);
    return complete ? EQP_OK : eqp_fail_memory(error);
}

uint32_t eqp_lexicon_find(const eqp_lexicon *lexicon, const char *text, size_t length)
{
    uint32_t found = eqp_dictionary_find(lexicon->texts, text, length);
    return found != EQP_NO_CODE ? lexicon->code_of_text[found] : lexicon->other;
}
