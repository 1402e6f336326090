/* The text that names a record in its draws (M12). */
#include "model/identity.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>

static eqp_status find_model_columns(const eqp_encoding *encoding, eqp_identity *identity, eqp_error *error)
{
    identity->columns = eqp_alloc(encoding->feature_count, sizeof *identity->columns);
    if (identity->columns == NULL) return eqp_fail_memory(error);
    for (size_t f = 0; f < encoding->feature_count; f++) {
        if (eqp_feature_repeats(encoding, f)) continue;
        eqp_status status = eqp_table_require(identity->table, encoding->features[f].name,
                                              &identity->columns[identity->column_count++], error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

static eqp_status find_id(const char *id, eqp_identity *identity, eqp_error *error)
{
    identity->by_id = true;
    identity->column_count = 1;
    identity->columns = eqp_alloc(1, sizeof *identity->columns);
    if (identity->columns == NULL) return eqp_fail_memory(error);
    return eqp_table_require(identity->table, id, &identity->columns[0], error);
}

eqp_status eqp_identity_new(const eqp_model *model, const eqp_table *table, const char *id,
                            eqp_identity **identity, eqp_error *error)
{
    *identity = NULL;
    eqp_identity *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->table = table;
    eqp_status status =
        id != NULL ? find_id(id, made, error) : find_model_columns(model->encoding, made, error);
    if (status == EQP_OK) *identity = made;
    if (status != EQP_OK) eqp_identity_free(made);
    return status;
}

static bool is_missing(const eqp_column *column, size_t row)
{
    return column->kind == EQP_NUMBER ? isnan(column->numbers[row]) != 0 : column->codes[row] == EQP_NO_CODE;
}

static void add_value(const eqp_column *column, size_t row, eqp_buffer *text)
{
    char digits[32];
    if (is_missing(column, row)) return;
    if (column->kind == EQP_NUMBER)
        eqp_buffer_add(text, digits, eqp_number_print(column->numbers[row], digits));
    else
        eqp_buffer_add(text, eqp_dictionary_text(column->levels, column->codes[row]),
                       eqp_dictionary_length(column->levels, column->codes[row]));
}

eqp_status eqp_identity_add(const eqp_identity *identity, size_t row, eqp_buffer *text, eqp_error *error)
{
    static const char separator = EQP_IDENTITY_SEPARATOR;
    if (identity->by_id && is_missing(identity->columns[0], row))
        return eqp_fail_at(error, EQP_DATA, identity->table->source, 0, 0, "row %zu has no \"%s\"", row + 1,
                           identity->columns[0]->name);
    for (size_t c = 0; c < identity->column_count; c++) {
        if (c > 0) eqp_buffer_add(text, &separator, 1);
        add_value(identity->columns[c], row, text);
    }
    return text->failed ? eqp_fail_memory(error) : EQP_OK;
}

void eqp_identity_free(eqp_identity *identity)
{
    if (identity == NULL) return;
    free(identity->columns);
    free(identity);
}
