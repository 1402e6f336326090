/* Conditions of a panel: who was in an earlier cohort, who shares a household, which quotas a record is
 * under. */
#include "base/memory.h"
#include "select/select.h"
#include "table/reader.h"

#include <string.h>

/* ---- opening ------------------------------------------------------------------------------------------- */

static eqp_status split_columns(const char *list, eqp_conditions *conditions, eqp_error *error)
{
    size_t count = 1;
    for (const char *at = list; *at != '\0'; at++) count += *at == ',';
    conditions->one_per = eqp_alloc_zero(count, sizeof *conditions->one_per);
    conditions->households = eqp_dictionary_new();
    if (conditions->one_per == NULL || conditions->households == NULL) return eqp_fail_memory(error);
    for (const char *at = list; conditions->one_per_count < count; at += strcspn(at, ",") + 1) {
        size_t length = strcspn(at, ",");
        if (length == 0)
            return eqp_fail(error, EQP_USAGE, "\"%s\" is not a list of columns (option \"--one-per\")", list);
        char *name = eqp_copy_text(at, length);
        if (name == NULL) return eqp_fail_memory(error);
        conditions->one_per[conditions->one_per_count++] = name;
    }
    return EQP_OK;
}

eqp_status eqp_conditions_open(const eqp_select_options *options, eqp_conditions *conditions,
                               eqp_error *error)
{
    eqp_status status = EQP_OK;
    size_t records;
    *conditions = (eqp_conditions){0};
    if (options->avoid != NULL && options->filter.id == NULL)
        return eqp_fail(error, EQP_USAGE, "earlier cohorts are recognised by id, so an id column is needed");
    if (options->avoid != NULL)
        status = eqp_ids_read(options->avoid, options->filter.id, &conditions->avoided, &records, error);
    if (status == EQP_OK && options->one_per != NULL)
        status = split_columns(options->one_per, conditions, error);
    if (status == EQP_OK && options->quotas != NULL)
        status = eqp_quotas_read(options->quotas, &conditions->quotas, error);
    return status;
}

eqp_status eqp_conditions_bind(eqp_conditions *conditions, const eqp_reader *reader, eqp_error *error)
{
    size_t features = conditions->quotas != NULL ? conditions->quotas->feature_count : 0;
    const char *const *names = (const char *const *)reader->names;
    eqp_status status = EQP_OK;
    conditions->columns = eqp_alloc(conditions->one_per_count + features, sizeof *conditions->columns);
    if (conditions->columns == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < conditions->one_per_count && status == EQP_OK; i++)
        status = eqp_column_require(&reader->layout, names, conditions->one_per[i], &conditions->columns[i],
                                    error);
    for (size_t f = 0; f < features && status == EQP_OK; f++)
        status = eqp_column_require(&reader->layout, names, conditions->quotas->features[f],
                                    &conditions->columns[conditions->one_per_count + f], error);
    return status;
}

bool eqp_conditions_need_all(const eqp_conditions *conditions)
{
    return conditions->one_per_count > 0 || conditions->quotas != NULL;
}

void eqp_conditions_clear(eqp_conditions *conditions)
{
    for (size_t i = 0; i < conditions->one_per_count; i++) free(conditions->one_per[i]);
    free(conditions->one_per);
    free(conditions->columns);
    eqp_dictionary_free(conditions->avoided);
    eqp_dictionary_free(conditions->households);
    eqp_quotas_free(conditions->quotas);
    eqp_types_clear(&conditions->types);
    eqp_buffer_free(&conditions->text);
    eqp_buffer_free(&conditions->scratch);
    *conditions = (eqp_conditions){0};
}

/* ---- a record ------------------------------------------------------------------------------------------ */

/* Letters outside ASCII stay as they are, but for the capitals of Latin-1 (two bytes, C3 80 … C3 9E). */
void eqp_text_normalise(eqp_cell value, eqp_buffer *text)
{
    for (size_t i = 0; i < value.length; i++) {
        unsigned char byte = (unsigned char)value.bytes[i];
        bool after = i > 0 && (unsigned char)value.bytes[i - 1] == 0xC3;
        if (after && byte >= 0x80 && byte <= 0x9E && byte != 0x97) byte += 0x20;
        if (byte >= 'A' && byte <= 'Z') byte += 'a' - 'A';
        bool kept = byte >= 0x80 || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
        if (kept) eqp_buffer_add(text, (const char *)&byte, 1);
    }
}

static eqp_cell trimmed(eqp_cell value)
{
    while (value.length > 0 && value.bytes[value.length - 1] == ' ') value.length--;
    for (; value.length > 0 && value.bytes[0] == ' '; value.length--) value.bytes++;
    return value;
}

static bool cell_of(eqp_conditions *conditions, const eqp_chunk *chunk, const eqp_index *index, size_t record,
                    size_t column, eqp_cell *value)
{
    return eqp_cell_value(eqp_index_field(chunk, index, record, conditions->columns[column]),
                          &conditions->scratch, value);
}

