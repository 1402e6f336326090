/* Files of lines that are only ever added to. */
#include "base/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TRIES = 200 };
static const struct timespec BETWEEN_TRIES = {.tv_nsec = 50 * 1000 * 1000};

static eqp_status lock(const eqp_journal *journal, eqp_error *error)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        if (flock(journal->file, LOCK_EX | LOCK_NB) == 0) return EQP_OK;
        if (errno != EINTR && errno != EWOULDBLOCK) return eqp_fail_errno(error, "lock", journal->path);
        nanosleep(&BETWEEN_TRIES, NULL);
    }
    return eqp_fail(error, EQP_IO, "another program is using \"%s\"", journal->path);
}

eqp_status eqp_journal_open(const char *path, eqp_journal *journal, eqp_error *error)
{
    *journal = (eqp_journal){.path = path};
    journal->file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (journal->file < 0) return eqp_fail_errno(error, "open", path);
    eqp_status status = lock(journal, error);
    return status == EQP_OK ? eqp_buffer_read(&journal->text, journal->file, path, SIZE_MAX, error) : status;
}

void eqp_journal_close(eqp_journal *journal)
{
    if (journal->path != NULL && journal->file >= 0) close(journal->file);
    eqp_buffer_free(&journal->text);
    *journal = (eqp_journal){0};
}

bool eqp_journal_next(const eqp_journal *journal, size_t *at, const char **line, size_t *length, bool *whole)
{
    size_t left = journal->text.length - *at;
    if (left == 0) return false;
    *line = journal->text.bytes + *at;
    const char *end = memchr(*line, '\n', left);
    *whole = end != NULL;
    *length = *whole ? (size_t)(end - *line) : left;
    *at += *length + *whole;
    return true;
}

eqp_status eqp_journal_cut(eqp_journal *journal, size_t at, eqp_error *error)
{
    if (at == journal->text.length) return EQP_OK;
    return ftruncate(journal->file, (off_t)at) == 0 ? EQP_OK
                                                    : eqp_fail_errno(error, "shorten", journal->path);
}

/* Signals may interrupt a write, and leave it short. */
static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written == 0) errno = ENOSPC;
        if (written <= 0) return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

eqp_status eqp_journal_add(eqp_journal *journal, const char *line, eqp_error *error)
{
    eqp_buffer text = {0};
    eqp_buffer_printf(&text, "%s\n", line);
    if (text.failed) return eqp_fail_memory(error);
    bool whole = write_all(journal->file, text.bytes, text.length);
    eqp_buffer_free(&text);
    return whole && fsync(journal->file) == 0 ? EQP_OK : eqp_fail_errno(error, "write", journal->path);
}
