/* Oracles (M6): prices -> splitting function.  For prices v over the cells, the cost of accepting row i is
 * w_i v[cell_i] (+ w_i extra_i when extra costs are given); an oracle returns h making the total cost small.
 *
 *     prc      the paper's paired regression classifier, by the linear identity
 *     prc-weights   the same with the penalties of the paper's definition: weights, not costs
 *     linear   leaf-weighted least squares and the best threshold
 *     stump    one feature, one threshold or level: exactly optimal within its class
 *     boost    gradient boosting regressed on the costs */
#ifndef EQP_ORACLE_ORACLE_H
#define EQP_ORACLE_ORACLE_H

#include "design/design.h"
#include "model/rule.h"

/* The names of the oracle table, the usual one first, with a line about each; NULL past the last. */
const char *eqp_oracle_name(size_t index, const char **summary);
/* Whether the name is of an oracle that splits rows by itself. */
bool eqp_oracle_splits(const char *name);

/* A splitting function with what the programs need to know of it. */
typedef struct eqp_splitter {
    uint8_t *chosen;   /* h(x_i), one per row of the leaf; NULL where only masses were asked for */
    double *mass;      /* s_e = sum of w_i h(x_i) in each cell */
    uint32_t constant; /* EQP_SCORE_ALWAYS, EQP_SCORE_NEVER, or 0 for a score */
    eqp_score score;   /* the deployed form: h = score < threshold */
    double threshold;
} eqp_splitter;

void eqp_splitter_free(eqp_splitter *splitter);

/* One leaf's rows as an oracle sees them; everything is borrowed.  A leaf that few rows reach lists them:
 * nothing is then done for the others. */
typedef struct eqp_leaf_rows {
    const eqp_design *design;
    const eqp_block *block;
    const double *weight; /* w_i, one per row of the leaf; may be 0 */
    const uint32_t *cell; /* of every row of the design */
    size_t cells;
    const uint32_t *row; /* the leaf's rows, rising; NULL: all */
    size_t rows;         /* how many are listed */
    bool masses_only;    /* splitters need no `chosen` */
    bool at_sign;        /* regressions are cut at 0, as in the paper, and not where the cost is least */
    struct eqp_progress *progress; /* asked now and then whether to go on; or NULL */
} eqp_leaf_rows;

static inline size_t eqp_leaf_count(const eqp_leaf_rows *leaf)
{
    return leaf->row != NULL ? leaf->rows : leaf->design->rows;
}
/* The row of the design that is the leaf's i-th. */
static inline size_t eqp_leaf_row(const eqp_leaf_rows *leaf, size_t i)
{
    return leaf->row != NULL ? leaf->row[i] : i;
}

typedef struct eqp_oracle eqp_oracle;

/* What all leaves of one run share (the factored Gram matrix of prc, histogram bins of stump). */
typedef struct eqp_oracle_shared eqp_oracle_shared;
eqp_status eqp_oracle_shared_new(const char *kind, const eqp_design *design, const eqp_block *block,
                                 const double *weight, uint64_t seed, eqp_oracle_shared **shared,
                                 eqp_error *error);
void eqp_oracle_shared_free(eqp_oracle_shared *shared);

eqp_status eqp_oracle_new(const eqp_oracle_shared *shared, const eqp_leaf_rows *leaf, eqp_oracle **oracle,
                          eqp_error *error);
/* `extra` is one cost per row of the leaf, or NULL.  The caller frees the splitter. */
eqp_status eqp_oracle_best(eqp_oracle *oracle, const double *prices, const double *extra,
                           eqp_splitter **splitter, eqp_error *error);
/* h ≡ 1 or h ≡ 0. */
eqp_status eqp_oracle_constant(const eqp_oracle *oracle, bool always, eqp_splitter **splitter,
                               eqp_error *error);
void eqp_oracle_free(eqp_oracle *oracle);

#endif
