/* SHA-256 of sixteen records side by side (M12): lane i of every register belongs to record i.
 *
 * The processor's instructions for SHA-256 work on one digest and wait for each other; plain additions and
 * rotations on sixteen lanes are faster where AVX-512 is there. */
#include "base/draw_wide.h"

const uint32_t eqp_sha256_constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#if defined __x86_64__ && !defined EQP_PORTABLE
#include <immintrin.h>

#define KERNEL __attribute__((target("avx512f,avx512bw")))
#define INLINE KERNEL static inline __attribute__((always_inline))
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
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 6 /* 64 bytes a block */);
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

KERNEL void eqp_wide_compress(const uint32_t start[8], const uint8_t *blocks, uint32_t digests[8][EQP_WIDE])
{
    __m512i words[16], state[8];
    load_words(blocks, words);
    for (int i = 0; i < 8; i++) state[i] = _mm512_set1_epi32((int)start[i]);
#pragma GCC unroll 64
    for (int round = 0; round < 64; round++) {
        if (round >= 16) words[round & 15] = next_word(words, round);
        do_round(state, round, words[round & 15]);
    }
    for (int i = 0; i < 8; i++)
        _mm512_storeu_si512(digests[i], _mm512_add_epi32(state[i], _mm512_set1_epi32((int)start[i])));
}

bool eqp_wide_available(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

#else

bool eqp_wide_available(void)
{
    return false;
}

void eqp_wide_compress(const uint32_t start[8], const uint8_t *blocks, uint32_t digests[8][EQP_WIDE])
{
    (void)start, (void)blocks, (void)digests;
}

#endif
