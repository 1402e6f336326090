/* A failed malloc leaves its mark in errno, unless a number is read after it.  So a word as long as the
 * longest goes first: it makes the room in which jansson collects characters grow before any that count, and
 * is found too short if that room could not grow. */
#include "base/json.h"

#include "base/buffer.h"

#include <errno.h>
#include <string.h>

/* No word or number of the text is longer: quotes part words, commas part numbers. */
static size_t longest_word(const char *text, size_t length)
{
    size_t longest = 0, start = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (quoted && text[i] == '\\') {
            i++;
        } else if (text[i] == '"' || (!quoted && text[i] == ',')) {
            longest = i - start > longest ? i - start : longest;
            start = i + 1;
            quoted = quoted != (text[i] == '"');
        }
    }
    return start < length && length - start > longest ? length - start : longest;
}

static void put_word_first(eqp_buffer *list, size_t word, const char *text, size_t length)
{
    static const char piece[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    eqp_buffer_text(list, "[\"");
    for (size_t left = word, part; left > 0; left -= part) {
        part = left < sizeof piece - 1 ? left : sizeof piece - 1;
        eqp_buffer_add(list, piece, part);
    }
    eqp_buffer_text(list, "\",");
    eqp_buffer_add(list, text, length);
    eqp_buffer_text(list, "]");
}

static json_t *load_after_word(const eqp_buffer *list, size_t word, size_t flags)
{
    errno = 0;
    json_t *both = json_loadb(list->bytes, list->length, flags, NULL);
    json_t *value = json_array_size(both) == 2 ? json_array_get(both, 1) : NULL;
    if (errno != ENOMEM) errno = value == NULL ? EINVAL : 0;
    if (value != NULL && json_string_length(json_array_get(both, 0)) != word) errno = ENOMEM;
    value = errno == 0 ? json_incref(value) : NULL;
    int reason = errno;
    json_decref(both);
    errno = reason;
    return value;
}

/* By reading the text alone, so that places and words are its own. */
static void find_mistake(const char *text, size_t length, size_t flags, json_error_t *wrong)
{
    errno = 0;
    json_t *value = json_loadb(text, length, flags, wrong);
    bool short_of_memory = errno == ENOMEM || value != NULL;
    json_decref(value);
    errno = short_of_memory ? ENOMEM : EINVAL;
}

json_t *eqp_json_load(const char *text, size_t length, size_t flags, json_error_t *wrong)
{
    eqp_buffer list = {0};
    size_t word = longest_word(text, length);
    put_word_first(&list, word, text, length);
    json_t *value = list.failed ? NULL : load_after_word(&list, word, flags);
    int reason = list.failed ? ENOMEM : errno;
    eqp_buffer_free(&list);
    errno = reason;
    if (errno == EINVAL && wrong != NULL) find_mistake(text, length, flags, wrong);
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
