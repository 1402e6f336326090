/* Names made safe for a terminal, and measured in characters. */
#include "model/paragraph.h"

#include <stdbool.h>

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
