/* What the demonstration ends with: who is in the cohort, by the groups that the program never read. */
#ifndef CLI_PRINT_OUTCOME_H
#define CLI_PRINT_OUTCOME_H

#include "equipoise.h"

/* Counts the groups of all candidates (`truth`, written with groups) and of the accepted ones, matched by
 * record, and draws the shares before and after with disclosure, imbalance and yield.  Both files come from
 * eqp_population_write and filter. */
eqp_status outcome_draw(const char *truth, const char *accepted, double budget, eqp_error *error);

#endif
