/* The hot loop of reading.  `consume_block` is the algorithm; it is inlined into the kernels,
 * which differ in how they make masks and in the instructions the compiler may use. */
#include "table/scanner.h"

#include "base/platform.h"

#include <string.h>

#define BLOCK         64
#define CALM          (4 * BLOCK) /* bytes looked over together for the rare ones */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct block_masks {
    uint64_t quotes, delimiters, line_feeds, zeros;
} block_masks;

/* Bit i of the result is the xor of bits 0 … i: ones from an opening quote to before the closing one. */
ALWAYS_INLINE uint64_t prefix_xor(uint64_t bits)
{
    for (int shift = 1; shift < BLOCK; shift *= 2) bits ^= bits << shift;
    return bits;
}

/* After a closing quote only "\r\n" may stand beside the ends of fields. */
ALWAYS_INLINE bool all_line_ends(const char *block, uint64_t places)
{
    for (; places != 0; places &= places - 1) {
        const char *byte = block + __builtin_ctzll(places);
        if (byte[0] != '\r' || byte[1] != '\n') return false;
    }
    return true;
}

/* An opening quote stands at the start of a field or right behind a closing one, which it doubles; a closing
 * quote stands before the end of a field or before the quote that doubles it. */
ALWAYS_INLINE void check_quotes(eqp_scan *scan, const char *block, uint64_t quotes, uint64_t inside,
                                uint64_t ends)
{
    uint64_t opening = quotes & inside, closing = quotes & ~inside;
    uint64_t may_open = (ends | closing) << 1 | scan->may_open;
    uint64_t after = closing << 1 | scan->closed;
    scan->odd |= (opening & ~may_open) != 0 || !all_line_ends(block, after & ~(ends | opening));
    scan->closed = closing >> (BLOCK - 1);
    scan->may_open = scan->closed;
}

/* Eight at a time without asking how many there are: the surplus is overwritten later. */
ALWAYS_INLINE void append_ends(eqp_scan *scan, uint64_t ends, size_t base)
{
    uint32_t *to = scan->ends + scan->count;
    int count = __builtin_popcountll(ends);
    for (int done = 0; done < count; done += 8) {
        for (int i = 0; i < 8; i++) {
            to[done + i] = (uint32_t)(base + (size_t)__builtin_ctzll(ends | UINT64_C(1) << 63));
            ends &= ends - 1;
        }
    }
    scan->count += (size_t)count;
}

/* The ends of fields among 64 bytes. */
ALWAYS_INLINE uint64_t find_ends(eqp_scan *scan, size_t base, block_masks masks)
{
    uint64_t inside = scan->inside, ends;
    if ((masks.quotes | scan->closed) != 0) {
        inside ^= prefix_xor(masks.quotes);
        ends = (masks.delimiters | masks.line_feeds) & ~inside;
        check_quotes(scan, scan->bytes + base, masks.quotes, inside, ends);
        scan->inside = 0 - (inside >> (BLOCK - 1));
    } else {
        ends = (masks.delimiters | masks.line_feeds) & ~inside;
        scan->may_open = 0;
    }
    scan->may_open |= ends >> (BLOCK - 1);
    scan->odd |= masks.zeros != 0;
    scan->records += (size_t)__builtin_popcountll(masks.line_feeds & ~inside);
    return ends;
}

ALWAYS_INLINE void consume_block(eqp_scan *scan, size_t base, block_masks masks)
{
    append_ends(scan, find_ends(scan, base, masks), base);
}

/* Bytes beyond the end count as nothing. */
ALWAYS_INLINE block_masks cut_masks(block_masks masks, size_t valid)
{
    uint64_t keep = valid < BLOCK ? (UINT64_C(1) << valid) - 1 : ~UINT64_C(0);
    return (block_masks){masks.quotes & keep, masks.delimiters & keep, masks.line_feeds & keep,
                         masks.zeros & keep};
}

