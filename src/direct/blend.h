/* Sums of columns, each times a factor: scores times prices, chances times prices. */
#ifndef EQP_DIRECT_BLEND_H
#define EQP_DIRECT_BLEND_H

#include <stddef.h>

enum { EQP_BLEND_RUN = 1024 }; /* rows whose sums stay in the nearest cache */

/* sum[i] = sum_c factor[c] · columns[c · stride + i] for i below `rows`.  The order of the sums is fixed. */
void eqp_direct_blend(const float *columns, size_t stride, size_t count, const double *factor, size_t rows,
                      float *sum);

#endif
