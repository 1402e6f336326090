/* The quick way down a column.  Neither loop has a branch that depends on what a cell holds, except the one
 * that leaves it. */
#include "filter/quick.h"

#define ALWAYS_INLINE    static inline __attribute__((always_inline))
#define AT_ONCE          32
#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* One to eight digits.  The text is shifted so that its last byte is the highest; what comes in below counts
 * as leading zeros. */
ALWAYS_INLINE uint64_t align_digits(const char *text, size_t length)
{
    return (eqp_lexicon_part(text) ^ EACH_BYTE('0')) << ((64 - 8 * length) & 63);
}

ALWAYS_INLINE bool is_odd(uint64_t digits, size_t length)
{
    return (((digits + EACH_BYTE(0x76)) | digits) & EACH_BYTE(0x80)) != 0 || length - 1 > 7;
}

/* Pairs, fours and eights are joined by multiplications. */
ALWAYS_INLINE uint32_t join_digits(uint64_t digits)
{
    digits = digits * 10 + (digits >> 8);
    digits = (digits & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
             (digits >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001);
    return (uint32_t)(digits >> 32);
}

ALWAYS_INLINE size_t find_digits(const eqp_column_cells *cells, size_t from, size_t rows, uint32_t *whole)
{
    const eqp_column_cells column = *cells;
    for (size_t i = from; i < rows; i++) {
        size_t length = eqp_cell_length(&column, i);
        uint64_t digits = align_digits(eqp_cell_start(&column, i), length);
        if (is_odd(digits, length)) return i;
        whole[i] = join_digits(digits);
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

static size_t digits_portable(const eqp_column_cells *cells, size_t from, size_t rows, uint32_t *whole)
{
    return find_digits(cells, from, rows, whole);
}

static size_t levels_portable(const eqp_lexicon *lexicon, const eqp_column_cells *cells, size_t from,
                              size_t rows, uint32_t *codes)
{
    return find_levels(lexicon, cells, from, rows, codes);
}

#if defined __x86_64__ && !defined EQP_PORTABLE
#include <immintrin.h>

#define WITH_AVX2   __attribute__((target("avx2,bmi,bmi2")))
#define WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2")))

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

/* A masked load leaves zeros behind the text, whatever its length. */
WITH_AVX512 static size_t levels_avx512(const eqp_lexicon *lexicon, const eqp_column_cells *cells,
                                        size_t from, size_t rows, uint32_t *codes)
{
    const eqp_lexicon known = *lexicon;
    const eqp_column_cells column = *cells;
    for (size_t i = from; i < rows; i++) {
        size_t length = eqp_cell_length(&column, i), most = length < 32 ? length : 32;
        __m256i word = _mm256_maskz_loadu_epi8((__mmask32)_bzhi_u64(UINT32_MAX, (unsigned)most),
                                               eqp_cell_start(&column, i));
        size_t at = place_of(&known, word, length);
        codes[i] = known.codes[at];
        if (_mm256_cmpneq_epi64_mask(word, _mm256_load_si256((const __m256i *)&known.words[at])) != 0)
            return i;
    }
    return rows;
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

/* AT_ONCE cells: first all are aligned, then they are joined eight at a time.  False when one is odd. */
WITH_AVX512 static inline bool join_some(const eqp_column_cells *column, size_t from, uint32_t *whole)
{
    uint64_t digits[AT_ONCE], long_ones = 0;
    __mmask64 odd = 0;
    for (size_t i = 0; i < AT_ONCE; i++) {
        size_t length = eqp_cell_length(column, from + i);
        digits[i] = align_digits(eqp_cell_start(column, from + i), length);
        long_ones |= (length - 1) & ~UINT64_C(7);
    }
    for (size_t i = 0; i < AT_ONCE; i += 8) {
        __m512i eight = _mm512_loadu_si512(digits + i);
        odd |= _mm512_cmpgt_epu8_mask(eight, _mm512_set1_epi8(9));
        _mm256_storeu_si256((__m256i *)(whole + from + i), join_eight(eight));
    }
    return (odd | long_ones) == 0;
}

WITH_AVX512 static size_t digits_avx512(const eqp_column_cells *cells, size_t from, size_t rows,
                                        uint32_t *whole)
{
    const eqp_column_cells column = *cells;
    while (from + AT_ONCE <= rows && join_some(&column, from, whole)) from += AT_ONCE;
    return find_digits(cells, from, rows, whole);
}

size_t eqp_quick_ways(eqp_quick ways[EQP_QUICK_WAYS])
{
    size_t count = 0;
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    ways[count++] = (eqp_quick){digits_portable, levels_portable};
    if (avx2) ways[count++] = (eqp_quick){digits_avx2, levels_avx2};
    if (avx2 && avx512) ways[count++] = (eqp_quick){digits_avx512, levels_avx512};
    return count;
}

#else

size_t eqp_quick_ways(eqp_quick ways[EQP_QUICK_WAYS])
{
    ways[0] = (eqp_quick){digits_portable, levels_portable};
    return 1;
}

#endif

eqp_quick eqp_quick_best(void)
{
    eqp_quick ways[EQP_QUICK_WAYS];
    return ways[eqp_quick_ways(ways) - 1];
}
