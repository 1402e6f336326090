/* The constraints of M5 as rows, and the prices that their multipliers make (M6).
 *
 *     row k          s_k - (r_k + budget) t <= 0              child 1 has not too much of group k
 *     row K + k      (r_k - budget) t - s_k <= 0              nor too little
 *     row 2K + k, 3K + k                                      the same for child 0, with S - s and W - t
 *     row 4K, 4K+1   min_mass - t <= 0, min_mass - (W-t) <= 0 only where a support is asked for
 *
 * with s the group masses of child 1 and t their total.  Everything is divided by W. */
#ifndef EQP_TREE_SPLIT_PROGRAM_H
#define EQP_TREE_SPLIT_PROGRAM_H

#include "tree/split.h"

size_t eqp_program_row_count(const eqp_split_program *program);
double eqp_program_leaf_mass(const eqp_split_program *program); /* W */
double eqp_program_total(const eqp_split_program *program, const double *mass);

/* The rows at child masses `mass`.  `scratch` holds 2K doubles. */
void eqp_program_rows(const eqp_split_program *program, const double *mass, double *rows, double *scratch);
double eqp_program_objective(const eqp_split_program *program, const double *mass);

/* v_e of M6 for row multipliers y >= 0.  `scratch` holds K doubles. */
void eqp_program_prices(const eqp_split_program *program, const double *multipliers, double *prices,
                        double *scratch);
/* The Lagrangian: objective + y·rows. */
double eqp_program_lagrangian(const eqp_split_program *program, const double *mass, const double *multipliers,
                              const double *rows);

#endif
