/* The rule: one representation for all methods (M2, M13).
 *
 *     record -> scores -> router -> leaf -> acceptance
 *
 * A score is a sum of doubles in a fixed order: slot 0, then one term a feature in order; or slot 0 plus one
 * value a boosted tree.  A component is a score with a threshold: h(x) = 1 when score(x) < threshold.  A node
 * is a short mixture of components: the record's draw at that depth picks one, and h sends it to child[1] or
 * child[0]. */
#ifndef EQP_MODEL_RULE_H
#define EQP_MODEL_RULE_H

#include "base/memory.h"
#include "draw/draw.h"
#include "encode/encoding.h"
#include "encode/groups.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- sums of terms ------------------------------------------------------------------------------------ */

/* Linear scores of many rows, each row with a score of its own (M13).
 *
 * Rows of a batch stand at different nodes and their draws pick different components, so every row adds up
 * terms of another score.  The terms of all scores lie one behind the other, and a row knows where its own
 * begin.  No row's sum is reordered: one pass per feature, each adding one term to every row.  Each kernel
 * exists with AVX-512, with AVX2 and in portable C and gives the same bits; the processor decides at run
 * time. */
typedef struct eqp_summands {
    const double *terms;  /* of all scores */
    const int32_t *begin; /* of the terms of row i's score */
    const int32_t *row;   /* where row i stands in the arrays of the block; NULL: at i */
    size_t count;
} eqp_summands;

/* sum[i] += terms[begin[i] + slot + code of row i], or the like for a number with its two slots. */
typedef struct eqp_sum_kernels {
    void (*levels)(const eqp_summands *rows, int32_t slot, const uint32_t *codes, double *sum);
    void (*numbers)(const eqp_summands *rows, int32_t slot, const double *values, double *sum);
} eqp_sum_kernels;

eqp_sum_kernels eqp_sums_best(void);
/* Those that this processor can run, the best last; the first is the portable one. */
#define EQP_SUM_KERNELS 3
size_t eqp_sums_all(eqp_sum_kernels kernels[EQP_SUM_KERNELS]);

/* A node of a boosted tree, or a leaf where feature < 0. */
typedef struct eqp_branch {
    int32_t feature;
    uint32_t code;    /* coded feature: yes when the record has this code */
    double cut;       /* number: yes when value < cut */
    uint32_t yes, no; /* node indices within the tree, larger than the own index */
    bool missing_yes; /* number: where a missing value goes */
    double value;     /* of a leaf */
} eqp_branch;

typedef struct eqp_score {
    double *terms;        /* linear: encoding.width doubles; terms[0] is the intercept of either kind */
    uint32_t tree_count;  /* boosted when > 0 */
    uint32_t *tree_start; /* tree_count + 1 indices into branches */
    eqp_branch *branches;
} eqp_score;

#define EQP_SCORE_ALWAYS UINT32_MAX       /* h ≡ 1 */
#define EQP_SCORE_NEVER  (UINT32_MAX - 1) /* h ≡ 0 */

typedef struct eqp_component {
    double weight;  /* within its node; the weights of a node sum to 1 */
    uint32_t score; /* index, or one of the two constants */
    double threshold;
} eqp_component;

typedef struct eqp_node {
    uint32_t first_component, component_count;
    int32_t child[2]; /* >= 0: node index, larger than the own; < 0: leaf ~child */
} eqp_node;

typedef enum eqp_router {
    EQP_ROUTE_TREE,   /* nodes[0] is the root; no nodes: everything is leaf 0 */
    EQP_ROUTE_ARGMAX, /* leaf = the first of the largest scores, one score a leaf */
    EQP_ROUTE_LEVELS  /* leaf = code of feature 0 (a proxy column): level_count + 2 leaves */
} eqp_router;

typedef struct eqp_rule {
    eqp_router router;
    eqp_arena arena; /* of the arrays below, but not of what a score holds */
    size_t score_count;
    eqp_score *scores;
    size_t component_count;
    eqp_component *components;
    size_t node_count;
    eqp_node *nodes;
    size_t leaf_count;
    double *accept; /* acceptance probability of a leaf */
    double *share;  /* of candidates that reach a leaf, rounded to 0.0001, for drift and planning */
    double noise;   /* with this probability the leaf is replaced by a uniform one */
} eqp_rule;

typedef struct eqp_provenance {
    char *version; /* of equipoise */
    char *method, *oracle, *solver;
    double max_disclosure;
    double max_ratio, min_chance, max_distortion; /* asked for besides; 0: not */
    char *protect;                                /* columns that the distortion is about, comma-separated */
    double spread;
    double confidence; /* NaN: none asked for */
    bool strict;
    uint64_t seed;
    char data_digest[65];
} eqp_provenance;

struct eqp_model {
    eqp_encoding *encoding;
    eqp_groups *groups; /* names and targets only: no counts, no rates */
    eqp_rule *rule;
    eqp_provenance provenance;
    char *text;          /* canonical JSON, written once: what is saved, sent and digested */
    char digest[65];     /* SHA-256 of the canonical text without the digest */
    char id[17];         /* its first 16 digits */
    char *allowed_shift; /* columns that may hold nothing known (encode/known_cells.h); or NULL */
};

