/* SHA-256 of sixteen records side by side (M12): lane i of every register belongs to record i.
 *
 * The processor's instructions for SHA-256 work on one digest and wait for each other; plain additions and
 * rotations on sixteen lanes are faster where AVX-512 is there.
 *
 * Most ids are brief, and then most of the sixteen words of the message are known beforehand:
 *
 *     0 … 3    the model's id: rounds 0 … 3 are done once for all records
 *     4 … 7    ":", the record's id, ":", the digit of the block, the mark that ends every message
 *     8 … 14   zeros, which drop out of the rounds and of the words made from them
 *     15       the length of the message */
#include "draw/draw_lanes.h"

#include <string.h>

const uint32_t eqp_sha256_constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* ---- what all records have in common ------------------------------------------------------------------- */

static uint32_t rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static uint32_t near_part(uint32_t x)
{
    return rotate(x, 17) ^ rotate(x, 19) ^ x >> 10;
}

static uint32_t far_part(uint32_t x)
{
    return rotate(x, 7) ^ rotate(x, 18) ^ x >> 3;
}

/* One round as the standard writes it. */
static void advance(uint32_t s[8], uint32_t input)
{
    uint32_t chosen = (s[4] & s[5]) ^ (~s[4] & s[6]), most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t first = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + chosen + input;
    uint32_t second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + most;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + second;
}

