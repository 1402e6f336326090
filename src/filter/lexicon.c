/* Making a lexicon: the multiplier that makes texts meet least is taken from a few that are tried. */
#include "filter/lexicon.h"

#include "base/memory.h"
#include "base/random.h"

#define MANY_TEXTS  4096 /* more are worth fewer tries and less room each */
#define TRIES       64
#define FREE_LENGTH UINT32_MAX /* of no text */

typedef struct word {
    const char *text;
    eqp_lexicon_entry entry;
} word;

typedef struct word_list {
    word *words;
    size_t count;
} word_list;

static void add_word(word_list *list, const char *text, size_t length, uint32_t code)
{
    char padded[EQP_LEXICON_PADDING] = {0};
    if (length < sizeof padded) memcpy(padded, text, length);
    eqp_lexicon_key key = eqp_lexicon_key_of(length < sizeof padded ? padded : text, length);
    bool careful = length > EQP_LEXICON_WORDS || text[0] == '"';
    uint32_t marked = (uint32_t)length | (careful ? EQP_LEXICON_CAREFUL : 0);
    list->words[list->count++] = (word){text, {key, marked, code}};
}

/* The empty cell, the marks, then the levels that no mark hides. */
static void list_words(word_list *list, const eqp_feature *feature, const eqp_missing *missing)
{
    const char *mark = missing->marks;
    add_word(list, "", 0, EQP_MISSING(feature));
    for (size_t i = 0; i < missing->count; mark += missing->lengths[i++] + 1)
        if (missing->lengths[i] > 0) add_word(list, mark, missing->lengths[i], EQP_MISSING(feature));
    for (uint32_t level = 0; level < feature->level_count; level++) {
        size_t length = strlen(feature->levels[level]);
        if (!eqp_is_missing(missing, feature->levels[level], length))
            add_word(list, feature->levels[level], length, level);
    }
}

static void empty(eqp_lexicon *lexicon)
{
    for (size_t i = 0; i <= lexicon->mask; i++)
        lexicon->entries[i] = (eqp_lexicon_entry){.length = FREE_LENGTH, .code = EQP_NO_CODE};
}

/* How many steps beyond the first the texts need in all. */
static size_t place_words(eqp_lexicon *lexicon, const word_list *list)
{
    size_t steps = 0;
    empty(lexicon);
    for (size_t i = 0; i < list->count; i++) {
        size_t at = eqp_lexicon_place(lexicon, list->words[i].entry.key);
        for (; lexicon->entries[at].code != EQP_NO_CODE; steps++) at = (at + 1) & lexicon->mask;
        lexicon->entries[at] = list->words[i].entry;
        lexicon->texts[at] = list->words[i].text;
    }
    return steps;
}

static void choose_multiplier(eqp_lexicon *lexicon, const word_list *list)
{
    eqp_random random = eqp_random_from(0, 0);
    size_t tries = list->count > MANY_TEXTS ? 1 : TRIES, fewest = SIZE_MAX;
    uint64_t best = 0;
    for (size_t i = 0; i < tries && fewest > 0; i++) {
        lexicon->multiplier = eqp_random_bits(&random) | 1;
        size_t steps = place_words(lexicon, list);
        if (steps >= fewest) continue;
        fewest = steps;
        best = lexicon->multiplier;
    }
    lexicon->multiplier = best;
    place_words(lexicon, list);
}

eqp_status eqp_lexicon_init(eqp_lexicon *lexicon, const eqp_feature *feature, const eqp_missing *missing,
                            eqp_error *error)
{
    size_t most = feature->level_count + missing->count + 1, room = 64;
    while (room < most * (most > MANY_TEXTS ? 2 : 4)) room *= 2;
    word_list list = {eqp_alloc(most, sizeof *list.words), 0};
    *lexicon = (eqp_lexicon){.entries = eqp_alloc_aligned(room, sizeof *lexicon->entries),
                             .texts = eqp_alloc(room, sizeof *lexicon->texts),
                             .mask = room - 1,
                             .other = EQP_OTHER(feature)};
    if (list.words == NULL || lexicon->entries == NULL || lexicon->texts == NULL) {
        free(list.words);
        eqp_lexicon_free(lexicon);
        return eqp_fail_memory(error);
    }
    list_words(&list, feature, missing);
    choose_multiplier(lexicon, &list);
    free(list.words);
    return EQP_OK;
}

uint32_t eqp_lexicon_find(const eqp_lexicon *lexicon, const char *text, size_t length)
{
    eqp_lexicon_key key = eqp_lexicon_key_of(text, length);
    for (size_t at = eqp_lexicon_place(lexicon, key);; at = (at + 1) & lexicon->mask) {
        const eqp_lexicon_entry *entry = &lexicon->entries[at];
        bool careful = (entry->length & EQP_LEXICON_CAREFUL) != 0;
        uint32_t marked = (uint32_t)length | (careful ? EQP_LEXICON_CAREFUL : 0);
        if (entry->code == EQP_NO_CODE) return lexicon->other;
        if (eqp_lexicon_differs(entry, key, marked) != 0) continue;
        if (!careful || memcmp(lexicon->texts[at], text, length) == 0) return entry->code;
    }
}

void eqp_lexicon_free(eqp_lexicon *lexicon)
{
    free(lexicon->entries);
    free(lexicon->texts);
    *lexicon = (eqp_lexicon){0};
}
