/* Sorting: by 64-bit keys, in time linear in their number, and few numbers in place. */
#ifndef EQP_BASE_ORDER_H
#define EQP_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

typedef struct eqp_keyed {
    uint64_t key;
    size_t item;
} eqp_keyed;

/* A key in the order of numbers: the two zeros are one, NaN of either sign is at an end. */
uint64_t eqp_number_key(double number);

/* By rising key; items of equal keys stay in order.  `spare` holds as many; returns which of the two
 * arrays holds the result. */
eqp_keyed *eqp_order_by_key(eqp_keyed *items, eqp_keyed *spare, size_t count);

/* By rising value, in place; none is NaN. */
void eqp_sort_numbers(double *values, size_t count);

#endif
