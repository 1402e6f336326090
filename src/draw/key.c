/* Keys (M12): 64 hexadecimal digits in a file that only its owner may read.  Whoever knows the key knows
 * every draw. */
#include "base/status.h"
#include "draw/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_BYTES  32
#define KEY_DIGITS 64

static eqp_status fill_with_randomness(uint8_t *bytes, size_t count, eqp_error *error)
{
    for (size_t done = 0; done < count;) {
        ssize_t got = getrandom(bytes + done, count - done, 0);
        if (got < 0 && errno != EINTR)
            return eqp_fail(error, EQP_IO, "the system gives no randomness: %s", strerror(errno));
        if (got > 0) done += (size_t)got;
    }
    return EQP_OK;
}

eqp_status eqp_key_make(eqp_key *key, eqp_error *error)
{
    uint8_t bytes[KEY_BYTES];
    memset(key, 0, sizeof *key);
    eqp_status status = fill_with_randomness(bytes, sizeof bytes, error);
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
