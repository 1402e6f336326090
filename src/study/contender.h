/* The methods of a comparison, as named on the command line: "tree", or "tree:prc" with an oracle. */
#ifndef EQP_STUDY_CONTENDER_H
#define EQP_STUDY_CONTENDER_H

#include "method/methods.h"

typedef struct eqp_contender {
    char name[40]; /* as asked for */
    const eqp_method *method;
    const char *oracle, *solver; /* of their tables */
} eqp_contender;

typedef struct eqp_contenders {
    size_t count;
    eqp_contender *list;
} eqp_contenders;

/* NULL: all methods, the tree with the paper's oracle too; no boosting.  EQP_USAGE for an unknown name. */
eqp_status eqp_contenders_from(const char *names, const eqp_learn_options *options,
                               eqp_contenders *contenders, eqp_error *error);
void eqp_contenders_free(eqp_contenders *contenders);

/* The learning options of a contender: its method and oracle, and nothing that only another method knows. */
eqp_learn_options eqp_contender_options(const eqp_contender *contender, const eqp_learn_options *options);

#endif
