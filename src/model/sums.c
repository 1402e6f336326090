/* The kernels of sums.h.  The loops are written once; the compiler turns them into gathers where AVX2 may be
 * used.  Fused multiplication stays off (-ffp-contract=off): it would change bits. */
#include "model/sums.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void add_levels(const eqp_summands *rows, int32_t slot, const uint32_t *restrict codes,
                              double *restrict sum)
{
    const double *restrict terms = rows->terms + slot;
    const int32_t *restrict begin = rows->begin, *restrict row = rows->row, *code = (const int32_t *)codes;
    const size_t count = rows->count;
    if (row == NULL)
        for (size_t i = 0; i < count; i++) sum[i] += terms[begin[i] + code[i]];
    else
        for (size_t i = 0; i < count; i++) sum[i] += terms[begin[i] + code[row[i]]];
}

ALWAYS_INLINE double number_term(const double *pair, double value)
{
    return value == value ? pair[0] * value : pair[1];
}

ALWAYS_INLINE void add_numbers(const eqp_summands *rows, int32_t slot, const double *restrict values,
                               double *restrict sum)
{
    const double *restrict terms = rows->terms + slot;
    const int32_t *restrict begin = rows->begin, *restrict row = rows->row;
    const size_t count = rows->count;
    if (row == NULL)
        for (size_t i = 0; i < count; i++) sum[i] += number_term(terms + begin[i], values[i]);
    else
        for (size_t i = 0; i < count; i++) sum[i] += number_term(terms + begin[i], values[row[i]]);
}

static void levels_portable(const eqp_summands *rows, int32_t slot, const uint32_t *codes, double *sum)
{
    add_levels(rows, slot, codes, sum);
}

static void numbers_portable(const eqp_summands *rows, int32_t slot, const double *values, double *sum)
{
    add_numbers(rows, slot, values, sum);
}

eqp_sum_kernels eqp_sums_portable(void)
{
    return (eqp_sum_kernels){levels_portable, numbers_portable};
}

#if defined __x86_64__ && !defined EQP_PORTABLE

#define WITH_AVX2 __attribute__((target("avx2")))

WITH_AVX2 static void levels_avx2(const eqp_summands *rows, int32_t slot, const uint32_t *codes, double *sum)
{
    add_levels(rows, slot, codes, sum);
}

WITH_AVX2 static void numbers_avx2(const eqp_summands *rows, int32_t slot, const double *values, double *sum)
{
    add_numbers(rows, slot, values, sum);
}

eqp_sum_kernels eqp_sums_best(void)
{
    if (!__builtin_cpu_supports("avx2")) return eqp_sums_portable();
    return (eqp_sum_kernels){levels_avx2, numbers_avx2};
}

#else

eqp_sum_kernels eqp_sums_best(void)
{
    return eqp_sums_portable();
}

#endif
