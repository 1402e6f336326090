/* Output files that are replaced whole or not at all.
 *
 *     open    a file without a name in the target's directory (O_TMPFILE), or with a hidden one where the
 *             file system knows no nameless files
 *     write   through a buffer of our own
 *     finish  sync the bytes, link or rename to the target's name, sync the directory
 *
 * Dying before `finish` leaves nothing behind: the kernel drops a nameless file with its last descriptor. */
#include "base/output.h"

#include "base/memory.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES    ((size_t)1 << 16)
#define MAX_LINKS       40 /* of symbolic links to follow, as in the kernel */
#define TEMPORARY_BYTES 40

struct eqp_output {
    int file;
    int directory;    /* of the target; -1 when written straight */
    char *target;     /* after symbolic links; for messages too */
    const char *name; /* of the target within its directory */
    bool named;       /* the bytes stand under `temporary` now */
    char temporary[TEMPORARY_BYTES];
    size_t used;
    char buffer[BUFFER_BYTES];
};

static bool is_standard_output(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* One step through a symbolic link: the path it leads to, seen from where the link stands. */
static char *path_behind(const char *link)
{
    char to[PATH_MAX];
    ssize_t length = readlink(link, to, sizeof to);
    if (length < 0) return NULL;
    size_t prefix = to[0] == '/' ? 0 : (size_t)(last_name(link) - link);
    char *path = eqp_alloc(prefix + (size_t)length + 1, 1);
    if (path == NULL) return NULL;
    memcpy(path, link, prefix);
    memcpy(path + prefix, to, (size_t)length);
    path[prefix + (size_t)length] = '\0';
    return path;
}

/* The file that would be written, which need not exist yet; NULL with errno set. */
static char *follow_links(const char *path)
{
    char *current = eqp_copy_text(path, strlen(path));
    struct stat status;
    for (int i = 0; current != NULL && i < MAX_LINKS; i++) {
        if (lstat(current, &status) != 0 || !S_ISLNK(status.st_mode)) return current;
        char *next = path_behind(current);
        free(current);
        current = next;
    }
    if (current == NULL) return NULL;
    free(current);
    errno = ELOOP;
    return NULL;
}

static int open_directory(const char *target)
{
    const char *name = last_name(target);
    if (name == target) return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char *path = eqp_copy_text(target, (size_t)(name - target));
    if (path == NULL) return -1;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(path);
    return directory;
}

static bool choose_name(char temporary[TEMPORARY_BYTES])
{
    unsigned long long suffix;
    if (getrandom(&suffix, sizeof suffix, 0) != (ssize_t)sizeof suffix) return false;
    snprintf(temporary, TEMPORARY_BYTES, ".equipoise-%016llx.tmp", suffix);
    return true;
}

static bool open_nameless(eqp_output *output)
{
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) != 0) return false; /* it could not be given a name later */
    output->file = openat(output->directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
    return output->file >= 0;
}

