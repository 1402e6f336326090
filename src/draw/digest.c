/* SHA-256 by Nettle, which uses the processor's instructions for it. */
#include "draw/digest.h"

void eqp_hex_print(const uint8_t *bytes, size_t count, char *hex)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
}

void eqp_digest_begin(eqp_digest *digest)
{
    sha256_init(&digest->state);
}

void eqp_digest_add(eqp_digest *digest, const void *bytes, size_t length)
{
    sha256_update(&digest->state, length, bytes);
}

void eqp_digest_end(eqp_digest *digest, char hex[65])
{
    uint8_t raw[SHA256_DIGEST_SIZE];
    sha256_digest(&digest->state, sizeof raw, raw);
    eqp_hex_print(raw, sizeof raw, hex);
    hex[64] = '\0';
}

void eqp_digest_of(const void *bytes, size_t length, char hex[65])
{
    eqp_digest digest;
    eqp_digest_begin(&digest);
    eqp_digest_add(&digest, bytes, length);
    eqp_digest_end(&digest, hex);
}
