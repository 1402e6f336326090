/* Numbers and text, without the locale: the same bytes mean the same double on every machine. */
#ifndef EQP_BASE_NUMBER_H
#define EQP_BASE_NUMBER_H

#include "base/platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The grammar of numbers in cells, the same for every executor of a rule (docs/at-scale.md):
 *
 *     blanks [+-] (digits [point [digits]] | point digits) [(e|E) [+-] digits] blanks
 *
 * with spaces and tabs as blanks, at most 40 digits on either side of the point, and an exponent of at most
 * 99, written with at most three digits.  The bounds keep every engine far from overflow and underflow, where
 * some give infinity, some zero and some an error. */
#define EQP_NUMBER_DIGITS          40
#define EQP_NUMBER_EXPONENT        99
#define EQP_NUMBER_EXPONENT_DIGITS 3

/* The whole of `text` as such a number with `decimal` as the point, correctly rounded.  False for anything
 * else: "nan", "inf", "0x1p3", "1,5", "1e999", "".  −0.0 becomes 0.0.  `text` need not end in 0. */
bool eqp_number_parse(const char *text, size_t length, char decimal, double *value);
/* Any finite number that was printed by us, without the bounds. */
bool eqp_number_read_back(const char *text, size_t length, double *value);

/* The shortest decimal that reads back as the same double (powers of two may get one digit more); at most 32
 * bytes with the final 0. */
size_t eqp_number_print(double value, char text[32]);

/* ---- many numbers ------------------------------------------------------------------------------------- */

/* 1 or 0, by the bits: loops over these take several numbers at once, which compilers do not do with isnan.
 */
static inline uint64_t eqp_is_beyond(double number, uint64_t magnitude)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (magnitude - (bits & INT64_MAX)) >> 63;
}

static inline uint64_t eqp_counts_missing(double number)
{
    return eqp_is_beyond(number, UINT64_C(0x7FF) << 52);
}

/* How many are missing. */
static inline uint64_t eqp_count_missing(const double *numbers, size_t count)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < count; i++) missing += eqp_counts_missing(numbers[i]);
    return missing;
}

static inline uint64_t eqp_counts_not_finite(double number)
{
    return eqp_is_beyond(number, (UINT64_C(0x7FF) << 52) - 1);
}

/* ---- short numbers ------------------------------------------------------------------------------------ */

/* Numbers of at most eight bytes, as most cells are: read as one word, all digits at once.  What these say
 * is what eqp_number_parse says of the same text. */
#define EQP_SHORT_NUMBER 8 /* so many bytes must be readable at a text, however short it is */

/* The first byte is the lowest. */
static inline uint64_t eqp_load_word(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return le64toh(word);
}

/* Keeps the lowest bytes, at most eight. */
static inline uint64_t eqp_low_bytes(uint64_t word, size_t count)
{
    return count < 8 ? word & ((UINT64_C(1) << 8 * count) - 1) : word;
}

#define EQP_EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* 1 … 8 characters of a word, less "0" each: the last becomes the highest byte, and the zeros that come in
 * below count as leading zeros. */
static inline uint64_t eqp_align_digits(uint64_t word, size_t length)
{
    return (word ^ EQP_EACH_BYTE('0')) << ((64 - 8 * length) & 63);
}

static inline bool eqp_are_digits(uint64_t aligned)
{
    return (((aligned + EQP_EACH_BYTE(0x76)) | aligned) & EQP_EACH_BYTE(0x80)) == 0;
}

/* The value of aligned digits: pairs, fours and eights are joined by multiplications. */
static inline uint32_t eqp_join_digits(uint64_t aligned)
{
    const uint64_t every_fourth = UINT64_C(0x000000FF000000FF);
    aligned = aligned * 10 + (aligned >> 8);
    aligned = (aligned & every_fourth) * (100 + (UINT64_C(1000000) << 32)) +
              (aligned >> 16 & every_fourth) * (1 + (UINT64_C(10000) << 32));
    return (uint32_t)(aligned >> 32);
}

/* 1 … 8 digits and nothing else, without leading zeros. */
static inline bool eqp_is_short_whole(const char *text, size_t length)
{
    return length - 1 < 8 && (*text != '0' || length == 1) &&
           eqp_are_digits(eqp_align_digits(eqp_load_word(text), length));
}

/* Takes the point, if there is one, out of a word of `length` characters; returns the count after it. */
static inline size_t eqp_remove_point(uint64_t *word, size_t *length, char point)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t other = *word ^ each * (unsigned char)point, found = (other - each) & ~other & each << 7;
    size_t place = found != 0 ? (size_t)__builtin_ctzll(found) / 8 : 8;
    if (place >= *length) return 0;
    uint64_t before = eqp_low_bytes(*word, place);
    *word = before | (*word >> 8 & ~eqp_low_bytes(~UINT64_C(0), place));
    return --*length - place;
}

/* False for whatever is not so simple, number or not. */
static inline bool eqp_number_parse_short(const char *text, size_t length, char decimal, double *value)
{
    static const double ten_to[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    if (length - 1 >= 8) return false;
    bool negative = *text == '-';
    uint64_t word = eqp_load_word(text) >> 8 * negative;
    length -= negative;
    size_t decimals = eqp_remove_point(&word, &length, decimal);
    if (length == 0) return false;
    word = eqp_align_digits(word, length);
    if (!eqp_are_digits(word)) return false;
    double magnitude = eqp_join_digits(word);
    if (decimals > 0) magnitude /= ten_to[decimals]; /* both exact: rounded once, hence correctly */
    *value = negative && magnitude > 0 ? -magnitude : magnitude;
    return true;
}

#endif
