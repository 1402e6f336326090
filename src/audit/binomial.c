/* Exact tails (M11).  Written here, not shared with learning: the audit trusts nothing but counts.
 *
 *     P(X <= x) for X ~ Binomial(n, p)  =  1 - I_p(x + 1, n - x)
 *
 * so the upper Clopper–Pearson bound is the p at which that chance has fallen to the allowed error: the root
 * of a monotone function, found by Newton steps kept inside a shrinking bracket. */
#include "audit/certificate.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#define MOST_TERMS 100000 /* far above the O(sqrt(max(a, b))) terms that the fraction needs */
#define TINY       1e-300

/* lgamma itself writes a global. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* The logarithm of x^a (1-x)^b / B(a, b). */
static double log_beta_kernel(double a, double b, double x)
{
    return a * log(x) + b * log1p(-x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b);
}

static double away_from_zero(double value)
{
    return fabs(value) < TINY ? TINY : value;
}

/* The even part of the continued fraction of I_x(a, b), which takes two terms at once; it converges fast for
 * x < (a + 1) / (a + b + 2).  Numerators and denominators of its approximants are kept apart, so that a term
 * costs one division, on which the next one does not wait: a certificate evaluates this millions of times. */
static double beta_fraction(double a, double b, double x)
{
    double inverse = 1 / (a + 1); /* of a + 2 m + 1 */
    double last_top = 1, last_bottom = 0, bottom = 1, top = a * (a - (a + b) * x + 1) * inverse;

    for (double m = 1; m < MOST_TERMS; m++) {
        double former = inverse, part = m * (b - m) * x * former;
        inverse = 1 / (a + 2 * m + 1);
        double across = (a + m - 1) * (a + b + m - 1) * x * former * part;
        double down = m + part + (a + m) * (a - (a + b) * x + 1 + m * (2 - x)) * inverse;
        double next_top = down * top + across * last_top, next_bottom = down * bottom + across * last_bottom;
        bool settled =
            fabs(next_top * bottom - top * next_bottom) <= 2 * DBL_EPSILON * fabs(top * next_bottom);
        double scale = fabs(next_bottom) > 1e100 ? 1e-100 : 1;
        last_top = top * scale;
        last_bottom = bottom * scale;
        top = next_top * scale;
        bottom = next_bottom * scale;
        if (settled) break;
    }
    return a * bottom / away_from_zero(top);
}

double eqp_beta_tail(double a, double b, double x)
{
    assert(a > 0 && b > 0);
    if (!(x > 0)) return 0;
    if (x >= 1) return 1;
    if (x < (a + 1) / (a + b + 2)) return exp(log_beta_kernel(a, b, x)) * beta_fraction(a, b, x) / a;
    return 1 - exp(log_beta_kernel(a, b, x)) * beta_fraction(b, a, 1 - x) / b;
}

/* The x with I_x(a, b) = chance. */
static double beta_quantile(double a, double b, double chance)
{
    double low = 0, high = 1, x = a / (a + b);

    for (int step = 0; step < 200 && high - low > 1e-15; step++) {
        double excess = eqp_beta_tail(a, b, x) - chance;
        if (excess > 0)
            high = x;
        else
            low = x;
        double density = exp(log_beta_kernel(a, b, x)) / (x * (1 - x));
        double next = x - excess / density;
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (fabs(next - x) < 1e-15) return next;
        x = next;
    }
    return x;
}

double eqp_share_upper(double hits, double trials, double error)
{
    assert(error > 0 && error < 1);
    if (!(trials > 0) || hits >= trials) return 1;
    if (!(hits > 0)) return -expm1(log(error) / trials);      /* (1 - p)^n = error */
    return 1 - beta_quantile(trials - hits, hits + 1, error); /* the small tail, for its digits */
}

double eqp_share_lower(double hits, double trials, double error)
{
    return 1 - eqp_share_upper(trials - hits, trials, error);
}

/* P(a, x) by its series, for x < a + 1. */
static double gamma_series(double a, double x)
{
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * DBL_EPSILON; n += 1) {
        term *= x / n;
        sum += term;
    }
    return sum * exp(a * log(x) - x - log_gamma(a));
}

/* Q(a, x) = 1 - P(a, x) by its continued fraction, for x >= a + 1. */
static double gamma_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1 / TINY, d = 1 / b, fraction = d;
    for (int n = 1; n < MOST_TERMS; n++) {
        double term = -n * (n - a);
        b += 2;
        d = 1 / away_from_zero(term * d + b);
        c = away_from_zero(b + term / c);
        fraction *= d * c;
        if (fabs(d * c - 1) < 4 * DBL_EPSILON) break;
    }
    return fraction * exp(a * log(x) - x - log_gamma(a));
}

double eqp_chi_square_tail(double value, double degrees)
{
    double a = degrees / 2, x = value / 2;
    if (!(x > 0) || !(a > 0)) return 1;
    return x < a + 1 ? 1 - gamma_series(a, x) : gamma_fraction(a, x);
}

double eqp_chi_square_critical(double chance, double degrees)
{
    double low = 0, high = degrees + 10;
    while (eqp_chi_square_tail(high, degrees) > chance) high *= 2;
    for (int step = 0; step < 200 && high - low > 1e-12 * high; step++) {
        double middle = (low + high) / 2;
        bool above = eqp_chi_square_tail(middle, degrees) > chance;
        if (above)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
