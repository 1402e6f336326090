/* Bytes of a pipe kept for a second look: a temporary file without a name, gone with the process. */
#ifndef EQP_SELECT_SPOOL_H
#define EQP_SELECT_SPOOL_H

#include "base/status.h"

typedef struct eqp_spool eqp_spool;

eqp_status eqp_spool_new(eqp_spool **spool, eqp_error *error);
eqp_status eqp_spool_add(eqp_spool *spool, const char *bytes, size_t length, eqp_error *error);
/* A path under which the bytes so far can be read from the start, as long as the spool lives. */
eqp_status eqp_spool_path(eqp_spool *spool, const char **path, eqp_error *error);
void eqp_spool_free(eqp_spool *spool);

#endif
