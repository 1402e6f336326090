/* Open addressing over codes; the texts lie end to end in one arena. */
#include "base/dictionary.h"

#include "base/memory.h"
#include "base/platform.h"

#include <assert.h>

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define AHEAD 24 /* slots are fetched into the cache this many texts before they are looked at */

struct eqp_dictionary {
    char *arena; /* every text with its final 0 */
    size_t arena_length, arena_capacity;
    size_t *start;  /* of each text in the arena */
    uint64_t *hash; /* of each text */
    uint32_t *length;
    size_t capacity; /* of the three arrays above */
    uint32_t size;
    uint64_t *slots; /* the high half of the hash, then code + 1, or 0 for empty; a power of two of them */
    size_t slot_mask;
    uint64_t key[2]; /* of the hash */
};

/* ---- SipHash-1-3 (Aumasson and Bernstein), keyed by chance: nobody can choose texts that meet. ---- */

static uint64_t hash_key[2];
static pthread_once_t hash_key_chosen = PTHREAD_ONCE_INIT;

/* Codes follow the order of first appearance, so no result depends on the key. */
static void choose_hash_key(void)
{
    if (getrandom(hash_key, sizeof hash_key, GRND_NONBLOCK) == (ssize_t)sizeof hash_key) return;
    struct timespec now; /* early at boot: hard to guess all the same */
    clock_gettime(CLOCK_MONOTONIC, &now);
    hash_key[0] = (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)&now << 20;
    hash_key[1] = (uint64_t)getpid() ^ (uint64_t)(uintptr_t)choose_hash_key << 16;
}

static inline uint64_t turned(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turned(v[1], 13) ^ v[0];
    v[3] = turned(v[3], 16) ^ v[2];
    v[0] = turned(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = turned(v[1], 17) ^ v[2];
    v[3] = turned(v[3], 21) ^ v[0];
    v[2] = turned(v[2], 32);
}

static inline void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

static uint64_t hash_text(const uint64_t key[2], const char *text, size_t length)
{
    uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                     key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
    uint64_t word, last = (uint64_t)length << 56;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        sip_word(v, le64toh(word));
    }
    word = 0;
    memcpy(&word, text, length);
    sip_word(v, last | le64toh(word));
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

eqp_dictionary *eqp_dictionary_new(void)
{
    eqp_dictionary *dictionary = eqp_alloc_zero(1, sizeof *dictionary);
    if (dictionary == NULL) return NULL;
    pthread_once(&hash_key_chosen, choose_hash_key);
    memcpy(dictionary->key, hash_key, sizeof hash_key);
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

static uint64_t slot_of(uint64_t hash, uint32_t code)
{
    return (hash & UINT64_C(0xFFFFFFFF00000000)) | (code + 1);
}

static uint32_t code_in(uint64_t slot)
{
    return (uint32_t)slot - 1;
}

/* The slot that holds the text, or the empty one where it belongs. */
static size_t find_slot(const eqp_dictionary *dictionary, const char *text, size_t length, uint64_t hash)
{
    size_t slot = hash & dictionary->slot_mask;
    for (; dictionary->slots[slot] != 0; slot = (slot + 1) & dictionary->slot_mask) {
        uint32_t code = code_in(dictionary->slots[slot]);
        if ((dictionary->slots[slot] ^ hash) >> 32 == 0 && dictionary->hash[code] == hash &&
            dictionary->length[code] == length &&
            memcmp(dictionary->arena + dictionary->start[code], text, length) == 0)
            break;
    }
    return slot;
}

static bool double_slots(eqp_dictionary *dictionary)
{
    size_t count = 2 * (dictionary->slot_mask + 1);
    uint64_t *slots = eqp_alloc_zero(count, sizeof *slots);
    if (slots == NULL) return false;
    for (uint32_t code = 0; code < dictionary->size; code++) {
        if (code + AHEAD < dictionary->size)
            __builtin_prefetch(&slots[dictionary->hash[code + AHEAD] & (count - 1)], 1);
        size_t slot = dictionary->hash[code] & (count - 1);
        while (slots[slot] != 0) slot = (slot + 1) & (count - 1);
        slots[slot] = slot_of(dictionary->hash[code], code);
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
    uint64_t hash = hash_text(dictionary->key, text, length);
    size_t slot = find_slot(dictionary, text, length, hash);
    if (dictionary->slots[slot] != 0) return code_in(dictionary->slots[slot]);
    if (2 * (size_t)dictionary->size > dictionary->slot_mask) {
        if (!double_slots(dictionary)) return EQP_NO_CODE;
        slot = find_slot(dictionary, text, length, hash);
    }
    uint32_t code = eqp_dictionary_append(dictionary, text, length);
    if (code == EQP_NO_CODE) return EQP_NO_CODE;
    dictionary->hash[code] = hash;
    dictionary->slots[slot] = slot_of(hash, code);
    return code;
}

uint32_t eqp_dictionary_find(const eqp_dictionary *dictionary, const char *text, size_t length)
{
    size_t slot = find_slot(dictionary, text, length, hash_text(dictionary->key, text, length));
    return dictionary->slots[slot] != 0 ? code_in(dictionary->slots[slot]) : EQP_NO_CODE;
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