/* Takes over encoding, groups and rule (also on failure), checks them as a loaded model is checked, sets the
 * id. */
eqp_status eqp_model_new(eqp_encoding *encoding, eqp_groups *groups, eqp_rule *rule,
                         const eqp_provenance *provenance, eqp_model **model, eqp_error *error);
/* Capacities of the arrays of a rule; its leaves are all there from the start. */
typedef struct eqp_rule_size {
    size_t scores, components, nodes, leaves;
} eqp_rule_size;
/* An empty rule: no score, component or node yet, all of them cleared; every leaf accepts everybody. */
eqp_status eqp_rule_new(eqp_router router, const eqp_rule_size *size, eqp_rule **rule, eqp_error *error);
void eqp_rule_free(eqp_rule *rule);
/* Deep copies; `width` is the encoding's. */
eqp_status eqp_rule_copy(const eqp_rule *rule, size_t width, eqp_rule **copy, eqp_error *error);
bool eqp_score_copy(const eqp_score *score, size_t width, eqp_score *copy);
void eqp_score_clear(eqp_score *score); /* frees what it holds */

/* ---- evaluation: the only code that says what a rule means ------------------------------------------- */

/* score[i] for rows first … first+count-1 of the block. */
void eqp_score_rows(const eqp_encoding *encoding, const eqp_score *score, const eqp_block *block,
                    size_t first, size_t count, double *out);

/* The same for rows row[0 … count-1], to the bit. */
void eqp_score_some(const eqp_encoding *encoding, const eqp_score *score, const eqp_block *block,
                    const uint32_t *row, size_t count, double *out);

/* The same for one row, to the bit. */
double eqp_score_row(const eqp_encoding *encoding, const eqp_score *score, const eqp_block *block,
                     size_t row);

/* Probability of each leaf, row-major count × leaf_count, in expectation over the draws.  `scratch` holds
 * eqp_rule_scratch(rule, count) doubles. */
size_t eqp_rule_scratch(const eqp_rule *rule, size_t count);
void eqp_rule_leaves(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_block *block, size_t first,
                     size_t count, double *probability, double *scratch);

/* A share as eqp_rule.share keeps it. */
static inline double eqp_share_rounded(double share)
{
    return round(share * 1e4) / 1e4;
}

/* The chance of acceptance behind one row of leaf probabilities. */
double eqp_rule_chance(const eqp_rule *rule, const double *probability);
/* The chance with which component c of a node decides: its weight, for the last one what the others leave. */
double eqp_component_share(const eqp_rule *rule, const eqp_node *node, uint32_t c);

/* The outcome of one row: its leaf, and the draw that decides acceptance (accepted when draw <
 * eqp_draw_threshold(accept[leaf])). */
typedef struct eqp_outcome {
    uint32_t leaf;
    uint64_t draw;
} eqp_outcome;
eqp_outcome eqp_rule_outcome(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_drawer *drawer,
                             const eqp_block *block, size_t row, const char *id, size_t id_length);

/* A component made ready: what it takes to let it decide, side by side. */
typedef struct eqp_choice {
    uint64_t end;     /* of its stretch of the routing draw */
    double threshold; /* yes when the score is below; minus infinity where it is constant */
    int32_t begin;    /* of its score in the runner's terms */
    int32_t child[2]; /* of its node */
    bool always;      /* yes whatever the score */
} eqp_choice;

/* A rule made ready for many records: thresholds turned into draw counts once.  Borrows the model. */
typedef struct eqp_runner {
    const eqp_encoding *encoding;
    const eqp_rule *rule;
    eqp_drawer drawer;
    eqp_sum_kernels sums;
    eqp_arena arena;             /* of the arrays below */
    eqp_choice *choices;         /* one per component */
    uint64_t *accept;            /* of each leaf: accepted when the draw is below */
    double *terms;               /* of all scores, `width` each, for a tree of linear scores; else NULL */
    struct eqp_forest **forests; /* [score] for a tree with boosted ones; NULL where it is to be walked */
} eqp_runner;

eqp_status eqp_runner_new(const eqp_model *model, const eqp_key *key, eqp_runner **runner, eqp_error *error);
/* Outcomes of rows first … first+count-1, the same as eqp_rule_outcome; record i has the id
 * ids[id_start[i] … id_start[i]+id_length[i]-1]. */
void eqp_runner_outcomes(const eqp_runner *runner, const eqp_block *block, size_t first, size_t count,
                         const char *ids, const size_t *id_start, const uint32_t *id_length,
                         eqp_outcome *outcomes);
static inline bool eqp_runner_accepts(const eqp_runner *runner, eqp_outcome outcome)
{
    return outcome.draw < runner->accept[outcome.leaf];
}
void eqp_runner_free(eqp_runner *runner);

#endif
