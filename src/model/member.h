/* Reading JSON that may be anything.  The first thing wrong is remembered, and everything read after it is
 * empty, so that a section reads as a list of its members and is checked once. */
#ifndef EQP_MODEL_MEMBER_H
#define EQP_MODEL_MEMBER_H

#include "base/field.h"
#include "base/status.h"
#include "encode/groups.h"

typedef struct eqp_member_reader {
    eqp_status status;
    eqp_error *error;
    const char *section; /* what is being read, for messages: "features", "nodes" … */
    size_t index;        /* which of them */
} eqp_member_reader;

#define EQP_MEMBER_ONLY SIZE_MAX /* index of a section that is there once */

void eqp_member_enter(eqp_member_reader *reader, const char *section, size_t index);
void eqp_member_wrong(eqp_member_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Zeroed memory; NULL once anything went wrong. */
void *eqp_member_alloc(eqp_member_reader *reader, size_t count, size_t size);

/* The members that are named and no others, or wrong. */
#define eqp_member_exactly(reader, object, ...)                                                              \
    eqp_member_exactly_of(reader, object, (const eqp_field[]){__VA_ARGS__, FIELD_NONE})
void eqp_member_exactly_of(eqp_member_reader *reader, const json_t *object, const eqp_field *names);
bool eqp_member_has(const json_t *object, eqp_field name);

json_t *eqp_member_object(eqp_member_reader *reader, const json_t *object, eqp_field name);
json_t *eqp_member_array(eqp_member_reader *reader, const json_t *object, eqp_field name, size_t *count);
double eqp_member_number(eqp_member_reader *reader, const json_t *object, eqp_field name);
uint32_t eqp_member_index(eqp_member_reader *reader, const json_t *object,
                          eqp_field name); /* whole, below 2^31 */
bool eqp_member_bool(eqp_member_reader *reader, const json_t *object, eqp_field name);
const char *eqp_member_text(eqp_member_reader *reader, const json_t *object,
                            eqp_field name);                                            /* "" when wrong */
char *eqp_member_copy(eqp_member_reader *reader, const json_t *object, eqp_field name); /* NULL when wrong */
/* Which of the names the text is; 0 when wrong. */
size_t eqp_member_choice(eqp_member_reader *reader, const json_t *object, eqp_field name,
                         const char *const *names, size_t count);
/* A list of numbers or texts; `count` is 0 when wrong. */
double *eqp_member_numbers(eqp_member_reader *reader, const json_t *object, eqp_field name, size_t *count);
/* The member "sensitive" of a model. */
eqp_groups *eqp_member_groups(eqp_member_reader *reader, const json_t *root);
char **eqp_member_texts(eqp_member_reader *reader, const json_t *object, eqp_field name, size_t *count);

#endif
