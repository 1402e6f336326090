/* The test behind the certificate of one leaf and one group.
 *
 * Were m, p0 and the shift s known, so would be p1 = p0 + s / (1 - m), and three exact tail chances,
 *
 *     P(leaf rows >= found),   P(hits <= found | leaf rows),   P(hits outside >= found | leaf rows),
 *
 * would each be at least uniform and independent of the others.  Their normal quantiles, weighted by the
 * standard deviations of the three estimates and added up, are then at least standard normal (Stouffer): a
 * small sum speaks against the shift, about as strongly as the score test, but at any sample size.
 *
 * m and p0 are not known.  They lie in exact intervals but for a small part of the error (Berger and Boos),
 * and the sum must be small for all of them.  Weights are constant in cells of a fixed lattice, laid out by
 * the number of rows alone; in a cell each of the three terms is monotone, so its corners bound it, and what
 * they leave open is cut into smaller boxes.  A quantile is capped above, at the price of another small part
 * of the error: an estimate of 0 outside the leaf would otherwise count as infinitely bad. */
#include "audit/difference.h"

#include "audit/certificate.h"

#include <math.h>

#define NUISANCE_PART  0.03 /* of the error, for each of the two intervals */
#define CAP_PART       0.01 /* for each of the two caps */
#define TEST_PART      (1 - 2 * NUISANCE_PART - 2 * CAP_PART)
#define LATTICE        0.5 /* standard deviations of the arcsine of a share */
#define COARSEST       16  /* times that, where it makes little difference */
#define LEAST_VARIANCE 0.01
#define DEEPEST        4

/* ---- the normal quantile ------------------------------------------------------------------------------- */

/* Rational approximations by Acklam, then one step of Halley's method. */
static double central_quantile(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                               1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                               6.680131188771972e+01, -1.328068155288572e+01};
    double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

static double tail_quantile(double p)
{
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                               -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    double q = sqrt(-2 * log(p));
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
}

static double normal_quantile(double p)
{
    if (!(p > 1e-300)) return -37;
    if (p >= 1) return INFINITY;
    double x = p < 0.02425 ? tail_quantile(p) : p > 0.97575 ? -tail_quantile(1 - p) : central_quantile(p);
    double error = 0.5 * erfc(-x * M_SQRT1_2) - p, step = error * sqrt(2 * M_PI) * exp(x * x / 2);
    return isfinite(step) ? x - step / (1 + x * step / 2) : x;
}

/* ---- one point ----------------------------------------------------------------------------------------- */

typedef struct difference {
    eqp_fourfold table;
    double shift;
    double target; /* the weighted sum must not exceed it */
    double cap;
    double m_low, m_high, p_low, p_high; /* where m and p0 lie, nearly certainly */
} difference;

typedef struct weights {
    double leaf, inside, outside;
} weights;

/* A box of m and p0, and the three quantiles at their worst corners: of the leaf at m_high, of the inside at
 * m_low and p_low, of the outside at p_high. */
typedef struct box {
    double m_low, m_high, p_low, p_high;
    double leaf, inside, outside;
} box;

/* The standard deviations, but inside never much less than outside nor than the leaf's: a shift that puts p1
 * near 1 is refuted by the counts inside, if these are heard. */
static weights weigh(const difference *of, double m, double p0)
{
    double rows = of->table.rows, p1 = fmin(p0 + of->shift / (1 - m), 1), variance = p0 * (1 - p0);
    double inside = (1 - m) * sqrt(fmax(fmax(p1 * (1 - p1), variance / 2), LEAST_VARIANCE) / (rows * m));
    double outside = (1 - m) * sqrt(variance / (rows * (1 - m)));
    double leaf = fmin(of->shift * sqrt(m / ((1 - m) * rows)), 2 * inside);
    double norm = sqrt(inside * inside + outside * outside + leaf * leaf);
    return (weights){leaf / norm, inside / norm, outside / norm};
}

static double leaf_quantile(const difference *of, double m)
{
    const eqp_fourfold *t = &of->table;
    return fmin(of->cap, normal_quantile(eqp_beta_tail(t->leaf, t->rows - t->leaf + 1, m)));
}

static double inside_quantile(const difference *of, double m, double p0)
{
    const eqp_fourfold *t = &of->table;
    double p1 = p0 + of->shift / (1 - m);
    if (p1 > 1) return -INFINITY; /* no such population */
    if (t->hits >= t->leaf) return INFINITY;
    return p1 < 1 ? normal_quantile(eqp_beta_tail(t->leaf - t->hits, t->hits + 1, 1 - p1)) : -37;
}

static double outside_quantile(const difference *of, double p0)
{
    const eqp_fourfold *t = &of->table;
    if (!(t->rest_hits > 0)) return of->cap;
    return fmin(of->cap,
                normal_quantile(eqp_beta_tail(t->rest_hits, t->rows - t->leaf - t->rest_hits + 1, p0)));
}

