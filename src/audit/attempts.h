/* Looks at labels, counted.
 *
 * "Audit until it passes" is answered by counting: attempt a may err with (1 - confidence) / 2^a only, so
 * that all attempts together stay within 1 - confidence.  An attempt counts when the log has one with the
 * same model, whatever the rows, or with the same rows, whatever the model: both are ways to try again.
 *
 * The log is append-only, one JSON object per line, each with the digest of the line before it; an attempt is
 * written down before its result is known.  Rows are recognised by fingerprints without sensitive columns
 * (encode/fingerprint.h), salted by the log: over the columns of the model, and over all columns.  Neither
 * the order of rows or columns, names, blank lines, nor columns that the model does not use change both.
 *
 * A series of looks that is valid at any time (--anytime) is one attempt as long as rows are only added
 * behind those of the look before.  Other rows behind the same beginning are another attempt. */
#ifndef EQP_AUDIT_ATTEMPTS_H
#define EQP_AUDIT_ATTEMPTS_H

#include "encode/fingerprint.h"
#include "encode/groups.h"

typedef struct eqp_look {
    const char *model_id;
    const eqp_sample *sample;
    const eqp_row_mark *used, *all; /* marks over the model's columns, and over all that are not sensitive */
    bool anytime;
} eqp_look;

/* Writes the look down and gives the number of its attempt and the digest of its line.  The log is created
 * when missing and locked while it is used.  EQP_DATA for a file that is not such a log, or was changed. */
eqp_status eqp_attempts_begin(const char *log, const eqp_look *look, unsigned *attempt, char head[65],
                              eqp_error *error);

#endif