void eqp_lanes_prepare(const uint32_t state[8], const uint8_t model[16], eqp_lanes_start *start)
{
    uint32_t words[4];
    memcpy(start->state, state, sizeof start->state);
    memcpy(start->advanced, state, sizeof start->advanced);
    for (size_t i = 0; i < 4; i++) {
        const uint8_t *bytes = model + 4 * i;
        words[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
        advance(start->advanced, words[i] + eqp_sha256_constants[i]);
    }
    start->made[0] = words[0] + far_part(words[1]);
    start->made[1] = words[1] + far_part(words[2]);
    start->made[2] = words[2] + far_part(words[3]) + near_part(start->made[0]);
    start->made[3] = words[3];
}

#if defined __x86_64__ && !defined EQP_PORTABLE
#include <immintrin.h>

/* ---- any message --------------------------------------------------------------------------------------- */

#define KERNEL __attribute__((target("avx512f,avx512bw,avx512vl,bmi2")))
#define INLINE KERNEL static inline __attribute__((always_inline))
/* Under a sanitizer every access has a check of its own, and unrolled rounds take long to compile. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define ROLLED
#endif
#endif
#ifdef ROLLED
#define UNROLL_ROUNDS
#else
#define UNROLL_ROUNDS _Pragma("GCC unroll 64")
#endif
#define XOR3   0x96 /* truth tables of three inputs */
#define CHOOSE 0xCA
#define MOST   0xE8
#define ROTATED(x, a, b, c)                                                                                  \
    _mm512_ternarylogic_epi32(_mm512_ror_epi32(x, a), _mm512_ror_epi32(x, b), _mm512_ror_epi32(x, c), XOR3)
#define SHIFTED(x, a, b, c)                                                                                  \
    _mm512_ternarylogic_epi32(_mm512_ror_epi32(x, a), _mm512_ror_epi32(x, b), _mm512_srli_epi32(x, c), XOR3)

/* Word w of all blocks into words[w], as big-endian numbers. */
INLINE void load_words(const uint8_t *blocks, __m512i words[16])
{
    const __m512i swap = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    const __m512i lanes = _mm512_slli_epi32(
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 6 /* 64 bytes per block */);
    for (int w = 0; w < 16; w++)
        words[w] = _mm512_shuffle_epi8(_mm512_i32gather_epi32(lanes, blocks + 4 * w, 1), swap);
}

/* The word that takes the place of the one sixteen rounds before. */
INLINE __m512i next_word(const __m512i words[16], int round)
{
    __m512i near = words[(round + 14) & 15], far = words[(round + 1) & 15];
    __m512i sum = _mm512_add_epi32(words[round & 15], words[(round + 9) & 15]);
    sum = _mm512_add_epi32(sum, SHIFTED(far, 7, 18, 3));
    return _mm512_add_epi32(sum, SHIFTED(near, 17, 19, 10));
}

/* One round; instead of moving the eight words along, the caller counts down where they begin. */
INLINE void do_round(__m512i state[8], int round, __m512i word)
{
#define WORD(i) state[((i)-round) & 7]
    __m512i key = _mm512_add_epi32(word, _mm512_set1_epi32((int)eqp_sha256_constants[round]));
    __m512i chosen = _mm512_ternarylogic_epi32(WORD(4), WORD(5), WORD(6), CHOOSE);
    __m512i sum = _mm512_add_epi32(_mm512_add_epi32(WORD(7), key),
                                   _mm512_add_epi32(chosen, ROTATED(WORD(4), 6, 11, 25)));
    __m512i most = _mm512_ternarylogic_epi32(WORD(0), WORD(1), WORD(2), MOST);
    WORD(3) = _mm512_add_epi32(WORD(3), sum);
    WORD(7) = _mm512_add_epi32(sum, _mm512_add_epi32(most, ROTATED(WORD(0), 2, 13, 22)));
#undef WORD
}

INLINE void store_draws(const uint32_t start[8], const __m512i state[8], eqp_draws draws[EQP_DRAW_LANES])
{
    uint32_t digests[8][EQP_DRAW_LANES];
    for (int i = 0; i < 8; i++)
        _mm512_storeu_si512(digests[i], _mm512_add_epi32(state[i], _mm512_set1_epi32((int)start[i])));
    for (int i = 0; i < EQP_DRAW_LANES; i++) {
        uint64_t part[4];
        for (int j = 0; j < 4; j++) part[j] = (uint64_t)digests[2 * j][i] << 32 | digests[2 * j + 1][i];
        eqp_draws_split(part[0], part[1], part[2], part[3], &draws[i]);
    }
}

KERNEL void eqp_lanes_draw(const uint32_t start[8], const uint8_t *blocks, eqp_draws draws[EQP_DRAW_LANES])
{
    __m512i words[16], state[8];
    load_words(blocks, words);
    for (int i = 0; i < 8; i++) state[i] = _mm512_set1_epi32((int)start[i]);
    UNROLL_ROUNDS
    for (int round = 0; round < 64; round++) {
        if (round >= 16) words[round & 15] = next_word(words, round);
        do_round(state, round, words[round & 15]);
    }
    store_draws(start, state, draws);
}

/* ---- brief ids ----------------------------------------------------------------------------------------- */

/* Words 4 … 7 of the messages.  Record 4l + j goes to lane l of register j, where sixteen words are then
 * turned. */
INLINE void load_ids(unsigned digit, const char *ids, const size_t *start, const uint32_t *length,
                     __m512i words[16])
{
    uint8_t ending[35] = {0}, records[4][4][16]; /* a window on the ending puts it where the id ends */
    memcpy(ending + 16, (uint8_t[3]){':', (uint8_t)('0' + digit), 0x80}, 3);
    for (size_t i = 0; i < EQP_DRAW_LANES; i++) {
        __mmask16 kept = (__mmask16)_bzhi_u32(0xFFFF, length[i]);
        __m128i id = _mm_bslli_si128(_mm_maskz_loadu_epi8(kept, ids + start[i]), 1);
        __m128i rest = _mm_loadu_si128((const __m128i *)(ending + 15 - length[i]));
        __m128i colon = _mm_cvtsi32_si128(':');
        _mm_storeu_si128((__m128i *)records[i % 4][i / 4], _mm_or_si128(_mm_or_si128(id, rest), colon));
    }
    const __m512i swap = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    __m512i row[4];
    for (int j = 0; j < 4; j++) row[j] = _mm512_shuffle_epi8(_mm512_loadu_si512(records[j]), swap);
    __m512i low01 = _mm512_unpacklo_epi32(row[0], row[1]), high01 = _mm512_unpackhi_epi32(row[0], row[1]);
    __m512i low23 = _mm512_unpacklo_epi32(row[2], row[3]), high23 = _mm512_unpackhi_epi32(row[2], row[3]);
    words[4] = _mm512_unpacklo_epi64(low01, low23);
    words[5] = _mm512_unpackhi_epi64(low01, low23);
    words[6] = _mm512_unpacklo_epi64(high01, high23);
    words[7] = _mm512_unpackhi_epi64(high01, high23);
}

/* Words 15 … 19: the bits of the message (the key's block, the model's id and colon, the record's id and
 * two bytes behind it), and those made from words that are known. */
INLINE void make_words(const eqp_lanes_start *start, const uint32_t *length, __m512i words[16])
{
    __m512i bytes = _mm512_add_epi32(_mm512_loadu_si512(length), _mm512_set1_epi32(64 + EQP_BRIEF_TAIL + 2));
    words[15] = _mm512_slli_epi32(bytes, 3);
    for (int i = 0; i < 4; i++) words[i] = _mm512_set1_epi32((int)start->made[i]);
    words[1] = _mm512_add_epi32(words[1], SHIFTED(words[15], 17, 19, 10));
    words[3] = _mm512_add_epi32(words[3], SHIFTED(words[4], 7, 18, 3));
    words[3] = _mm512_add_epi32(words[3], SHIFTED(words[1], 17, 19, 10));
}

static inline bool is_zero(int word)
{
    return word >= 8 && word <= 14;
}

/* As next_word, without the zeros. */
INLINE __m512i next_brief_word(const __m512i words[16], int round)
{
    __m512i near = words[(round + 14) & 15], far = words[(round + 1) & 15], sum = SHIFTED(near, 17, 19, 10);
    if (!is_zero(round - 16)) sum = _mm512_add_epi32(sum, words[round & 15]);
    if (!is_zero(round - 7)) sum = _mm512_add_epi32(sum, words[(round + 9) & 15]);
    if (!is_zero(round - 15)) sum = _mm512_add_epi32(sum, SHIFTED(far, 7, 18, 3));
    return sum;
}

KERNEL void eqp_lanes_draw_brief(const eqp_lanes_start *start, unsigned digit, const char *ids,
                                 const size_t *first, const uint32_t *length, eqp_draws draws[EQP_DRAW_LANES])
{
    __m512i words[16], state[8];
    load_ids(digit, ids, first, length, words);
    make_words(start, length, words);
    for (int i = 0; i < 8; i++) state[(i - 4) & 7] = _mm512_set1_epi32((int)start->advanced[i]);
    UNROLL_ROUNDS
    for (int round = 4; round < 64; round++) {
        if (round >= 20) words[round & 15] = next_brief_word(words, round);
        do_round(state, round, is_zero(round) ? _mm512_setzero_si512() : words[round & 15]);
    }
    store_draws(start->state, state, draws);
}

bool eqp_lanes_available(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}

#else

bool eqp_lanes_available(void)
{
    return false;
}

void eqp_lanes_draw(const uint32_t start[8], const uint8_t *blocks, eqp_draws draws[EQP_DRAW_LANES])
{
    (void)start, (void)blocks, (void)draws;
}

void eqp_lanes_draw_brief(const eqp_lanes_start *start, unsigned digit, const char *ids, const size_t *first,
                          const uint32_t *length, eqp_draws draws[EQP_DRAW_LANES])
{
    (void)start, (void)digit, (void)ids, (void)first, (void)length, (void)draws;
}

#endif
