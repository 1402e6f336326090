/* Dates in cells, without the locale: the same bytes mean the same day on every machine.
 *
 *     2024-03-01, 2024/03/01, 2024.03.01   year first, month and day with two digits
 *     01.03.2024, 1/3/2024, 1-3-2024       day or month first, which one cell alone may leave open
 *
 * Years have four digits.  A model reads those from 1800 to 2199: 9999-12-31 and 0001-01-01 say "never".
 * Behind the date, after a blank or a "T", may stand a time of day.  A day is the one that is written: the
 * time and its zone do not move it. */
#ifndef EQP_BASE_DATE_H
#define EQP_BASE_DATE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum eqp_date_order {
    EQP_NO_DATE,
    EQP_YEAR_FIRST,
    EQP_DAY_FIRST,
    EQP_MONTH_FIRST,
    EQP_DATE_ORDERS
} eqp_date_order;

/* "year-first", …; "" for EQP_NO_DATE. */
extern const char *const eqp_date_order_names[EQP_DATE_ORDERS];

/* What one cell looks like. */
typedef struct eqp_date_parts {
    bool year_first;
    int year, first, second; /* year first: month and day; else the two numbers in the order of the cell */
    bool has_time;
} eqp_date_parts;

/* False for anything that is not a date in one of the forms above, with hh:mm, hh:mm:ss or hh:mm:ss.f, then
 * nothing, "Z" or an offset such as +01:00 behind it; the numbers may still be no day. */
bool eqp_date_read(const char *text, size_t length, eqp_date_parts *parts);
/* Whether there is such a day in that order. */
bool eqp_date_fits(const eqp_date_parts *parts, eqp_date_order order);

/* How a model reads a cell: days since 1970-01-01, NaN where it holds no date in this order, nor one with the
 * year first, which can always be told from the others.  What follows a blank or "T" is not looked at. */
double eqp_date_days(const char *text, size_t length, eqp_date_order order);

enum { EQP_MONTHS = 12, EQP_WEEKDAYS = 7 };
/* January and Monday are 0. */
extern const char *const eqp_month_names[EQP_MONTHS], *const eqp_weekday_names[EQP_WEEKDAYS];
int eqp_date_month(double days);
int eqp_date_weekday(double days);
/* The first day of its month. */
double eqp_date_month_start(double days);
/* "2024-03": the month of a day, for reports, which show no day of a person. */
#define EQP_DATE_TEXT 16
void eqp_date_show_month(double days, char text[EQP_DATE_TEXT]);

#endif
