/* Numbers and names as people read them. */
#include "report/shown.h"

#include "table/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const eqp_shown UNKNOWN = {"–"};

/* printf follows the locale's decimal point; coordinates and tables must not. */
eqp_shown eqp_fixed(double value, int digits)
{
    eqp_shown shown;
    if (fabs(value) > 1e15) value = copysign(1e15, value);
    snprintf(shown.text, sizeof shown.text, "%.*f", digits, value);
    size_t whole = strspn(shown.text, "-0123456789");
    if (digits > 0 && shown.text[whole]) shown.text[whole] = '.';
    bool is_zero = strspn(shown.text, "-0.") == strlen(shown.text);
    if (shown.text[0] == '-' && is_zero) memmove(shown.text, shown.text + 1, strlen(shown.text));
    return shown;
}

eqp_shown eqp_decimal(double value, int digits)
{
    if (!isfinite(value)) return UNKNOWN;
    eqp_shown plain = eqp_fixed(value, digits), shown;
    if (plain.text[0] != '-') return plain;
    snprintf(shown.text, sizeof shown.text, "−%.40s", plain.text + 1);
    return shown;
}

eqp_shown eqp_signed(double value, int digits)
{
    eqp_shown plain = eqp_decimal(value, digits), shown;
    if (!isfinite(value) || plain.text[0] < '0' || plain.text[0] > '9') return plain;
    snprintf(shown.text, sizeof shown.text, "+%.40s", plain.text);
    return shown;
}

/* One decimal from 1 % on, two significant digits below. */
static int percent_digits(double percent)
{
    double size = fabs(percent);
    if (size >= 0.9995 || size == 0) return 1;
    if (size >= 0.0995) return 2;
    return size >= 0.00995 ? 3 : 4;
}

eqp_shown eqp_points(double share)
{
    return eqp_decimal(100 * share, percent_digits(100 * share));
}

eqp_shown eqp_percent(double share)
{
    if (!isfinite(share)) return UNKNOWN;
    if (share > 0 && share < 5e-6) return (eqp_shown){"< 0.001 %"};
    eqp_shown number = eqp_points(share), shown;
    snprintf(shown.text, sizeof shown.text, "%.50s %%", number.text);
    return shown;
}

eqp_shown eqp_confidence(double share)
{
    enum { MOST_DIGITS = 6 };
    const double ROUNDING = 1e-9;
    double scaled = 100 * share;
    int digits = 0;
    while (digits < MOST_DIGITS && fabs(scaled - round(scaled)) > ROUNDING) {
        scaled *= 10;
        digits++;
    }
    return eqp_decimal(floor(scaled + ROUNDING) / pow(10, digits), digits);
}

eqp_shown eqp_significant(double value)
{
    double size = fabs(value);
    if (size > 0 && size < 0.0001) return (eqp_shown){"< 0.0001"};
    if (!(size > 0)) return eqp_decimal(value, 3);
    int digits = 1 - (int)floor(log10(size));
    return eqp_decimal(value, digits < 3 ? 3 : digits);
}

eqp_shown eqp_threshold(double value)
{
    return eqp_significant(isfinite(value) ? fmax(value, 0.0001) : value);
}

eqp_shown eqp_count(double count)
{
    if (!isfinite(count)) return UNKNOWN;
    eqp_shown plain = eqp_fixed(round(count), 0), shown;
    size_t length = strlen(plain.text), used = 0;
    for (size_t i = 0; i < length; i++) {
        bool follows_digit = i > 0 && plain.text[i - 1] != '-';
        if (follows_digit && (length - i) % 3 == 0) shown.text[used++] = ',';
        shown.text[used++] = plain.text[i];
    }
    shown.text[used] = 0;
    return shown;
}

eqp_shown eqp_seconds(double seconds)
{
    if (!isfinite(seconds)) return UNKNOWN;
    eqp_shown shown, number = eqp_fixed(seconds, seconds < 10 ? 2 : 0);
    if (seconds < 120)
        snprintf(shown.text, sizeof shown.text, "%.40s s", number.text);
    else
        snprintf(shown.text, sizeof shown.text, "%.0f min %.0f s", floor(seconds / 60), fmod(seconds, 60));
    return shown;
}

