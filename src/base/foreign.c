/* dlopen with errors as records. */
#include "base/foreign.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* The loader tells want of memory by the system's words for it alone. */
static eqp_status fail_loading(const eqp_foreign *library, eqp_error *error)
{
    const char *reason = dlerror();
    size_t length = strlen(library->file);
    if (reason == NULL) reason = "reason unknown";
    if (strstr(reason, strerror(ENOMEM)) != NULL) return eqp_fail_memory(error);
    if (strncmp(reason, library->file, length) == 0 && reason[length] == ':') reason += length + 2;
    eqp_fail(error, EQP_IO, "cannot load \"%s\": %s", library->file, reason);
    eqp_hint(error, "learning needs this library; the Debian package is %s", library->package);
    return EQP_IO;
}

static eqp_status load(const eqp_foreign *library, void *table, eqp_error *error)
{
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return fail_loading(library, error);
    for (size_t i = 0; i < library->count; i++) {
        void *function = dlsym(handle, library->names[i]);
        if (function == NULL) {
            eqp_status status = fail_loading(library, error);
            dlclose(handle);
            return status;
        }
        memcpy((char *)table + i * sizeof function, &function, sizeof function);
    }
    return EQP_OK;
}

eqp_status eqp_foreign_load(eqp_foreign *library, void *table, eqp_error *error)
{
    eqp_status status = EQP_OK;
    pthread_mutex_lock(&library->lock);
    if (!library->loaded) {
        status = load(library, table, error);
        library->loaded = status == EQP_OK;
        if (library->loaded && library->begin != NULL) library->begin(table);
    }
    pthread_mutex_unlock(&library->lock);
    return status;
}
