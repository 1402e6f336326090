/* Words into lines. */
#include "layout.h"

#include <stdio.h>
#include <string.h>

/* Characters, not bytes. */
static size_t width_of(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++) width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

static size_t new_line(size_t indent)
{
    printf("\n%*s", (int)indent, "");
    return indent;
}

void layout_wrap(const char *text, size_t indent, size_t used)
{
    size_t column = used;
    bool first_word = true;
    while (*text) {
        if (text[0] == '\n' && text[1] == '\n') {
            putchar('\n');
            column = new_line(indent);
            first_word = true;
        }
        text += strspn(text, " \n");
        size_t length = strcspn(text, " \n"), width = width_of(text, length);
        if (length == 0) break;
        if (!first_word && column + 1 + width > LAYOUT_WIDTH) {
            column = new_line(indent);
            first_word = true;
        }
        column += width + !first_word;
        printf("%s%.*s", first_word ? "" : " ", (int)length, text);
        first_word = false;
        text += length;
    }
    putchar('\n');
}

void layout_option(const option_spec *option, char *text, size_t size)
{
    char letter[8] = "";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, size, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
}

void layout_help(const option_spec *option, bool full, char *text, size_t size)
{
    int length = full ? (int)strlen(option->help) : (int)strcspn(option->help, ";");
    int used = snprintf(text, size, "%.*s", length, option->help);
    char choices[300], first[64];
    option_choices(option, ", ", choices, sizeof choices);
    if (full && *choices) used += snprintf(text + used, size - (size_t)used, ": %s", choices);
    bool repeated = option->type == OPTION_LIST || option->type == OPTION_NAMES;
    if (full && repeated) used += snprintf(text + used, size - (size_t)used, " (may be repeated)");
    const char *fallback = option->fallback;
    if (fallback && option->type == OPTION_NAME) fallback = option_choice(option, 0, first);
    if (fallback) snprintf(text + used, size - (size_t)used, " [%s]", fallback);
}
