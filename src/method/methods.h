/* The methods of learning, one row each, and learning by the one that was asked for.
 *
 *     options --checked--> training --the row's sweep--> learning --> figures on unseen rows */
#ifndef EQP_METHOD_METHODS_H
#define EQP_METHOD_METHODS_H

#include "learn/method.h"

/* The names that "method", "oracle", "solver" and "prefer" take, the usual one first; NULL past the last. */
const char *eqp_learn_choice(const char *option, size_t index, const char **summary);
/* In the order in which people see them; NULL past the last. */
const eqp_method *eqp_method_at(size_t index);
/* NULL and a message with the nearest name where there is none. */
const eqp_method *eqp_method_find(const char *name, eqp_error *error);
/* The method's own where none is given; the first of the table for a method that asks none. */
const char *eqp_method_oracle(const eqp_method *method, const char *given);
const char *eqp_method_solver(const eqp_method *method, const char *given);
/* EQP_USAGE where there is no such oracle or solver, or the method does not take it; NULL is its own. */
eqp_status eqp_method_check_oracle(const eqp_method *method, const char *oracle, eqp_error *error);
eqp_status eqp_method_check_solver(const eqp_method *method, const char *solver, eqp_error *error);
/* EQP_USAGE where the method does not take one of the options. */
eqp_status eqp_method_check(const eqp_method *method, const eqp_learn_options *options, eqp_error *error);

/* EQP_USAGE where a value makes no sense, whatever the method. */
eqp_status eqp_learn_options_check(const eqp_learn_options *options, eqp_error *error);
/* The row behind checked options: that of the method, or of the proxy column; checked too. */
eqp_status eqp_learn_options_method(const eqp_learn_options *options, const eqp_method **method,
                                    eqp_error *error);
/* Options as the method takes them: its name, and its own values where none is given. */
eqp_learn_options eqp_learn_options_for(const eqp_method *method, const eqp_learn_options *options);

/* One rule from a table, at the budget of the options, which are checked, with figures on unseen rows; the
 * training is the caller's too.  EQP_INFEASIBLE where an imbalance is asked for and not reached on unseen
 * rows. */
eqp_status eqp_learn_table(const eqp_table *table, const eqp_learn_options *options, const eqp_watch *watch,
                           eqp_training **training, eqp_learning **learning, eqp_error *error);

#endif
