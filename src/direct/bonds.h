/* Protected columns: within every group the accepted keep the mean of a number and the share of each level
 * (M9 with more rows).
 *
 * The program sums over cells.  So the cells of the groups are divided by the values of the protected
 * columns; a group stays the same group, only of more cells.  Then, with x the column, mu_k and sigma_k its
 * mean and standard deviation in group k and m_e the accepted mass of cell e,
 *
 *     | sum over the cells e of k of m_e (x_e - mu_k) |  <=  X sigma_k sum over the same cells of m_e
 *
 * is linear in the masses: two bonds for each column or level and each group.  Numbers of many values are
 * divided into eight classes, and x_e is the mean of the cell; what single rows of a number are above it is
 * added row by row, so that the bond is exact. */
#ifndef EQP_DIRECT_BONDS_H
#define EQP_DIRECT_BONDS_H

#include "direct/pool.h"
#include "learn/tally.h"

/* The mean of a number, or the share of one level. */
typedef struct eqp_aspect {
    const eqp_column *column;
    uint32_t code; /* EQP_NO_CODE: the number */
} eqp_aspect;

/* Of some rows. */
typedef struct eqp_aspect_moments {
    double *value;         /* [aspect][cell]: mean */
    double *mean, *spread; /* [aspect][group]: mean and standard deviation */
} eqp_aspect_moments;

typedef struct eqp_protection {
    eqp_training training; /* the given one with the cells divided; what is not said below is borrowed */
    eqp_groups groups;     /* of its cells */
    eqp_sample sample;
    eqp_arena arena; /* of the arrays below, and of the cells */
    double tolerance;
    size_t aspect_count;
    eqp_aspect *aspects;
    eqp_aspect_moments all; /* of all rows */
} eqp_protection;

/* EQP_USAGE where the columns have too many values. */
eqp_status eqp_protection_new(const eqp_training *training, const eqp_learn_options *options,
                              eqp_protection **protection, eqp_error *error);
void eqp_protection_free(eqp_protection *protection);

/* The bonds of a program's rows, from the moments of those learned from. */
eqp_status eqp_protection_bind(const eqp_protection *protection, eqp_direct_rows *rows, eqp_error *error);

/* Prices of a program's bonds, one multiplier each: what they add to the price of each cell, and to the cost
 * of each row learned from. */
void eqp_direct_bonds_price(const eqp_direct_rows *rows, const double *multiplier, double *cell_price);
void eqp_direct_bonds_cost(const eqp_direct_rows *rows, const double *multiplier, double *cost);

/* The largest distortion of a rule, of any aspect in any group, and its standard error; from cells alone, so
 * that of a number what happens within its classes does not count. */
void eqp_protection_measure(const eqp_protection *protection, const eqp_tally *tally, double *distortion,
                            double *error);

#endif
