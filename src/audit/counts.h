/* What the audit counts, and nothing else: every later figure is arithmetic on these sums.
 *
 *     labelled rows --routing--> leaf × group masses (in expectation over the draws)
 *                   --one keyed draw per row-> leaf × group counts (integers, for exact bounds)
 *     all rows      --routing--> leaf shares (for drift) */
#ifndef EQP_AUDIT_COUNTS_H
#define EQP_AUDIT_COUNTS_H

#include "audit/thinning.h"
#include "model/rule.h"

/* What is audited: a model's rule on encoded rows, or the values of a proxy column. */
typedef struct eqp_routing {
    const eqp_model *model; /* NULL: a proxy column */
    const eqp_block *block; /* the rows as the model sees them; with a model only */
    const uint32_t *leaf;   /* of each row; without a model only */
    size_t rows;            /* of the table, labelled or not */
    size_t leaf_count;
    const double *accept; /* acceptance probability of each leaf; NULL without a model */
} eqp_routing;

typedef struct eqp_counts {
    size_t rows; /* labelled rows */
    size_t leaves, groups, bits;

    /* Masses of the labelled rows, design weights summing to 1 for each attribute. */
    double *joint;    /* leaves × groups */
    double *leaf;     /* leaves */
    double *base;     /* groups */
    double *accepted; /* groups: mass of the group that is accepted */
    double yield;     /* mass that is accepted */
    double squares;   /* sum of (weight × acceptance probability)² */
    double rounding; /* how much larger rounding made the squares of `accepted`, on average; 0: not rounded */
    double *bit_joint; /* bits × groups: mass of the group where the bit is 1; see bits_of */
    double *bit;       /* bits */

    /* Each labelled row that is kept (thinning.h) drawn once. */
    double *drawn;          /* leaves × groups; whole numbers */
    double *drawn_leaf;     /* leaves */
    double *drawn_group;    /* groups */
    double *drawn_accepted; /* groups */
    double drawn_rows, drawn_accepted_rows;

    double *chance; /* labelled rows: acceptance probability; NULL without acceptance */
    double *share;  /* leaves: of all rows, labelled or not, unweighted */

    double *masses, *draws; /* the two arrays that all of the above point into */
    size_t mass_count, draw_count;
} eqp_counts;

/* `audited` may be NULL: then only `share` is filled. */
eqp_status eqp_counts_new(const eqp_routing *routing, const eqp_audited *audited, size_t threads,
                          eqp_counts **counts, eqp_error *error);
/* Without the chances of single rows; NULL when memory is short. */
eqp_counts *eqp_counts_copy(const eqp_counts *counts);
void eqp_counts_free(eqp_counts *counts);

#endif
