/* What was chosen in a room -> the command line that does it.  The page sends choices by name, never words of
 * a command line: a table says which options they may become and which files they may name. */
#ifndef UI_RECIPE_H
#define UI_RECIPE_H

#include "equipoise.h"

#include <jansson.h>

enum { RECIPE_WORDS = 96, RECIPE_FILES = 24 };

typedef struct recipe recipe;

typedef struct order {
    const recipe *recipe;
    char *words[RECIPE_WORDS + 1]; /* as typed, after "equipoise"; ended by NULL */
    size_t word_count;
    char *inputs[RECIPE_FILES]; /* files that it reads */
    size_t input_count;
} order;

/* EQP_USAGE for what is not in the table, EQP_DATA for files that are not there or may not be written. */
eqp_status order_make(const char *action, const json_t *choices, order *made, eqp_error *error);
void order_free(order *made);

const char *order_action(const order *made);
/* As a person types it, quoted for a shell; the caller frees it. */
char *order_line(const order *made);
/* What is run beside it to get figures and progress instead of a screen; changes no file.  Ended by NULL. */
const char *const *order_extras(const order *made);

/* Names of all actions; NULL past the last. */
const char *recipe_name(size_t index);

#endif
