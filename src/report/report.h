/* A report is one JSON document (docs/json.md); text, HTML and SVG are drawn from it and from nothing else,
 * so whatever a person sees a program can read too. */
#ifndef EQP_REPORT_REPORT_H
#define EQP_REPORT_REPORT_H

#include "base/buffer.h"

#include <jansson.h>

struct eqp_report {
    json_t *document;
    char *text; /* of the document */
};

/* Takes over the document, also on failure.  A NULL document is one that memory did not suffice for. */
eqp_status eqp_report_from_json(json_t *document, eqp_report **report, eqp_error *error);

/* A number as people and programs get it: NaN and infinities become null. */
json_t *eqp_json_number(double value);

/* A text from the data: bytes that are no UTF-8 become question marks. */
json_t *eqp_json_text(const char *text);

/* Building: a list or object becomes NULL, and stays so, when memory runs out; eqp_report_from_json then says
 * so. The entry or value is taken over. */
void eqp_json_append(json_t **list, json_t *entry);
void eqp_json_set(json_t **object, const char *name, json_t *value);

/* The document as text: numbers as the shortest decimal that reads back the same, one line for every field
 * and for every entry of a list of objects. */
void eqp_json_write(const json_t *document, eqp_buffer *out);

#endif
