/* Bytes of a file.  The packed side is read into a buffer of our own; plain bytes go straight to the caller
 * once the first few, read to recognise the format, are handed out. */
#include "table/format.h"

#include "base/memory.h"
#include "draw/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Recognised by content, in this order; anything else is plain text. */
#define FORMAT_ROWS(ROW)                                                                                     \
    ROW(gzip)                                                                                                \
    ROW(utf16)                                                                                               \
    ROW(zstd)

#define DECLARE(format) extern const eqp_format eqp_format_##format;
#define ADDRESS(format) &eqp_format_##format,
FORMAT_ROWS(DECLARE)
static const eqp_format *const FORMATS[] = {FORMAT_ROWS(ADDRESS)};

struct eqp_source {
    char *name;
    int file;
    const eqp_format *format; /* NULL: plain */
    void *state;              /* of the format */
    uint64_t size, consumed;  /* of the file as it lies there; size 0 when unknown */
    bool at_end;              /* the file gave its last byte */
    bool inside;              /* data of the format that must not end here */
    bool hashed;
    eqp_digest digest;
    eqp_packed packed;
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
    eqp_packed *packed = &source->packed;
    if (packed->start < packed->end || source->at_end) return EQP_OK;
    packed->start = packed->end = 0;
    return read_file(source, packed->bytes, EQP_PACKED_BYTES, &packed->end, error);
}

static eqp_status read_magic(eqp_source *source, eqp_error *error)
{
    eqp_packed *packed = &source->packed;
    while (packed->end < EQP_MAGIC_BYTES && !source->at_end) {
        size_t length = 0;
        eqp_status status =
            read_file(source, packed->bytes + packed->end, EQP_PACKED_BYTES - packed->end, &length, error);
        if (status != EQP_OK) return status;
        packed->end += length;
    }
    return EQP_OK;
}

static eqp_status recognise(eqp_source *source, eqp_error *error)
{
    eqp_status status = read_magic(source, error);
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS && status == EQP_OK; i++) {
        if (!FORMATS[i]->is(source->packed.bytes, source->packed.end)) continue;
        source->state = FORMATS[i]->open();
        if (source->state == NULL) return eqp_fail_memory(error);
        source->format = FORMATS[i];
        source->inside = true;
        break;
    }
    return status;
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
    made->packed.name = made->name;
    eqp_status status = made->name == NULL ? eqp_fail_memory(error) : open_file(made, error);
    if (status == EQP_OK) status = recognise(made, error);
    if (status == EQP_OK) *source = made;
    if (status != EQP_OK) eqp_source_close(made);
    return status;
}

void eqp_source_close(eqp_source *source)
{
    if (source == NULL) return;
    if (source->format != NULL) source->format->close(source->state);
    if (source->file > STDIN_FILENO || (source->file == 0 && strcmp(source->name, "-") != 0))
        close(source->file);
    free(source->name);
    free(source);
}

static eqp_status read_plain(eqp_source *source, char *bytes, size_t capacity, size_t *length,
                             eqp_error *error)
{
    size_t left = source->packed.end - source->packed.start;
    if (left == 0) return source->at_end ? EQP_OK : read_file(source, bytes, capacity, length, error);
    *length = left < capacity ? left : capacity;
    memcpy(bytes, source->packed.bytes + source->packed.start, *length);
    source->packed.start += *length;
    return EQP_OK;
}

eqp_status eqp_format_damaged(const char *format, const eqp_packed *packed, eqp_error *error)
{
    return eqp_fail_at(error, EQP_DATA, packed->name, 0, 0, "the %s data is damaged", format);
}

static eqp_status truncated(const eqp_source *source, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, source->name, 0, 0, "the %s data ends too early", source->format->name);
    eqp_hint(error, "the file is truncated; copy or download it again");
    return EQP_DATA;
}

/* Until there is text, or an end to it.  A format is asked once more when the file has no more bytes: it may
 * hold text back. */
static eqp_status read_format(eqp_source *source, char *bytes, size_t capacity, size_t *length,
                              eqp_error *error)
{
    for (;;) {
        eqp_status status = refill(source, error);
        bool last = source->packed.start == source->packed.end;
        if (status == EQP_OK)
            status = source->format->unpack(source->state, &source->packed, last, bytes, capacity, length,
                                            &source->inside, error);
        if (status != EQP_OK || *length > 0) return status;
        if (last) return source->inside ? truncated(source, error) : EQP_OK;
    }
}

eqp_status eqp_source_read(eqp_source *source, char *bytes, size_t capacity, size_t *length, eqp_error *error)
{
    *length = 0;
    eqp_status status =
        (source->format != NULL ? read_format : read_plain)(source, bytes, capacity, length, error);
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
