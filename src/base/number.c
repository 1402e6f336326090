/* Text as numbers, without the locale.
 *
 * Reading takes the text apart by hand into digits × 10^exponent.  Up to 2^53 and 10^±22 both factors are
 * exact doubles, so one multiplication or division rounds correctly (Clinger 1990); that covers nearly every
 * cell. The rest is written again in canonical form and given to the C library under the "C" locale, which
 * rounds correctly. */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A point half-way between two doubles has at most 767 digits: what follows matters only as zero or not. */
#define MAX_DIGITS     800
#define MAX_EXPONENT   1000000000000000 /* far outside the doubles, far inside int64_t */
#define FAST_DIGITS    19               /* always fit 64 bits */
#define FAST_EXPONENT  22
#define EXACT_INTEGERS (UINT64_C(1) << 53)

typedef struct decimal_text {
    const char *digits, *end; /* from the first significant digit on, the point among them */
    uint64_t mantissa;        /* of the digits, when there are at most FAST_DIGITS */
    size_t digit_count;       /* significant ones */
    int64_t exponent;         /* value = digits × 10^exponent */
    size_t before, after;     /* digits on either side of the point, leading zeros too */
    int64_t written_exponent; /* without its sign */
    size_t exponent_digits;
    bool negative;
} decimal_text;

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void trim(const char **text, const char **end)
{
    while (*text < *end && is_blank(**text)) ++*text;
    while (*text < *end && is_blank((*end)[-1])) --*end;
}

static bool read_sign(const char **text, const char *end)
{
    if (*text == end || (**text != '-' && **text != '+')) return false;
    return *(*text)++ == '-';
}

/* Digits with at most one point; false when there is no digit. */
static bool read_digits(const char **text, const char *end, char point, decimal_text *number)
{
    bool seen_point = false, seen_digit = false;
    const char *c = *text;
    for (; c < end; c++) {
        if (*c == point && !seen_point) {
            seen_point = true;
            continue;
        }
        if (!is_digit(*c)) break;
        seen_digit = true;
        number->exponent -= seen_point;
        number->before += !seen_point;
        number->after += seen_point;
        if (number->digit_count == 0 && *c == '0') continue;
        if (number->digit_count++ == 0) number->digits = c;
        number->mantissa = number->mantissa * 10 + (uint64_t)(*c - '0'); /* wraps; unused beyond 19 digits */
    }
    *text = number->end = c;
    return seen_digit;
}

static bool read_exponent(const char **text, const char *end, decimal_text *number)
{
    if (*text == end || (**text != 'e' && **text != 'E')) return true;
    ++*text;
    bool negative = read_sign(text, end);
    if (*text == end || !is_digit(**text)) return false;
    int64_t exponent = 0;
    for (; *text < end && is_digit(**text); ++*text, number->exponent_digits++)
        if (exponent < MAX_EXPONENT) exponent = exponent * 10 + (**text - '0');
    number->written_exponent = exponent;
    number->exponent += negative ? -exponent : exponent;
    return true;
}

static bool take_apart(const char *text, size_t length, char point, decimal_text *number)
{
    const char *end = text + length;
    *number = (decimal_text){0};
    trim(&text, &end);
    number->negative = read_sign(&text, end);
    return read_digits(&text, end, point, number) && read_exponent(&text, end, number) && text == end;
}

static bool round_fast(const decimal_text *number, double *value)
{
    static const double ten_to[FAST_EXPONENT + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->digit_count > FAST_DIGITS || number->mantissa > EXACT_INTEGERS) return false;
    if (number->exponent < -FAST_EXPONENT || number->exponent > FAST_EXPONENT) return false;
    *value = number->exponent < 0 ? (double)number->mantissa / ten_to[-number->exponent]
                                  : (double)number->mantissa * ten_to[number->exponent];
    return true;
}

/* The first MAX_DIGITS digits, then a 1 if anything but zeros was left out, then the exponent. */
static void write_canonical(const decimal_text *number, char *canonical)
{
    size_t kept = 0;
    bool rest = false;
    for (const char *c = number->digits; c < number->end; c++) {
        if (!is_digit(*c)) continue;
        if (kept < MAX_DIGITS)
            canonical[kept++] = *c;
        else
            rest |= *c != '0';
    }
    int64_t exponent = number->exponent + (int64_t)(number->digit_count - kept);
    if (rest) canonical[kept++] = '1';
    exponent -= rest;
    if (exponent > 99999) exponent = 99999;
    if (exponent < -99999) exponent = -99999;
    snprintf(canonical + kept, 16, "e%d", (int)exponent);
}

static double round_slowly(const decimal_text *number)
{
    char canonical[MAX_DIGITS + 24];
    if (number->digit_count == 0) return 0;
    write_canonical(number, canonical);
    locale_t c_locale =
        newlocale(LC_ALL_MASK, "C", (locale_t)0); /* glibc: a constant, nothing is allocated */
    double value = c_locale != (locale_t)0 ? strtod_l(canonical, NULL, c_locale) : NAN;
    if (c_locale != (locale_t)0) freelocale(c_locale);
    return value;
}

/* Most cells that are numbers are a few digits and nothing else. */
static bool read_short_integer(const char *text, size_t length, double *value)
{
    uint32_t integer = 0;
    if (length == 0 || length > 9) return false;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i])) return false;
        integer = integer * 10 + (uint32_t)(text[i] - '0');
    }
    *value = integer;
    return true;
}

static bool round_number(const decimal_text *number, double *value)
{
    double magnitude;
    if (!round_fast(number, &magnitude)) magnitude = round_slowly(number);
    if (!isfinite(magnitude)) return false;
    *value = number->negative && magnitude > 0 ? -magnitude : magnitude;
    return true;
}

bool eqp_number_parse(const char *text, size_t length, char decimal, double *value)
{
    decimal_text number;
    if (read_short_integer(text, length, value)) return true;
    return take_apart(text, length, decimal, &number) && number.before <= EQP_NUMBER_DIGITS &&
           number.after <= EQP_NUMBER_DIGITS && number.exponent_digits <= EQP_NUMBER_EXPONENT_DIGITS &&
           number.written_exponent <= EQP_NUMBER_EXPONENT && round_number(&number, value);
}

bool eqp_number_read_back(const char *text, size_t length, double *value)
{
    decimal_text number;
    return take_apart(text, length, '.', &number) && round_number(&number, value);
}
