/* Reading a document: a field that is missing, null or of another kind reads as "not known", so that a screen
 * or a page shows what is there and leaves out what is not. */
#ifndef EQP_REPORT_FIELD_H
#define EQP_REPORT_FIELD_H

#include <jansson.h>
#include <stdbool.h>

/* `path` is one name or several joined by dots: "limit.imbalance".  NULL when any part is missing. */
json_t *eqp_field(const json_t *object, const char *path);
double eqp_field_number(const json_t *object, const char *path);    /* NaN: not known */
const char *eqp_field_text(const json_t *object, const char *path); /* "": not known; owned by the document */
bool eqp_field_true(const json_t *object, const char *path);
bool eqp_field_known(const json_t *object, const char *path);   /* there, and not null */
size_t eqp_field_count(const json_t *object, const char *path); /* entries of a list */
json_t *eqp_field_entry(const json_t *object, const char *path, size_t index);

#endif
