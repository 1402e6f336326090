/* Draws of many records at once (M12).  Nearly every record costs one compression of SHA-256: key and model
 * are absorbed already, and the id with its ending fits the block that is left.  The processor's instructions
 * for SHA-256 wait for each other, so two records are computed side by side.  Without such instructions, or
 * where an id is long, records go through eqp_draw_block one by one; the answers are the same. */
#include "draw/draw.h"
#include "draw/draw_lanes.h"

#include <string.h>

#if defined __x86_64__ && !defined EQP_PORTABLE
#include <cpuid.h>
#include <immintrin.h>

#define BLOCK    64
#define AT_ONCE  32
#define ENDING   3 /* bytes: ":", a digit, then the mark that ends every message */
#define WITH_SHA __attribute__((target("sha,sse4.1,ssse3")))
/* Bytes of the block before the ending and the length of the message. */
#define MOST_TAIL (BLOCK - 8 - ENDING)

/* The state in the order that the instructions want: words a b e f, and c d g h. */
typedef struct sha_state {
    __m128i abef, cdgh;
} sha_state;

typedef struct sha_lane {
    sha_state state;
    __m128i words[4]; /* of the message, the last sixteen */
} sha_lane;

WITH_SHA static inline sha_state load_state(const uint32_t *words)
{
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0xB1);        /* c d a b */
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(words + 4)), 0x1B); /* e f g h */
    return (sha_state){_mm_alignr_epi8(low, high, 8), _mm_blend_epi16(high, low, 0xF0)};
}

WITH_SHA static inline void store_state(sha_state state, uint32_t *words)
{
    __m128i low = _mm_shuffle_epi32(state.abef, 0x1B), high = _mm_shuffle_epi32(state.cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)words, _mm_blend_epi16(low, high, 0xF0));
    _mm_storeu_si128((__m128i *)(words + 4), _mm_alignr_epi8(high, low, 8));
}

WITH_SHA static inline void load_message(sha_lane *lane, const uint8_t *block)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    for (int i = 0; i < 4; i++)
        lane->words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * i)), swap);
}

/* Four rounds; `step` 0 … 15 takes words 4 step … 4 step + 3. */
WITH_SHA static inline __attribute__((always_inline)) void four_rounds(sha_lane *lane, int step)
{
    __m128i *words = lane->words;
    int now = step & 3;
    if (step >= 4) {
        __m128i middle = _mm_alignr_epi8(words[(step + 3) & 3], words[(step + 2) & 3], 4);
        __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(words[now], words[(step + 1) & 3]), middle);
        words[now] = _mm_sha256msg2_epu32(sum, words[(step + 3) & 3]);
    }
    __m128i input =
        _mm_add_epi32(words[now], _mm_load_si128((const __m128i *)(eqp_sha256_constants + 4 * step)));
    lane->state.cdgh = _mm_sha256rnds2_epu32(lane->state.cdgh, lane->state.abef, input);
    input = _mm_shuffle_epi32(input, 0x0E);
    lane->state.abef = _mm_sha256rnds2_epu32(lane->state.abef, lane->state.cdgh, input);
}

WITH_SHA static void compress_two(const uint32_t *midstate, const uint8_t *blocks, uint32_t digests[2][8])
{
    sha_state start = load_state(midstate);
    sha_lane lanes[2] = {{.state = start}, {.state = start}};
    load_message(&lanes[0], blocks);
    load_message(&lanes[1], blocks + BLOCK);
#pragma GCC unroll 16
    for (int step = 0; step < 16; step++) {
        four_rounds(&lanes[0], step);
        four_rounds(&lanes[1], step);
    }
    for (int i = 0; i < 2; i++) {
        lanes[i].state.abef = _mm_add_epi32(lanes[i].state.abef, start.abef);
        lanes[i].state.cdgh = _mm_add_epi32(lanes[i].state.cdgh, start.cdgh);
        store_state(lanes[i].state, digests[i]);
    }
}

bool eqp_draw_can_pair(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0 &&
           __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
}

/* Most ids have a few bytes, for which a call costs more than the copy. */
static inline void copy_id(uint8_t *to, const char *id, size_t length)
{
    if (length > 16) {
        memcpy(to, id, length);
    } else if (length >= 8) {
        memcpy(to, id, 8);
        memcpy(to + length - 8, id + length - 8, 8);
    } else if (length >= 4) {
        memcpy(to, id, 4);
        memcpy(to + length - 4, id + length - 4, 4);
    } else {
        for (size_t i = 0; i < length; i++) to[i] = (uint8_t)id[i];
    }
}

