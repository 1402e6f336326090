/* Records on their way out. */
#include "filter/record.h"

#include "base/number.h"

#include <string.h>

#define FULL_WIDTH '\xef' /* the first byte of such a form */

/* Also the full-width forms of = + - @ (EF BC 9D, 8B, 8D, A0), which some spreadsheets take for them. */
static bool begins_formula(eqp_cell value)
{
    const char *bytes = value.bytes;
    if (value.length >= 3 && memcmp(bytes, "\xef\xbc", 2) == 0)
        return strchr("\x9d\x8b\x8d\xa0", bytes[2]) != NULL;
    return bytes[0] != '\0' && strchr("=+-@\t\r\n", bytes[0]) != NULL;
}

/* The cell between its quotes; doubled quotes inside do not matter here. */
static bool is_formula(const eqp_record_style *style, eqp_cell field)
{
    double number;
    if (field.length >= 2 && field.bytes[0] == '"') field = (eqp_cell){field.bytes + 1, field.length - 2};
    return field.length > 0 && begins_formula(field) &&
           !eqp_number_parse(field.bytes, field.length, style->decimal, &number);
}

size_t eqp_record_formulas(const eqp_record_style *style, const eqp_chunk *chunk, const eqp_index *index,
                           size_t record)
{
    size_t count = 0;
    for (size_t column = 0; column < index->columns; column++)
        count += is_formula(style, eqp_index_field(chunk, index, record, column));
    return count;
}

/* Everything up to a quote and the quote, then the quote again. */
static void add_doubling_quotes(eqp_buffer *out, eqp_cell value)
{
    const char *at = value.bytes, *end = at + value.length, *quote;
    while (at < end && (quote = memchr(at, '"', (size_t)(end - at))) != NULL) {
        eqp_buffer_add(out, at, (size_t)(quote + 1 - at));
        eqp_buffer_text(out, "\"");
        at = quote + 1;
    }
    if (at < end) eqp_buffer_add(out, at, (size_t)(end - at));
}

/* In quotes and with an apostrophe before it, which every spreadsheet shows as text. */
static void defuse(eqp_cell field, eqp_buffer *out)
{
    eqp_buffer scratch = {0};
    eqp_cell value;
    if (eqp_cell_value(field, &scratch, &value)) {
        eqp_buffer_text(out, "\"'");
        add_doubling_quotes(out, value);
        eqp_buffer_text(out, "\"");
    } else {
        out->failed = true;
    }
    eqp_buffer_free(&scratch);
}

static void pass_safely(const eqp_record_style *style, const eqp_chunk *chunk, const eqp_index *index,
                        size_t record, eqp_buffer *out)
{
    for (size_t column = 0; column < index->columns; column++) {
        eqp_cell field = eqp_index_field(chunk, index, record, column);
        if (column > 0) eqp_buffer_add(out, &style->delimiter, 1);
        if (is_formula(style, field))
            defuse(field, out);
        else
            eqp_buffer_add(out, field.bytes, field.length);
    }
}

void eqp_record_pass(const eqp_record_style *style, const eqp_chunk *chunk, const eqp_index *index,
                     size_t record, const char *last_cell, eqp_buffer *out)
{
    eqp_cell whole = eqp_index_record(chunk, index, record);
    eqp_cell last = eqp_index_field(chunk, index, record, index->columns - 1);
    const char *line_end = last.bytes + last.length;
    if (style->excel_safe)
        pass_safely(style, chunk, index, record, out);
    else
        eqp_buffer_add(out, whole.bytes, (size_t)(line_end - whole.bytes));
    if (last_cell != NULL) {
        eqp_buffer_add(out, &style->delimiter, 1);
        eqp_buffer_text(out, last_cell);
    }
    eqp_buffer_add(out, line_end, (size_t)(whole.bytes + whole.length - line_end));
}

/* One pass without a branch.  A bit tells "-" from "=", and a tab from a carriage return. */
static inline __attribute__((always_inline)) bool any_start(const char *bytes, size_t length, char delimiter)
{
    uint8_t any = 0;
    for (size_t i = 1; i < length; i++) {
        char before = bytes[i - 1], here = bytes[i];
        uint8_t starts = (before == delimiter) | (before == '\n') | (before == '"');
        uint8_t runs = ((here | 0x10) == '=') | ((here | 4) == '\r') | (here == '+') | (here == '@') |
                       (here == '\n') | (here == FULL_WIDTH);
        any |= starts & runs;
    }
    return any != 0;
}

