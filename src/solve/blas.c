/* The table of OpenBLAS, and its factorisation, which logistic regression keeps for its own products. */
#include "solve/blas.h"

#include "base/memory.h"

#include <math.h>

/* OpenBLAS asks for so much in the first call of a thread, and again and again when it is refused. */
#define BUFFER_BYTES ((size_t)130 << 20)

static void use_one_thread(const void *table)
{
    ((const eqp_blas *)table)->openblas_set_num_threads(1); /* it has no per-call form */
}

eqp_status eqp_blas_get(const eqp_blas **blas, eqp_error *error)
{
    static const char *const names[] = {EQP_BLAS_FUNCTIONS(EQP_FOREIGN_NAME)};
    static eqp_foreign library = {.file = "libopenblas.so.0",
                                  .package = "libopenblas0-pthread",
                                  .names = names,
                                  .count = sizeof names / sizeof *names,
                                  .begin = use_one_thread,
                                  .lock = PTHREAD_MUTEX_INITIALIZER};
    static eqp_blas table;
    static _Thread_local bool has_buffer;
    *blas = NULL;
    eqp_status status = eqp_foreign_load(&library, &table, error);
    if (status == EQP_OK && !has_buffer) has_buffer = eqp_has_room(BUFFER_BYTES);
    if (status == EQP_OK && !has_buffer) status = eqp_fail_memory(error);
    if (status == EQP_OK) *blas = &table;
    return status;
}

/* LAPACK may take NaN for a positive pivot. */
static bool has_nan(const double *matrix, size_t width)
{
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j <= i; j++)
            if (isnan(matrix[i * width + j])) return true;
    return false;
}

bool eqp_blas_factorise(const eqp_blas *blas, double *matrix, size_t width)
{
    int n = (int)width, info = 0;
    if (has_nan(matrix, width)) return false;
    blas->dpotrf_("U", &n, matrix, &n, &info); /* the upper half by columns is the lower half by rows */
    return info == 0;
}
