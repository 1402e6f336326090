/* Lines, wrapped notes and verdicts on a terminal. */
#include "report/screen.h"

#include "base/field.h"
#include "report/shown.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOTE_CAPACITY 2048

void eqp_screen_line(eqp_screen *screen, const char *format, ...)
{
    char line[NOTE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    eqp_buffer_printf(&screen->out, "%s\n", line);
}

void eqp_screen_gap(eqp_screen *screen)
{
    eqp_buffer_text(&screen->out, "\n");
}

/* Puts one word on the current line or, where it does not fit, on a new one. */
static void place_word(eqp_screen *screen, const char *word, size_t length, size_t *column)
{
    char shown[NOTE_CAPACITY];
    snprintf(shown, sizeof shown, "%.*s", (int)length, word);
    size_t width = eqp_text_width(shown);
    if (*column > 0 && *column + 1 + width > EQP_SCREEN_WIDTH) {
        eqp_buffer_text(&screen->out, "\n ");
        *column = 1;
    }
    if (*column > 0) eqp_buffer_text(&screen->out, " ");
    eqp_buffer_text(&screen->out, shown);
    *column += (*column > 0) + width;
}

/* Where a word ends: a number keeps its "%" beside it, and a name its number in brackets. */
static size_t word_length(const char *at)
{
    size_t length = strcspn(at, " ");
    while (at[length] == ' ' && (at[length + 1] == '%' ||
                                 (at[length + 1] == '(' && at[length + 2] >= '0' && at[length + 2] <= '9')))
        length += 1 + strcspn(at + length + 1, " ");
    return length;
}

void eqp_screen_wrapped(eqp_screen *screen, const char *format, ...)
{
    char raw[NOTE_CAPACITY], text[NOTE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    eqp_text_shorten(raw, NOTE_CAPACITY, text, sizeof text); /* no control characters on a terminal */

    size_t column = 0;
    for (const char *at = text; *at;) {
        size_t length = word_length(at);
        if (length > 0) place_word(screen, at, length, &column);
        at += length + (at[length] == ' ');
    }
    eqp_buffer_text(&screen->out, "\n");
}

void eqp_screen_grid(eqp_screen *screen, eqp_grid *grid, size_t name_width)
{
    eqp_grid_text(grid, name_width, screen->colour, &screen->out);
    eqp_grid_free(grid);
}

void eqp_screen_warnings(eqp_screen *screen, const json_t *document)
{
    for (size_t i = 0; i < eqp_field_count(document, FIELD_warnings); i++)
        eqp_screen_wrapped(screen, "note: %s",
                           json_string_value(eqp_field_entry(document, i, FIELD_warnings)));
    for (size_t i = 0; i < eqp_field_count(document, FIELD_notices); i++)
        eqp_screen_wrapped(screen, "note: %s",
                           json_string_value(eqp_field_entry(document, i, FIELD_notices)));
}

void eqp_screen_verdict(eqp_screen *screen, bool good, const char *format, ...)
{
    char words[NOTE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    const char *begin = !screen->colour ? "" : good ? "\033[32m" : "\033[31m";
    eqp_buffer_printf(&screen->out, "%s%s%s\n", begin, words, screen->colour ? "\033[0m" : "");
}
