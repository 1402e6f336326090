/* Looking before leaping: hours of learning must not end with "read-only file system". */
#include "files.h"

#include "failure.h"

#include <stdio.h>
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
    return eqp_file_check(output, error);
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

eqp_status files_write_text(const char *path, const char *text, eqp_error *error)
{
    if (is_standard(path)) {
        fputs(text, stdout); /* main looks whether it arrived */
        return EQP_OK;
    }
    return eqp_file_write(path, text, error);
}
