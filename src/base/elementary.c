/* Reduction to a small interval, then a series summed from its smallest term. */
#include "base/elementary.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts; the first has 21 trailing zeros, so that small multiples of it are exact. */
static const double LN2_HIGH = 0x1.62e42feep-1, LN2_LOW = 0x1.a39ef35793c76p-33,
                    PER_LN2 = 0x1.71547652b82fep0;

/* Adding and taking away this rounds to the nearest whole number. */
static const double TO_WHOLE = 0x1.8p52;

/* 1/n!: of even n from 14 to 2, and of odd n from 13 to 3.  Two short sums are faster than a long one. */
static const double EVEN[] = {1.0 / 87178291200, 1.0 / 479001600, 1.0 / 3628800, 1.0 / 40320,
                              1.0 / 720,         1.0 / 24,        1.0 / 2};
static const double ODD[] = {1.0 / 6227020800, 1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6};

static double polynomial(const double *coefficient, size_t count, double x)
{
    double sum = coefficient[0];
    for (size_t i = 1; i < count; i++) sum = sum * x + coefficient[i];
    return sum;
}

static double times_power_of_two(double x, int k)
{
    if (k < -1022 || k > 1023) return ldexp(x, k);
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return x * power;
}

/* e^x = 2^k e^r with |r| <= ln 2 / 2, where the first terms of the exponential series are enough. */
double eqp_exp(double x)
{
    if (isnan(x)) return x;
    if (x > 710) return INFINITY;
    if (x < -746) return 0;
    double k = x * PER_LN2 + TO_WHOLE - TO_WHOLE, high = x - k * LN2_HIGH, low = k * LN2_LOW, r = high - low;
    double square = r * r;
    double rest = polynomial(EVEN, 7, square) + r * polynomial(ODD, 6, square);
    return times_power_of_two(1 + (high + (square * rest - low)), (int)k);
}

/* 1/n: of n = 23, 19, … 3, and of n = 21, 17, … 5. */
static const double THIRDS[] = {1.0 / 23, 1.0 / 19, 1.0 / 15, 1.0 / 11, 1.0 / 7, 1.0 / 3};
static const double FIFTHS[] = {1.0 / 21, 1.0 / 17, 1.0 / 13, 1.0 / 9, 1.0 / 5};

/* ln x = k ln 2 + ln m, m within a factor √2 of 1;  ln m = 2 (s + s³/3 + s⁵/5 + …), s = (m-1)/(m+1). */
double eqp_log(double x)
{
    int k;
    if (!(x > 0) || isinf(x)) return x > 0 ? x : x == 0 ? -INFINITY : NAN;
    double m = frexp(x, &k);
    if (m < M_SQRT1_2) {
        m *= 2;
        k--;
    }
    double f = m - 1, s = f / (2 + f), square = s * s, fourth = square * square;
    double sum = square * (polynomial(THIRDS, 6, fourth) + square * polynomial(FIFTHS, 5, fourth));
    /* 2s = f - s f, which keeps f exact; so ln m = f - s (f - 2 sum) */
    return k * LN2_HIGH + (f - (s * (f - 2 * sum) - k * LN2_LOW));
}
