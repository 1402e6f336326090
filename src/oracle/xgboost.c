/* The table of XGBoost, and where to look for it. */
#include "oracle/xgboost.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 4 };

/* The library of the Python package xgboost where ours is FOLDER/equipoise/_core…, an extension of Python:
 * FOLDER/xgboost/lib/libxgboost.so.  False anywhere else, so that nothing is loaded from a folder that is not
 * one of packages. */
static bool find_beside_package(char *path, size_t capacity)
{
    Dl_info own;
    if (dladdr((void *)(uintptr_t)eqp_xgboost_get, &own) == 0 || own.dli_fname == NULL) return false;
    const char *end = strstr(own.dli_fname, "/equipoise/_core.");
    if (end == NULL) return false;
    int length =
        snprintf(path, capacity, "%.*s/xgboost/lib/libxgboost.so", (int)(end - own.dli_fname), own.dli_fname);
    return length > 0 && (size_t)length < capacity;
}

/* The files to try, in turn. */
static void list_files(const char *files[MOST_FILES], char *beside, size_t capacity)
{
    const char *given = secure_getenv("EQUIPOISE_XGBOOST");
    size_t count = 0;
    if (given != NULL && *given != '\0') {
        files[count++] = given;
    } else {
        if (find_beside_package(beside, capacity)) files[count++] = beside;
        files[count++] = "libxgboost.so.0";
        files[count++] = "libxgboost.so";
    }
    files[count] = NULL;
}

eqp_status eqp_xgboost_get(const eqp_xgboost **xgboost, eqp_error *error)
{
    static const char *const functions[] = {EQP_XGBOOST_FUNCTIONS(EQP_FOREIGN_NAME)};
    static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
    static char beside[PATH_MAX];
    static const char *files[MOST_FILES];
    static eqp_foreign library = {.name = "XGBoost",
                                  .hint =
                                      "boosting needs it: install libxgboost0 (Debian) or xgboost (PyPI), "
                                      "or let EQUIPOISE_XGBOOST name the file libxgboost.so",
                                  .file = files,
                                  .function = functions,
                                  .count = sizeof functions / sizeof *functions,
                                  .lock = PTHREAD_MUTEX_INITIALIZER};
    static eqp_xgboost table;
    *xgboost = NULL;
    pthread_mutex_lock(&listing);
    if (!library.loaded) list_files(files, beside, sizeof beside);
    eqp_status status = eqp_foreign_load(&library, &table, error);
    pthread_mutex_unlock(&listing);
    if (status == EQP_OK) *xgboost = &table;
    return status;
}
