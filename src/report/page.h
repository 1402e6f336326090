/* The page: one self-contained HTML file without scripts, fonts or pictures from elsewhere.
 *
 *     frame, summary (what happened, is it good, what next), figures with tables, provenance */
#ifndef EQP_REPORT_PAGE_H
#define EQP_REPORT_PAGE_H

#include "base/buffer.h"
#include "report/grid.h"

#include <jansson.h>

/* One document on the page. */
typedef struct eqp_page_part {
    const json_t *document; /* borrowed */
    const char *heading;
    eqp_buffer summary, figures; /* as HTML */
} eqp_page_part;

#define EQP_PAGE_PARTS 8

typedef struct eqp_page {
    eqp_page_part parts[EQP_PAGE_PARTS];
    size_t count;
} eqp_page;

void eqp_page_write(const eqp_page *page, eqp_buffer *out);

/* The summary of each kind. */
void eqp_page_learn(const json_t *document, eqp_buffer *out);
void eqp_page_audit(const json_t *document, eqp_buffer *out);
void eqp_page_frontier(const json_t *document, eqp_buffer *out);
void eqp_page_compare(const json_t *document, eqp_buffer *out);
void eqp_page_draw(const json_t *document, eqp_buffer *out); /* filter, select, replace, merge */

/* Pieces of a summary; all text is escaped. */
void eqp_page_headline(eqp_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Around cards ("cards") and around answers ("answers"). */
void eqp_page_open(eqp_buffer *out, const char *class);
void eqp_page_close(eqp_buffer *out);
/* A figure that matters, what it means, and whether it is good (a word and a sign, not colour alone). */
void eqp_page_card(eqp_buffer *out, const char *label, const char *value, const char *note, eqp_tone tone,
                   const char *verdict);
void eqp_page_answer(eqp_buffer *out, const char *question, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
