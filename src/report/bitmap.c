/* Drawings as PNG: one run of rsvg-convert each, without a shell. */
#include "report/bitmap.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "rsvg-convert"

extern char **environ;

/* 0, or why it was not started. */
static int start(const char *svg, const char *output, pid_t *child)
{
    const char *words[] = {PROGRAM, "--zoom=2", output, "--", svg, NULL};
    posix_spawn_file_actions_t files;
    int failed = posix_spawn_file_actions_init(&files);
    if (failed != 0) return failed;
    failed = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (failed == 0)
        failed = posix_spawnp(child, PROGRAM, &files, NULL, (char *const *)(size_t)words, environ);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

static bool ends_well(pid_t child)
{
    int how = 0;
    while (waitpid(child, &how, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static bool read_back(const char *path, eqp_buffer *bytes)
{
    char part[65536];
    FILE *file = fopen(path, "rbe");
    if (file == NULL) return false;
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) eqp_buffer_add(bytes, part, got);
    bool whole = ferror(file) == 0;
    return fclose(file) == 0 && whole && !bytes->failed && bytes->length > 0;
}

eqp_status eqp_bitmap_draw(const char *svg, const char *png, eqp_buffer *bytes, bool *drawn, eqp_error *error)
{
    eqp_buffer output = {0};
    pid_t child;
    *drawn = false;
    eqp_buffer_printf(&output, "--output=%s", png);
    if (output.failed) return eqp_fail_memory(error);
    int failed = start(svg, output.bytes, &child);
    eqp_buffer_free(&output);
    if (failed == ENOENT) return EQP_OK;
    if (failed != 0) return eqp_fail(error, EQP_IO, "cannot start " PROGRAM ": %s", strerror(failed));
    if (!ends_well(child) || !read_back(png, bytes))
        return eqp_fail(error, EQP_IO, PROGRAM " did not draw \"%s\"", svg);
    *drawn = true;
    return EQP_OK;
}
