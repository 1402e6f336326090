/* The page: one self-contained HTML file without scripts, fonts or pictures from elsewhere.
 *
 *     frame, summary (what happened, is it good, what next), figures with tables, provenance */
#ifndef EQP_REPORT_PAGE_H
#define EQP_REPORT_PAGE_H

#include "base/buffer.h"
#include "report/grid.h"

#include <jansson.h>

extern const char EQP_PAGE_STYLE[];
extern const char EQP_PAGE_SCRIPT[];

void eqp_page_open(const json_t *document, const char *heading, eqp_buffer *out);
void eqp_page_notes(const json_t *document, eqp_buffer *out);
void eqp_page_close(const json_t *document, eqp_buffer *out);

/* The summary of each kind, between open and the figures. */
void eqp_page_learn(const json_t *document, eqp_buffer *out);
void eqp_page_audit(const json_t *document, eqp_buffer *out);
void eqp_page_frontier(const json_t *document, eqp_buffer *out);
void eqp_page_compare(const json_t *document, eqp_buffer *out);

/* Pieces of a summary; all text is escaped. */
void eqp_page_headline(eqp_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void eqp_page_cards_open(eqp_buffer *out);
/* A figure that matters, what it means, and whether it is good (a word and a sign, not colour alone). */
void eqp_page_card(eqp_buffer *out, const char *label, const char *value, const char *note, eqp_tone tone,
                   const char *verdict);
void eqp_page_cards_close(eqp_buffer *out);
void eqp_page_answers_open(eqp_buffer *out);
void eqp_page_answer(eqp_buffer *out, const char *question, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void eqp_page_answers_close(eqp_buffer *out);

#endif
