/* Files of lines that are only ever added to: the draws of a pool, attempts at an audit, finished trials.
 *
 * A journal is locked from opening to closing, so that two programs never write between each other's lines.
 * A line is written by one call and synced: it is there whole, or was cut off by a crash or a full disk. */
#ifndef EQP_BASE_JOURNAL_H
#define EQP_BASE_JOURNAL_H

#include "base/buffer.h"

typedef struct eqp_journal {
    const char *path; /* borrowed */
    int file;
    eqp_buffer text; /* what was there when it was opened */
} eqp_journal;

/* Makes the file where there is none.  Waits a while for another program that uses it. */
eqp_status eqp_journal_open(const char *path, eqp_journal *journal, eqp_error *error);
/* A journal that could not be opened is closed too. */
void eqp_journal_close(eqp_journal *journal);

/* The line at *at, without its end, which may be missing from the last one (`whole`); *at moves behind it.
 * False past the last. */
bool eqp_journal_next(const eqp_journal *journal, size_t *at, const char **line, size_t *length, bool *whole);
/* Drops all from there on. */
eqp_status eqp_journal_cut(eqp_journal *journal, size_t at, eqp_error *error);
eqp_status eqp_journal_add(eqp_journal *journal, const char *line, eqp_error *error);

#endif
