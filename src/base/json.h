/* JSON: texts in, documents built by field, texts out.  Jansson alone, when memory is short, calls a text
 * wrong, drops a character of a long word and says nothing, or leaves out a part of what it writes; and it
 * prints 0.2 as 0.20000000000000001.  These functions do not. */
#ifndef EQP_BASE_JSON_H
#define EQP_BASE_JSON_H

#include "base/buffer.h"
#include "base/field.h"

/* The value of a text; NULL with errno ENOMEM, or EINVAL and what is wrong with the text (optional). */
json_t *eqp_json_load(const char *text, size_t length, size_t flags, json_error_t *wrong);

/* ---- building: a list or object becomes NULL, and stays NULL, when memory runs out --------------------- */

json_t *eqp_json_number(double value);   /* NaN and infinities become null */
json_t *eqp_json_text(const char *text); /* bytes that are not UTF-8 become "?", NULL becomes null */
void eqp_json_append(json_t **list, json_t *entry);                 /* takes the entry over */
void eqp_json_set(json_t **object, eqp_field field, json_t *value); /* takes the value over */
void eqp_json_set_number(json_t **object, eqp_field field, double value);
void eqp_json_set_text(json_t **object, eqp_field field, const char *text);
void eqp_json_set_count(json_t **object, eqp_field field, uint64_t count);
void eqp_json_set_bool(json_t **object, eqp_field field, bool value);

/* ---- writing ------------------------------------------------------------------------------------------- */

/* The document for people and programs: numbers as the shortest decimals that read back the same, one line
 * for every field and for every entry of a list of objects. */
void eqp_json_write(const json_t *document, eqp_buffer *out);
void eqp_json_write_text(const char *text, eqp_buffer *out); /* quoted */
void eqp_json_write_number(double value, eqp_buffer *out);

/* The document as jansson writes it, where digests depend on it; NULL without memory or document. */
char *eqp_json_dump(const json_t *document, size_t flags);

#endif
