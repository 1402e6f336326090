/* Bytes of a pipe kept for a second look. */
#include "base/memory.h"
#include "select/select.h"

#include <stdio.h>

struct eqp_spool {
    FILE *file;
    char path[32];
};

eqp_status eqp_spool_new(eqp_spool **spool, eqp_error *error)
{
    *spool = eqp_alloc_zero(1, sizeof **spool);
    if (*spool == NULL) return eqp_fail_memory(error);
    (*spool)->file = tmpfile();
    if ((*spool)->file != NULL) {
        snprintf((*spool)->path, sizeof(*spool)->path, "/proc/self/fd/%d", fileno((*spool)->file));
        return EQP_OK;
    }
    eqp_spool_free(*spool);
    *spool = NULL;
    return eqp_fail_errno(error, "create a temporary file in", P_tmpdir);
}

eqp_status eqp_spool_add(eqp_spool *spool, const char *bytes, size_t length, eqp_error *error)
{
    if (fwrite(bytes, 1, length, spool->file) == length) return EQP_OK;
    return eqp_fail_errno(error, "write a temporary file in", P_tmpdir);
}

eqp_status eqp_spool_path(eqp_spool *spool, const char **path, eqp_error *error)
{
    *path = spool->path;
    return fflush(spool->file) == 0 ? EQP_OK : eqp_fail_errno(error, "write a temporary file in", P_tmpdir);
}

void eqp_spool_free(eqp_spool *spool)
{
    if (spool == NULL) return;
    if (spool->file != NULL) fclose(spool->file);
    free(spool);
}
