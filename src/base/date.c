/* Dates in cells: the parts of a cell, and the day that they mean. */
#include "base/date.h"

#include <stdint.h>

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
static bool take_pair(cursor *c, int bound, int *number)
{
    *number = 0;
    if (c->end - c->at < 2) return false;
    for (int i = 0; i < 2; i++) {
        if (!at_digit(c)) return false;
        *number = 10 * *number + (*c->at++ - '0');
    }
    return *number < bound;
}

static bool take_offset(cursor *c, double *seconds)
{
    int hours, minutes = 0;
    if (c->at == c->end || take(c, 'Z')) return true;
    double sign = *c->at == '-' ? 1 : -1;
    if (*c->at != '+' && *c->at != '-') return false;
    c->at++;
    if (!take_pair(c, 24, &hours)) return false;
    take(c, ':');
    if (c->at < c->end && !take_pair(c, 60, &minutes)) return false;
    *seconds += sign * (3600.0 * hours + 60.0 * minutes);
    return true;
}

static bool take_time(cursor *c, double *seconds)
{
    int hour, minute, second = 0;
    if (!take_pair(c, 24, &hour) || !take(c, ':') || !take_pair(c, 60, &minute)) return false;
    if (take(c, ':')) {
        if (!take_pair(c, 61, &second)) return false;
        if (take(c, '.') && !at_digit(c)) return false;
    }
    *seconds = 3600.0 * hour + 60.0 * minute + second;
    for (double unit = 0.1; at_digit(c); unit /= 10) *seconds += unit * (*c->at++ - '0');
    return take_offset(c, seconds);
}

bool eqp_date_read(const char *text, size_t length, eqp_date_parts *parts)
{
    cursor c = {text, text + length};
    *parts = (eqp_date_parts){0};
    int number, digits = take_number(&c, 1, 4, &number);
    char separator = c.at < c.end ? *c.at : '\0';
    if (digits == 0 || digits == 3 || (separator != '-' && separator != '/' && separator != '.'))
        return false;
    c.at++;
    parts->year_first = digits == 4;
    parts->year = number;
    if (!parts->year_first) parts->first = number;
    if (take_number(&c, 1, 2, parts->year_first ? &parts->first : &parts->second) == 0) return false;
    if (!take(&c, separator)) return false;
    if (parts->year_first ? take_number(&c, 1, 2, &parts->second) == 0
                          : take_number(&c, 4, 4, &parts->year) == 0)
        return false;
    if (c.at == c.end) return true;
    parts->has_time = true;
    return (take(&c, 'T') || take(&c, ' ')) && take_time(&c, &parts->seconds) && c.at == c.end;
}

static int days_of_month(int year, int month)
{
    static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : DAYS[month - 1];
}

/* Years begin in March, so that a leap day is the last of its year. */
static int64_t day_number(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

bool eqp_date_days(const eqp_date_parts *parts, eqp_date_order order, double *days)
{
    bool day_comes_first = order == EQP_DAY_FIRST;
    if (parts->year_first != (order == EQP_YEAR_FIRST)) return false;
    int month = day_comes_first ? parts->second : parts->first;
    int day = day_comes_first ? parts->first : parts->second;
    if (parts->year < 1 || month < 1 || month > 12 || day < 1 || day > days_of_month(parts->year, month))
        return false;
    *days = (double)day_number(parts->year, month, day) + parts->seconds / 86400;
    return true;
}
