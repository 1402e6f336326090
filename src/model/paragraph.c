/* Wrapped plain text. */
#include "model/paragraph.h"

#include <string.h>

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

size_t eqp_text_columns(const char *text)
{
    size_t columns = 0;
    for (; *text != '\0'; text++) columns += starts_character(*text);
    return columns;
}

eqp_paragraph eqp_paragraph_begin(eqp_buffer *text, const char *lead)
{
    size_t columns = eqp_text_columns(lead);
    eqp_buffer_text(text, lead);
    return (eqp_paragraph){text, columns, columns, false};
}

void eqp_paragraph_add(eqp_paragraph *paragraph, const char *piece)
{
    size_t columns = eqp_text_columns(piece);
    bool begins = paragraph->column == paragraph->indent;
    if (!begins && paragraph->column + 1 + columns + 1 > EQP_LINE_WIDTH) { /* a comma may follow */
        eqp_buffer_printf(paragraph->text, "\n%*s", (int)paragraph->indent, "");
        paragraph->column = paragraph->indent;
        begins = true;
    }
    eqp_buffer_printf(paragraph->text, "%s%s", begins ? "" : " ", piece);
    paragraph->column += columns + !begins;
}

void eqp_paragraph_item(eqp_paragraph *paragraph, const char *item)
{
    if (paragraph->listing) eqp_buffer_text(paragraph->text, ",");
    paragraph->column += paragraph->listing;
    eqp_paragraph_add(paragraph, item);
    paragraph->listing = true;
}

void eqp_paragraph_end(eqp_paragraph *paragraph)
{
    eqp_buffer_text(paragraph->text, "\n");
}

/* C0, DEL and C1 could drive a terminal. */
static bool is_control(const char *character)
{
    unsigned char first = (unsigned char)character[0], second = (unsigned char)character[1];
    return first < 0x20 || first == 0x7F || (first == 0xC2 && second < 0xA0);
}

static size_t character_bytes(const char *character)
{
    size_t bytes = 1;
    while (character[bytes] != '\0' && !starts_character(character[bytes])) bytes++;
    return bytes;
}

void eqp_name_show(eqp_buffer *text, const char *name, size_t columns)
{
    size_t all = eqp_text_columns(name), shown = all > columns ? columns - 1 : all;
    for (size_t i = 0; i < shown; i++) {
        size_t bytes = character_bytes(name);
        if (is_control(name))
            eqp_buffer_text(text, "?");
        else
            eqp_buffer_add(text, name, bytes);
        name += bytes;
    }
    if (shown < all) eqp_buffer_text(text, "…");
}
