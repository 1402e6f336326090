/* The quick way down a column.  Neither loop has a branch that depends on what a cell holds, except the one
 * that leaves it. */
#include "decode/quick.h"

#define ALWAYS_INLINE  static inline __attribute__((always_inline))
#define DIGITS_AT_ONCE 16
#define LEVELS_AT_ONCE 16

ALWAYS_INLINE size_t find_digits(const eqp_column_cells *cells, size_t from, size_t rows, uint32_t *whole)
{
    const eqp_column_cells column = *cells;
    for (size_t i = from; i < rows; i++) {
        size_t length = eqp_cell_length(&column, i);
        uint64_t digits = eqp_align_digits(eqp_load_word(eqp_cell_start(&column, i)), length);
        if (!eqp_are_digits(digits) || length - 1 > 7) return i;
        whole[i] = eqp_join_digits(digits);
    }
    return rows;
}

ALWAYS_INLINE size_t find_levels(const eqp_lexicon *lexicon, const eqp_column_cells *cells, size_t from,
                                 size_t rows, uint32_t *codes)
{
    const eqp_lexicon known = *lexicon;
    const eqp_column_cells column = *cells;
    for (size_t i = from; i < rows; i++) {
        size_t length = eqp_cell_length(&column, i);
        eqp_word word = eqp_lexicon_word(eqp_cell_start(&column, i), length);
        size_t at = eqp_lexicon_place(&known, word.part[0], word.part[1], length);
        const uint64_t *there = known.words[at].part;
        uint64_t differs = (word.part[0] ^ there[0]) | (word.part[1] ^ there[1]) | (word.part[2] ^ there[2]) |
                           (word.part[3] ^ there[3]);
        codes[i] = known.codes[at];
        if (differs != 0) return i;
    }
    return rows;
}

/* To add 2⁵² + 2⁵¹ rounds a double to a whole number, which its last 32 bits then hold: no branch, so that
 * several go at once.  Whole numbers below zero come out beyond every map's `most`. */
ALWAYS_INLINE bool find_whole(const double *numbers, size_t rows, uint32_t *whole, size_t *odd)
{
    uint64_t infinite = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        double shifted = numbers[i] + 0x1.8p52;
        uint64_t bits;
        memcpy(&bits, &shifted, sizeof bits);
        int32_t nearest = (int32_t)(uint32_t)bits;
        whole[i] = numbers[i] == (double)nearest ? (uint32_t)nearest : EQP_NOT_WHOLE;
    }
    for (size_t i = 0; i < rows; i++) count += whole[i] >> 31;
    for (size_t i = 0; count > 0 && i < rows; i++)
        infinite |= eqp_counts_not_finite(numbers[i]) ^ eqp_counts_missing(numbers[i]);
    *odd = count;
    return infinite == 0;
}

ALWAYS_INLINE bool find_bins(const eqp_bin_map *map, const uint32_t *whole, size_t rows, uint32_t *bins)
{
    const uint32_t last = EQP_BIN_STRETCHES - 1;
    uint32_t largest = 0;
    for (size_t i = 0; i < rows; i++) {
        uint32_t stretch = whole[i] >> map->shift;
        uint32_t bin = map->first[stretch < last ? stretch : last];
        for (unsigned step = 0; step < map->steps; step++) bin += map->below[bin] < whole[i];
        bins[i] = bin;
        largest = whole[i] > largest ? whole[i] : largest;
    }
    return largest <= map->most;
}

static size_t digits_portable(const eqp_column_cells *cells, size_t from, size_t rows, uint32_t *whole)
{
    return find_digits(cells, from, rows, whole);
}

static size_t levels_portable(const eqp_lexicon *lexicon, const eqp_column_cells *cells, size_t from,
                              size_t rows, uint32_t *codes)
{
    return find_levels(lexicon, cells, from, rows, codes);
}

static bool whole_portable(const double *numbers, size_t rows, uint32_t *whole, size_t *odd)
{
    return find_whole(numbers, rows, whole, odd);
}

static bool bins_portable(const eqp_bin_map *map, const uint32_t *whole, size_t rows, uint32_t *bins)
{
    return find_bins(map, whole, rows, bins);
}

#if defined __x86_64__ && !defined EQP_PORTABLE
#include <immintrin.h>

#define WITH_AVX2      __attribute__((target("avx2,bmi,bmi2")))
#define WITH_AVX512    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2")))
#define INLINE         WITH_AVX512 static inline __attribute__((always_inline))
#define ADD_DIFFERENCE 0xF6 /* a | (b ^ c), a truth table of three inputs */

