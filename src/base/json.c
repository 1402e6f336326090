/* A failed malloc leaves its mark in errno, unless a number is read after it.  So a long word goes first: it
 * makes the room in which jansson collects characters grow before any that count, and is found too short if
 * that room could not grow. */
#include "base/json.h"

#include "base/buffer.h"

#include <errno.h>
#include <string.h>

#define FIRST_WORD 256

static json_t *load_after_word(const eqp_buffer *list, size_t flags)
{
    json_t *both = json_loadb(list->bytes, list->length, flags, NULL);
    json_t *value = json_array_size(both) == 2 ? json_array_get(both, 1) : NULL;
    if (errno != ENOMEM) errno = value == NULL ? EINVAL : 0;
    if (value != NULL && json_string_length(json_array_get(both, 0)) != FIRST_WORD) errno = ENOMEM;
    value = errno == 0 ? json_incref(value) : NULL;
    int reason = errno;
    json_decref(both);
    errno = reason;
    return value;
}

json_t *eqp_json_load(const char *text, size_t length, size_t flags)
{
    char word[FIRST_WORD];
    eqp_buffer list = {0};
    memset(word, 'x', sizeof word);
    eqp_buffer_text(&list, "[\"");
    eqp_buffer_add(&list, word, sizeof word);
    eqp_buffer_text(&list, "\",");
    eqp_buffer_add(&list, text, length);
    eqp_buffer_text(&list, "]");
    errno = list.failed ? ENOMEM : 0;
    json_t *value = list.failed ? NULL : load_after_word(&list, flags);
    int reason = errno;
    eqp_buffer_free(&list);
    errno = reason;
    return value;
}

char *eqp_json_dump(const json_t *document, size_t flags)
{
    errno = 0;
    char *text = document != NULL ? json_dumps(document, flags) : NULL;
    if (errno != ENOMEM) return text;
    free(text);
    return NULL;
}
