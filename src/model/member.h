/* Reading JSON that may be anything.  The first thing wrong is remembered, and everything read after it is
 * empty, so that a section reads as a list of its members and is checked once. */
#ifndef EQP_MODEL_MEMBER_H
#define EQP_MODEL_MEMBER_H

#include "base/status.h"

#include <jansson.h>

typedef struct eqp_reader {
    eqp_status status;
    eqp_error *error;
    const char *section; /* what is being read, for messages: "features", "nodes" … */
    size_t index;        /* which of them */
} eqp_reader;

#define EQP_READER_ONLY SIZE_MAX /* index of a section that is there once */

void eqp_reader_enter(eqp_reader *reader, const char *section, size_t index);
void eqp_reader_wrong(eqp_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zeroed memory; NULL once anything went wrong. */
void *eqp_reader_room(eqp_reader *reader, size_t count, size_t size);

/* Exactly the members `names` (separated by blanks), or wrong. */
void eqp_reader_members(eqp_reader *reader, const json_t *object, const char *names);
bool eqp_reader_has(const json_t *object, const char *name);

json_t *eqp_reader_object(eqp_reader *reader, const json_t *object, const char *name);
json_t *eqp_reader_array(eqp_reader *reader, const json_t *object, const char *name, size_t *count);
double eqp_reader_number(eqp_reader *reader, const json_t *object, const char *name);
uint32_t eqp_reader_index(eqp_reader *reader, const json_t *object, const char *name); /* whole, below 2^31 */
bool eqp_reader_bool(eqp_reader *reader, const json_t *object, const char *name);
const char *eqp_reader_word(eqp_reader *reader, const json_t *object, const char *name); /* "" when wrong */
char *eqp_reader_copy(eqp_reader *reader, const json_t *object, const char *name);       /* NULL when wrong */
/* A list of numbers or texts; `count` is 0 when wrong. */
double *eqp_reader_numbers(eqp_reader *reader, const json_t *object, const char *name, size_t *count);
char **eqp_reader_words(eqp_reader *reader, const json_t *object, const char *name, size_t *count);

#endif
