/* Texts and their codes 0, 1, 2 … in order of first appearance; an open-addressing hash table
 * whose hash is keyed by chance, so that no file can be made to fill it slowly. */
#ifndef EQP_BASE_DICTIONARY_H
#define EQP_BASE_DICTIONARY_H

#include "base/status.h"

#define EQP_NO_CODE UINT32_MAX

typedef struct eqp_dictionary eqp_dictionary;

eqp_dictionary *eqp_dictionary_new(void); /* NULL: out of memory */
void eqp_dictionary_free(eqp_dictionary *dictionary);
/* The code of a text, new or known; EQP_NO_CODE when memory ran out. */
uint32_t eqp_dictionary_add(eqp_dictionary *dictionary, const char *text, size_t length);
/* Adds a text without asking whether it is known, as the next code: for ids, which are hardly ever equal and
 * never looked up.  Not to be mixed with the other two. */
uint32_t eqp_dictionary_append(eqp_dictionary *dictionary, const char *text, size_t length);
/* The code of a known text, or EQP_NO_CODE. */
uint32_t eqp_dictionary_find(const eqp_dictionary *dictionary, const char *text, size_t length);
uint32_t eqp_dictionary_size(const eqp_dictionary *dictionary);
/* Owned by the dictionary, 0-terminated, valid until the next add. */
const char *eqp_dictionary_text(const eqp_dictionary *dictionary, uint32_t code);
size_t eqp_dictionary_length(const eqp_dictionary *dictionary, uint32_t code);

#endif
