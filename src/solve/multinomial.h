/* Multinomial logistic regression of a row's cell on the cells' scores: a few dense columns, many rows. */
#ifndef EQP_SOLVE_MULTINOMIAL_H
#define EQP_SOLVE_MULTINOMIAL_H

#include "equipoise.h"

#include <stddef.h>
#include <stdint.h>

enum { EQP_DIRECT_LOGIT_CELLS = 48 }; /* at most */

/* Replaces column[cell][row], scores, by the chances of the cells, which sum to 1 over a row's cells. */
eqp_status eqp_direct_logit(float *column, const uint32_t *cell, const double *weight, size_t rows,
                            size_t cells, eqp_error *error);

#endif