static bool any_start_portable(const char *bytes, size_t length, char delimiter)
{
    return any_start(bytes, length, delimiter);
}

#if defined __x86_64__ && !defined EQP_PORTABLE
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

WITH_AVX2 static inline __m256i equal_to(__m256i bytes, char byte)
{
    return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte));
}

/* As any_start, which gcc does not turn into vectors. */
WITH_AVX2 static bool any_start_avx2(const char *bytes, size_t length, char delimiter)
{
    __m256i any = _mm256_setzero_si256();
    size_t i = 1;
    for (; i + 32 <= length; i += 32) {
        __m256i before = _mm256_loadu_si256((const __m256i *)(bytes + i - 1));
        __m256i here = _mm256_loadu_si256((const __m256i *)(bytes + i));
        __m256i starts = _mm256_or_si256(equal_to(before, delimiter), equal_to(before, '\n'));
        starts = _mm256_or_si256(starts, equal_to(before, '"'));
        __m256i runs = _mm256_or_si256(equal_to(_mm256_or_si256(here, _mm256_set1_epi8(0x10)), '='),
                                       equal_to(_mm256_or_si256(here, _mm256_set1_epi8(4)), '\r'));
        runs = _mm256_or_si256(runs, _mm256_or_si256(equal_to(here, '+'), equal_to(here, '@')));
        runs = _mm256_or_si256(runs, _mm256_or_si256(equal_to(here, '\n'), equal_to(here, FULL_WIDTH)));
        any = _mm256_or_si256(any, _mm256_and_si256(starts, runs));
    }
    return !_mm256_testz_si256(any, any) || any_start(bytes + i - 1, length - (i - 1), delimiter);
}

#define WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi2")))

/* By the lowest six bits of a byte: the only one with them that begins a formula, or one that has others. */
WITH_AVX512 static inline __m512i beginnings(void)
{
    char table[64];
    for (int i = 0; i < 64; i++) table[i] = (char)(i ^ 1);
    for (const char *c = "=+-@\t\r\n\xef"; *c != '\0'; c++) table[*c & 63] = *c;
    return _mm512_loadu_si512(table);
}

/* A byte of `least` becomes 0 where a cell may begin and the byte behind it begins a formula. */
WITH_AVX512 static bool any_start_avx512(const char *bytes, size_t length, char delimiter)
{
    const __m512i table = beginnings(), delimiters = _mm512_set1_epi8(delimiter),
                  line_feeds = _mm512_set1_epi8('\n'), quotes = _mm512_set1_epi8('"');
    __m512i least = _mm512_set1_epi8(1);
    for (size_t i = 1; i < length; i += 64) {
        __mmask64 live = _bzhi_u64(UINT64_MAX, length - i < 64 ? (unsigned)(length - i) : 64);
        __m512i before = _mm512_maskz_loadu_epi8(live, bytes + i - 1);
        __m512i here = _mm512_maskz_loadu_epi8(live, bytes + i);
        __m512i starts =
            _mm512_min_epu8(_mm512_xor_si512(before, delimiters), _mm512_xor_si512(before, quotes));
        starts = _mm512_min_epu8(starts, _mm512_xor_si512(before, line_feeds));
        __m512i differs = _mm512_xor_si512(here, _mm512_permutexvar_epi8(here, table));
        least = _mm512_min_epu8(least, _mm512_or_si512(starts, differs));
    }
    return _mm512_cmpeq_epi8_mask(least, _mm512_setzero_si512()) != 0;
}

size_t eqp_formula_searches(eqp_formula_search searches[EQP_FORMULA_SEARCHES])
{
    size_t count = 0;
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("bmi2");
    searches[count++] = any_start_portable;
    if (__builtin_cpu_supports("avx2")) searches[count++] = any_start_avx2;
    if (avx512) searches[count++] = any_start_avx512;
    return count;
}

#else

size_t eqp_formula_searches(eqp_formula_search searches[EQP_FORMULA_SEARCHES])
{
    searches[0] = any_start_portable;
    return 1;
}

#endif

bool eqp_records_may_hold_formulas(const char *bytes, size_t length, char delimiter)
{
    eqp_formula_search searches[EQP_FORMULA_SEARCHES];
    if (length > 0 && begins_formula((eqp_cell){bytes, length})) return true;
    return searches[eqp_formula_searches(searches) - 1](bytes, length, delimiter);
}