/* ---- a box --------------------------------------------------------------------------------------------- */

/* The sum is nowhere in the box larger than with each term at its worst corner. */
static double box_bound(const weights *weight, const box *in)
{
    if (isinf(in->inside)) return in->inside;
    return weight->leaf * in->leaf + weight->inside * in->inside + weight->outside * in->outside;
}

/* What the corners leave open is halved both ways. */
static bool refuted_in(const difference *of, const weights *weight, const box *in, int depth)
{
    if (box_bound(weight, in) <= of->target) return true;
    if (depth == DEEPEST) return false;
    double m = (in->m_low + in->m_high) / 2, p = (in->p_low + in->p_high) / 2;
    double leaf = leaf_quantile(of, m), outside = outside_quantile(of, p), inside = inside_quantile(of, m, p);
    if (box_bound(weight, &(box){m, m, p, p, leaf, inside, outside}) > of->target) return false;
    const box parts[] = {{in->m_low, m, in->p_low, p, leaf, in->inside, outside},
                         {m, in->m_high, in->p_low, p, in->leaf, inside_quantile(of, m, in->p_low), outside},
                         {in->m_low, m, p, in->p_high, leaf, inside_quantile(of, in->m_low, p), in->outside},
                         {m, in->m_high, p, in->p_high, in->leaf, inside, in->outside}};
    for (int i = 0; i < 4; i++)
        if (!refuted_in(of, weight, &parts[i], depth + 1)) return false;
    return true;
}

/* ---- the lattice --------------------------------------------------------------------------------------- */

static double angle_of(double share)
{
    return asin(sqrt(fmin(fmax(share, 0), 1)));
}

static double share_at(double angle)
{
    double s = sin(fmin(angle, M_PI / 2));
    return s * s;
}

/* The largest power of two that is not above the value, between 1 and the coarsest. */
static double power_below(double value)
{
    double power = 1;
    while (2 * power <= value && power < COARSEST) power *= 2;
    return power;
}

/* Where the leaf is small its own share and the share outside hardly matter. */
static double leaf_step(double step, double m)
{
    return step * power_below(1 / fmax(m, 1e-9));
}

static double outside_step(double step, double m)
{
    return step * power_below(fmax(1 / sqrt(m), 1 / sqrt(1 - m)));
}

/* All cells of p0 beside one of m. */
static bool refuted_along(const difference *of, double m_centre, double m_low, double m_high, double step)
{
    double last = angle_of(of->p_high), end, leaf = leaf_quantile(of, m_high);
    for (double angle = step * floor(angle_of(of->p_low) / step); angle <= last; angle = end) {
        end = angle + step;
        double centre = share_at(angle + step / 2);
        double p_low = fmax(of->p_low, share_at(angle)), p_high = fmin(of->p_high, share_at(end));
        box in = {m_low,
                  m_high,
                  p_low,
                  p_high,
                  leaf,
                  inside_quantile(of, m_low, p_low),
                  outside_quantile(of, p_high)};
        weights weight = weigh(of, m_centre, fmin(fmax(centre, 1e-12), 1 - 1e-12));
        if (!refuted_in(of, &weight, &in, 0)) return false;
    }
    return true;
}

/* Cells of m lie in blocks of the coarsest cells; a block has cells of one size. */
static bool refuted_everywhere(const difference *of)
{
    double step = LATTICE / (2 * sqrt(of->table.rows)), block = COARSEST * step;
    double last = angle_of(of->m_high), at = angle_of(of->m_low);
    while (at <= last) {
        double begin = block * floor(at / block), size = leaf_step(step, share_at(begin + block / 2));
        double angle = begin + size * floor((at - begin) / size), end = angle + size;
        double m_low = fmax(of->m_low, share_at(angle)), m_high = fmin(of->m_high, share_at(end));
        double centre = fmin(fmax(share_at(angle + size / 2), 1e-12), 1 - 1e-12);
        if (m_low >= 1 || of->shift / (1 - m_low) > 1) return true; /* such a leaf cannot shift so far */
        if (!refuted_along(of, centre, m_low, m_high, outside_step(step, centre))) return false;
        at = end > at ? end : nextafter(at, 2);
    }
    return true;
}

bool eqp_shift_refuted(const eqp_fourfold *table, double shift, double error)
{
    double rest = table->rows - table->leaf, part = NUISANCE_PART * error / 2;
    if (!(table->leaf > 0) || !(shift > 0)) return false;
    /* Planned counts are expectations and may not add up: a leaf of everybody leaves no test to make. */
    if (table->rest_hits > rest) return false;
    difference of = {.table = *table,
                     .shift = shift,
                     .target = normal_quantile(TEST_PART * error) - 1e-9,
                     .cap = -normal_quantile(CAP_PART * error),
                     .m_low = eqp_share_lower(table->leaf, table->rows, part),
                     .m_high = eqp_share_upper(table->leaf, table->rows, part),
                     .p_low = eqp_share_lower(table->rest_hits, rest, part),
                     .p_high = eqp_share_upper(table->rest_hits, rest, part)};
    return refuted_everywhere(&of);
}

