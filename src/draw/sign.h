/* Ed25519 signatures (RFC 8032) by Nettle.
 *
 * A signing key is a file that only its owner may read, "equipoise-signing-key" and 64 hexadecimal digits;
 * what others need to check a signature stands in FILE.pub, "equipoise-signer" and 64 digits. */
#ifndef EQP_DRAW_SIGN_H
#define EQP_DRAW_SIGN_H

#include "base/status.h"

#define EQP_SIGNER_DIGITS    64
#define EQP_SIGNATURE_DIGITS 128

typedef struct eqp_signing_key {
    uint8_t secret[32];
    uint8_t signer[32];
} eqp_signing_key;

eqp_status eqp_signing_key_read(const char *path, eqp_signing_key *key, eqp_error *error);
/* The signer of a .pub file. */
eqp_status eqp_signer_read(const char *path, char signer[EQP_SIGNER_DIGITS + 1], eqp_error *error);

void eqp_sign(const eqp_signing_key *key, const char *text, char signer[EQP_SIGNER_DIGITS + 1],
              char signature[EQP_SIGNATURE_DIGITS + 1]);
/* Both in lower-case digits, as they are written. */
bool eqp_signature_holds(const char *text, const char *signer, const char *signature);

/* From the system's randomness: bytes (key.c), and hexadecimal digits. */
eqp_status eqp_random_bytes(uint8_t *bytes, size_t count, eqp_error *error);
eqp_status eqp_random_digits(char *hex, size_t digits, eqp_error *error);

#endif