/* What is left of the last block: model, id, ending, zeros, length of the whole message in bits.  `blank` has
 * the model and zeros. */
static inline void fill_block(const eqp_drawer *drawer, const uint8_t *blank, const char *id, size_t length,
                              unsigned number, uint8_t *block)
{
    size_t before = drawer->keyed.index;
    uint64_t bits = __builtin_bswap64(8 * (BLOCK * drawer->keyed.count + before + length + 2));
    memcpy(block, blank, BLOCK);
    copy_id(block + before, id, length);
    memcpy(block + before + length, (char[ENDING]){':', (char)('0' + number), '\x80'}, ENDING);
    memcpy(block + BLOCK - 8, &bits, sizeof bits);
}

static void split_words(const uint32_t *words, eqp_draws *draws)
{
    uint64_t part[4];
    for (size_t i = 0; i < 4; i++) part[i] = (uint64_t)words[2 * i] << 32 | words[2 * i + 1];
    eqp_draws_split(part[0], part[1], part[2], part[3], draws);
}

static void draw_pair(const eqp_drawer *drawer, const uint8_t *blocks, eqp_draws *draws)
{
    uint32_t digests[2][8];
    compress_two(drawer->keyed.state, blocks, digests);
    split_words(digests[0], &draws[0]);
    split_words(digests[1], &draws[1]);
}

static bool all_brief(const uint32_t *length)
{
    uint32_t longest = 0;
    for (size_t i = 0; i < EQP_DRAW_LANES; i++) longest = length[i] > longest ? length[i] : longest;
    return longest <= EQP_BRIEF_MOST;
}

/* Sixteen records at a time while their ids are brief; returns how many were drawn. */
static size_t draw_brief(const eqp_drawer *drawer, unsigned number, const char *ids, const size_t *start,
                         const uint32_t *length, size_t count, eqp_draws *draws)
{
    size_t done = 0;
    for (; done + EQP_DRAW_LANES <= count && all_brief(length + done); done += EQP_DRAW_LANES)
        eqp_lanes_draw_brief(&drawer->start, number, ids, start + done, length + done, draws + done);
    return done;
}

/* All blocks are written before the first is read: a wide load must not meet the narrow stores that made it.
 * Returns how many records were drawn; 0 when an id is too long or too few are left. */
static size_t draw_some(const eqp_drawer *drawer, unsigned number, const char *ids, const size_t *start,
                        const uint32_t *length, size_t count, eqp_draws *draws)
{
    if (drawer->lanes && drawer->brief) {
        size_t brief = draw_brief(drawer, number, ids, start, length, count, draws);
        if (brief > 0) return brief;
    }
    size_t before = drawer->keyed.index, most = before < MOST_TAIL ? MOST_TAIL - before : 0;
    size_t ready = 0, done = 0;
    uint8_t blank[BLOCK] = {0}, blocks[AT_ONCE * BLOCK];
    memcpy(blank, drawer->keyed.block, before);
    for (; ready < count && ready < AT_ONCE && length[ready] <= most; ready++)
        fill_block(drawer, blank, ids + start[ready], length[ready], number, blocks + ready * BLOCK);
    for (; drawer->lanes && done + EQP_DRAW_LANES <= ready; done += EQP_DRAW_LANES)
        eqp_lanes_draw(drawer->keyed.state, blocks + done * BLOCK, draws + done);
    for (; drawer->paired && done + 2 <= ready; done += 2)
        draw_pair(drawer, blocks + done * BLOCK, draws + done);
    return done;
}

#else

bool eqp_draw_can_pair(void)
{
    return false;
}

static size_t draw_some(const eqp_drawer *drawer, unsigned number, const char *ids, const size_t *start,
                        const uint32_t *length, size_t count, eqp_draws *draws)
{
    (void)drawer, (void)number, (void)ids, (void)start, (void)length, (void)count, (void)draws;
    return 0;
}

#endif

void eqp_draw_blocks(const eqp_drawer *drawer, unsigned block, const char *ids, const size_t *start,
                     const uint32_t *length, size_t count, eqp_draws *draws)
{
    bool many = (drawer->paired || drawer->lanes) && block < 10; /* one digit */
    for (size_t done = 0, some; done < count; done += some) {
        some =
            many ? draw_some(drawer, block, ids, start + done, length + done, count - done, draws + done) : 0;
        if (some > 0) continue;
        eqp_draw_block(drawer, ids + start[done], length[done], block, &draws[done]);
        some = 1;
    }
}
