/* dlopen with errors as records. */
#include "oracle/xgboost.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* The loader reports short memory in the system's words for it, and in no other way. */
static eqp_status fail_loading(const eqp_foreign *library, eqp_error *error)
{
    const char *reason = dlerror();
    if (reason == NULL) reason = "reason unknown";
    if (strstr(reason, strerror(ENOMEM)) != NULL) return eqp_fail_memory(error);
    eqp_fail(error, EQP_IO, "cannot load %s: %.300s", library->name, reason);
    eqp_hint(error, "%s", library->hint);
    return EQP_IO;
}

static eqp_status fill(const eqp_foreign *library, void *handle, void *table, eqp_error *error)
{
    for (size_t i = 0; i < library->count; i++) {
        void *function = dlsym(handle, library->function[i]);
        if (function == NULL) return fail_loading(library, error);
        memcpy((char *)table + i * sizeof function, &function, sizeof function);
    }
    return EQP_OK;
}

/* Where no file can be loaded, the first one's reason is told. */
static eqp_status load(const eqp_foreign *library, void *table, eqp_error *error)
{
    eqp_status status = EQP_IO;
    for (size_t k = 0; library->file[k] != NULL; k++) {
        void *handle = dlopen(library->file[k], RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL) {
            if (k == 0) status = fail_loading(library, error);
            continue;
        }
        status = fill(library, handle, table, error);
        if (status != EQP_OK) dlclose(handle);
        return status;
    }
    return status;
}

eqp_status eqp_foreign_load(eqp_foreign *library, void *table, eqp_error *error)
{
    eqp_status status = EQP_OK;
    pthread_mutex_lock(&library->lock);
    if (!library->loaded) {
        status = load(library, table, error);
        library->loaded = status == EQP_OK;
    }
    pthread_mutex_unlock(&library->lock);
    return status;
}
