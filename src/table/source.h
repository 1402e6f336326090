/* Bytes of a file, whatever they are wrapped in: plain, gzip (also several members), zstd (also several
 * frames) or UTF-16 with a mark, which becomes UTF-8; recognised by content.  "-" is standard input.  First
 * stage of everything that reads data. */
#ifndef EQP_TABLE_SOURCE_H
#define EQP_TABLE_SOURCE_H

#include "base/buffer.h"

typedef struct eqp_source eqp_source;

/* `hashed`: keep the SHA-256 of the decompressed bytes (costs about 0.6 ns per byte). */
eqp_status eqp_source_open(const char *path, bool hashed, eqp_source **source, eqp_error *error);
/* At most `capacity` decompressed bytes; *length is 0 at the end alone.  Truncated or damaged compressed data
 * is EQP_DATA, a failing read EQP_IO. */
eqp_status eqp_source_read(eqp_source *source, char *bytes, size_t capacity, size_t *length,
                           eqp_error *error);
/* A whole file, or a little more than `most` bytes of a longer one. */
eqp_status eqp_source_read_all(const char *path, size_t most, eqp_buffer *text, eqp_error *error);
/* The name for messages: the path as given. */
const char *eqp_source_name(const eqp_source *source);
/* Share of the file that was read, 0 … 1; 0 when its size is unknown. */
double eqp_source_progress(const eqp_source *source);
/* Of the bytes handed out so far; ends the hashing, so call it once, after the last read. */
void eqp_source_digest(eqp_source *source, char hex[65]);
void eqp_source_close(eqp_source *source); /* NULL is legal */

#endif
