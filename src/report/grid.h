/* A table of texts, filled row by row, drawn for a terminal or a page; the first row is the heading. */
#ifndef EQP_REPORT_GRID_H
#define EQP_REPORT_GRID_H

#include "base/buffer.h"

typedef enum eqp_tone { EQP_TONE_PLAIN, EQP_TONE_GOOD, EQP_TONE_BAD } eqp_tone;

typedef struct eqp_grid {
    const char *alignment; /* one letter per column: 'l'eft or 'r'ight; borrowed */
    size_t columns;
    int gap;          /* blanks between columns on a terminal */
    eqp_buffer texts; /* the cells one after the other, each ended by 0 */
    struct eqp_cell {
        size_t start; /* in `texts` */
        eqp_tone tone;
    } * cells;
    size_t count, capacity;
} eqp_grid;

/* With the headings of the first columns, separated by "|". */
void eqp_grid_begin(eqp_grid *grid, const char *alignment, const char *headings, ...)
    __attribute__((format(printf, 3, 4)));
void eqp_grid_cell(eqp_grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
void eqp_grid_tone(eqp_grid *grid, eqp_tone tone); /* of the cell added last */
void eqp_grid_free(eqp_grid *grid);

/* Aligned columns; names in the first one are cut at `name_width`.  Memory that ran out while the grid was
 * filled shows as a failed `out`. */
void eqp_grid_text(const eqp_grid *grid, size_t name_width, bool colour, eqp_buffer *out);
/* <table>, escaped. */
void eqp_grid_html(const eqp_grid *grid, eqp_buffer *out);

#endif
