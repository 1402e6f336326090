/* Sorted lists of distinct numbers found in a document: the budgets and yields that a table or an axis shows.
 */
#ifndef EQP_REPORT_SERIES_H
#define EQP_REPORT_SERIES_H

#include "base/field.h"

#include <stddef.h>

#define EQP_SERIES_CAPACITY 64

typedef struct eqp_series {
    size_t count;
    double values[EQP_SERIES_CAPACITY];
} eqp_series;

/* The values of one field over a list of objects, rising; what exceeds the capacity is left out. */
eqp_series eqp_series_of(const json_t *list, eqp_field field);
/* At most `room` of them, spread evenly, first and last kept. */
eqp_series eqp_series_thinned(const eqp_series *series, size_t room);
/* The entry of a list whose field has this value, or NULL. */
const json_t *eqp_series_entry(const json_t *list, eqp_field field, double value);

#endif
