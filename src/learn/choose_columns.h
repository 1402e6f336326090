/* Which columns of a table become features. */
#ifndef EQP_LEARN_CHOOSE_COLUMNS_H
#define EQP_LEARN_CHOOSE_COLUMNS_H

#include "learn/training.h"

#define EQP_FEATURES_MAX 10000 /* columns that one rule may look at */

typedef struct eqp_columns {
    size_t count;
    const char **names; /* views into the table's column names */
} eqp_columns;

/* `labelled` holds the rows to learn from.  The sensitive attributes, the weight and the ignored columns are
 * no features; columns without information and identifiers are left out with a note, unless `features` names
 * an identifier.  With a proxy column, that one alone.  EQP_USAGE when `features` names a sensitive
 * attribute, EQP_DATA when there are none or too many. */
eqp_status eqp_columns_choose(const eqp_table *labelled, const eqp_learn_options *options,
                              eqp_columns *columns, eqp_notes *notes, eqp_error *error);
void eqp_columns_free(eqp_columns *columns);

#endif
