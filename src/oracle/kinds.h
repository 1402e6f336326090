/* Inside the oracle folder: what a kind of oracle provides, and what oracles of all kinds hold. */
#ifndef EQP_ORACLE_KINDS_H
#define EQP_ORACLE_KINDS_H

#include "oracle/oracle.h"

/* Ridge of every regression, relative to trace/width (M6). */
#define EQP_ORACLE_RIDGE 1e-8

typedef struct eqp_oracle_kind {
    const char *name, *summary;
    /* State of the run, freed by unshare; both NULL when leaves share nothing. */
    eqp_status (*share)(eqp_oracle_shared *shared, const double *weight, eqp_error *error);
    void (*unshare)(void *state);
    /* State of a leaf, freed by close (also after a failed open). */
    eqp_status (*open)(eqp_oracle *oracle, eqp_error *error);
    void (*close)(void *state);
    /* Fills chosen (unless that is NULL), mass, score, threshold and constant of a splitter from
     * eqp_splitter_new. */
    eqp_status (*best)(eqp_oracle *oracle, const double *prices, const double *extra, eqp_splitter *splitter,
                       eqp_error *error);
} eqp_oracle_kind;

struct eqp_oracle_shared {
    const eqp_oracle_kind *kind;
    const eqp_design *design;
    const eqp_block *block;
    uint64_t seed;
    void *state;
};

struct eqp_oracle {
    const eqp_oracle_shared *shared;
    eqp_leaf_rows leaf;
    void *state;
};

/* chosen (where it is wanted) and mass all 0, and `width` terms of 0 when width > 0. */
eqp_status eqp_splitter_new(const eqp_leaf_rows *leaf, size_t width, eqp_splitter **splitter,
                            eqp_error *error);
/* A threshold at infinity makes the splitter one of the two constants and drops its score. */
void eqp_splitter_settle(eqp_splitter *splitter, double threshold);

#endif
