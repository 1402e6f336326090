/* Screens: a document as text for a terminal of at most 80 columns, in the order what happened, is it good,
 * what next.  Colour underlines a word that says the same by itself. */
#ifndef EQP_REPORT_SCREEN_H
#define EQP_REPORT_SCREEN_H

#include "base/buffer.h"
#include "report/grid.h"

#include <jansson.h>

#define EQP_SCREEN_WIDTH 80

typedef struct eqp_screen {
    eqp_buffer out;
    bool colour;
} eqp_screen;

void eqp_screen_line(eqp_screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));
void eqp_screen_gap(eqp_screen *screen); /* an empty line */
/* Breaks at blanks; lines after the first are indented by two. */
void eqp_screen_wrapped(eqp_screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Draws the grid and frees it. */
void eqp_screen_grid(eqp_screen *screen, eqp_grid *grid, size_t name_width);
/* Warnings, then notices about columns. */
void eqp_screen_warnings(eqp_screen *screen, const json_t *document);
/* How the chance of acceptance is spread over people; nothing where that is not known. */
void eqp_screen_chances(eqp_screen *screen, const json_t *document);
/* A word that is green when good and red when not. */
void eqp_screen_verdict(eqp_screen *screen, bool good, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One per kind of report. */
void eqp_screen_inspect(eqp_screen *screen, const json_t *document);
void eqp_screen_learn(eqp_screen *screen, const json_t *document);
void eqp_screen_audit(eqp_screen *screen, const json_t *document);
void eqp_screen_drift(eqp_screen *screen, const json_t *document);
void eqp_screen_certificate(eqp_screen *screen, const json_t *document); /* one that was checked */
void eqp_screen_frontier(eqp_screen *screen, const json_t *document);
void eqp_screen_compare(eqp_screen *screen, const json_t *document);
void eqp_screen_quotas(eqp_screen *screen, const json_t *document);   /* within that of an audit */
void eqp_screen_filter(eqp_screen *screen, const json_t *document);   /* select and merge too */
void eqp_screen_more_labels(eqp_screen *screen, const json_t *curve); /* of a plan or a frontier */
void eqp_screen_plan(eqp_screen *screen, const json_t *document);
void eqp_screen_commit(eqp_screen *screen, const json_t *document);
void eqp_screen_verify(eqp_screen *screen, const json_t *document);
void eqp_screen_publish(eqp_screen *screen, const json_t *document);

#endif
