/* The quick way down a column.  Neither loop has a branch that depends on what a cell holds, except the one
 * that leaves it. */
#include "filter/quick.h"

#define ALWAYS_INLINE    static inline __attribute__((always_inline))
#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* One to eight digits.  The text is shifted so that its last byte is the highest; what comes in below counts
 * as leading zeros.  Then pairs, fours and eights are joined by multiplications. */
ALWAYS_INLINE bool parse_digits(const char *text, size_t length, uint32_t *value)
{
    uint64_t digits = (eqp_lexicon_word(text) ^ EACH_BYTE('0')) << ((64 - 8 * length) & 63);
    bool odd = (((digits + EACH_BYTE(0x76)) | digits) & EACH_BYTE(0x80)) != 0;
    digits = digits * 10 + (digits >> 8);
    digits = (digits & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
             (digits >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001);
    *value = (uint32_t)(digits >> 32);
    return !(odd | (length - 1 > 7));
}

ALWAYS_INLINE size_t find_digits(const eqp_column_cells *cells, size_t from, size_t rows, uint32_t *whole)
{
    const eqp_column_cells column = *cells;
    for (size_t i = from; i < rows; i++)
        if (!parse_digits(eqp_cell_start(&column, i), eqp_cell_length(&column, i), &whole[i])) return i;
    return rows;
}

ALWAYS_INLINE size_t find_levels(const eqp_lexicon *lexicon, const eqp_column_cells *cells, size_t from,
                                 size_t rows, uint32_t *codes)
{
    const eqp_lexicon words = *lexicon;
    const eqp_column_cells column = *cells;
    for (size_t i = from; i < rows; i++)
        if (!eqp_lexicon_glance(&words, eqp_cell_start(&column, i), eqp_cell_length(&column, i), &codes[i]))
            return i;
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

eqp_quick eqp_quick_portable(void)
{
    return (eqp_quick){digits_portable, levels_portable};
}

#if defined __x86_64__ && !defined EQP_PORTABLE

#define WITH_BMI2 __attribute__((target("bmi,bmi2")))

WITH_BMI2 static size_t digits_bmi2(const eqp_column_cells *cells, size_t from, size_t rows, uint32_t *whole)
{
    return find_digits(cells, from, rows, whole);
}

WITH_BMI2 static size_t levels_bmi2(const eqp_lexicon *lexicon, const eqp_column_cells *cells, size_t from,
                                    size_t rows, uint32_t *codes)
{
    return find_levels(lexicon, cells, from, rows, codes);
}

eqp_quick eqp_quick_best(void)
{
    if (!__builtin_cpu_supports("bmi2")) return eqp_quick_portable();
    return (eqp_quick){digits_bmi2, levels_bmi2};
}

#else

eqp_quick eqp_quick_best(void)
{
    return eqp_quick_portable();
}

#endif
