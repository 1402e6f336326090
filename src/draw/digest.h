/* SHA-256 of bytes, as 64 lower-case hexadecimal digits.  For model digests, data digests, commitments. */
#ifndef EQP_DRAW_DIGEST_H
#define EQP_DRAW_DIGEST_H

#include <nettle/sha2.h>
#include <stddef.h>

typedef struct eqp_digest {
    struct sha256_ctx state;
} eqp_digest;

/* Bytes as twice as many lower-case digits, without a final 0. */
void eqp_hex_print(const uint8_t *bytes, size_t count, char *hex);

void eqp_digest_begin(eqp_digest *digest);
void eqp_digest_add(eqp_digest *digest, const void *bytes, size_t length);
void eqp_digest_end(eqp_digest *digest, char hex[65]);
void eqp_digest_of(const void *bytes, size_t length, char hex[65]);

#endif
