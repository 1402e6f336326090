/* What a running command prints: its figures, its progress bar, its complaint. */
#ifndef UI_OUTPUT_READER_H
#define UI_OUTPUT_READER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct output_reader {
    char *figures; /* all of standard output */
    size_t figure_bytes, figure_room;
    bool too_long;
    char line[1024]; /* the line of standard error that is being read */
    size_t line_bytes;
    double done; /* of the bar, 0 to 1 */
    char stage[96];
    char message[600], hint[300]; /* "equipoise: …" and "hint: …" */
} output_reader;

void output_reader_figures(output_reader *reader, const char *bytes, size_t count);
/* True when the bar has moved. */
bool output_reader_screen(output_reader *reader, const char *bytes, size_t count);
void output_reader_free(output_reader *reader);

#endif
