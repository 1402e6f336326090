/* Text inside HTML and SVG. */
#include "report/markup.h"

#include "report/shown.h"
#include "table/utf8.h"

#include <stdarg.h>
#include <stdio.h>

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
        size_t length = eqp_text_character(text, &code);
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
