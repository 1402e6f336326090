/* Dates -> days, months and weekdays, without a date function and without a cast: engines differ in what they
 * read and in what they do with what they cannot read.  Here digits are looked up, and what is not in the
 * list is NULL, which is a missing cell.
 *
 *     text -> yyyymmdd, where year, month and day are by the places of the separators
 *          -> a sum of whole numbers */
#include "export/sql.h"

#include <math.h>

/* Where the parts stand in a text: places are counted from 1. */
typedef struct date_layout {
    int first_separator, second_separator, length;
} date_layout;

static const date_layout YEAR_LAYOUT = {5, 8, 10};
static const date_layout OTHER_LAYOUTS[] = {{3, 6, 10}, {2, 5, 9}, {3, 5, 9}, {2, 4, 8}};

/* ---- yyyymmdd ----------------------------------------------------------------------------------------- */

static void text_part(eqp_sql *sql, size_t f, int place, int length)
{
    eqp_buffer_text(&sql->out, "substr(");
    eqp_sql_as_text(sql, sql->model->encoding->features[f].name);
    eqp_buffer_printf(&sql->out, ", %d, %d)", place, length);
}

/* From one separator to the next, with a 0 before a single digit. */
static void padded_part(eqp_sql *sql, size_t f, int place, int end)
{
    if (end - place == 1) eqp_buffer_text(&sql->out, "'0' || ");
    text_part(sql, f, place, end - place);
}

static void when_laid_out(eqp_sql *sql, size_t f, const date_layout *layout)
{
    eqp_buffer_text(&sql->out, " WHEN ");
    text_part(sql, f, layout->first_separator, 1);
    eqp_buffer_text(&sql->out, " IN ('-', '/', '.') AND ");
    text_part(sql, f, layout->second_separator, 1);
    eqp_buffer_text(&sql->out, " = ");
    text_part(sql, f, layout->first_separator, 1);
    eqp_buffer_text(&sql->out, " AND ");
    text_part(sql, f, layout->length, 1); /* there is one: the place of an empty text is that of 0 */
    eqp_buffer_text(&sql->out, " <> '' AND ");
    text_part(sql, f, layout->length + 1, 1);
    eqp_buffer_text(&sql->out, " IN ('', ' ', 'T') THEN ");
}

static void write_other_layouts(eqp_sql *sql, size_t f, bool day_comes_first)
{
    for (size_t i = 0; i < sizeof OTHER_LAYOUTS / sizeof *OTHER_LAYOUTS; i++) {
        const date_layout *at = &OTHER_LAYOUTS[i];
        when_laid_out(sql, f, at);
        text_part(sql, f, at->second_separator + 1, 4);
        eqp_buffer_text(&sql->out, " || ");
        for (int part = 0; part < 2; part++) {
            bool first = day_comes_first == (part == 1);
            if (part > 0) eqp_buffer_text(&sql->out, " || ");
            padded_part(sql, f, first ? 1 : at->first_separator + 1,
                        first ? at->first_separator : at->second_separator);
        }
    }
}

/* Marks of missing cells are no dates, but for those that are. */
static void when_marked(eqp_sql *sql, size_t f)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    for (size_t i = 0; i < sql->missing.count; i++) {
        if (isnan(eqp_date_days(sql->missing.marks[i], sql->missing.lengths[i], feature->date))) continue;
        eqp_buffer_text(&sql->out, " WHEN ");
        eqp_sql_as_text(sql, feature->name);
        eqp_buffer_text(&sql->out, " = ");
        eqp_quote_text(sql->dialect, sql->missing.marks[i], &sql->out);
        eqp_buffer_text(&sql->out, " THEN NULL");
    }
}

void eqp_sql_date_text(eqp_sql *sql, size_t f)
{
    eqp_date_order order = sql->model->encoding->features[f].date;
    eqp_buffer_text(&sql->out, "CASE");
    when_marked(sql, f);
    when_laid_out(sql, f, &YEAR_LAYOUT);
    text_part(sql, f, 1, 4);
    eqp_buffer_text(&sql->out, " || ");
    text_part(sql, f, 6, 2);
    eqp_buffer_text(&sql->out, " || ");
    text_part(sql, f, 9, 2);
    if (order != EQP_YEAR_FIRST) write_other_layouts(sql, f, order == EQP_DAY_FIRST);
    eqp_buffer_text(&sql->out, " END");
}

/* Part of that text, by the name that an inner query gives it: some engines repeat what a CASE is about once
 * for every WHEN. */
static void date_part(eqp_sql *sql, size_t f, int place, int length)
{
    eqp_buffer_printf(&sql->out, "substr(eqp_x%zu, %d, %d)", f, place, length);
}

/* ---- days --------------------------------------------------------------------------------------------- */

enum { FIRST_CENTURY = 18, LAST_CENTURY = 21, YEARS = 100 };
/* Of 1970-01-01, counted in the same way. */
enum { BEGINNING = 719528 };

/* A digit of the date as a whole number; NULL where it is none of them. */
static void digit(eqp_sql *sql, size_t f, int place, const char *digits)
{
    eqp_buffer_printf(&sql->out, "(NULLIF(%s('%s', ", sql->dialect->position, digits);
    date_part(sql, f, place, 1);
    eqp_buffer_text(&sql->out, "), 0) - 1)");
}