/* Bit i is set where byte i of the word is zero: carries cannot cross bytes in this form. */
ALWAYS_INLINE uint64_t zero_bytes(uint64_t word)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t high = ~(((word & low) + low) | word | low); /* 0x80 where the byte is zero */
    return (high >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

ALWAYS_INLINE block_masks masks_portable(const char *block, char delimiter)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    block_masks masks = {0};
    for (int i = 0; i < BLOCK; i += 8) {
        uint64_t word;
        memcpy(&word, block + i, 8);
        word = le64toh(word);
        masks.quotes |= zero_bytes(word ^ each * '"') << i;
        masks.delimiters |= zero_bytes(word ^ each * (unsigned char)delimiter) << i;
        masks.line_feeds |= zero_bytes(word ^ each * '\n') << i;
        masks.zeros |= zero_bytes(word) << i;
    }
    return masks;
}

static void scan_portable(eqp_scan *scan, size_t from, size_t to)
{
    for (size_t base = from; base < to; base += BLOCK)
        consume_block(scan, base, cut_masks(masks_portable(scan->bytes + base, scan->delimiter), to - base));
}

static eqp_tally tally_portable(const char *bytes, size_t length)
{
    eqp_tally tally = {0};
    for (size_t base = 0; base < length; base += BLOCK) {
        block_masks masks = cut_masks(masks_portable(bytes + base, '\n'), length - base);
        tally.quotes += (size_t)__builtin_popcountll(masks.quotes);
        tally.line_feeds += (size_t)__builtin_popcountll(masks.line_feeds);
    }
    return tally;
}

#if defined __x86_64__ && !defined EQP_PORTABLE
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

WITH_AVX2 static inline uint64_t equal_bytes(__m256i low, __m256i high, char byte)
{
    __m256i wanted = _mm256_set1_epi8(byte);
    uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted));
    uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted));
    return (uint64_t)second << 32 | first;
}

WITH_AVX2 static inline block_masks masks_avx2(const char *block, char delimiter)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)block);
    __m256i high = _mm256_loadu_si256((const __m256i *)(block + 32));
    return (block_masks){equal_bytes(low, high, '"'), equal_bytes(low, high, delimiter),
                         equal_bytes(low, high, '\n'), equal_bytes(low, high, '\0')};
}

WITH_AVX2 static void scan_avx2(eqp_scan *scan, size_t from, size_t to)
{
    eqp_scan local = *scan; /* so that the compiler may keep it in registers */
    size_t base = from;
    for (; base + BLOCK <= to; base += BLOCK)
        consume_block(&local, base, masks_avx2(local.bytes + base, local.delimiter));
    if (base < to)
        consume_block(&local, base, cut_masks(masks_avx2(local.bytes + base, local.delimiter), to - base));
    *scan = local;
}

WITH_AVX2 static eqp_tally tally_avx2(const char *bytes, size_t length)
{
    eqp_tally tally = {0};
    for (size_t base = 0; base < length; base += BLOCK) {
        block_masks masks = cut_masks(masks_avx2(bytes + base, '\n'), length - base);
        tally.quotes += (size_t)__builtin_popcountll(masks.quotes);
        tally.line_feeds += (size_t)__builtin_popcountll(masks.line_feeds);
    }
    return tally;
}

#define WITH_AVX512                                                                                          \
    __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt"))) /* a register is one block */

WITH_AVX512 static inline block_masks masks_avx512(const char *bytes, char delimiter)
{
    __m512i block = _mm512_loadu_si512(bytes);
    return (block_masks){_mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('"')),
                         _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(delimiter)),
                         _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\n')),
                         _mm512_cmpeq_epi8_mask(block, _mm512_setzero_si512())};
}

/* 0 … 63 */
WITH_AVX512 static inline __m512i each_place(void)
{
    const __m512i first = _mm512_set4_epi32(0x0f0e0d0c, 0x0b0a0908, 0x07060504, 0x03020100);
    const __m512i lanes = _mm512_set_epi64(0x3030303030303030, 0x3030303030303030, 0x2020202020202020,
                                           0x2020202020202020, 0x1010101010101010, 0x1010101010101010, 0, 0);
    return _mm512_add_epi8(first, lanes);
}

