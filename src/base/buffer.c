/* A growing text. */
#include "base/buffer.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)1 << 15)

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

eqp_status eqp_buffer_read(eqp_buffer *buffer, int file, const char *path, size_t most, eqp_error *error)
{
    size_t total = 0;
    while (reserve(buffer, PIECE_BYTES)) {
        ssize_t got = read(file, buffer->bytes + buffer->length, PIECE_BYTES);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return eqp_fail_errno(error, "read", path);
        buffer->length += (size_t)got;
        buffer->bytes[buffer->length] = '\0';
        total += (size_t)got;
        if (total > most)
            return eqp_fail_at(error, EQP_DATA, path, 0, 0, "the file has more than %zu bytes", most);
        if (got == 0) return EQP_OK;
    }
    return eqp_fail_memory(error);
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

eqp_status eqp_file_read(const char *path, char **text, eqp_error *error)
{
    eqp_buffer read = {0};
    *text = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return eqp_fail_errno(error, "open", path);
    eqp_status status = eqp_buffer_read(&read, file, path, SIZE_MAX, error);
    close(file);
    if (status == EQP_OK) return eqp_buffer_take(&read, text, error);
    eqp_buffer_free(&read);
    return status;
}

void eqp_text_free(char *text)
{
    free(text);
}
