/* Radix sort, digit by digit from the last.  A digit that all keys share is skipped: whole numbers of a
 * narrow range take two or three passes. */
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = (64 + DIGIT_BITS - 1) / DIGIT_BITS, VALUES = 1 << DIGIT_BITS };

uint64_t eqp_number_key(double number)
{
    uint64_t bits;
    number += 0.0; /* makes one zero of the two */
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static size_t digit(uint64_t key, size_t d)
{
    return key >> (DIGIT_BITS * d) & (VALUES - 1);
}

/* One stable pass by digit d. */
static void deal(const eqp_keyed *items, size_t count, size_t d, eqp_keyed *dealt)
{
    size_t next[VALUES] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) next[digit(items[i].key, d)]++;
    for (size_t v = 0; v < VALUES; v++) {
        size_t of_value = next[v];
        next[v] = sum;
        sum += of_value;
    }
    for (size_t i = 0; i < count; i++) dealt[next[digit(items[i].key, d)]++] = items[i];
}

eqp_keyed *eqp_order_by_key(eqp_keyed *items, eqp_keyed *spare, size_t count)
{
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) differ |= items[i].key ^ items[0].key;
    for (size_t d = 0; d < DIGITS; d++) {
        if (digit(differ, d) == 0) continue;
        deal(items, count, d, spare);
        eqp_keyed *dealt = spare;
        spare = items;
        items = dealt;
    }
    return items;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void eqp_sort_numbers(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_numbers);
}