static void two_digits(eqp_sql *sql, size_t f, int place, const char *tens)
{
    eqp_buffer_text(&sql->out, "(10 * ");
    digit(sql, f, place, tens);
    eqp_buffer_text(&sql->out, " + ");
    digit(sql, f, place + 1, "0123456789");
    eqp_buffer_text(&sql->out, ")");
}

static int days_of_century(int century)
{
    return 36524 * century + century / 4;
}

static int days_before_month(int month)
{
    static const int DAYS[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    return DAYS[month - 1];
}

/* CASE two digits WHEN '18' THEN … END: NULL where they are none of them. */
static void look_up(eqp_sql *sql, size_t f, int place, int first, int last, int (*days)(int))
{
    eqp_buffer_text(&sql->out, "CASE ");
    date_part(sql, f, place, 2);
    for (int number = first; number <= last; number++)
        eqp_buffer_printf(&sql->out, " WHEN '%02d' THEN %d", number, days(number));
    eqp_buffer_text(&sql->out, " END");
}

/* 365 days a year and one for every fourth: (1461 * years - years % 4) / 4 */
static void days_of_years(eqp_sql *sql, size_t f)
{
    const eqp_dialect *dialect = sql->dialect;
    eqp_buffer_printf(&sql->out, "%s1461 * ", dialect->fourth.before);
    two_digits(sql, f, 3, "0123456789");
    eqp_buffer_printf(&sql->out, " - %s", dialect->remainder.before);
    two_digits(sql, f, 3, "0123456789");
    eqp_buffer_printf(&sql->out, "%s4%s%s", dialect->remainder.after, dialect->remainder_end,
                      dialect->fourth.after);
}

/* Of the years that a date may have, 1800, 1900 and 2100 are no leap years. */
static void is_leap_year(eqp_sql *sql, size_t f)
{
    date_part(sql, f, 1, 4);
    eqp_buffer_text(&sql->out, " = '2000' OR ");
    date_part(sql, f, 3, 2);
    eqp_buffer_text(&sql->out, " IN (");
    for (int year = 4; year < YEARS; year += 4)
        eqp_buffer_printf(&sql->out, "%s'%02d'", year > 4 ? ", " : "", year);
    eqp_buffer_text(&sql->out, ")");
}

/* The leap day is counted with the year, so that January and February of a leap year have one too many. */
static void beginning(eqp_sql *sql, size_t f)
{
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    is_leap_year(sql, f);
    eqp_buffer_text(&sql->out, " THEN CASE WHEN ");
    date_part(sql, f, 5, 2);
    eqp_buffer_printf(&sql->out, " IN ('01', '02') THEN %d ELSE %d END WHEN ", BEGINNING + 1, BEGINNING);
    date_part(sql, f, 5, 4);
    eqp_buffer_printf(&sql->out, " = '0229' THEN NULL ELSE %d END", BEGINNING);
}

static void is_no_day(eqp_sql *sql, size_t f)
{
    date_part(sql, f, 5, 4);
    eqp_buffer_text(&sql->out, " IN ('0230', '0231', '0431', '0631', '0931', '1131') OR ");
    date_part(sql, f, 7, 2);
    eqp_buffer_text(&sql->out, " IN ('00', '32', '33', '34', '35', '36', '37', '38', '39')");
}

void eqp_sql_days(eqp_sql *sql, size_t f)
{
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    is_no_day(sql, f);
    eqp_buffer_text(&sql->out, " THEN NULL ELSE ");
    look_up(sql, f, 1, FIRST_CENTURY, LAST_CENTURY, days_of_century);
    eqp_buffer_text(&sql->out, " + ");
    days_of_years(sql, f);
    eqp_buffer_text(&sql->out, " + ");
    look_up(sql, f, 5, 1, EQP_MONTHS, days_before_month);
    eqp_buffer_text(&sql->out, " + ");
    two_digits(sql, f, 7, "0123");
    eqp_buffer_text(&sql->out, " - ");
    beginning(sql, f);
    eqp_buffer_text(&sql->out, " END");
}

/* ---- months and weekdays ------------------------------------------------------------------------------ */

static void month_of(eqp_sql *sql, size_t f)
{
    date_part(sql, eqp_sql_holder(sql, f), 5, 2);
}

/* 1 on Mondays: all days are above -700,000, which was a Thursday too. */
static void weekday_of(eqp_sql *sql, size_t f)
{
    eqp_buffer_printf(&sql->out, "%s(", sql->dialect->remainder.before);
    eqp_sql_number(sql, f);
    eqp_buffer_printf(&sql->out, " + 700003)%s7%s + 1", sql->dialect->remainder.after,
                      sql->dialect->remainder_end);
}

void eqp_sql_part_code(eqp_sql *sql, size_t f)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    bool month = feature->part == EQP_PART_MONTH;
    uint32_t count, codes[EQP_MOST_PARTS];
    eqp_part_names(feature->part, &count);
    eqp_feature_part_codes(feature, codes);
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    eqp_sql_number(sql, f);
    eqp_buffer_printf(&sql->out, " IS NULL THEN %u ELSE CASE ", EQP_MISSING(feature));
    (month ? month_of : weekday_of)(sql, f);
    for (uint32_t i = 0; i < count; i++)
        if (codes[i] != EQP_OTHER(feature))
            eqp_buffer_printf(&sql->out, month ? " WHEN '%02u' THEN %u" : " WHEN %u THEN %u", i + 1,
                              codes[i]);
    eqp_buffer_printf(&sql->out, " ELSE %u END END", EQP_OTHER(feature));
}
