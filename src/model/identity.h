/* What names a record in its draws (M12): the text of its id column; without one, its model columns. */
#ifndef EQP_MODEL_IDENTITY_H
#define EQP_MODEL_IDENTITY_H

#include "base/buffer.h"
#include "model/rule.h"

#define EQP_IDENTITY_SEPARATOR '\x1F' /* between the values of the model's columns */

typedef struct eqp_identity {
    const eqp_table *table; /* borrowed */
    size_t column_count;
    const eqp_column **columns; /* the id, or the model's columns in feature order, each once */
    bool by_id;                 /* a record must have an id; a model column may be missing */
} eqp_identity;

eqp_status eqp_identity_new(const eqp_model *model, const eqp_table *table, const char *id,
                            eqp_identity **identity, eqp_error *error);
/* Appends the text of a row: numbers in their shortest form, texts as they are, missing values empty. */
eqp_status eqp_identity_add(const eqp_identity *identity, size_t row, eqp_buffer *text, eqp_error *error);
void eqp_identity_free(eqp_identity *identity);

#endif
