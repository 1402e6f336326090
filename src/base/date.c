/* Dates in cells: the parts of a cell, and the day that they mean. */
#include "base/date.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { FIRST_YEAR = 1800, LAST_YEAR = 2199 };

const char *const eqp_date_order_names[EQP_DATE_ORDERS] = {"", "year-first", "day-first", "month-first"};
const char *const eqp_month_names[EQP_MONTHS] = {"January",   "February", "March",    "April",
                                                 "May",       "June",     "July",     "August",
                                                 "September", "October",  "November", "December"};
const char *const eqp_weekday_names[EQP_WEEKDAYS] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                     "Friday", "Saturday", "Sunday"};

/* ---- the parts of a cell ------------------------------------------------------------------------------- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static bool at_digit(const cursor *c)
{
    return c->at < c->end && *c->at >= '0' && *c->at <= '9';
}

/* A whole number of least … most digits; how many there were, 0 when it is none such. */
static int take_number(cursor *c, int least, int most, int *number)
{
    int digits = 0;
    *number = 0;
    for (; digits < most && at_digit(c); digits++) *number = 10 * *number + (*c->at++ - '0');
    return digits < least || at_digit(c) ? 0 : digits;
}

static bool take(cursor *c, char wanted)
{
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

/* Two digits, and below `bound`. */
static bool take_pair(cursor *c, int bound)
{
    int number = 0;
    if (c->end - c->at < 2) return false;
    for (int i = 0; i < 2; i++) {
        if (!at_digit(c)) return false;
        number = 10 * number + (*c->at++ - '0');
    }
    return number < bound;
}

static bool take_offset(cursor *c)
{
    if (c->at == c->end || take(c, 'Z')) return true;
    if (!take(c, '+') && !take(c, '-')) return false;
    if (!take_pair(c, 24)) return false;
    take(c, ':');
    return c->at == c->end || take_pair(c, 60);
}

static bool take_time(cursor *c)
{
    if (!take_pair(c, 24) || !take(c, ':') || !take_pair(c, 60)) return false;
    if (take(c, ':')) {
        if (!take_pair(c, 61)) return false;
        if (take(c, '.') && !at_digit(c)) return false;
    }
    while (at_digit(c)) c->at++;
    return take_offset(c);
}

/* The date alone; month and day behind a year have two digits, as SQL finds them by their place. */
static bool take_date(cursor *c, eqp_date_parts *parts)
{
    *parts = (eqp_date_parts){0};
    int number, digits = take_number(c, 1, 4, &number);
    char separator = c->at < c->end ? *c->at : '\0';
    if (digits == 0 || digits == 3 || (separator != '-' && separator != '/' && separator != '.'))
        return false;
    c->at++;
    parts->year_first = digits == 4;
    if (parts->year_first) {
        parts->year = number;
        return take_number(c, 2, 2, &parts->first) != 0 && take(c, separator) &&
               take_number(c, 2, 2, &parts->second) != 0;
    }
    parts->first = number;
    return take_number(c, 1, 2, &parts->second) != 0 && take(c, separator) &&
           take_number(c, 4, 4, &parts->year) != 0;
}

bool eqp_date_read(const char *text, size_t length, eqp_date_parts *parts)
{
    cursor c = {text, text + length};
    if (!take_date(&c, parts)) return false;
    if (c.at == c.end) return true;
    parts->has_time = true;
    return (take(&c, 'T') || take(&c, ' ')) && take_time(&c) && c.at == c.end;
}

/* ---- days ---------------------------------------------------------------------------------------------- */

static int days_of_month(int year, int month)
{
    static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : DAYS[month - 1];
}

/* Years begin in March, so that a leap day is the last of its year. */
static int day_number(int year, int month, int day)
{
    int y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static int month_of(const eqp_date_parts *parts, eqp_date_order order)
{
    return order == EQP_DAY_FIRST ? parts->second : parts->first;
}

static int day_of(const eqp_date_parts *parts, eqp_date_order order)
{
    return order == EQP_DAY_FIRST ? parts->first : parts->second;
}

bool eqp_date_fits(const eqp_date_parts *parts, eqp_date_order order)
{
    int month = month_of(parts, order), day = day_of(parts, order);
    return parts->year_first == (order == EQP_YEAR_FIRST) && parts->year >= 1 && month >= 1 && month <= 12 &&
           day >= 1 && day <= days_of_month(parts->year, month);
}

double eqp_date_days(const char *text, size_t length, eqp_date_order order)
{
    cursor c = {text, text + length};
    eqp_date_parts parts;
    if (!take_date(&c, &parts)) return NAN;
    if (c.at < c.end && *c.at != ' ' && *c.at != 'T') return NAN;
    if (parts.year_first) order = EQP_YEAR_FIRST;
    if (!eqp_date_fits(&parts, order) || parts.year < FIRST_YEAR || parts.year > LAST_YEAR) return NAN;
    return day_number(parts.year, month_of(&parts, order), day_of(&parts, order));
}

/* The year and month of a day, by looking: years differ from 365.2425 days by less than two. */
static void find_month(double days, int *year, int *month)
{
    *year = 1970 + (int)floor(days / 365.2425) + 1;
    while (day_number(*year, 1, 1) > days) --*year;
    *month = 12;
    while (day_number(*year, *month, 1) > days) --*month;
}

int eqp_date_month(double days)
{
    int year, month;
    find_month(days, &year, &month);
    return month - 1;
}

int eqp_date_weekday(double days)
{
    double since_monday = fmod(days + 3, EQP_WEEKDAYS); /* 1970-01-01 was a Thursday */
    return (int)(since_monday < 0 ? since_monday + EQP_WEEKDAYS : since_monday);
}

double eqp_date_month_start(double days)
{
    int year, month;
    find_month(days, &year, &month);
    return day_number(year, month, 1);
}

void eqp_date_show_month(double days, char text[EQP_DATE_TEXT])
{
    int year, month;
    days = fmin(fmax(days, day_number(FIRST_YEAR, 1, 1)), day_number(LAST_YEAR, 12, 31));
    find_month(days, &year, &month);
    snprintf(text, EQP_DATE_TEXT, "%04d-%02d", year, month);
}
