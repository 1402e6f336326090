/* Draws (M12): thirteen hexadecimal digits of a digest.
 *
 * Digits of equal number compare as texts as they do as numbers, so that no engine needs to turn them into a
 * whole number: u < T is 'digits of u' < 'digits of T'.  T = 2^52, "always", has fourteen digits and is
 * written 'g', which comes after every digit. */
#include "export/sql.h"

#include <inttypes.h>

#define DRAW_DIGITS 13

void eqp_sql_digest(eqp_sql *sql, unsigned block)
{
    const char *key = sql->dialect->key[sql->form];
    eqp_buffer_text(&sql->out, sql->dialect->digest.before);
    if (sql->options->key != NULL)
        eqp_buffer_printf(&sql->out, "'%s'", sql->options->key->hex);
    else
        eqp_buffer_text(&sql->out, key);
    eqp_buffer_printf(&sql->out, " || '%s:' || ", sql->model->id);
    eqp_sql_as_text(sql, sql->options->id);
    eqp_buffer_printf(&sql->out, " || ':%u'", block);
    eqp_buffer_text(&sql->out, sql->dialect->digest.after);
}

static void digits(eqp_sql *sql, size_t number, size_t from, size_t count)
{
    unsigned block = (unsigned)(number / EQP_DRAWS_PER_BLOCK);
    size_t start = 1 + DRAW_DIGITS * (number % EQP_DRAWS_PER_BLOCK) + from;
    eqp_buffer_text(&sql->out, "substr(");
    if (sql->inlined)
        eqp_sql_digest(sql, block);
    else
        eqp_buffer_printf(&sql->out, "eqp_h%u", block);
    eqp_buffer_printf(&sql->out, ", %zu, %zu)", start, count);
}

void eqp_sql_draw(eqp_sql *sql, size_t number)
{
    if (sql->inlined)
        eqp_sql_draw_in_full(sql, number);
    else
        eqp_buffer_printf(&sql->out, "eqp_d%zu", number);
}

void eqp_sql_draw_in_full(eqp_sql *sql, size_t number)
{
    eqp_buffer_text(&sql->out, sql->dialect->draw.before);
    digits(sql, number, 0, DRAW_DIGITS);
    eqp_buffer_text(&sql->out, sql->dialect->draw.after);
}

/* Where there is no function for it: digit by digit. */
static void whole_by_digits(eqp_sql *sql, size_t number)
{
    eqp_buffer_text(&sql->out, "(");
    for (size_t i = 0; i < DRAW_DIGITS; i++) {
        eqp_buffer_text(&sql->out, i > 0 ? " + (instr('0123456789abcdef', " : "(instr('0123456789abcdef', ");
        digits(sql, number, i, 1);
        eqp_buffer_printf(&sql->out, ") - 1) * %" PRIu64, UINT64_C(1) << 4 * (DRAW_DIGITS - 1 - i));
    }
    eqp_buffer_text(&sql->out, ")");
}

void eqp_sql_draw_whole(eqp_sql *sql, size_t number)
{
    if (sql->dialect->whole.before == NULL) {
        whole_by_digits(sql, number);
        return;
    }
    eqp_buffer_text(&sql->out, sql->dialect->whole.before);
    eqp_sql_draw(sql, number);
    eqp_buffer_text(&sql->out, sql->dialect->whole.after);
}

void eqp_sql_threshold(eqp_sql *sql, double probability)
{
    uint64_t threshold = eqp_draw_threshold(probability);
    if (threshold >> EQP_DRAW_BITS != 0)
        eqp_buffer_text(&sql->out, "'g'");
    else
        eqp_buffer_printf(&sql->out, "'%013" PRIx64 "'", threshold);
}

void eqp_sql_draw_below(eqp_sql *sql, size_t number, double probability)
{
    eqp_sql_draw(sql, number);
    eqp_buffer_text(&sql->out, " < ");
    eqp_sql_threshold(sql, probability);
}
