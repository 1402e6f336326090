/* Keys (M12): 64 hexadecimal digits in a file that only its owner may read.  Whoever knows the key knows
 * every draw. */
#include "base/status.h"
#include "draw/digest.h"
#include "draw/draw.h"
#include "draw/sign.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/hmac.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_BYTES  32
#define KEY_DIGITS 64

eqp_status eqp_random_bytes(uint8_t *bytes, size_t count, eqp_error *error)
{
    for (size_t done = 0; done < count;) {
        ssize_t got = getrandom(bytes + done, count - done, 0);
        if (got < 0 && errno != EINTR)
            return eqp_fail(error, EQP_IO, "the system provides no randomness: %s", strerror(errno));
        if (got > 0) done += (size_t)got;
    }
    return EQP_OK;
}

eqp_status eqp_key_make(eqp_key *key, eqp_error *error)
{
    uint8_t bytes[KEY_BYTES];
    memset(key, 0, sizeof *key);
    eqp_status status = eqp_random_bytes(bytes, sizeof bytes, error);
    if (status == EQP_OK) eqp_hex_print(bytes, sizeof bytes, key->hex);
    explicit_bzero(bytes, sizeof bytes);
    return status;
}

static bool write_whole(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno != EINTR) return false;
        if (written < 0) continue;
        bytes += written;
        length -= (size_t)written;
    }
    return fsync(file) == 0 || errno == EINVAL; /* a pipe cannot be synced */
}

static eqp_status write_key(int file, const eqp_key *key, const char *path, eqp_error *error)
{
    char line[KEY_DIGITS + 1];
    memcpy(line, key->hex, KEY_DIGITS);
    line[KEY_DIGITS] = '\n';
    bool written = write_whole(file, line, sizeof line);
    explicit_bzero(line, sizeof line);
    return written ? EQP_OK : eqp_fail_errno(error, "write", path);
}

/* A key that was used decides who was chosen: it is never overwritten. */
static eqp_status open_new(const char *path, int *file, eqp_error *error)
{
    *file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*file >= 0) return EQP_OK;
    if (errno != EEXIST) return eqp_fail_errno(error, "create", path);
    eqp_fail(error, EQP_USAGE, "\"%s\" exists already", path);
    eqp_hint(error, "a key is never overwritten; choose another name");
    return EQP_USAGE;
}

eqp_status eqp_key_create(const char *path, eqp_error *error)
{
    eqp_key key;
    int file;
    eqp_status status = open_new(path, &file, error);
    if (status != EQP_OK) return status;
    status = eqp_key_make(&key, error);
    if (status == EQP_OK) status = write_key(file, &key, path, error);
    explicit_bzero(&key, sizeof key);
    if (close(file) != 0 && status == EQP_OK) status = eqp_fail_errno(error, "write", path);
    if (status != EQP_OK) unlink(path);
    return status;
}

static eqp_status check_mode(int file, const char *path, eqp_error *error)
{
    struct stat found;
    if (fstat(file, &found) != 0) return eqp_fail_errno(error, "read", path);
    if (!S_ISREG(found.st_mode) || (found.st_mode & 077) == 0) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "key file \"%s\" can be read by others", path);
    eqp_hint(error, "chmod 600 %s", path);
    return EQP_USAGE;
}

