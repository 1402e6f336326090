/* Columns -> the numbers and codes that scores ask for, cleaned as the filter cleans cells: a NULL, an empty
 * cell and a mark are missing, a number may have blanks around it, a text is compared byte for byte.
 *
 * A column may be text or typed.  Numbers are taken as they are where the engine knows that they are numbers;
 * all else goes through its text, so that "7" in a file and 7 in a table mean the same.  Doubles survive
 * that: engines print them so that they read back. */
#include "export/sql.h"

#include "base/number.h"
#include "model/identity.h"

#include <string.h>

#define EXACT_DIGITS 15 /* whole numbers and powers of ten of this many digits are doubles */

size_t eqp_sql_holder(const eqp_sql *sql, size_t feature)
{
    return eqp_feature_first(sql->model->encoding, feature);
}

/* Of the source table. */
static void column_of(eqp_sql *sql, const char *name)
{
    if (!sql->inlined) eqp_buffer_text(&sql->out, "eqp.");
    eqp_quote_identifier(sql->dialect, name, &sql->out);
}

void eqp_sql_as_text(eqp_sql *sql, const char *name)
{
    eqp_buffer_text(&sql->out, sql->dialect->text.before);
    column_of(sql, name);
    eqp_buffer_text(&sql->out, sql->dialect->text.after);
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

void eqp_sql_column_between(eqp_sql *sql, const char *before, const char *name, const char *after)
{
    eqp_buffer_text(&sql->out, before);
    if (after == NULL) return;
    column_of(sql, name);
    eqp_buffer_text(&sql->out, after);
}

/* NULLIF(NULLIF(NULLIF(text, ''), '?'), 'NaN') */
void eqp_sql_known_text(eqp_sql *sql, size_t feature)
{
    const char *name = sql->model->encoding->features[feature].name;
    const eqp_wrap *nan = &sql->dialect->not_a_number;
    size_t count = sql->missing.count;
    for (size_t i = 0; i < count + 1 + (nan->before != NULL); i++) eqp_buffer_text(&sql->out, "NULLIF(");
    eqp_sql_as_text(sql, name);
    eqp_buffer_text(&sql->out, ", '')");
    for (size_t i = 0; i < count; i++) {
        eqp_buffer_text(&sql->out, ", ");
        eqp_quote_text(sql->dialect, sql->missing.marks[i], &sql->out);
        eqp_buffer_text(&sql->out, ")");
    }
    if (nan->before == NULL) return;
    eqp_buffer_text(&sql->out, ", ");
    eqp_sql_column_between(sql, nan->before, name, nan->after);
    eqp_buffer_text(&sql->out, ")");
}

static void pointed_text(eqp_sql *sql, size_t feature)
{
    bool comma = sql->model->encoding->decimal == ',';
    if (comma) eqp_buffer_text(&sql->out, "REPLACE(");
    eqp_sql_known_text(sql, feature);
    if (comma) eqp_buffer_text(&sql->out, ", ',', '.')");
}

void eqp_sql_trimmed_text(eqp_sql *sql, size_t feature)
{
    eqp_buffer_text(&sql->out, "trim(");
    pointed_text(sql, feature);
    eqp_buffer_text(&sql->out, ", char(32, 9))");
}

void eqp_sql_named_text(eqp_sql *sql, size_t feature)
{
    if (sql->inlined)
        eqp_sql_trimmed_text(sql, feature);
    else
        eqp_buffer_printf(&sql->out, "eqp_x%zu", feature);
}

static void text_between(eqp_sql *sql, const char *before, size_t feature, const char *after)
{
    eqp_buffer_text(&sql->out, before);
    eqp_sql_named_text(sql, feature);
    eqp_buffer_text(&sql->out, after);
}

static void column_between(eqp_sql *sql, const char *before, size_t feature, const char *after)
{
    eqp_sql_column_between(sql, before, sql->model->encoding->features[feature].name, after);
}

/* Digits without the point, a whole number, divided by a power of ten.  Both are exact doubles up to 15
 * digits, so the division rounds correctly. */
static void divided_text(eqp_sql *sql, size_t f)
{
    text_between(sql, "CAST(replace(", f, ", '.', '') AS INTEGER) * 1.0");
    text_between(sql, " / CAST('1' || substr('000000000000000', 1, CASE WHEN instr(", f, ", '.') > 0");
    text_between(sql, " THEN length(", f, ")");
    text_between(sql, " - instr(", f, ", '.') ELSE 0 END) AS INTEGER)");
}

/* Where casts of text are not rounded correctly (sql_quote.c says why).  Exponents and long numbers are left
 * to the engine. */
static void number_by_parts(eqp_sql *sql, size_t f)
{
    text_between(sql, "CASE WHEN ", f, " IS NULL THEN NULL");
    column_between(sql, " WHEN typeof(", f, ") IN ('real', 'integer')");
    column_between(sql, " THEN CAST(", f, " AS REAL)");
    text_between(sql, " WHEN replace(", f, ", '.', '') GLOB '*[^0-9+-]*'");
    text_between(sql, " OR length(", f, ")");
    eqp_buffer_printf(&sql->out, " > %d", EXACT_DIGITS);
    text_between(sql, " THEN CAST(", f, " AS REAL) ELSE ");
    divided_text(sql, f);
    eqp_buffer_text(&sql->out, " END");
}

static void number_of_text(eqp_sql *sql, size_t feature)
{
    if (sql->dialect->guarded) {
        eqp_buffer_text(&sql->out, "CASE WHEN ");
        eqp_sql_is_number(sql, feature);
        eqp_buffer_text(&sql->out, " THEN ");
    }
    eqp_buffer_text(&sql->out, sql->dialect->number.before);
    pointed_text(sql, feature);
    eqp_buffer_text(&sql->out, sql->dialect->number.after);
    if (sql->dialect->guarded) eqp_buffer_text(&sql->out, " END");
}

/* A number has lost its spelling: it is missing when some spelling of it is a mark. */
static void or_equals_a_mark(eqp_sql *sql, size_t feature)
{
    const eqp_wrap *number = &sql->dialect->as_double;
    double value;
    for (size_t i = 0; i < sql->missing.count; i++) {
        if (!eqp_number_parse(sql->missing.marks[i], sql->missing.lengths[i], sql->model->encoding->decimal,
                              &value))
            continue;
        eqp_buffer_text(&sql->out, " OR ");
        column_between(sql, number->before, feature, number->after);
        eqp_buffer_text(&sql->out, " = ");
        eqp_sql_literal(sql, value);
    }
}

static void number_as_it_is(eqp_sql *sql, size_t feature)
{
    const eqp_dialect *dialect = sql->dialect;
    eqp_buffer_printf(&sql->out, "CASE WHEN %s", dialect->is_nan.before);
    column_between(sql, dialect->as_double.before, feature, dialect->as_double.after);
    eqp_buffer_text(&sql->out, dialect->is_nan.after);
    or_equals_a_mark(sql, feature);
    eqp_buffer_text(&sql->out, " THEN NULL ELSE ");
    column_between(sql, dialect->as_double.before, feature, dialect->as_double.after);
    eqp_buffer_text(&sql->out, " END");
}

void eqp_sql_clean_number(eqp_sql *sql, size_t feature)
{
    const eqp_dialect *dialect = sql->dialect;
    if (!eqp_sql_reads_numbers(sql, feature)) {
        eqp_sql_days(sql, feature);
    } else if (dialect->number.before == NULL) {
        number_by_parts(sql, feature);
    } else if (dialect->typed.before == NULL) {
        number_of_text(sql, feature);
    } else {
        column_between(sql, dialect->typed.before, feature, dialect->typed.after);
        number_as_it_is(sql, feature);
        eqp_buffer_text(&sql->out, dialect->otherwise.before);
        number_of_text(sql, feature);
        eqp_buffer_text(&sql->out, dialect->otherwise.after);
    }
}

void eqp_sql_number(eqp_sql *sql, size_t feature)
{
    size_t holder = eqp_sql_holder(sql, feature);
    if (sql->inlined)
        eqp_sql_clean_number(sql, holder);
    else
        eqp_buffer_printf(&sql->out, "eqp_n%zu", holder);
}

/* ---- codes ------------------------------------------------------------------------------------------- */

static void when_text(eqp_sql *sql, const char *text, uint32_t code)
{
    eqp_buffer_text(&sql->out, " WHEN ");
    eqp_quote_text(sql->dialect, text, &sql->out);
    eqp_buffer_printf(&sql->out, " THEN %u", code);
}

/* Marks come before levels: a level that is spelled like a mark is hidden by it, as in the filter. */
static void code_of_level(eqp_sql *sql, const eqp_feature *feature)
{
    eqp_buffer_text(&sql->out, "CASE COALESCE(");
    eqp_sql_as_text(sql, feature->name);
    eqp_buffer_text(&sql->out, ", '')");
    when_text(sql, "", EQP_MISSING(feature));
    for (size_t i = 0; i < sql->missing.count; i++)
        if (sql->missing.lengths[i] > 0) when_text(sql, sql->missing.marks[i], EQP_MISSING(feature));
    for (uint32_t level = 0; level < feature->level_count; level++)
        when_text(sql, feature->levels[level], level);
    eqp_buffer_printf(&sql->out, " ELSE %u END", EQP_OTHER(feature));
}

/* Bins first … last, by halves: few comparisons per record. */
static void bin_between(eqp_sql *sql, size_t f, uint32_t first, uint32_t last)
{
    uint32_t middle = first + (last - first) / 2;
    if (first == last) {
        eqp_buffer_printf(&sql->out, "%u", first);
        return;
    }
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    eqp_sql_number(sql, f);
    eqp_buffer_text(&sql->out, " < ");
    eqp_sql_literal(sql, sql->model->encoding->features[f].cuts[middle]);
    eqp_buffer_text(&sql->out, " THEN ");
    bin_between(sql, f, first, middle);
    eqp_buffer_text(&sql->out, " ELSE ");
    bin_between(sql, f, middle + 1, last);
    eqp_buffer_text(&sql->out, " END");
}

static void code_of_bin(eqp_sql *sql, size_t f)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    eqp_sql_number(sql, f);
    eqp_buffer_printf(&sql->out, " IS NULL THEN %u ELSE ", EQP_MISSING(feature));
    bin_between(sql, f, 0, feature->level_count - 1);
    eqp_buffer_text(&sql->out, " END");
}

void eqp_sql_clean_code(eqp_sql *sql, size_t f)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    if (feature->kind == EQP_FEATURE_BINS)
        code_of_bin(sql, f);
    else if (feature->part != EQP_NO_PART)
        eqp_sql_part_code(sql, f);
    else
        code_of_level(sql, feature);
}

/* Codes of bins look up an array; elsewhere the cuts stand in the term itself (sql_score.c). */
bool eqp_sql_names_code(const eqp_sql *sql, size_t f)
{
    bool level = sql->model->encoding->features[f].kind == EQP_FEATURE_LEVELS;
    return !sql->inlined && (level || eqp_sql_has_arrays(sql));
}

void eqp_sql_code(eqp_sql *sql, size_t f)
{
    if (eqp_sql_names_code(sql, f))
        eqp_buffer_printf(&sql->out, "eqp_c%zu", f);
    else
        eqp_sql_clean_code(sql, f);
}
