/* Bytes of a file.  The packed side is read into a buffer of our own; plain bytes go straight to the caller
 * once the first few, read to recognise the wrapping, are handed out. */
#include "table/source.h"

#include "base/memory.h"
#include "draw/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define PACKED_BYTES ((size_t)1 << 17)
#define MAGIC_BYTES  4
#define GZIP_WINDOW  (15 + 16) /* the largest window, gzip framing */

typedef enum wrapping { PLAIN, GZIP, ZSTD } wrapping;

struct eqp_source {
    char *name;
    int file;
    wrapping wrapping;
    uint64_t size, consumed; /* of the file as it lies there; size 0 when unknown */
    bool at_end;             /* the file gave its last byte */
    bool inside;             /* within a gzip member or zstd frame */
    bool hashed;
    eqp_digest digest;
    z_stream gzip;
    ZSTD_DStream *zstd;
    size_t start, end; /* packed bytes not yet used: packed[start … end-1] */
    char packed[PACKED_BYTES];
};

/* One read; *length is 0 at the end alone. */
static eqp_status read_file(eqp_source *source, char *bytes, size_t capacity, size_t *length,
                            eqp_error *error)
{
    for (;;) {
        ssize_t count = read(source->file, bytes, capacity);
        if (count >= 0) {
            *length = (size_t)count;
            source->consumed += *length;
            source->at_end = count == 0;
            return EQP_OK;
        }
        struct pollfd waiting = {.fd = source->file, .events = POLLIN};
        if (errno == EAGAIN && poll(&waiting, 1, -1) > 0) continue;
        if (errno != EINTR) return eqp_fail_errno(error, "read", source->name);
    }
}

/* Packed bytes to work on, unless the file is at its end. */
static eqp_status refill(eqp_source *source, eqp_error *error)
{
    if (source->start < source->end || source->at_end) return EQP_OK;
    source->start = source->end = 0;
    return read_file(source, source->packed, PACKED_BYTES, &source->end, error);
}

static eqp_status read_magic(eqp_source *source, eqp_error *error)
{
    while (source->end < MAGIC_BYTES && !source->at_end) {
        size_t length = 0;
        eqp_status status =
            read_file(source, source->packed + source->end, PACKED_BYTES - source->end, &length, error);
        if (status != EQP_OK) return status;
        source->end += length;
    }
    return EQP_OK;
}

static wrapping recognise(const char *bytes, size_t length)
{
    if (length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0) return GZIP;
    if (length >= MAGIC_BYTES && memcmp(bytes, "\x28\xb5\x2f\xfd", MAGIC_BYTES) == 0) return ZSTD;
    bool skippable =
        length >= MAGIC_BYTES && (bytes[0] & 0xf0) == 0x50 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0;
    return skippable ? ZSTD : PLAIN;
}

static eqp_status prepare(eqp_source *source, eqp_error *error)
{
    eqp_status status = read_magic(source, error);
    if (status != EQP_OK) return status;
    source->wrapping = recognise(source->packed, source->end);
    if (source->wrapping == GZIP && inflateInit2(&source->gzip, GZIP_WINDOW) != Z_OK) {
        source->wrapping = PLAIN; /* there is nothing to end */
        return eqp_fail_memory(error);
    }
    if (source->wrapping == ZSTD && (source->zstd = ZSTD_createDStream()) == NULL)
        return eqp_fail_memory(error);
    source->inside = source->wrapping != PLAIN;
    return EQP_OK;
}

static eqp_status open_file(eqp_source *source, eqp_error *error)
{
    struct stat status;
    bool standard = strcmp(source->name, "-") == 0;
    source->file = standard ? STDIN_FILENO : open(source->name, O_RDONLY | O_CLOEXEC);
    if (source->file < 0) return eqp_fail_errno(error, "open", source->name);
    if (fstat(source->file, &status) == 0 && S_ISREG(status.st_mode)) source->size = (uint64_t)status.st_size;
    posix_fadvise(source->file, 0, 0, POSIX_FADV_SEQUENTIAL);
    return EQP_OK;
}

eqp_status eqp_source_open(const char *path, bool hashed, eqp_source **source, eqp_error *error)
{
    *source = NULL;
    eqp_source *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->file = -1;
    made->hashed = hashed;
    made->name = eqp_copy_text(path ? path : "-", strlen(path ? path : "-"));
    eqp_digest_begin(&made->digest);
    eqp_status status = made->name == NULL ? eqp_fail_memory(error) : open_file(made, error);
    if (status == EQP_OK) status = prepare(made, error);
    if (status == EQP_OK)
        *source = made;
    else
        eqp_source_close(made);
    return status;
}

void eqp_source_close(eqp_source *source)
{
    if (source == NULL) return;
    if (source->wrapping == GZIP) inflateEnd(&source->gzip);
    ZSTD_freeDStream(source->zstd);
    if (source->file > STDIN_FILENO || (source->file == 0 && strcmp(source->name, "-") != 0))
        close(source->file);
    free(source->name);
    free(source);
}

static eqp_status damaged(const eqp_source *source, const char *kind, eqp_error *error)
{
    return eqp_fail_at(error, EQP_DATA, source->name, 0, 0, "the %s data is damaged", kind);
}