/* At most `capacity` bytes. */
static eqp_status read_whole(int file, const char *path, char *bytes, size_t capacity, size_t *length,
                             eqp_error *error)
{
    *length = 0;
    while (*length < capacity) {
        ssize_t got = read(file, bytes + *length, capacity - *length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return eqp_fail_errno(error, "read", path);
        if (got == 0) break;
        *length += (size_t)got;
    }
    return EQP_OK;
}

static bool take_digits(const char *bytes, size_t length, eqp_key *key)
{
    if (length == KEY_DIGITS + 1 && bytes[KEY_DIGITS] == '\n') length--;
    if (length != KEY_DIGITS) return false;
    for (size_t i = 0; i < KEY_DIGITS; i++) {
        char digit = bytes[i] >= 'A' && bytes[i] <= 'F' ? (char)(bytes[i] + 'a' - 'A') : bytes[i];
        if (!((digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'))) return false;
        key->hex[i] = digit;
    }
    key->hex[KEY_DIGITS] = '\0';
    return true;
}

/* A key that somebody typed.  Of 64 random digits eight or fewer different ones come up with a chance of
 * 1e-15, a repeated stretch with one of 1e-38. */
static bool is_weak(const eqp_key *key)
{
    unsigned seen = 0;
    for (size_t i = 0; i < KEY_DIGITS; i++) seen |= 1U << (key->hex[i] & 15) << (key->hex[i] > '9' ? 9 : 0);
    if (__builtin_popcount(seen) <= 8) return true;
    for (size_t period = 1; period <= KEY_DIGITS / 2; period++)
        if (memcmp(key->hex, key->hex + period, KEY_DIGITS - period) == 0) return true;
    return false;
}

static eqp_status fail_weak(eqp_error *error)
{
    eqp_fail(error, EQP_USAGE, "the key is weak: its digits repeat");
    eqp_hint(error, "a key comes from the system's randomness: equipoise key new FILE");
    return EQP_USAGE;
}

eqp_status eqp_key_parse(const char *digits, eqp_key *key, eqp_error *error)
{
    eqp_key parsed = {0};
    bool whole = strlen(digits) == KEY_DIGITS && take_digits(digits, KEY_DIGITS, &parsed);
    bool weak = whole && is_weak(&parsed);
    memset(key, 0, sizeof *key);
    if (whole && !weak) *key = parsed;
    explicit_bzero(&parsed, sizeof parsed);
    if (!whole) return eqp_fail(error, EQP_USAGE, "a key has 64 hexadecimal digits");
    return weak ? fail_weak(error) : EQP_OK;
}

static eqp_status read_key(int file, const char *path, eqp_key *key, eqp_error *error)
{
    char bytes[KEY_DIGITS + 2];
    size_t length;
    eqp_status status = check_mode(file, path, error);
    if (status == EQP_OK) status = read_whole(file, path, bytes, sizeof bytes, &length, error);
    if (status == EQP_OK && !take_digits(bytes, length, key)) {
        status = eqp_fail(error, EQP_DATA, "\"%s\" is not a key of 64 hexadecimal digits", path);
        eqp_hint(error, "make one with: equipoise key new FILE");
    }
    if (status == EQP_OK && is_weak(key)) status = fail_weak(error);
    explicit_bzero(bytes, sizeof bytes);
    return status;
}

eqp_status eqp_key_read(const char *path, eqp_key *key, eqp_error *error)
{
    memset(key, 0, sizeof *key);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return eqp_fail_errno(error, "open", path);
    eqp_status status = read_key(file, path, key, error);
    close(file);
    if (status != EQP_OK) explicit_bzero(key, sizeof *key);
    return status;
}

void eqp_key_commitment(const eqp_key *key, char commitment[65])
{
    eqp_digest_of(key->hex, KEY_DIGITS, commitment);
}

void eqp_key_mix(const eqp_key *key, const char *randomness, eqp_key *mixed)
{
    eqp_digest digest;
    eqp_digest_begin(&digest);
    eqp_digest_add(&digest, key->hex, KEY_DIGITS);
    eqp_digest_add(&digest, ":", 1);
    eqp_digest_add(&digest, randomness, strlen(randomness));
    eqp_digest_end(&digest, mixed->hex);
}

void eqp_key_derive(const eqp_key *key, const char *purpose, eqp_key *derived)
{
    eqp_digest digest;
    eqp_digest_begin(&digest);
    eqp_digest_add(&digest, key->hex, KEY_DIGITS);
    eqp_digest_add(&digest, purpose, strlen(purpose)); /* never begins with ":", as randomness does */
    eqp_digest_end(&digest, derived->hex);
}

void eqp_key_mac(const eqp_key *key, const void *bytes, size_t length, char mac[65])
{
    eqp_key derived;
    struct hmac_sha256_ctx state;
    uint8_t raw[SHA256_DIGEST_SIZE];
    eqp_key_derive(key, EQP_KEY_FOR_MACS, &derived);
    hmac_sha256_set_key(&state, KEY_DIGITS, (const uint8_t *)derived.hex);
    hmac_sha256_update(&state, length, bytes);
    hmac_sha256_digest(&state, sizeof raw, raw);
    eqp_hex_print(raw, sizeof raw, mac);
    mac[2 * sizeof raw] = '\0';
    explicit_bzero(&derived, sizeof derived);
    explicit_bzero(&state, sizeof state);
}
