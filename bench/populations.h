/* Populations whose truth is known: every kind of person with the probability of being met.
 *
 * A person has a latent class; given the class, columns are independent.  The table lists every combination
 * of values with every group, so sums over it are integrals, not estimates. */
#ifndef EQP_BENCH_POPULATIONS_H
#define EQP_BENCH_POPULATIONS_H

#include "table/table.h"

typedef enum signal_kind {
    SIGNAL_NONE,
    SIGNAL_WEAK,
    SIGNAL_STRONG,
    SIGNAL_CROSSED,
    SIGNAL_CLUSTERS
} signal_kind;
typedef enum rates_kind { RATES_EVEN, RATES_FALLING, RATES_RARE } rates_kind;

typedef struct population {
    signal_kind signal; /* what columns know of the group */
    rates_kind rates;
    size_t groups; /* of the attribute "group" */
    size_t others; /* of a second attribute "other"; 0: none */
    size_t rows;   /* of a sample */
    bool weighted; /* some are met up to four times as often as others, with weights that say so */
} population;

extern const population POPULATIONS[];
extern const size_t POPULATION_COUNT;

/* "strong signal, 5 groups, rare" */
const char *population_name(const population *p, char *text, size_t size);

/* Columns a … e, group, other, `probability` of being one in the population, `met` (its chance of being drawn
 * relative to that) and `weight` = 1 / met. */
eqp_status population_table(const population *p, uint64_t number, eqp_table **table, eqp_error *error);

#endif
