/* Dates in cells, without the locale: the same bytes mean the same day on every machine.
 *
 *     2024-03-01, 2024/3/1            year first (also with a time: 2024-03-01T12:30:00Z)
 *     01.03.2024, 1/3/2024, 1-3-2024  day or month first, which one cell alone may leave open
 *
 * Years have four digits.  A time after the date is hh:mm, hh:mm:ss or hh:mm:ss.f, then nothing, "Z", or an
 * offset such as +01:00, which is taken off. */
#ifndef EQP_BASE_DATE_H
#define EQP_BASE_DATE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum eqp_date_order { EQP_YEAR_FIRST, EQP_DAY_FIRST, EQP_MONTH_FIRST } eqp_date_order;

/* What one cell looks like. */
typedef struct eqp_date_parts {
    bool year_first;
    int year, first, second; /* year first: month and day; else the two numbers in the order of the cell */
    bool has_time;
    double seconds; /* since midnight, offset taken off: may be below 0 or above a day */
} eqp_date_parts;

/* False for anything that is not a date in one of the forms above; the numbers may still be no day. */
bool eqp_date_read(const char *text, size_t length, eqp_date_parts *parts);
/* Days since 1970-01-01, a time as a part of a day; false when there is no such day in that order. */
bool eqp_date_days(const eqp_date_parts *parts, eqp_date_order order, double *days);

#endif
