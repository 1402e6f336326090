/* Disclosure, imbalance and yield of a rule on labelled rows (M2), in expectation over the draws: the one
 * place where learning and comparing compute them.  The audit recomputes them by code of its own. */
#ifndef EQP_MODEL_MEASURE_H
#define EQP_MODEL_MEASURE_H

#include "base/memory.h"
#include "model/rule.h"

typedef struct eqp_measured {
    size_t leaves, groups, cells;
    eqp_arena arena;     /* of the arrays below */
    double *mass;        /* leaf masses m_j */
    double *joint;       /* leaves × K: mass of group k in leaf j; A = joint / mass */
    double *base_rate;   /* K: of all rows, from the same sums */
    double *composition; /* K: of the accepted */
    double disclosure;   /* over the leaves that hold any mass */
    double imbalance;    /* NaN, as the composition, when nobody is accepted */
    double yield;
} eqp_measured;

/* `block` and `sample` have the same rows in the same order. */
eqp_status eqp_measure(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_block *block,
                       const eqp_sample *sample, size_t threads, eqp_measured **measured, eqp_error *error);
/* The same from the masses that the cells have in the rule's leaves, leaves × cells. */
eqp_status eqp_measure_masses(const eqp_rule *rule, const eqp_groups *groups, const double *cell_mass,
                              eqp_measured **measured, eqp_error *error);
void eqp_measured_free(eqp_measured *measured);

#endif
