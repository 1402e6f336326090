/* Signing keys and signatures. */
#include "draw/sign.h"

#include "draw/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/eddsa.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET_WORD "equipoise-signing-key "
#define SIGNER_WORD "equipoise-signer "
#define DIGITS      64
#define MOST_BYTES  128

eqp_status eqp_random_digits(char *hex, size_t digits, eqp_error *error)
{
    uint8_t bytes[64];
    eqp_status status = eqp_random_bytes(bytes, digits / 2, error);
    if (status == EQP_OK) eqp_hex_print(bytes, digits / 2, hex);
    hex[status == EQP_OK ? digits : 0] = '\0';
    return status;
}

/* Lower-case digits only: there is one spelling of a signature. */
static bool read_digits(const char *text, size_t digits, uint8_t *bytes)
{
    for (size_t i = 0; i < digits; i++) {
        bool decimal = text[i] >= '0' && text[i] <= '9';
        if (!decimal && !(text[i] >= 'a' && text[i] <= 'f')) return false;
        uint8_t value = (uint8_t)(decimal ? text[i] - '0' : text[i] - 'a' + 10);
        bytes[i / 2] = (uint8_t)(i % 2 == 0 ? value << 4 : bytes[i / 2] | value);
    }
    return true;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static eqp_status write_new(const char *path, mode_t mode, const char *word, const uint8_t *bytes,
                            eqp_error *error)
{
    char line[MOST_BYTES];
    size_t length = strlen(word);
    memcpy(line, word, length);
    eqp_hex_print(bytes, DIGITS / 2, line + length);
    line[length + DIGITS] = '\n';
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0 && errno == EEXIST) {
        eqp_fail(error, EQP_USAGE, "\"%s\" exists already", path);
        eqp_hint(error, "a key is never overwritten; choose another name");
        return EQP_USAGE;
    }
    if (file < 0) return eqp_fail_errno(error, "create", path);
    ssize_t written = write(file, line, length + DIGITS + 1);
    bool whole = written == (ssize_t)(length + DIGITS + 1) && fsync(file) == 0;
    explicit_bzero(line, sizeof line);
    eqp_status status = whole ? EQP_OK : eqp_fail_errno(error, "write", path);
    if (close(file) != 0 && status == EQP_OK) status = eqp_fail_errno(error, "write", path);
    if (status != EQP_OK) unlink(path);
    return status;
}

eqp_status eqp_signing_key_create(const char *path, eqp_error *error)
{
    eqp_signing_key key;
    char public_path[4096];
    int length = snprintf(public_path, sizeof public_path, "%s.pub", path);
    if (length < 0 || (size_t)length >= sizeof public_path)
        return eqp_fail(error, EQP_USAGE, "the name of the key file is too long");
    eqp_status status = eqp_random_bytes(key.secret, sizeof key.secret, error);
    if (status == EQP_OK) ed25519_sha512_public_key(key.signer, key.secret);
    if (status == EQP_OK) status = write_new(path, 0600, SECRET_WORD, key.secret, error);
    if (status == EQP_OK) {
        status = write_new(public_path, 0644, SIGNER_WORD, key.signer, error);
        if (status != EQP_OK) unlink(path); /* both or neither */
    }
    explicit_bzero(&key, sizeof key);
    return status;
}

static eqp_status read_line(const char *path, bool secret, char line[MOST_BYTES], eqp_error *error)
{
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return eqp_fail_errno(error, "open", path);
    eqp_status status = EQP_OK;
    if (secret && fstat(file, &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & 077) != 0) {
        status = eqp_fail(error, EQP_USAGE, "key file \"%s\" can be read by others", path);
        eqp_hint(error, "chmod 600 %s", path);
    }
    memset(line, 0, MOST_BYTES);
    for (size_t length = 0; status == EQP_OK && length < MOST_BYTES - 1;) {
        ssize_t got = read(file, line + length, MOST_BYTES - 1 - length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = eqp_fail_errno(error, "read", path);
        if (got <= 0) break;
        length += (size_t)got;
    }
    close(file);
    return status;
}

static eqp_status read_key(const char *path, bool secret, uint8_t *bytes, eqp_error *error)
{
    char line[MOST_BYTES];
    const char *word = secret ? SECRET_WORD : SIGNER_WORD;
    size_t length = strlen(word);
    eqp_status status = read_line(path, secret, line, error);
    if (status != EQP_OK) return status;
    bool good = strncmp(line, word, length) == 0 && read_digits(line + length, DIGITS, bytes) &&
                (line[length + DIGITS] == '\0' || strcmp(line + length + DIGITS, "\n") == 0);
    explicit_bzero(line, sizeof line);
    if (good) return EQP_OK;
    eqp_fail(error, EQP_DATA, secret ? "\"%s\" is not a signing key" : "\"%s\" is not the key of a signer",
             path);
    eqp_hint(error, "\"equipoise key new --signing FILE\" makes FILE and FILE.pub");
    return EQP_DATA;
}

eqp_status eqp_signing_key_read(const char *path, eqp_signing_key *key, eqp_error *error)
{
    eqp_status status = read_key(path, true, key->secret, error);
    if (status == EQP_OK) ed25519_sha512_public_key(key->signer, key->secret);
    return status;
}

eqp_status eqp_signer_read(const char *path, char signer[EQP_SIGNER_DIGITS + 1], eqp_error *error)
{
    uint8_t bytes[ED25519_KEY_SIZE];
    eqp_status status = read_key(path, false, bytes, error);
    if (status == EQP_OK) eqp_hex_print(bytes, sizeof bytes, signer);
    signer[status == EQP_OK ? EQP_SIGNER_DIGITS : 0] = '\0';
    return status;
}

/* ---- signatures ---------------------------------------------------------------------------------------- */

void eqp_sign(const eqp_signing_key *key, const char *text, char signer[EQP_SIGNER_DIGITS + 1],
              char signature[EQP_SIGNATURE_DIGITS + 1])
{
    uint8_t bytes[ED25519_SIGNATURE_SIZE];
    ed25519_sha512_sign(key->signer, key->secret, strlen(text), (const uint8_t *)text, bytes);
    eqp_hex_print(key->signer, sizeof key->signer, signer);
    eqp_hex_print(bytes, sizeof bytes, signature);
    signer[EQP_SIGNER_DIGITS] = signature[EQP_SIGNATURE_DIGITS] = '\0';
}

bool eqp_signature_holds(const char *text, const char *signer, const char *signature)
{
    uint8_t key[ED25519_KEY_SIZE], bytes[ED25519_SIGNATURE_SIZE];
    return strlen(signer) == EQP_SIGNER_DIGITS && strlen(signature) == EQP_SIGNATURE_DIGITS &&
           read_digits(signer, EQP_SIGNER_DIGITS, key) &&
           read_digits(signature, EQP_SIGNATURE_DIGITS, bytes) &&
           ed25519_sha512_verify(key, strlen(text), (const uint8_t *)text, bytes) == 1;
}
