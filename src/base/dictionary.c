/* Open addressing over codes; the texts lie end to end in one arena. */
#include "base/dictionary.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

struct eqp_dictionary {
    char *arena; /* every text with its final 0 */
    size_t arena_length, arena_capacity;
    size_t *start;  /* of each text in the arena */
    uint64_t *hash; /* of each text */
    uint32_t *length;
    size_t capacity; /* of the three arrays above */
    uint32_t size;
    uint32_t *slots; /* code + 1, or 0 for empty; a power of two of them */
    size_t slot_mask;
};

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0x9FB21C651E98DF25);
    return x ^ (x >> 28);
}

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15) ^ length, word;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        hash = mix(hash ^ word) * UINT64_C(0xD6E8FEB86659FD93);
    }
    word = 0;
    memcpy(&word, text, length);
    return mix(mix(hash ^ word) * UINT64_C(0xD6E8FEB86659FD93));
}

eqp_dictionary *eqp_dictionary_new(void)
{
    eqp_dictionary *dictionary = eqp_alloc_zero(1, sizeof *dictionary);
    if (dictionary == NULL) return NULL;
    dictionary->slot_mask = 63;
    dictionary->slots = eqp_alloc_zero(64, sizeof *dictionary->slots);
    if (dictionary->slots != NULL) return dictionary;
    eqp_dictionary_free(dictionary);
    return NULL;
}

void eqp_dictionary_free(eqp_dictionary *dictionary)
{
    if (dictionary == NULL) return;
    free(dictionary->arena);
    free(dictionary->start);
    free(dictionary->hash);
    free(dictionary->length);
    free(dictionary->slots);
    free(dictionary);
}

/* The slot that holds the text, or the empty one where it belongs. */
static size_t find_slot(const eqp_dictionary *dictionary, const char *text, size_t length, uint64_t hash)
{
    size_t slot = hash & dictionary->slot_mask;
    for (; dictionary->slots[slot] != 0; slot = (slot + 1) & dictionary->slot_mask) {
        uint32_t code = dictionary->slots[slot] - 1;
        if (dictionary->hash[code] == hash && dictionary->length[code] == length &&
            memcmp(dictionary->arena + dictionary->start[code], text, length) == 0)
            break;
    }
    return slot;
}

static bool double_slots(eqp_dictionary *dictionary)
{
    size_t count = 2 * (dictionary->slot_mask + 1);
    uint32_t *slots = eqp_alloc_zero(count, sizeof *slots);
    if (slots == NULL) return false;
    for (uint32_t code = 0; code < dictionary->size; code++) {
        size_t slot = dictionary->hash[code] & (count - 1);
        while (slots[slot] != 0) slot = (slot + 1) & (count - 1);
        slots[slot] = code + 1;
    }
    free(dictionary->slots);
    dictionary->slots = slots;
    dictionary->slot_mask = count - 1;
    return true;
}

static bool grow_array(void **array, size_t capacity, size_t size)
{
    void *grown = eqp_resize(*array, capacity, size);
    if (grown != NULL) *array = grown;
    return grown != NULL;
}

/* For one more text, without its slot. */
static bool reserve_text(eqp_dictionary *dictionary, size_t length)
{
    char *arena =
        eqp_reserve(dictionary->arena, &dictionary->arena_capacity, dictionary->arena_length + length + 1, 1);
    if (arena == NULL) return false;
    dictionary->arena = arena;
    if (dictionary->size < dictionary->capacity) return true;
    size_t capacity = dictionary->capacity ? 2 * dictionary->capacity : 16;
    if (!grow_array((void **)&dictionary->start, capacity, sizeof *dictionary->start) ||
        !grow_array((void **)&dictionary->hash, capacity, sizeof *dictionary->hash) ||
        !grow_array((void **)&dictionary->length, capacity, sizeof *dictionary->length))
        return false;
    dictionary->capacity = capacity;
    return true;
}

uint32_t eqp_dictionary_append(eqp_dictionary *dictionary, const char *text, size_t length)
{
    if (length >= UINT32_MAX || dictionary->size == EQP_NO_CODE - 1 || !reserve_text(dictionary, length))
        return EQP_NO_CODE;
    uint32_t code = dictionary->size++;
    char *place = dictionary->arena + dictionary->arena_length;
    memcpy(place, text, length);
    place[length] = '\0';
    dictionary->start[code] = dictionary->arena_length;
    dictionary->length[code] = (uint32_t)length;
    dictionary->arena_length += length + 1;
    return code;
}

uint32_t eqp_dictionary_add(eqp_dictionary *dictionary, const char *text, size_t length)
{
    uint64_t hash = hash_text(text, length);
    size_t slot = find_slot(dictionary, text, length, hash);
    if (dictionary->slots[slot] != 0) return dictionary->slots[slot] - 1;
    if (2 * (size_t)dictionary->size > dictionary->slot_mask && !double_slots(dictionary)) return EQP_NO_CODE;
    uint32_t code = eqp_dictionary_append(dictionary, text, length);
    if (code == EQP_NO_CODE) return EQP_NO_CODE;
    dictionary->hash[code] = hash;
    dictionary->slots[find_slot(dictionary, text, length, hash)] = code + 1;
    return code;
}

uint32_t eqp_dictionary_find(const eqp_dictionary *dictionary, const char *text, size_t length)
{
    size_t slot = find_slot(dictionary, text, length, hash_text(text, length));
    return dictionary->slots[slot] != 0 ? dictionary->slots[slot] - 1 : EQP_NO_CODE;
}

uint32_t eqp_dictionary_size(const eqp_dictionary *dictionary)
{
    return dictionary->size;
}

const char *eqp_dictionary_text(const eqp_dictionary *dictionary, uint32_t code)
{
    assert(code < dictionary->size);
    return dictionary->arena + dictionary->start[code];
}

size_t eqp_dictionary_length(const eqp_dictionary *dictionary, uint32_t code)
{
    assert(code < dictionary->size);
    return dictionary->length[code];
}
