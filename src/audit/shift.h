/* The largest shift |share of group k - base rate| over many sets of rows, and what can be said of it
 * although it was picked as the largest of many.
 *
 * Three figures, each true by itself:
 *
 *   found   the largest over all sets, on all rows.  Picked as the largest, so chance helped it.
 *   lower   the set is picked on one half of the rows and measured on the other, with an exact bound.  The
 *           other half had no say in the choice: with the stated confidence there is a set of at least this
 *           shift.
 *   upper   the largest exact bound of any set.  It falls below the true largest shift only if the bound of
 *           the truly worst set does, on its own side; so no division by the number of sets (M11).  Which set
 *           that is hangs on which sets are large enough, so base rates are bounded for all groups and both
 *           sides at once. */
#ifndef EQP_AUDIT_SHIFT_H
#define EQP_AUDIT_SHIFT_H

#include "base/memory.h"
#include "base/sdc.h"

#include <stddef.h>
#include <stdint.h>

#define EQP_SET_ROWS 50.0 /* smaller sets are not looked at: neither honest figures nor discreet ones */

/* How many rows a set has, and how many of them are in each group. */
typedef struct eqp_shift_tally {
    double rows;
    double *hits;
} eqp_shift_tally;

typedef enum eqp_set_kind {
    EQP_SET_NONE,
    EQP_SET_TESTS,  /* rows that agree on the tests of `tests` */
    EQP_SET_LEAF,   /* rows for which leaf `index` is the likeliest */
    EQP_SET_LOW,    /* the rows of lowest score `index` */
    EQP_SET_HIGH,   /* the rows of highest score `index` */
    EQP_SET_PATTERN /* rows with outcome pattern `index` of the models in `tests`; both lowest bit first */
} eqp_set_kind;

typedef struct eqp_set {
    eqp_set_kind kind;
    size_t index;
    uint64_t tests; /* test 0 is the highest bit */
} eqp_set;

typedef struct eqp_shift {
    double disclosure; /* NaN: there was no set to look at */
    size_t group;
    double rows, hits; /* of the set, and of the group in it */
    eqp_set set;
} eqp_shift;

typedef struct eqp_shift_search {
    size_t groups;
    eqp_shift_tally all, half;    /* of all rows, and of the half on which a set is picked */
    double *base_low, *base_high; /* bounds on the base rates; borrowed by copies */
    double error;                 /* NaN: no bounds wanted */
    double reach;                 /* of Hoeffding's bound for a set of one row */
    double upper;
    eqp_shift found, picked;
    double fresh_rows, fresh_hits; /* of the picked set, on the other half */
} eqp_shift_search;

/* Tallies without rows. */
eqp_shift_tally eqp_shift_tally_take(eqp_arena *arena, size_t groups);
void eqp_shift_tally_clear(eqp_shift_tally *tally, size_t groups);

/* `half` has no hits where no set is to be picked.  Arrays come from the arena, whose failure the caller
 * checks first. */
void eqp_shift_begin(eqp_shift_search *search, size_t groups, eqp_shift_tally all, eqp_shift_tally half,
                     double error, eqp_arena *arena);
/* Looks at one set; `half` is its part in the half, or NULL. */
void eqp_shift_look(eqp_shift_search *search, eqp_set set, const eqp_shift_tally *all,
                    const eqp_shift_tally *half);
/* The same search on other sets; of two equal shifts the earlier stays. */
void eqp_shift_join(eqp_shift_search *search, const eqp_shift_search *other);
/* Whether few people are behind a shift, so that its group is not named. */
bool eqp_shift_rests_on_few(const eqp_shift *shift, const double *group_rows, const eqp_sdc *sdc);
/* NaN where no set was picked, or the other half has no row of it. */
double eqp_shift_lower(const eqp_shift_search *search);

#endif
