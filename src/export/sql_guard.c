/* Which records are decided at all: the same in every engine as in the filter.
 *
 * The filter refuses a file at a cell that is not a number (base/number.h says what is) and at a record
 * without an id.  A query cannot stop, so such a record has no draw: its decision is NULL, neither yes nor
 * no. Engines read numbers in ways of their own (infinities, hexadecimal digits, underscores, line breaks),
 * so what they may read is asked first. */
#include "export/sql.h"

#include "base/number.h"

#include <stdio.h>

static void add_repeated(eqp_buffer *out, const char *text, size_t count)
{
    while (count-- > 0) eqp_buffer_text(out, text);
}

/* ---- by a pattern ----------------------------------------------------------------------------------------
 */

static void quote_pattern(eqp_sql *sql)
{
    char pattern[160], point = sql->model->encoding->decimal;
    snprintf(pattern, sizeof pattern,
             "%s[ \t]*[+-]?([0-9]{1,%d}([%c][0-9]{0,%d})?|[%c][0-9]{1,%d})([eE][+-]?0?[0-9]{1,2})?[ \t]*%s",
             sql->dialect->whole_text.before, EQP_NUMBER_DIGITS, point, EQP_NUMBER_DIGITS, point,
             EQP_NUMBER_DIGITS, sql->dialect->whole_text.after);
    eqp_quote_text(sql->dialect, pattern, &sql->out);
}

static void matches_pattern(eqp_sql *sql, size_t feature)
{
    eqp_buffer_text(&sql->out, sql->dialect->matches.before);
    eqp_sql_known_text(sql, feature);
    eqp_buffer_text(&sql->out, sql->dialect->matches.after);
    quote_pattern(sql);
    eqp_buffer_text(&sql->out, ")");
}

/* ---- without patterns: by what must and must not be there ------------------------------------------------
 */

/* Side by side rather than nested: SQLite's parser has a stack of 100 places. */
static void lies_in_the_grammar(eqp_sql *sql, size_t feature)
{
    static const char *const refused[] = {
        "*[^0-9.eE+-]*", /* another character */
        "*[^eE][+-]*",   /* a sign that neither begins the text nor the exponent */
        "*[eE]*[eE]*",
        "*.*.*",
        "*[eE]*.*", /* two exponents, two points, a point in an exponent */
        "[eE]*",
        "[+-][eE]*",
        ".[eE]*",
        "[+-].[eE]*", /* no digit before the exponent */
        "*[eE]",
        "*[eE][+-]", /* no digit in it */
        "*[eE]*[1-9][0-9][0-9]",
        "*[eE]*[0-9][0-9][0-9][0-9]"}; /* too many */
    eqp_sql_named_text(sql, feature);
    eqp_buffer_text(&sql->out, " GLOB '*[0-9]*'");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        eqp_buffer_text(&sql->out, " AND ");
        eqp_sql_named_text(sql, feature);
        eqp_buffer_printf(&sql->out, " NOT GLOB '%s'", refused[i]);
    }
    eqp_buffer_text(&sql->out, " AND ");
    eqp_sql_named_text(sql, feature);
    eqp_buffer_text(&sql->out, " NOT GLOB '*");
    add_repeated(&sql->out, "[0-9]", EQP_NUMBER_DIGITS + 1);
    eqp_buffer_text(&sql->out, "*'");
}

/* The other point would be read as one too, once commas are replaced. */
static void has_no_other_point(eqp_sql *sql, size_t feature)
{
    if (sql->model->encoding->decimal != ',') return;
    eqp_buffer_text(&sql->out, " AND instr(");
    eqp_sql_known_text(sql, feature);
    eqp_buffer_text(&sql->out, ", '.') = 0");
}

static void is_in_the_grammar(eqp_sql *sql, size_t feature)
{
    eqp_buffer_text(&sql->out, "(");
    lies_in_the_grammar(sql, feature);
    has_no_other_point(sql, feature);
    eqp_buffer_text(&sql->out, ")");
}

/* ---- a record --------------------------------------------------------------------------------------------
 */

void eqp_sql_is_number(eqp_sql *sql, size_t feature)
{
    if (sql->dialect->matches.before != NULL)
        matches_pattern(sql, feature);
    else
        is_in_the_grammar(sql, feature);
}

void eqp_sql_number_is_readable(eqp_sql *sql, size_t feature)
{
    const eqp_dialect *dialect = sql->dialect;
    const char *name = sql->model->encoding->features[feature].name;
    if (dialect->typed.before != NULL) {
        eqp_sql_column_between(sql, dialect->typed.before, name, dialect->typed.after);
        eqp_sql_column_between(sql, dialect->is_finite.before, name, dialect->is_finite.after);
        eqp_buffer_text(&sql->out, dialect->otherwise.before);
    }
    eqp_buffer_text(&sql->out, "COALESCE(");
    eqp_sql_is_number(sql, feature);
    eqp_buffer_printf(&sql->out, ", %s)", dialect->yes);
    if (dialect->typed.before != NULL) eqp_buffer_text(&sql->out, dialect->otherwise.after);
}

static void id_is_readable(eqp_sql *sql)
{
    eqp_buffer_text(&sql->out, "COALESCE(");
    eqp_sql_as_text(sql, sql->options->id);
    eqp_buffer_text(&sql->out, ", '') NOT IN (''");
    for (size_t i = 0; i < sql->missing.count; i++) {
        eqp_buffer_text(&sql->out, ", ");
        eqp_quote_text(sql->dialect, sql->missing.marks[i], &sql->out);
    }
    eqp_buffer_text(&sql->out, ")");
}

void eqp_sql_is_readable(eqp_sql *sql)
{
    const eqp_encoding *encoding = sql->model->encoding;
    id_is_readable(sql);
    for (size_t f = 0; f < encoding->feature_count; f++) {
        if (!eqp_sql_reads_numbers(sql, f) || eqp_sql_holder(sql, f) != f) continue;
        eqp_buffer_text(&sql->out, "\n    AND ");
        eqp_sql_number_is_readable(sql, f);
    }
}
