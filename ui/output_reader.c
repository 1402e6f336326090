/* The bar is that of a terminal: a carriage return, the title, blocks, "62 %", the stage, perhaps the time
 * left. */
#include "output_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 };

void output_reader_figures(output_reader *reader, const char *bytes, size_t count)
{
    if (reader->too_long || reader->figure_bytes + count > MOST_BYTES) {
        reader->too_long = true;
        return;
    }
    if (reader->figure_bytes + count + 1 > reader->figure_room) {
        size_t room = 2 * (reader->figure_bytes + count) + 4096;
        char *grown = realloc(reader->figures, room);
        if (grown == NULL) {
            reader->too_long = true;
            return;
        }
        reader->figures = grown;
        reader->figure_room = room;
    }
    memcpy(reader->figures + reader->figure_bytes, bytes, count);
    reader->figure_bytes += count;
    reader->figures[reader->figure_bytes] = '\0';
}

static void copy_words(char *to, size_t room, const char *from)
{
    snprintf(to, room, "%s", from);
    for (size_t length = strlen(to); length > 0 && to[length - 1] == ' '; length--) to[length - 1] = '\0';
}

/* "tracing  ████░░░░   62 %  budget 0.3   about 0:21 left" */
static bool read_bar(output_reader *reader)
{
    char *percent = strstr(reader->line, " %  "), *start = percent;
    if (percent == NULL || (strstr(reader->line, "█") == NULL && strstr(reader->line, "░") == NULL))
        return false;
    while (start > reader->line && start[-1] >= '0' && start[-1] <= '9') start--;
    reader->done = atof(start) / 100;
    copy_words(reader->stage, sizeof reader->stage, percent + strlen(" %  "));
    return true;
}

static bool end_line(output_reader *reader)
{
    static const char failed[] = "equipoise: ", remedy[] = "hint: ", clear[] = "\033[K";
    reader->line[reader->line_bytes] = '\0';
    reader->line_bytes = 0;
    char *end = strstr(reader->line, clear);
    if (end) *end = '\0';
    if (read_bar(reader)) return true;
    if (strncmp(reader->line, failed, strlen(failed)) == 0)
        copy_words(reader->message, sizeof reader->message, reader->line + strlen(failed));
    if (strncmp(reader->line, remedy, strlen(remedy)) == 0)
        copy_words(reader->hint, sizeof reader->hint, reader->line + strlen(remedy));
    return false;
}

/* A bar ends with "clear to the end of the line", and nothing else does. */
bool output_reader_screen(output_reader *reader, const char *bytes, size_t count)
{
    bool moved = false;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\r' || bytes[i] == '\n') {
            if (reader->line_bytes > 0) moved |= end_line(reader);
            continue;
        }
        if (reader->line_bytes + 1 < sizeof reader->line) reader->line[reader->line_bytes++] = bytes[i];
        if (bytes[i] == 'K' && reader->line_bytes > 2 && reader->line[reader->line_bytes - 3] == '\033')
            moved |= end_line(reader);
    }
    return moved;
}

void output_reader_free(output_reader *reader)
{
    free(reader->figures);
    *reader = (output_reader){0};
}
