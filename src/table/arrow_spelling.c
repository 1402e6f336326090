/* Decimals, dates, times and ids of Arrow columns, spelled as a file has them.
 *
 *     decimals   12.50, every digit that the scale says
 *     dates      2024-05-31;  times 08:30:00, 08:30:00.25;  moments 2024-05-31 08:30:00, with Z where the
 *                column has a zone: Arrow keeps moments of UTC, and no table of zones is asked here
 *     intervals  P1M2DT3.5S
 *     ids        123e4567-e89b-12d3-a456-426614174000 */
#include "table/arrow_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DAY_SECONDS 86400

/* ---- decimals ---------------------------------------------------------------------------------------- */

/* Little-endian two's complement as limbs of its magnitude; true when it is negative. */
static bool magnitude_of(const void *at, unsigned width, uint32_t limbs[8])
{
    size_t count = width / sizeof *limbs;
    memcpy(limbs, at, width);
    bool negative = limbs[count - 1] >> 31 != 0;
    uint64_t carry = 1;
    for (size_t i = 0; negative && i < count; i++) {
        carry += (uint32_t)~limbs[i];
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return negative;
}

/* Digits, the last first. */
static size_t take_digits(uint32_t limbs[8], size_t count, char digits[80])
{
    size_t length = 0;
    for (bool left = true; left;) {
        uint64_t rest = 0;
        left = false;
        for (size_t i = count; i-- > 0;) {
            rest = rest << 32 | limbs[i];
            limbs[i] = (uint32_t)(rest / 10);
            rest %= 10;
            left = left || limbs[i] != 0;
        }
        digits[length++] = (char)('0' + rest);
    }
    return length;
}

static size_t spell_decimal(const eqp_arrow_type *type, const void *at, char *text)
{
    uint32_t limbs[8];
    char digits[80], *to = text;
    bool negative = magnitude_of(at, type->width, limbs);
    size_t length = take_digits(limbs, type->width / sizeof *limbs, digits);
    size_t behind = type->scale > 0 ? (size_t)type->scale : 0;
    bool zero = length == 1 && digits[0] == '0';
    if (negative) *to++ = '-';
    for (size_t place = length > behind ? length : behind + 1; place-- > 0;) {
        *to++ = place < length ? digits[place] : '0';
        if (place == behind && place > 0) *to++ = '.';
    }
    for (int i = type->scale; i < 0 && !zero; i++) *to++ = '0';
    return (size_t)(to - text);
}

/* ---- dates and times --------------------------------------------------------------------------------- */

static int64_t per_second(char unit)
{
    return unit == 's' ? 1 : unit == 'm' ? 1000 : unit == 'u' ? 1000000 : 1000000000;
}

static int64_t divide_down(int64_t value, int64_t by, int64_t *rest)
{
    int64_t quotient = value / by;
    *rest = value % by;
    if (*rest < 0) {
        *rest += by;
        quotient--;
    }
    return quotient;
}

/* The Gregorian date of a day counted from 1970-01-01, by eras of 400 years that begin in March. */
static size_t spell_day(int64_t day, char *text)
{
    int64_t of_era, era = divide_down(day + 719468, 146097, &of_era);
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * of_year + 2) / 153; /* months since March */
    int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
    int64_t year = year_of_era + era * 400 + (month <= 2);
    return (size_t)sprintf(text, "%04lld-%02d-%02d", (long long)year, (int)month,
                           (int)(of_year - (153 * shifted + 2) / 5 + 1));
}

/* A part of a second, without the zeros at its end. */
static size_t spell_fraction(int64_t part, int64_t whole, char *text)
{
    size_t length = 0;
    if (part == 0) return 0;
    text[length++] = '.';
    for (; part > 0; part %= whole) text[length++] = (char)('0' + part / (whole /= 10));
    return length;
}

static size_t spell_time(int64_t seconds, int64_t part, int64_t whole, char *text)
{
    size_t length = (size_t)sprintf(text, "%02d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60),
                                    (int)(seconds % 60));
    return length + spell_fraction(part, whole, text + length);
}

static int64_t number_at(const void *at, unsigned width)
{
    int32_t narrow;
    int64_t wide;
    if (width == sizeof wide) return memcpy(&wide, at, sizeof wide), wide;
    return memcpy(&narrow, at, sizeof narrow), narrow;
}

static size_t spell_date(const eqp_arrow_type *type, const void *at, char *text)
{
    int64_t value = number_at(at, type->width), rest;
    return spell_day(type->unit == 'D' ? value : divide_down(value, 1000 * DAY_SECONDS, &rest), text);
}

static size_t spell_moment(const eqp_arrow_type *type, const void *at, char *text)
{
    int64_t part, second, whole = per_second(type->unit);
    int64_t day = divide_down(divide_down(number_at(at, 8), whole, &part), DAY_SECONDS, &second);
    size_t length = spell_day(day, text);
    text[length++] = ' ';
    length += spell_time(second, part, whole, text + length);
    if (type->zoned) text[length++] = 'Z';
    return length;
}

static size_t spell_time_of_day(const eqp_arrow_type *type, const void *at, char *text)
{
    int64_t part, whole = per_second(type->unit);
    int64_t seconds = divide_down(number_at(at, type->width), whole, &part);
    return spell_time(seconds < 0 ? 0 : seconds, part, whole, text);
}

/* ---- intervals, ids ----------------------------------------------------------------------------------- */

static size_t spell_interval(const eqp_arrow_type *type, const void *at, char *text)
{
    const char *bytes = at;
    int64_t months = type->unit == 'D' ? 0 : number_at(bytes, 4);
    int64_t days = type->unit == 'M' ? 0 : number_at(bytes + (type->unit == 'n' ? 4 : 0), 4);
    int64_t whole = type->unit == 'n' ? 1000000000 : 1000;
    int64_t time = type->unit == 'n'   ? number_at(bytes + 8, 8)
                   : type->unit == 'D' ? number_at(bytes + 4, 4)
                                       : 0;
    size_t length = (size_t)sprintf(text, "P");
    if (months != 0) length += (size_t)sprintf(text + length, "%lldM", (long long)months);
    if (days != 0 || (months == 0 && time == 0))
        length += (size_t)sprintf(text + length, "%lldD", (long long)days);
    if (time == 0) return length;
    uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time, unit = (uint64_t)whole;
    length +=
        (size_t)sprintf(text + length, "T%s%llu", time < 0 ? "-" : "", (unsigned long long)(size / unit));
    length += spell_fraction((int64_t)(size % unit), whole, text + length);
    text[length++] = 'S';
    return length;
}

static size_t spell_uuid(const void *at, char *text)
{
    const uint8_t *bytes = at;
    size_t length = 0;
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text[length++] = '-';
        length += (size_t)sprintf(text + length, "%02x", bytes[i]);
    }
    return length;
}

size_t eqp_arrow_spell(const eqp_arrow_type *type, const void *at, char text[EQP_ARROW_TEXT_BYTES])
{
    switch (type->kind) {
    case EQP_ARROW_DECIMAL:
        return spell_decimal(type, at, text);
    case EQP_ARROW_DATE:
        return spell_date(type, at, text);
    case EQP_ARROW_TIME:
        return spell_time_of_day(type, at, text);
    case EQP_ARROW_MOMENT:
        return spell_moment(type, at, text);
    case EQP_ARROW_INTERVAL:
        return spell_interval(type, at, text);
    default:
        return spell_uuid(at, text);
    }
}