/* The places of the ends are moved together and widened sixteen at a time; the surplus is overwritten. */
WITH_AVX512 static inline void append_avx512(eqp_scan *scan, uint64_t ends, size_t base)
{
    uint32_t *to = scan->ends + scan->count;
    int count = __builtin_popcountll(ends);
    __m512i places = _mm512_maskz_compress_epi8(ends, each_place()), from = _mm512_set1_epi32((int)base);
    for (int done = 0; done < count; done += 16) {
        __m512i wide = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
        _mm512_storeu_si512(to + done, _mm512_add_epi32(wide, from));
        places = _mm512_alignr_epi32(places, places, 4);
    }
    scan->count += (size_t)count;
}

/* Neither a quote nor a NUL in the next CALM bytes, and none before that matters to them: either would make a
 * byte of `least` 0. */
WITH_AVX512 static inline bool is_calm(const eqp_scan *scan, size_t base)
{
    __m512i least = _mm512_set1_epi8(1);
    for (size_t i = 0; i < CALM; i += BLOCK) {
        __m512i block = _mm512_loadu_si512(scan->bytes + base + i);
        least = _mm512_min_epu8(least, _mm512_xor_si512(block, _mm512_set1_epi8('"')));
        least = _mm512_min_epu8(least, block);
    }
    return (scan->inside | scan->closed) == 0 && _mm512_testn_epi8_mask(least, least) == 0;
}

/* What find_ends does, where there is nothing but ends. */
WITH_AVX512 static inline void scan_calmly(eqp_scan *scan, size_t base)
{
    uint64_t ends = 0;
    for (size_t i = 0; i < CALM; i += BLOCK) {
        __m512i block = _mm512_loadu_si512(scan->bytes + base + i);
        uint64_t line_feeds = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\n'));
        ends = line_feeds | _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(scan->delimiter));
        scan->records += (size_t)__builtin_popcountll(line_feeds);
        append_avx512(scan, ends, base + i);
    }
    scan->may_open = ends >> (BLOCK - 1);
}

WITH_AVX512 static inline void scan_block(eqp_scan *scan, size_t base, size_t to)
{
    block_masks masks = masks_avx512(scan->bytes + base, scan->delimiter);
    if (to - base < BLOCK) masks = cut_masks(masks, to - base);
    append_avx512(scan, find_ends(scan, base, masks), base);
}

WITH_AVX512 static void scan_avx512(eqp_scan *scan, size_t from, size_t to)
{
    eqp_scan local = *scan;
    size_t base = from;
    while (base < to) {
        if (base + CALM <= to && is_calm(&local, base)) {
            scan_calmly(&local, base);
            base += CALM;
        } else {
            size_t end = to - base < CALM ? to : base + CALM;
            for (; base < end; base += BLOCK) scan_block(&local, base, to);
        }
    }
    *scan = local;
}

WITH_AVX512 static eqp_tally tally_avx512(const char *bytes, size_t length)
{
    eqp_tally tally = {0};
    for (size_t base = 0; base < length; base += BLOCK) {
        uint64_t keep = length - base < BLOCK ? (UINT64_C(1) << (length - base)) - 1 : ~UINT64_C(0);
        __m512i block = _mm512_loadu_si512(bytes + base);
        uint64_t quotes = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('"'));
        uint64_t line_feeds = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\n'));
        tally.quotes += (size_t)__builtin_popcountll(quotes & keep);
        tally.line_feeds += (size_t)__builtin_popcountll(line_feeds & keep);
    }
    return tally;
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2");
}

size_t eqp_scanners(eqp_scanner scanners[EQP_SCANNERS])
{
    size_t count = 0;
    scanners[count++] = (eqp_scanner){scan_portable, tally_portable};
    if (has_avx2()) scanners[count++] = (eqp_scanner){scan_avx2, tally_avx2};
    if (has_avx512()) scanners[count++] = (eqp_scanner){scan_avx512, tally_avx512};
    return count;
}

#else

size_t eqp_scanners(eqp_scanner scanners[EQP_SCANNERS])
{
    scanners[0] = (eqp_scanner){scan_portable, tally_portable};
    return 1;
}

#endif

eqp_scanner eqp_scanner_best(void)
{
    eqp_scanner scanners[EQP_SCANNERS];
    return scanners[eqp_scanners(scanners) - 1];
}