static bool open_named(eqp_output *output)
{
    do {
        if (!choose_name(output->temporary)) return false;
        output->file =
            openat(output->directory, output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (output->file < 0 && errno == EEXIST);
    output->named = output->file >= 0;
    return output->named;
}

/* The new file stands in for the old one, so it keeps the old one's permissions. */
static bool open_beside(eqp_output *output, const struct stat *old)
{
    if (old != NULL && faccessat(AT_FDCWD, output->target, W_OK, AT_EACCESS) != 0) return false;
    output->directory = open_directory(output->target);
    if (output->directory < 0 || (!open_nameless(output) && !open_named(output))) return false;
    return old == NULL || fchmod(output->file, old->st_mode & 07777) == 0;
}

static bool open_target(eqp_output *output)
{
    struct stat old;
    output->name = last_name(output->target);
    if (stat(output->target, &old) != 0) {
        if (errno != ENOENT) return false;
        if (*output->name != '\0') return open_beside(output, NULL);
        errno = EISDIR;
        return false;
    }
    if (S_ISREG(old.st_mode)) return open_beside(output, &old);
    output->file = open(output->target, O_WRONLY | O_CLOEXEC); /* a device, a pipe; fails for a directory */
    return output->file >= 0;
}

eqp_status eqp_output_open(const char *path, eqp_output **output, eqp_error *error)
{
    *output = NULL;
    eqp_output *made = eqp_alloc(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->file = made->directory = -1;
    made->target = NULL;
    made->named = false;
    made->used = 0;
    if (is_standard_output(path)) {
        made->file = STDOUT_FILENO;
    } else if ((made->target = follow_links(path)) == NULL || !open_target(made)) {
        eqp_status status = eqp_fail_errno(error, "write", path);
        eqp_output_abandon(made);
        return status;
    }
    *output = made;
    return EQP_OK;
}

static const char *name_for_messages(const eqp_output *output)
{
    return output->target != NULL ? output->target : "standard output";
}

/* Whether to try again after a failed write: interrupted, or a full pipe that does not block. */
static bool may_retry(int file)
{
    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    struct pollfd waiting = {.fd = file, .events = POLLOUT};
    return poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

static eqp_status write_all(eqp_output *output, const char *bytes, size_t length, eqp_error *error)
{
    while (length > 0) {
        ssize_t written = write(output->file, bytes, length);
        if (written < 0 && !may_retry(output->file))
            return eqp_fail_errno(error, "write", name_for_messages(output));
        if (written <= 0) continue;
        bytes += written;
        length -= (size_t)written;
    }
    return EQP_OK;
}

static eqp_status flush(eqp_output *output, eqp_error *error)
{
    size_t length = output->used;
    output->used = 0;
    return write_all(output, output->buffer, length, error);
}

eqp_status eqp_output_write(eqp_output *output, const void *bytes, size_t length, eqp_error *error)
{
    if (length > BUFFER_BYTES - output->used) {
        eqp_status status = flush(output, error);
        if (status != EQP_OK) return status;
        if (length >= BUFFER_BYTES) return write_all(output, bytes, length, error);
    }
    if (length > 0) memcpy(output->buffer + output->used, bytes, length);
    output->used += length;
    return EQP_OK;
}

/* A nameless file gets its final name at once where that is free, so that dying here leaves nothing. */
static bool link_file(eqp_output *output)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", output->file);
    if (linkat(AT_FDCWD, self, output->directory, output->name, AT_SYMLINK_FOLLOW) == 0) return true;
    if (errno != EEXIST) return false;
    do {
        if (!choose_name(output->temporary)) return false;
        output->named = linkat(AT_FDCWD, self, output->directory, output->temporary, AT_SYMLINK_FOLLOW) == 0;
    } while (!output->named && errno == EEXIST);
    return output->named;
}

static bool rename_file(eqp_output *output)
{
    if (!output->named) return true;
    if (renameat(output->directory, output->temporary, output->directory, output->name) != 0) return false;
    output->named = false;
    return true;
}

/* Some file systems cannot sync a directory; they say EINVAL. */
static bool sync_directory(eqp_output *output)
{
    return fsync(output->directory) == 0 || errno == EINVAL;
}

static bool publish(eqp_output *output)
{
    if (fsync(output->file) != 0) return false;
    if (!output->named && !link_file(output)) return false;
    return rename_file(output) && sync_directory(output);
}

static bool close_straight(eqp_output *output)
{
    if (output->target == NULL) return true; /* standard output stays open */
    int file = output->file;
    output->file = -1;
    return close(file) == 0;
}

eqp_status eqp_output_finish(eqp_output *output, eqp_error *error)
{
    eqp_status status = flush(output, error);
    if (status == EQP_OK && !(output->directory >= 0 ? publish(output) : close_straight(output)))
        status = eqp_fail_errno(error, "write", name_for_messages(output));
    eqp_output_abandon(output);
    return status;
}

void eqp_output_abandon(eqp_output *output)
{
    if (output == NULL) return;
    if (output->named) unlinkat(output->directory, output->temporary, 0);
    if (output->file >= 0 && output->target != NULL) close(output->file);
    if (output->directory >= 0) close(output->directory);
    free(output->target);
    free(output);
}

bool eqp_output_is_input(const char *path, const char *input)
{
    struct stat to, from;
    bool from_stdin = input == NULL || strcmp(input, "-") == 0;
    int to_found = is_standard_output(path) ? fstat(STDOUT_FILENO, &to) : stat(path, &to);
    int from_found = from_stdin ? fstat(STDIN_FILENO, &from) : stat(input, &from);
    return to_found == 0 && from_found == 0 && S_ISREG(to.st_mode) && to.st_dev == from.st_dev &&
           to.st_ino == from.st_ino;
}

/* A pipe or terminal keeps its mode. */
static bool hide(const eqp_output *output)
{
    struct stat found;
    if (fstat(output->file, &found) != 0) return false;
    return !S_ISREG(found.st_mode) || fchmod(output->file, 0600) == 0;
}

static eqp_status write_text(const char *path, const char *text, size_t length, bool private,
                             eqp_error *error)
{
    eqp_output *output;
    eqp_status status = eqp_output_open(path, &output, error);
    if (status == EQP_OK && private && !hide(output)) status = eqp_fail_errno(error, "hide", path);
    if (status == EQP_OK) status = eqp_output_write(output, text, length, error);
    if (status == EQP_OK) return eqp_output_finish(output, error);
    eqp_output_abandon(output);
    return status;
}

eqp_status eqp_output_text(const char *path, const char *text, size_t length, eqp_error *error)
{
    return write_text(path, text, length, false, error);
}

eqp_status eqp_output_private(const char *path, const char *text, size_t length, eqp_error *error)
{
    return write_text(path, text, length, true, error);
}

eqp_status eqp_file_write_private(const char *path, const char *text, eqp_error *error)
{
    return eqp_output_private(path, text, strlen(text), error);
}

eqp_status eqp_file_write(const char *path, const char *text, eqp_error *error)
{
    return eqp_output_text(path, text, strlen(text), error);
}

eqp_status eqp_file_check(const char *path, eqp_error *error)
{
    struct stat found;
    eqp_output *output;
    if (is_standard_output(path)) return EQP_OK;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) return EQP_OK;
    eqp_status status = eqp_output_open(path, &output, error);
    if (status == EQP_OK) eqp_output_abandon(output);
    return status;
}
