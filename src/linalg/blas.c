/* The one setting of OpenBLAS that we need; it has no per-call form. */
#include "linalg/blas.h"

#include <cblas.h>
#include <pthread.h>

static void use_one_thread(void)
{
    openblas_set_num_threads(1);
}

void eqp_blas_single_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, use_one_thread);
}
