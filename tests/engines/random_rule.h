/* Rules that learning seldom makes, for tests of exported SQL and C.
 *
 *     deep      a tree of ten levels, mixtures of linear and boosted scores and constants, and noise
 *     argmax    scores against each other, and noise
 *     trees:N   one boosted score of N trees, for the limits of engines */
#ifndef EQP_TESTS_RANDOM_RULE_H
#define EQP_TESTS_RANDOM_RULE_H

#include "base/random.h"
#include "model/rule.h"

/* Ends the program when there is no memory. */
eqp_rule *random_rule(const eqp_encoding *encoding, const char *what, eqp_random *random);

#endif
