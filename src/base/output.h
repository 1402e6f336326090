/* Output files that are replaced whole or not at all: written beside the target, synced, renamed, directory
 * synced.  Nothing is left behind when the work is given up or the process dies (the file has no name until
 * it is finished, where the file system allows that).  A pipe or "-" is written straight. */
#ifndef EQP_BASE_OUTPUT_H
#define EQP_BASE_OUTPUT_H

#include "base/status.h"

typedef struct eqp_output eqp_output;

/* NULL or "-" is standard output.  Fails at once where the target could not be written at the end. */
eqp_status eqp_output_open(const char *path, eqp_output **output, eqp_error *error);
eqp_status eqp_output_write(eqp_output *output, const void *bytes, size_t length, eqp_error *error);
/* Publishes the file and frees the output; on failure the old file is untouched and the output freed too. */
eqp_status eqp_output_finish(eqp_output *output, eqp_error *error);
/* Gives up: the old file stays. NULL is legal. */
void eqp_output_abandon(eqp_output *output);
/* Whether writing `path` would overwrite the file that `input` names, also through links. */
bool eqp_output_is_input(const char *path, const char *input);

/* A whole text in one call. */
eqp_status eqp_output_text(const char *path, const char *text, size_t length, eqp_error *error);
/* The same for its owner's eyes alone: mode 0600, also where an older file had another. */
eqp_status eqp_output_private(const char *path, const char *text, size_t length, eqp_error *error);

#endif
