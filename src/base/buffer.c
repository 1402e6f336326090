/* A growing text. */
#include "base/buffer.h"

#include "base/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool reserve(eqp_buffer *buffer, size_t more)
{
    if (buffer->failed) return false;
    char *grown = eqp_reserve(buffer->bytes, &buffer->capacity, buffer->length + more + 1, 1);
    if (grown == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = grown;
    return true;
}

void eqp_buffer_add(eqp_buffer *buffer, const char *bytes, size_t length)
{
    if (!reserve(buffer, length)) return;
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
}

void eqp_buffer_text(eqp_buffer *buffer, const char *text)
{
    eqp_buffer_add(buffer, text, strlen(text));
}

void eqp_buffer_append(eqp_buffer *buffer, const eqp_buffer *other)
{
    if (other->failed) buffer->failed = true;
    if (other->length > 0) eqp_buffer_add(buffer, other->bytes, other->length);
}

void eqp_buffer_printf(eqp_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(buffer, (size_t)length)) return;
    va_start(arguments, format);
    vsnprintf(buffer->bytes + buffer->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buffer->length += (size_t)length;
    assert(buffer->length < buffer->capacity);
}

void eqp_buffer_free(eqp_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (eqp_buffer){0};
}

eqp_status eqp_buffer_take(eqp_buffer *buffer, char **text, eqp_error *error)
{
    *text = NULL;
    eqp_buffer_text(buffer, "");
    if (buffer->failed) {
        eqp_buffer_free(buffer);
        return eqp_fail_memory(error);
    }
    *text = buffer->bytes;
    *buffer = (eqp_buffer){0};
    return EQP_OK;
}

void eqp_text_free(char *text)
{
    free(text);
}