eqp_shown eqp_with_error(double value, double error, int digits)
{
    eqp_shown number = eqp_decimal(value, digits);
    if (!isfinite(value) || !isfinite(error)) return number;
    eqp_shown shown, spread = eqp_decimal(error, digits);
    snprintf(shown.text, sizeof shown.text, "%.20s ± %.20s", number.text, spread.text);
    return shown;
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* Decodes one UTF-8 character and returns its length; any other byte counts as one character. */
static size_t character_at(const char *text, uint32_t *code)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : at[0] >= 0xc0 ? 2 : 1;
    *code = length == 1 ? at[0] : at[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 1;
        *code = *code << 6 | (at[i] & 0x3f);
    }
    return length;
}

static bool is_in(uint32_t code, uint32_t first, uint32_t last)
{
    return code >= first && code <= last;
}

/* Combining marks take no column, East Asian wide characters and emoji two. */
static size_t character_width(uint32_t code)
{
    if (is_in(code, 0x300, 0x36f) || is_in(code, 0x200b, 0x200f) || is_in(code, 0xfe00, 0xfe0f)) return 0;
    if (is_in(code, 0x1100, 0x115f) || is_in(code, 0x2e80, 0xa4cf) || is_in(code, 0xac00, 0xd7a3) ||
        is_in(code, 0xf900, 0xfaff) || is_in(code, 0xfe30, 0xfe6f) || is_in(code, 0xff00, 0xff60) ||
        is_in(code, 0x1f300, 0x1faff) || is_in(code, 0x20000, 0x3fffd))
        return 2;
    return 1;
}

size_t eqp_text_width(const char *text)
{
    size_t width = 0;
    for (uint32_t code; *text; width += character_width(code)) text += character_at(text, &code);
    return width;
}

static bool is_control(uint32_t code)
{
    return code < 0x20 || is_in(code, 0x7f, 0x9f);
}

void eqp_text_shorten(const char *text, size_t width, char *out, size_t size)
{
    static const char ELLIPSIS[] = "…";
    bool fits = eqp_text_width(text) <= width;
    size_t limit = fits ? width : width - 1, used = 0, columns = 0;
    while (*text) {
        uint32_t code;
        size_t length = character_at(text, &code);
        if (columns + character_width(code) > limit || used + length + sizeof ELLIPSIS > size) break;
        if (is_control(code))
            out[used++] = ' ';
        else
            for (size_t i = 0; i < length; i++) out[used++] = text[i];
        columns += character_width(code);
        text += length;
    }
    out[used] = 0;
    if (*text) memcpy(out + used, ELLIPSIS, sizeof ELLIPSIS);
}

/* ---- markup -------------------------------------------------------------------------------------------- */

#define PIECE_CAPACITY 2048

static const char *entity_of(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void write_character(eqp_buffer *out, const char *at, size_t length, uint32_t code)
{
    const char *entity = length == 1 ? entity_of(*at) : NULL;
    bool is_control = (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
    bool is_no_character = code == 0xfffe || code == 0xffff;
    if (entity)
        eqp_buffer_text(out, entity);
    else if (is_control || is_no_character || !eqp_is_utf8(at, length)) /* a name cut within a character */
        eqp_buffer_text(out, "\xef\xbf\xbd");
    else
        eqp_buffer_add(out, at, length);
}

void eqp_markup_text(eqp_buffer *out, const char *text)
{
    while (*text) {
        uint32_t code;
        size_t length = character_at(text, &code);
        if (text[0] == ' ' && text[1] == '%')
            eqp_buffer_text(out, "\xc2\xa0"); /* a number and its unit stay on one line */
        else
            write_character(out, text, length, code);
        text += length;
    }
}

void eqp_markup_printf(eqp_buffer *out, const char *format, ...)
{
    char piece[PIECE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    eqp_markup_text(out, piece);
}
