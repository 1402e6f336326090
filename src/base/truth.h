/* Words for yes and no. */
#ifndef EQP_BASE_TRUTH_H
#define EQP_BASE_TRUTH_H

#include <stddef.h>

/* 1 and 0 for yes and no in several languages, in any case; -1 for any other text. */
int eqp_truth(const char *text, size_t length);

#endif