WITH_AVX2 static inline size_t place_of(const eqp_lexicon *lexicon, __m256i word, size_t length)
{
    __m128i head = _mm256_castsi256_si128(word);
    return eqp_lexicon_place(lexicon, (uint64_t)_mm_cvtsi128_si64(head), (uint64_t)_mm_extract_epi64(head, 1),
                             length);
}

/* A window on ones, then zeros, keeps the text and drops what stands behind it. */
WITH_AVX2 static size_t levels_avx2(const eqp_lexicon *lexicon, const eqp_column_cells *cells, size_t from,
                                    size_t rows, uint32_t *codes)
{
    static const uint64_t window[8] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const eqp_lexicon known = *lexicon;
    const eqp_column_cells column = *cells;
    for (size_t i = from; i < rows; i++) {
        size_t length = eqp_cell_length(&column, i), most = length < 32 ? length : 32;
        __m256i keep = _mm256_loadu_si256((const __m256i *)((const char *)window + 32 - most));
        __m256i text = _mm256_loadu_si256((const __m256i *)eqp_cell_start(&column, i));
        __m256i word = _mm256_and_si256(text, keep);
        size_t at = place_of(&known, word, length);
        __m256i differs = _mm256_xor_si256(word, _mm256_load_si256((const __m256i *)&known.words[at]));
        codes[i] = known.codes[at];
        if (!_mm256_testz_si256(differs, differs)) return i;
    }
    return rows;
}

WITH_AVX2 static size_t digits_avx2(const eqp_column_cells *cells, size_t from, size_t rows, uint32_t *whole)
{
    return find_digits(cells, from, rows, whole);
}

WITH_AVX2 static bool whole_avx2(const double *numbers, size_t rows, uint32_t *whole, size_t *odd)
{
    return find_whole(numbers, rows, whole, odd);
}

WITH_AVX512 static bool whole_avx512(const double *numbers, size_t rows, uint32_t *whole, size_t *odd)
{
    return find_whole(numbers, rows, whole, odd);
}

/* The cells still to come. */
typedef struct cell_cursor {
    const char *bytes;
    const uint32_t *before, *end;
    size_t before_stride, end_stride;
    uint32_t gap;
} cell_cursor;

ALWAYS_INLINE cell_cursor cursor_at(const eqp_column_cells *cells, size_t from)
{
    return (cell_cursor){cells->bytes,
                         cells->before + from * cells->before_stride,
                         cells->ends + from * cells->ends_stride,
                         cells->before_stride,
                         cells->ends_stride,
                         (uint32_t)cells->gap};
}

/* Steps over a cell. */
ALWAYS_INLINE const char *next_cell(cell_cursor *at, uint32_t *length)
{
    const char *text = at->bytes + *at->before;
    *length = *at->end - *at->before - at->gap;
    at->before += at->before_stride;
    at->end += at->end_stride;
    return text;
}

/* The codes of LEVELS_AT_ONCE cells as if all were in the lexicon; differences are collected and looked at
 * once.  A masked load leaves zeros behind the text, whatever its length. */
INLINE bool guess_levels(const eqp_lexicon *lexicon, bool further, cell_cursor *at, uint32_t *codes)
{
    const eqp_lexicon known = *lexicon;
    uint32_t length, lengths = 0;
    __m256i differs = _mm256_setzero_si256();
    for (size_t i = 0; i < LEVELS_AT_ONCE; i++) {
        const char *text = next_cell(at, &length);
        __m256i word = _mm256_maskz_loadu_epi8(_bzhi_u32(UINT32_MAX, length), text);
        uint64_t head = _bzhi_u64(eqp_load_word(text), 8 * length);
        uint64_t second = further ? (uint64_t)_mm_extract_epi64(_mm256_castsi256_si128(word), 1) : 0;
        size_t place = eqp_lexicon_place(&known, head, second, length);
        __m256i there = _mm256_load_si256((const __m256i *)&known.words[place]);
        differs = _mm256_ternarylogic_epi64(differs, word, there, ADD_DIFFERENCE);
        codes[i] = known.codes[place];
        lengths |= length;
    }
    return lengths < sizeof(eqp_word) && _mm256_testz_si256(differs, differs);
}

INLINE size_t run_of_levels(const eqp_lexicon *lexicon, bool further, const eqp_column_cells *cells,
                            size_t from, size_t rows, uint32_t *codes)
{
    cell_cursor at = cursor_at(cells, from);
    while (from + LEVELS_AT_ONCE <= rows && guess_levels(lexicon, further, &at, codes + from))
        from += LEVELS_AT_ONCE;
    return from;
}

