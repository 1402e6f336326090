/* Doubles as text, without the locale: the fewest of 15, 16 and 17 digits that read back as the same double.
 *
 * A double is f × 2^e with f < 2^53.  From 1e-10 to 1e15 its first 17 digits are those of f × 5^k / 2^shift
 * with k <= 27 and 5^27 < 2^63, so 128 bits hold everything exactly: integers decide how to round, and
 * whether what is printed reads back.  The C library prints the rest under the "C" locale. */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 17, FEWEST_DIGITS = 15 };
static const double LEAST = 1e-10, BEYOND = 1e15;
typedef unsigned __int128 wide_integer;

/* A positive double × 10^(16 - exponent), in units of 2^-shift. */
typedef struct scaled_number {
    wide_integer value;
    uint64_t gap;      /* to the next double above */
    bool power_of_two; /* the gap below is half as wide */
    bool even;         /* f: what lies half-way is read as this double */
    int shift;
    int exponent; /* 10^exponent <= the number < 10^(exponent + 1) */
} scaled_number;

typedef struct decimal {
    uint64_t digits;
    int count, exponent; /* of the digits; the first one's */
} decimal;

static uint64_t power(uint64_t base, int exponent)
{
    uint64_t product = 1;
    while (exponent-- > 0) product *= base;
    return product;
}

static void scale_to(uint64_t f, int two, int exponent, scaled_number *s)
{
    int k = DIGITS - 1 - exponent;
    s->gap = power(5, k);
    s->value = (wide_integer)f * s->gap;
    s->shift = -two - k;
    s->exponent = exponent;
}

/* The logarithm of the power of two below the number is right, or one too small. */
static void scale_number(double number, scaled_number *s)
{
    int two;
    uint64_t f = (uint64_t)(frexp(number, &two) * 0x1p53);
    int exponent = (int)floor((two - 1) * 0.30102999566398120);
    scale_to(f, two - 53, exponent, s);
    if (s->value >> s->shift >= power(10, DIGITS)) scale_to(f, two - 53, exponent + 1, s);
    s->even = f % 2 == 0;
    s->power_of_two = f == UINT64_C(1) << 52;
}

/* To the nearest, or the even one of two equally near, as the C library does. */
static decimal round_to(const scaled_number *s, int count)
{
    wide_integer unit = (wide_integer)power(10, DIGITS - count) << s->shift;
    uint64_t digits = (uint64_t)(s->value / unit);
    wide_integer twice_rest = 2 * (s->value - digits * unit);
    if (twice_rest > unit || (twice_rest == unit && digits % 2 == 1)) digits++;
    return (decimal){digits, count, s->exponent};
}

static bool reads_back(const scaled_number *s, decimal d)
{
    wide_integer read = (wide_integer)(d.digits * power(10, DIGITS - d.count)) << s->shift;
    bool below = read < s->value;
    wide_integer distance = below ? s->value - read : read - s->value;
    wide_integer reach = below && s->power_of_two ? s->gap : 2 * (wide_integer)s->gap;
    return 4 * distance < reach || (4 * distance == reach && s->even);
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static char *put_whole(char *text, uint64_t number)
{
    char digits[20], *first = digits + sizeof digits;
    do *--first = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    size_t count = (size_t)(digits + sizeof digits - first);
    memcpy(text, first, count);
    return text + count;
}

/* `after` digits before the point, none behind it if none are left. */
static char *put_pointed(char *text, uint64_t digits, int count, int after)
{
    char *end = put_whole(text, digits);
    if (count <= after) return end;
    memmove(text + after + 1, text + after, (size_t)(count - after));
    text[after] = '.';
    return end + 1;
}

static char *put_exponent(char *text, int exponent)
{
    *text++ = 'e';
    *text++ = exponent < 0 ? '-' : '+';
    if (exponent < 0) exponent = -exponent;
    if (exponent < 10) *text++ = '0';
    return put_whole(text, (uint64_t)exponent);
}

/* As %g does: without the zeros behind, with an exponent only where it is small. */
static char *put_short(char *text, decimal d)
{
    int precision = d.count;
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.count--;
    }
    if (d.exponent >= precision || d.exponent < -4)
        return put_exponent(put_pointed(text, d.digits, d.count, 1), d.exponent);
    if (d.exponent >= 0) return put_pointed(text, d.digits, d.count, d.exponent + 1);
    size_t zeros = (size_t)(1 - d.exponent);
    memset(text, '0', zeros);
    text[1] = '.';
    return put_whole(text + zeros, d.digits);
}

/* Nine hundred and ninety-nine rounded to two digits is one thousand: the same digits, one place up. */
static decimal carry(decimal d)
{
    if (d.digits < power(10, d.count)) return d;
    return (decimal){d.digits / 10, d.count, d.exponent + 1};
}

static size_t finish(char text[32], char *end)
{
    *end = '\0';
    return (size_t)(end - text);
}

/* ---- any double ---------------------------------------------------------------------------------------- */

/* snprintf of one double under the "C" locale, whatever the program has set. */
static size_t print_with(const char *format, int precision, double value, char text[32])
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c_locale);
    int length = snprintf(text, 32, format, precision, value);
    uselocale(before);
    if (c_locale != (locale_t)0) freelocale(c_locale);
    return (size_t)length;
}

static size_t print_slowly(double value, char text[32])
{
    /* Below the normal doubles 15 digits are more than there are. */
    size_t length = 0;
    for (int precision = fabs(value) < 0x1p-1022 ? 1 : FEWEST_DIGITS; precision <= DIGITS; precision++) {
        double again;
        length = print_with("%.*g", precision, value, text);
        if (!isfinite(value) || (eqp_number_read_back(text, length, &again) && again == value)) break;
    }
    return length;
}

static bool is_common(double value)
{
    return fabs(value) >= LEAST && fabs(value) < BEYOND;
}

size_t eqp_number_print(double value, char text[32])
{
    char *place = text;
    bool zero = value == 0 && !signbit(value);
    if (!is_common(value) && !zero) return print_slowly(value, text);
    if (value < 0) *place++ = '-';
    value = fabs(value);
    if (value == trunc(value)) return finish(text, put_whole(place, (uint64_t)value));
    scaled_number scaled;
    scale_number(value, &scaled);
    decimal shortest = round_to(&scaled, FEWEST_DIGITS);
    while (!reads_back(&scaled, shortest)) shortest = round_to(&scaled, shortest.count + 1);
    return finish(text, put_short(place, carry(shortest)));
}
