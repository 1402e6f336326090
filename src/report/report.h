/* A report is one JSON document (docs/json.md); text, HTML and SVG are drawn from it and from nothing else,
 * so whatever a person sees a program can read too. */
#ifndef EQP_REPORT_REPORT_H
#define EQP_REPORT_REPORT_H

#include "base/json.h"

struct eqp_report {
    json_t *document;
    char *text; /* of the document */
};

/* Takes over the document, also on failure.  A NULL document is one that memory did not suffice for. */
eqp_status eqp_report_from_json(json_t *document, eqp_report **report, eqp_error *error);

/* The page as a text, and a call for each figure that has something to show. */
struct eqp_figure;
typedef eqp_status (*eqp_figure_taker)(void *context, const struct eqp_figure *figure, eqp_error *error);
eqp_status eqp_report_page(const eqp_report *report, eqp_buffer *out, eqp_error *error);
eqp_status eqp_report_each_figure(const eqp_report *report, eqp_figure_taker take, void *context,
                                  eqp_error *error);

#endif