/* One cell by itself first: in a column of quoted cells guessing many would be wasted. */
WITH_AVX512 static size_t levels_avx512(const eqp_lexicon *lexicon, const eqp_column_cells *cells,
                                        size_t from, size_t rows, uint32_t *codes)
{
    if (find_levels(lexicon, cells, from, from + 1, codes) == from) return from;
    size_t done = lexicon->further ? run_of_levels(lexicon, true, cells, from, rows, codes)
                                   : run_of_levels(lexicon, false, cells, from, rows, codes);
    return find_levels(lexicon, cells, done, rows, codes);
}

/* The value of eight digits each, the first in the lowest byte. */
WITH_AVX512 static inline __m256i join_eight(__m512i digits)
{
    __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A));
    __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
    __m512i eights =
        _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(fours, 32));
    return _mm512_cvtepi64_epi32(eights);
}

/* DIGITS_AT_ONCE cells: all are aligned, then they are joined eight at a time.  False when one is odd. */
INLINE bool guess_digits(cell_cursor *at, uint32_t *whole)
{
    uint64_t digits[DIGITS_AT_ONCE];
    uint32_t length, lengths = 0;
    __mmask64 odd = 0;
    for (size_t i = 0; i < DIGITS_AT_ONCE; i++) {
        const char *text = next_cell(at, &length);
        digits[i] = eqp_align_digits(eqp_load_word(text), length);
        lengths |= length - 1;
    }
    for (size_t i = 0; i < DIGITS_AT_ONCE; i += 8) {
        __m512i eight = _mm512_loadu_si512(digits + i);
        odd |= _mm512_cmpgt_epu8_mask(eight, _mm512_set1_epi8(9));
        _mm256_storeu_si256((__m256i *)(whole + i), join_eight(eight));
    }
    return odd == 0 && lengths < 8;
}

/* One cell by itself first, as above: it may be a column of fractions. */
WITH_AVX512 static size_t digits_avx512(const eqp_column_cells *cells, size_t from, size_t rows,
                                        uint32_t *whole)
{
    if (find_digits(cells, from, from + 1, whole) == from) return from;
    cell_cursor at = cursor_at(cells, from);
    while (from + DIGITS_AT_ONCE <= rows && guess_digits(&at, whole + from)) from += DIGITS_AT_ONCE;
    return find_digits(cells, from, rows, whole);
}

WITH_AVX512 static bool bins_avx512(const eqp_bin_map *map, const uint32_t *whole, size_t rows,
                                    uint32_t *bins)
{
    const __m512i last = _mm512_set1_epi32(EQP_BIN_STRETCHES - 1), one = _mm512_set1_epi32(1);
    __m512i largest = _mm512_setzero_si512();
    for (size_t i = 0; i < rows; i += 16) {
        __mmask16 live = (__mmask16)_bzhi_u32(0xFFFF, rows - i < 16 ? (unsigned)(rows - i) : 16);
        __m512i number = _mm512_maskz_loadu_epi32(live, whole + i);
        __m512i stretch =
            _mm512_min_epu32(_mm512_srl_epi32(number, _mm_cvtsi32_si128((int)map->shift)), last);
        __m512i bin = _mm512_i32gather_epi32(stretch, map->first, 4);
        for (unsigned step = 0; step < map->steps; step++) {
            __m512i below = _mm512_i32gather_epi32(bin, map->below, 4);
            bin = _mm512_mask_add_epi32(bin, _mm512_cmplt_epu32_mask(below, number), bin, one);
        }
        _mm512_mask_storeu_epi32(bins + i, live, bin);
        largest = _mm512_max_epu32(largest, number);
    }
    return _mm512_reduce_max_epu32(largest) <= map->most;
}

size_t eqp_quick_ways(eqp_quick ways[EQP_QUICK_WAYS])
{
    size_t count = 0;
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    ways[count++] = (eqp_quick){digits_portable, levels_portable, whole_portable, bins_portable};
    if (avx2) ways[count++] = (eqp_quick){digits_avx2, levels_avx2, whole_avx2, bins_portable};
    if (avx2 && avx512) ways[count++] = (eqp_quick){digits_avx512, levels_avx512, whole_avx512, bins_avx512};
    return count;
}

#else

size_t eqp_quick_ways(eqp_quick ways[EQP_QUICK_WAYS])
{
    ways[0] = (eqp_quick){digits_portable, levels_portable, whole_portable, bins_portable};
    return 1;
}

#endif

eqp_quick eqp_quick_best(void)
{
    eqp_quick ways[EQP_QUICK_WAYS];
    return ways[eqp_quick_ways(ways) - 1];
}
