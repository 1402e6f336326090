/* Names, texts and numbers as an engine reads them back unchanged, whatever they hold.
 *
 * SQLite reads decimal literals through 80-bit arithmetic and is off by the last bit now and then; whole
 * numbers below 2^63 and divisions by powers of two are exact, so there a double is written as a quotient. */
#include "export/dialect.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MANTISSA_BITS 53
#define LARGEST_SHIFT 62 /* 2^62 is the largest power of two below 2^63 */

static void add_letter(eqp_buffer *out, char before, char letter)
{
    char both[2] = {before, letter};
    eqp_buffer_add(out, both, 2);
}

static void add_escaped(eqp_escape escape, const char *dollar, char quote, char c, eqp_buffer *out)
{
    bool backslash = escape == EQP_ESCAPE_BACKSLASH;
    const char *breaks = "\n\r\t", *letters = "nrt", *found = strchr(breaks, c);
    if (c == '$' && dollar != NULL)
        eqp_buffer_text(out, dollar);
    else if (backslash && found != NULL)
        add_letter(out, '\\', letters[found - breaks]);
    else if (c == quote)
        add_letter(out, backslash ? '\\' : quote, quote);
    else if (c == '\\' && escape != EQP_ESCAPE_DOUBLE)
        add_letter(out, '\\', '\\');
    else
        eqp_buffer_add(out, &c, 1);
}

static void quote_part(const eqp_dialect *dialect, const char *name, size_t length, eqp_buffer *out)
{
    eqp_buffer_add(out, &dialect->quote, 1);
    for (size_t i = 0; i < length; i++) add_escaped(dialect->identifiers, NULL, dialect->quote, name[i], out);
    eqp_buffer_add(out, &dialect->quote, 1);
}

void eqp_quote_identifier(const eqp_dialect *dialect, const char *name, eqp_buffer *out)
{
    quote_part(dialect, name, strlen(name), out);
}

void eqp_quote_table(const eqp_dialect *dialect, const char *name, eqp_buffer *out)
{
    for (;;) {
        size_t length = strcspn(name, ".");
        quote_part(dialect, name, length, out);
        if (name[length] == '\0') return;
        eqp_buffer_text(out, ".");
        name += length + 1;
    }
}

void eqp_quote_text(const eqp_dialect *dialect, const char *text, eqp_buffer *out)
{
    eqp_escape escape = dialect->texts;
    if (escape == EQP_ESCAPE_E_STRING && strchr(text, '\\') == NULL) escape = EQP_ESCAPE_DOUBLE;
    eqp_buffer_text(out, escape == EQP_ESCAPE_E_STRING ? "E'" : "'");
    for (; *text != '\0'; text++) add_escaped(escape, dialect->dollar, '\'', *text, out);
    eqp_buffer_text(out, "'");
}

static void add_powers(const char *operation, int shift, eqp_buffer *out)
{
    for (; shift > 0; shift -= LARGEST_SHIFT)
        eqp_buffer_printf(out, " %s %" PRIu64 ".0", operation,
                          UINT64_C(1) << (shift < LARGEST_SHIFT ? shift : LARGEST_SHIFT));
}

/* value = whole / 2^shift with the smallest shift; a large power is made of several. */
static void add_quotient(double value, eqp_buffer *out)
{
    int exponent;
    int64_t whole = (int64_t)ldexp(frexp(value, &exponent), MANTISSA_BITS);
    int shift = whole == 0 ? 0 : MANTISSA_BITS - exponent;
    for (; whole % 2 == 0 && shift > 0; shift--) whole /= 2;
    eqp_buffer_printf(out, "(%" PRId64 ".0", whole);
    add_powers("/", shift, out);
    add_powers("*", -shift, out);
    eqp_buffer_text(out, ")");
}

void eqp_quote_double(double value, eqp_buffer *out)
{
    char digits[32];
    eqp_buffer_add(out, digits, eqp_number_print(value, digits));
    if (strchr(digits, 'e') == NULL) eqp_buffer_text(out, "e0");
}

void eqp_quote_number(const eqp_dialect *dialect, double value, eqp_buffer *out)
{
    if (dialect->literal.before == NULL) {
        add_quotient(value, out);
        return;
    }
    eqp_buffer_text(out, dialect->literal.before);
    eqp_quote_double(value, out);
    eqp_buffer_text(out, dialect->literal.after);
}
