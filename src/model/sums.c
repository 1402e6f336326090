/* The kernels of sums (rule.h).  The portable loops are written once; the compiler turns them into gathers
 * where AVX2 may be used.  Fused multiplication stays off (-ffp-contract=off): it would change bits. */
#include "model/rule.h"

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

#if defined __x86_64__ && !defined EQP_PORTABLE
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

WITH_AVX2 static void levels_avx2(const eqp_summands *rows, int32_t slot, const uint32_t *codes, double *sum)
{
    add_levels(rows, slot, codes, sum);
}

WITH_AVX2 static void numbers_avx2(const eqp_summands *rows, int32_t slot, const double *values, double *sum)
{
    add_numbers(rows, slot, values, sum);
}

#define WITH_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))

/* Eight rows at a time, the last few under a mask. */
WITH_AVX512 static inline __mmask8 live_rows(size_t left)
{
    return (__mmask8)(left < 8 ? (1U << left) - 1 : 0xFF);
}

WITH_AVX512 static inline __m256i eight_places(const int32_t *places, __mmask8 live)
{
    return _mm256_maskz_loadu_epi32(live, places);
}

WITH_AVX512 static inline __m512d eight_doubles(const double *from, __m256i places, __mmask8 live)
{
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), live, places, from, 8);
}

WITH_AVX512 static inline void add_eight(double *sum, __m512d terms, __mmask8 live)
{
    _mm512_mask_storeu_pd(sum, live, _mm512_add_pd(_mm512_maskz_loadu_pd(live, sum), terms));
}

WITH_AVX512 static void levels_avx512(const eqp_summands *rows, int32_t slot, const uint32_t *codes,
                                      double *sum)
{
    const eqp_summands all = *rows;
    const int32_t *code = (const int32_t *)codes;
    for (size_t i = 0; i < all.count; i += 8) {
        __mmask8 live = live_rows(all.count - i);
        __m256i places = all.row == NULL
                             ? eight_places(code + i, live)
                             : _mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), live,
                                                            eight_places(all.row + i, live), code, 4);
        places = _mm256_add_epi32(places, eight_places(all.begin + i, live));
        add_eight(sum + i, eight_doubles(all.terms + slot, places, live), live);
    }
}

WITH_AVX512 static void numbers_avx512(const eqp_summands *rows, int32_t slot, const double *values,
                                       double *sum)
{
    const eqp_summands all = *rows;
    for (size_t i = 0; i < all.count; i += 8) {
        __mmask8 live = live_rows(all.count - i);
        __m256i places = eight_places(all.begin + i, live);
        __m512d value = all.row == NULL ? _mm512_maskz_loadu_pd(live, values + i)
                                        : eight_doubles(values, eight_places(all.row + i, live), live);
        __mmask8 missing = _mm512_cmp_pd_mask(value, value, _CMP_UNORD_Q);
        __m512d terms = _mm512_mul_pd(eight_doubles(all.terms + slot, places, live), value);
        if (missing != 0) terms = _mm512_mask_i32gather_pd(terms, missing, places, all.terms + slot + 1, 8);
        add_eight(sum + i, terms, live);
    }
}

size_t eqp_sums_all(eqp_sum_kernels kernels[EQP_SUM_KERNELS])
{
    size_t count = 0;
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    kernels[count++] = (eqp_sum_kernels){levels_portable, numbers_portable};
    if (__builtin_cpu_supports("avx2")) kernels[count++] = (eqp_sum_kernels){levels_avx2, numbers_avx2};
    if (avx512) kernels[count++] = (eqp_sum_kernels){levels_avx512, numbers_avx512};
    return count;
}

#else

size_t eqp_sums_all(eqp_sum_kernels kernels[EQP_SUM_KERNELS])
{
    kernels[0] = (eqp_sum_kernels){levels_portable, numbers_portable};
    return 1;
}

#endif

eqp_sum_kernels eqp_sums_best(void)
{
    eqp_sum_kernels kernels[EQP_SUM_KERNELS];
    return kernels[eqp_sums_all(kernels) - 1];
}
