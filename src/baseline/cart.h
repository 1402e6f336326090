/* Classification trees (M10): CART with the Gini index, the predictor behind qp-cart, naive-cart and smote.
 *
 * A split asks whether a number is below a cut, whether a text column has one level, or whether a number is
 * missing; a missing number counts as the training mean elsewhere.  Pruning takes the smallest subtree that
 * minimises impurity + prune · leaves (weakest-link pruning at that price). */
#ifndef EQP_BASELINE_CART_H
#define EQP_BASELINE_CART_H

#include "design/design.h"
#include "model/rule.h"

typedef enum eqp_question { EQP_ASK_NOTHING, EQP_ASK_BELOW, EQP_ASK_LEVEL, EQP_ASK_MISSING } eqp_question;

typedef struct eqp_cart_node {
    eqp_question question; /* EQP_ASK_NOTHING: a leaf */
    uint32_t feature;
    uint32_t code; /* of the level asked for */
    double cut;
    uint32_t yes, no;  /* children, larger than the own index */
    uint32_t class_of; /* the heaviest class here */
    double mass;       /* of the training rows here */
    double impurity;   /* mass × Gini index */
} eqp_cart_node;

typedef struct eqp_cart {
    size_t count, capacity;
    eqp_cart_node *nodes; /* nodes[0] is the root */
} eqp_cart;

typedef struct eqp_cart_options {
    size_t max_depth;
    size_t min_leaf;        /* rows */
    double prune;           /* price of a leaf; 0 keeps the tree as grown */
    const eqp_watch *watch; /* asked at every column and node whether to go on; or NULL */
} eqp_cart_options;

eqp_status eqp_cart_fit(const eqp_encoding *encoding, const eqp_block *block, const uint32_t *class_of,
                        size_t classes, const double *weight, const eqp_cart_options *options,
                        eqp_cart **cart, eqp_error *error);
void eqp_cart_free(eqp_cart *cart);

/* The tree as a rule whose leaves are the classes; acceptance is left at 1. */
eqp_status eqp_cart_rule(const eqp_cart *cart, const eqp_encoding *encoding, size_t classes, eqp_rule **rule,
                         eqp_error *error);

#endif