static eqp_status truncated(const eqp_source *source, const char *kind, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, source->name, 0, 0, "the %s data ends too early", kind);
    eqp_hint(error, "the file is truncated; copy or download it again");
    return EQP_DATA;
}

/* Between gzip members: another one, or padding with zeros up to the end. */
static eqp_status next_member(eqp_source *source, eqp_error *error)
{
    while (source->start < source->end && source->packed[source->start] == '\0') source->start++;
    if (source->start == source->end) return EQP_OK;
    source->inside = true;
    return inflateReset(&source->gzip) == Z_OK ? EQP_OK : eqp_fail_memory(error);
}

static eqp_status inflate_some(eqp_source *source, char *bytes, size_t capacity, size_t *length,
                               eqp_error *error)
{
    z_stream *gzip = &source->gzip;
    gzip->next_in = (unsigned char *)source->packed + source->start;
    gzip->avail_in = (unsigned)(source->end - source->start);
    gzip->next_out = (unsigned char *)bytes;
    gzip->avail_out = (unsigned)(capacity < UINT32_MAX / 2 ? capacity : UINT32_MAX / 2);
    int outcome = inflate(gzip, Z_NO_FLUSH);
    *length = (size_t)((char *)gzip->next_out - bytes);
    source->start = source->end - gzip->avail_in;
    source->inside = outcome != Z_STREAM_END;
    if (outcome == Z_MEM_ERROR) return eqp_fail_memory(error);
    return outcome == Z_OK || outcome == Z_STREAM_END ? EQP_OK : damaged(source, "gzip", error);
}

static eqp_status read_gzip(eqp_source *source, char *bytes, size_t capacity, size_t *length,
                            eqp_error *error)
{
    eqp_status status = EQP_OK;
    while (status == EQP_OK && *length == 0) {
        if ((status = refill(source, error)) != EQP_OK) break;
        if (source->start == source->end) return source->inside ? truncated(source, "gzip", error) : EQP_OK;
        if (!source->inside) status = next_member(source, error);
        if (status == EQP_OK && source->inside) status = inflate_some(source, bytes, capacity, length, error);
    }
    return status;
}

/* A call without new input may still give bytes that zstd holds back, so it comes before the look for the
 * end. */
static eqp_status read_zstd(eqp_source *source, char *bytes, size_t capacity, size_t *length,
                            eqp_error *error)
{
    for (;;) {
        eqp_status status = refill(source, error);
        if (status != EQP_OK) return status;
        bool no_more = source->start == source->end;
        if (no_more && !source->inside) return EQP_OK;
        ZSTD_inBuffer in = {source->packed, source->end, source->start};
        ZSTD_outBuffer out = {bytes, capacity, 0};
        size_t wanted = ZSTD_decompressStream(source->zstd, &out, &in);
        if (ZSTD_isError(wanted)) return damaged(source, "zstd", error);
        source->start = in.pos;
        source->inside = wanted != 0;
        *length = out.pos;
        if (*length > 0) return EQP_OK;
        if (no_more) return truncated(source, "zstd", error);
    }
}

static eqp_status read_plain(eqp_source *source, char *bytes, size_t capacity, size_t *length,
                             eqp_error *error)
{
    size_t left = source->end - source->start;
    if (left == 0) return source->at_end ? EQP_OK : read_file(source, bytes, capacity, length, error);
    *length = left < capacity ? left : capacity;
    memcpy(bytes, source->packed + source->start, *length);
    source->start += *length;
    return EQP_OK;
}

eqp_status eqp_source_read(eqp_source *source, char *bytes, size_t capacity, size_t *length, eqp_error *error)
{
    eqp_status status;
    *length = 0;
    switch (source->wrapping) {
    case GZIP:
        status = read_gzip(source, bytes, capacity, length, error);
        break;
    case ZSTD:
        status = read_zstd(source, bytes, capacity, length, error);
        break;
    default:
        status = read_plain(source, bytes, capacity, length, error);
    }
    if (status == EQP_OK && source->hashed) eqp_digest_add(&source->digest, bytes, *length);
    return status;
}

const char *eqp_source_name(const eqp_source *source)
{
    return source->name;
}

double eqp_source_progress(const eqp_source *source)
{
    if (source->size == 0) return 0;
    double done = (double)source->consumed / (double)source->size;
    return done < 1 ? done : 1;
}

void eqp_source_digest(eqp_source *source, char hex[65])
{
    eqp_digest_end(&source->digest, hex);
}

eqp_status eqp_source_read_all(const char *path, size_t most, eqp_buffer *text, eqp_error *error)
{
    eqp_source *source;
    char piece[4096];
    size_t length = 1;
    eqp_status status = eqp_source_open(path, false, &source, error);
    while (status == EQP_OK && length > 0 && text->length < most) {
        status = eqp_source_read(source, piece, sizeof piece, &length, error);
        if (status == EQP_OK) eqp_buffer_add(text, piece, length);
        if (text->failed) status = eqp_fail_memory(error);
    }
    eqp_source_close(source);
    return status;
}