/* A record without any of it is a household by itself. */
static eqp_status find_household(eqp_conditions *conditions, const eqp_chunk *chunk, const eqp_index *index,
                                 size_t record, eqp_ranked *like, eqp_error *error)
{
    size_t letters = 0;
    conditions->text.length = 0;
    for (size_t i = 0; i < conditions->one_per_count; i++) {
        eqp_cell value;
        if (!cell_of(conditions, chunk, index, record, i, &value)) return eqp_fail_memory(error);
        size_t before = conditions->text.length;
        eqp_text_normalise(value, &conditions->text);
        letters += conditions->text.length - before;
        eqp_buffer_add(&conditions->text, "\x1F", 1);
    }
    if (conditions->text.failed) return eqp_fail_memory(error);
    if (letters == 0) return EQP_OK;
    like->household =
        eqp_dictionary_add(conditions->households, conditions->text.bytes, conditions->text.length);
    return like->household != EQP_NO_CODE ? EQP_OK : eqp_fail_memory(error);
}

static size_t quota_of(const eqp_quotas *quotas, size_t feature, eqp_cell value)
{
    for (size_t q = 0; q < quotas->count; q++)
        if (quotas->quotas[q].feature == feature && strlen(quotas->quotas[q].value) == value.length &&
            memcmp(quotas->quotas[q].value, value.bytes, value.length) == 0)
            return q;
    return quotas->count;
}

static eqp_status find_type(eqp_conditions *conditions, const eqp_chunk *chunk, const eqp_index *index,
                            size_t record, double accept, eqp_ranked *like, eqp_error *error)
{
    const eqp_quotas *quotas = conditions->quotas;
    uint32_t *under = eqp_alloc(quotas->feature_count, sizeof *under);
    if (under == NULL) return eqp_fail_memory(error);
    for (size_t f = 0; f < quotas->feature_count; f++) {
        eqp_cell value;
        if (!cell_of(conditions, chunk, index, record, conditions->one_per_count + f, &value)) {
            free(under);
            return eqp_fail_memory(error);
        }
        value = trimmed(value);
        under[f] = (uint32_t)quota_of(quotas, f, value);
        if (under[f] < quotas->count) continue;
        free(under);
        eqp_fail(error, EQP_DATA, "the quotas have no line for \"%s: %.*s\", which record \"%.*s\" has",
                 quotas->features[f], (int)(value.length < 60 ? value.length : 60), value.bytes,
                 (int)(like->name_length < 60 ? like->name_length : 60), like->bytes);
        eqp_hint(error, "every value of the pool needs a line, if only 0 to the number of seats");
        return EQP_DATA;
    }
    eqp_status status =
        eqp_type_find(&conditions->types, quotas, under, like->leaf, accept, &like->type, error);
    free(under);
    return status;
}

eqp_status eqp_conditions_meet(eqp_conditions *conditions, const eqp_chunk *chunk, const eqp_index *index,
                               size_t record, eqp_cell name, double accept, eqp_ranked *like, bool *avoided,
                               eqp_error *error)
{
    eqp_status status = EQP_OK;
    like->household = like->type = EQP_NOBODY;
    like->bytes = (char *)name.bytes; /* for messages; a copy is entered */
    like->name_length = name.length;
    *avoided = conditions->avoided != NULL &&
               eqp_dictionary_find(conditions->avoided, name.bytes, name.length) != EQP_NO_CODE;
    if (*avoided) return EQP_OK;
    if (conditions->one_per_count > 0) status = find_household(conditions, chunk, index, record, like, error);
    if (status == EQP_OK && conditions->quotas != NULL)
        status = find_type(conditions, chunk, index, record, accept, like, error);
    return status;
}

/* ---- lists of ids -------------------------------------------------------------------------------------- */

/* Somebody without an id could not be compared with anybody. */
static eqp_status add_ids(const char *path, const eqp_reader *reader, const eqp_chunk *chunk, size_t column,
                          eqp_index *index, eqp_buffer *scratch, eqp_dictionary *ids, eqp_error *error)
{
    eqp_status status = eqp_index_build(index, &reader->layout, chunk, error);
    for (size_t record = 0; status == EQP_OK && record < index->records; record++) {
        eqp_cell value;
        if (!eqp_cell_value(eqp_index_field(chunk, index, record, column), scratch, &value))
            return eqp_fail_memory(error);
        if (value.length == 0)
            return eqp_fail_at(error, EQP_DATA, path, eqp_chunk_line(chunk, index->starts[record]), 0,
                               "the record has no id");
        if (eqp_dictionary_add(ids, value.bytes, value.length) == EQP_NO_CODE)
            status = eqp_fail_memory(error);
    }
    return status;
}

eqp_status eqp_ids_read(const char *path, const char *id, eqp_dictionary **ids, size_t *records,
                        eqp_error *error)
{
    eqp_reader *reader = NULL;
    eqp_chunk chunk = {0};
    eqp_index index = {0};
    eqp_buffer scratch = {0};
    size_t column = 0;
    *records = 0;
    *ids = eqp_dictionary_new();
    if (*ids == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_reader_open(path, &(eqp_reader_options){0}, &reader, error);
    if (status == EQP_OK)
        status = eqp_column_require(&reader->layout, (const char *const *)reader->names, id, &column, error);
    while (status == EQP_OK && (status = eqp_reader_next(reader, &chunk, error)) == EQP_OK &&
           chunk.length > 0) {
        status = add_ids(path, reader, &chunk, column, &index, &scratch, *ids, error);
        *records += index.records;
    }
    eqp_index_free(&index);
    eqp_chunk_free(&chunk);
    eqp_buffer_free(&scratch);
    eqp_reader_close(reader);
    if (status == EQP_OK) return EQP_OK;
    eqp_dictionary_free(*ids);
    *ids = NULL;
    return status;
}
