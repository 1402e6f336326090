/* Looking before leaping: hours of learning must not end with "read-only file system". */
#include "files.h"

#include "failure.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

/* Links and symlinks lead to the same device and inode.  Only regular files are harmed by being overwritten
 * while they are read. */
static bool same_file(const char *output, const char *input)
{
    struct stat a, b;
    if ((is_standard(output) ? fstat(STDOUT_FILENO, &a) : stat(output, &a)) != 0) return false;
    if ((is_standard(input) ? fstat(STDIN_FILENO, &b) : stat(input, &b)) != 0) return false;
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Creates and removes a file beside the target: the only answer that holds for every file system. */
static eqp_status try_beside(const char *path, eqp_error *error)
{
    char copy[PATH_MAX], probe[PATH_MAX + 16];
    if (strlen(path) >= sizeof copy) return fail(error, EQP_USAGE, "the name \"%.80s…\" is too long", path);
    strcpy(copy, path);
    snprintf(probe, sizeof probe, "%s/.equipoiseXXXXXX", dirname(copy));
    int file = mkstemp(probe);
    if (file < 0) return fail_errno(error, "create", path);
    close(file);
    unlink(probe);
    return EQP_OK;
}

eqp_status files_check_output(const char *output, const char *const *inputs, size_t input_count,
                              eqp_error *error)
{
    for (size_t i = 0; i < input_count; i++)
        if (inputs[i] && same_file(output, inputs[i])) {
            fail(error, EQP_USAGE, "output \"%s\" is the same file as input \"%s\"",
                 is_standard(output) ? "standard output" : output, inputs[i]);
            remedy(error, "write to another file; the input would be lost");
            return EQP_USAGE;
        }
    if (is_standard(output)) return EQP_OK;
    struct stat target;
    bool exists = stat(output, &target) == 0;
    if (exists && S_ISDIR(target.st_mode))
        return fail(error, EQP_IO, "cannot write \"%s\": is a directory", output);
    if (exists && !S_ISREG(target.st_mode)) return EQP_OK; /* a pipe or device is written straight */
    return try_beside(output, error);
}

eqp_status files_check_outputs(const char *const *outputs, size_t output_count, const char *const *inputs,
                               size_t input_count, eqp_error *error)
{
    for (size_t i = 0; i < output_count; i++) {
        if (outputs[i] == NULL) continue;
        for (size_t j = 0; j < i; j++)
            if (outputs[j] && strcmp(outputs[i], outputs[j]) == 0)
                return fail(error, EQP_USAGE, "two outputs go to \"%s\"", outputs[i]);
        eqp_status status = files_check_output(outputs[i], inputs, input_count, error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

static bool write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

static eqp_status write_beside(const char *path, const char *text, eqp_error *error)
{
    char beside[PATH_MAX + 16];
    snprintf(beside, sizeof beside, "%s.XXXXXX", path);
    int file = mkstemp(beside);
    if (file < 0) return fail_errno(error, "create", path);
    mode_t mask = umask(0);
    umask(mask);
    bool written = write_all(file, text, strlen(text)) && fchmod(file, 0666 & ~mask) == 0 && fsync(file) == 0;
    written = close(file) == 0 && written;
    if (written && rename(beside, path) == 0) return EQP_OK;
    eqp_status status = fail_errno(error, "write", path);
    unlink(beside);
    return status;
}

static eqp_status write_straight(const char *path, const char *text, eqp_error *error)
{
    int file = open(path, O_WRONLY);
    if (file < 0) return fail_errno(error, "open", path);
    bool written = write_all(file, text, strlen(text));
    eqp_status status = written ? EQP_OK : fail_errno(error, "write", path);
    close(file);
    return status;
}

eqp_status files_write_text(const char *path, const char *text, eqp_error *error)
{
    if (is_standard(path)) {
        fputs(text, stdout); /* main looks whether it arrived */
        return EQP_OK;
    }
    struct stat target;
    if (stat(path, &target) == 0 && !S_ISREG(target.st_mode)) return write_straight(path, text, error);
    return write_beside(path, text, error);
}

eqp_status files_read_text(const char *path, char **text, eqp_error *error)
{
    size_t length = 0, capacity = 1 << 16, got = 1;
    FILE *file = fopen(path, "r");
    *text = NULL;
    if (file == NULL) return fail_errno(error, "open", path);
    char *bytes = malloc(capacity + 1);
    while (bytes != NULL && got > 0) {
        got = fread(bytes + length, 1, capacity - length, file);
        length += got;
        if (length < capacity) continue;
        char *larger = realloc(bytes, 2 * capacity + 1);
        if (larger == NULL) free(bytes);
        bytes = larger;
        capacity *= 2;
    }
    bool broken = ferror(file) != 0;
    eqp_status status = bytes == NULL ? fail(error, EQP_MEMORY, "not enough memory")
                        : broken      ? fail_errno(error, "read", path)
                                      : EQP_OK;
    fclose(file);
    if (status == EQP_OK) {
        bytes[length] = '\0';
        *text = bytes;
    } else {
        free(bytes);
    }
    return status;
}
