/* gzip, also several members one after the other. */
#include "table/format.h"

#include "base/memory.h"

#include <string.h>
#include <zlib.h>

#define WINDOW (15 + 16) /* the largest window, gzip framing */

typedef struct gzip_state {
    z_stream stream;
    bool inside; /* a member */
} gzip_state;

static bool is_gzip(const char *bytes, size_t length)
{
    return length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

static void *open_gzip(void)
{
    gzip_state *state = eqp_alloc_zero(1, sizeof *state);
    if (state == NULL) return NULL;
    state->inside = true;
    if (inflateInit2(&state->stream, WINDOW) == Z_OK) return state;
    free(state);
    return NULL;
}

static void close_gzip(void *context)
{
    gzip_state *state = context;
    inflateEnd(&state->stream);
    free(state);
}

/* Between members: another one, or padding with zeros up to the end. */
static bool next_member(gzip_state *state, eqp_packed *packed)
{
    while (packed->start < packed->end && packed->bytes[packed->start] == '\0') packed->start++;
    if (packed->start == packed->end) return true;
    state->inside = true;
    return inflateReset(&state->stream) == Z_OK;
}

static eqp_status unpack_gzip(void *context, eqp_packed *packed, bool last, char *bytes, size_t capacity,
                              size_t *length, bool *inside, eqp_error *error)
{
    gzip_state *state = context;
    z_stream *stream = &state->stream;
    (void)last;
    if (!state->inside && !next_member(state, packed)) return eqp_fail_memory(error);
    *inside = state->inside;
    if (packed->start == packed->end) return EQP_OK;
    stream->next_in = (unsigned char *)packed->bytes + packed->start;
    stream->avail_in = (unsigned)(packed->end - packed->start);
    stream->next_out = (unsigned char *)bytes;
    stream->avail_out = (unsigned)(capacity < UINT32_MAX / 2 ? capacity : UINT32_MAX / 2);
    int outcome = inflate(stream, Z_NO_FLUSH);
    *length = (size_t)((char *)stream->next_out - bytes);
    packed->start = packed->end - stream->avail_in;
    *inside = state->inside = outcome != Z_STREAM_END;
    if (outcome == Z_MEM_ERROR) return eqp_fail_memory(error);
    if (outcome == Z_OK || outcome == Z_STREAM_END) return EQP_OK;
    return eqp_format_damaged("gzip", packed, error);
}

const eqp_format eqp_format_gzip = {"gzip", is_gzip, open_gzip, close_gzip, unpack_gzip};
