/* zstd, also several frames one after the other. */
#include "table/format.h"

#include <string.h>
#include <zstd.h>

static bool is_zstd(const char *bytes, size_t length)
{
    if (length < EQP_MAGIC_BYTES) return false;
    bool skippable = (bytes[0] & 0xf0) == 0x50 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0;
    return skippable || memcmp(bytes, "\x28\xb5\x2f\xfd", EQP_MAGIC_BYTES) == 0;
}

static void *open_zstd(void)
{
    return ZSTD_createDStream();
}

static void close_zstd(void *state)
{
    ZSTD_freeDStream(state);
}

/* Without new bytes a frame may still give text that was held back. */
static eqp_status unpack_zstd(void *state, eqp_packed *packed, bool last, char *bytes, size_t capacity,
                              size_t *length, bool *inside, eqp_error *error)
{
    ZSTD_inBuffer in = {packed->bytes, packed->end, packed->start};
    ZSTD_outBuffer out = {bytes, capacity, 0};
    (void)last;
    if (packed->start == packed->end && !*inside) return EQP_OK;
    size_t wanted = ZSTD_decompressStream(state, &out, &in);
    if (ZSTD_isError(wanted)) return eqp_format_damaged("zstd", packed, error);
    packed->start = in.pos;
    *inside = wanted != 0;
    *length = out.pos;
    return EQP_OK;
}

const eqp_format eqp_format_zstd = {"zstd", is_zstd, open_zstd, close_zstd, unpack_zstd};