eqp_fourfold eqp_fourfold_others(eqp_fourfold table)
{
    table.hits = table.leaf - table.hits;
    table.rest_hits = table.rows - table.leaf - table.rest_hits;
    return table;
}

static double least_refuted(const eqp_fourfold *table, double least, double error,
                            bool (*refuted)(const eqp_fourfold *, double, double))
{
    double low = fmax(least, 0), high = 1;
    while (high - low > 1e-4) {
        double middle = (low + high) / 2;
        if (refuted(table, middle, error))
            high = middle;
        else
            low = middle;
    }
    return high;
}

double eqp_shift_upper(const eqp_fourfold *table, double least, double error)
{
    return least_refuted(table, least, error, eqp_shift_refuted);
}

/* ---- at every look ------------------------------------------------------------------------------------- */

static double log_beta(double a, double b)
{
    int sign;
    return lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);
}

/* The likelihood of the counts, averaged over shares by Beta(1/2, 1/2), over that of the true share is a
 * martingale with mean 1: it ever exceeds 1 / error with chance at most `error` (Ville).  It grows with the
 * share above hits / trials. */
double eqp_share_upper_always(double hits, double trials, double error)
{
    if (!(trials > 0)) return 1;
    double misses = fmax(trials - hits, 0);
    double mixture = log_beta(hits + 0.5, misses + 0.5) - log_beta(0.5, 0.5), limit = -log(error);
    double low = hits / trials, high = 1;
    for (int step = 0; step < 100 && high - low > 1e-12; step++) {
        double share = (low + high) / 2;
        double likelihood = (hits > 0 ? hits * log(share) : 0) + (misses > 0 ? misses * log1p(-share) : 0);
        if (mixture - likelihood > limit)
            high = share;
        else
            low = share;
    }
    return high;
}

double eqp_share_lower_always(double hits, double trials, double error)
{
    return 1 - eqp_share_upper_always(trials - hits, trials, error);
}

static double mixture_of(double hits, double misses)
{
    return log_beta(hits + 0.5, misses + 0.5) - log_beta(0.5, 0.5);
}

static double log_likelihood(double hits, double misses, double share)
{
    return (hits > 0 ? hits * log(share) : 0) + (misses > 0 ? misses * log1p(-share) : 0);
}

/* The largest likelihood of both shares where the one inside is `apart` above the one outside: concave along
 * that line, so its slope is halved. */
static double likeliest_apart(const eqp_fourfold *table, double apart)
{
    double rest = table->rows - table->leaf, low = 0, high = 1 - apart;
    double misses = table->leaf - table->hits, rest_misses = rest - table->rest_hits;
    for (int step = 0; step < 60; step++) {
        double p0 = (low + high) / 2, p1 = p0 + apart;
        double slope = table->hits / p1 - misses / (1 - p1) + table->rest_hits / p0 - rest_misses / (1 - p0);
        if (slope > 0)
            low = p0;
        else
            high = p0;
    }
    double p0 = fmin(fmax((low + high) / 2, 1e-300), 1), p1 = fmin(p0 + apart, 1);
    return log_likelihood(table->hits, misses, p1) + log_likelihood(table->rest_hits, rest_misses, p0);
}

/* Given who is in the leaf, the likelihood averaged over both shares, over that of the true shares, is such a
 * martingale too; so it is over the likeliest ones that are far enough apart, where the truth is among them.
 * How far hangs on the size of the leaf, for which a bound at every look is taken: the larger a leaf, the
 * farther. */
bool eqp_shift_refuted_always(const eqp_fourfold *table, double shift, double error)
{
    double rest = table->rows - table->leaf;
    if (!(table->leaf > 0) || !(shift > 0) || table->rest_hits > rest) return false;
    double m_low = eqp_share_lower_always(table->leaf, table->rows, NUISANCE_PART * error);
    double apart = m_low < 1 ? shift / (1 - m_low) : INFINITY;
    if (apart > 1) return true; /* such a leaf cannot shift so far */
    double inside = table->hits / table->leaf, outside = rest > 0 ? table->rest_hits / rest : 0;
    if (inside - outside >= apart) return false;
    double mixture = mixture_of(table->hits, table->leaf - table->hits) +
                     mixture_of(table->rest_hits, rest - table->rest_hits);
    return mixture - likeliest_apart(table, apart) > -log((1 - NUISANCE_PART) * error) + 1e-6;
}

double eqp_shift_upper_always(const eqp_fourfold *table, double least, double error)
{
    return least_refuted(table, least, error, eqp_shift_refuted_always);
}
