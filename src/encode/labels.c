/* The sensitive columns of a table as codes of texts: the first step of finding groups. */
#include "base/memory.h"
#include "base/number.h"
#include "encode/groups.h"

#include <math.h>
#include <string.h>

/* Numbers become their shortest decimal texts, the same in every file that holds the same number. */
static eqp_status spell_numbers(eqp_labels *labels, size_t c, const double *numbers, eqp_error *error)
{
    eqp_dictionary *texts = labels->own_texts[c] = eqp_dictionary_new();
    uint32_t *codes = eqp_take(&labels->arena, labels->rows, sizeof *codes);
    if (texts == NULL || codes == NULL) return eqp_fail_memory(error);
    for (size_t row = 0; row < labels->rows; row++) {
        char text[32];
        codes[row] = EQP_NO_CODE;
        if (isnan(numbers[row])) continue;
        size_t length = eqp_number_print(numbers[row], text);
        codes[row] = eqp_dictionary_add(texts, text, length);
        if (codes[row] == EQP_NO_CODE) return eqp_fail_memory(error);
    }
    labels->codes[c] = codes;
    labels->texts[c] = texts;
    return EQP_OK;
}

static eqp_status read_column(eqp_labels *labels, size_t c, const eqp_table *table, const char *name,
                              eqp_error *error)
{
    const eqp_column *column;
    eqp_status status = eqp_table_require(table, name, &column, error);
    if (status != EQP_OK) return status;
    if (column->kind == EQP_NUMBER) return spell_numbers(labels, c, column->numbers, error);
    labels->codes[c] = column->codes;
    labels->texts[c] = column->levels;
    return EQP_OK;
}

eqp_status eqp_labels_read(const eqp_table *table, const char *const *columns, size_t column_count,
                           eqp_labels **labels, eqp_error *error)
{
    *labels = NULL;
    eqp_labels *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->table = table;
    made->columns = made->names = columns;
    made->read_count = column_count;
    made->rows = table->rows;
    made->column_count = column_count;
    made->codes = eqp_take_zero(&made->arena, column_count, sizeof *made->codes);
    made->texts = eqp_take_zero(&made->arena, column_count, sizeof *made->texts);
    made->own_texts = eqp_take_zero(&made->arena, column_count, sizeof *made->own_texts);
    made->sets = eqp_take_zero(&made->arena, column_count, sizeof *made->sets);
    eqp_status status = made->arena.failed ? eqp_fail_memory(error) : EQP_OK;
    for (size_t c = 0; c < column_count && status == EQP_OK; c++)
        status = read_column(made, c, table, columns[c], error);
    if (status == EQP_OK) *labels = made;
    if (status != EQP_OK) eqp_labels_free(made);
    return status;
}

/* ---- small groups ---------------------------------------------------------------------------------------
 */

/* The texts of one column with those of few rows joined; `to` gets the new code of each old one. */
static eqp_status join_few(eqp_labels *labels, size_t c, const size_t *rows, size_t min_group, bool pool,
                           uint32_t *to, eqp_error *error)
{
    const eqp_dictionary *texts = labels->texts[c];
    eqp_dictionary *joined = eqp_dictionary_new();
    if (joined == NULL) return eqp_fail_memory(error);
    for (uint32_t code = 0; code < eqp_dictionary_size(texts); code++) {
        bool few = rows[code] < min_group;
        to[code] = EQP_NO_CODE;
        if (rows[code] == 0 || (few && !pool)) continue;
        const char *text = few ? EQP_OTHERS : eqp_dictionary_text(texts, code);
        to[code] = eqp_dictionary_add(joined, text, strlen(text));
        if (to[code] == EQP_NO_CODE) {
            eqp_dictionary_free(joined);
            return eqp_fail_memory(error);
        }
    }
    eqp_dictionary_free(labels->own_texts[c]);
    labels->texts[c] = labels->own_texts[c] = joined;
    return EQP_OK;
}

static eqp_status pool_column(eqp_labels *labels, size_t c, size_t min_group, size_t *pooled,
                              size_t *left_out, eqp_error *error)
{
    uint32_t size = eqp_dictionary_size(labels->texts[c]);
    size_t *rows = eqp_take_zero(&labels->arena, size, sizeof *rows), few = 0;
    uint32_t *to = eqp_take(&labels->arena, size, sizeof *to);
    uint32_t *codes = eqp_take(&labels->arena, labels->rows, sizeof *codes);
    if (labels->arena.failed) return eqp_fail_memory(error);
    for (size_t row = 0; row < labels->rows; row++)
        if (labels->codes[c][row] != EQP_NO_CODE) rows[labels->codes[c][row]]++;
    for (uint32_t code = 0; code < size; code++) few += rows[code] < min_group ? rows[code] : 0;
    *(few >= min_group ? pooled : left_out) += few;
    eqp_status status = join_few(labels, c, rows, min_group, few >= min_group, to, error);
    for (size_t row = 0; row < labels->rows && status == EQP_OK; row++) {
        uint32_t code = labels->codes[c][row];
        codes[row] = code == EQP_NO_CODE ? EQP_NO_CODE : to[code];
    }
    if (status == EQP_OK) labels->codes[c] = codes;
    return status;
}

/* The groups of a row whose label is a set; none where it is missing. */
static eqp_members parts_of(const eqp_labels *labels, size_t c, size_t row)
{
    const eqp_label_sets *sets = labels->sets[c];
    uint32_t code = labels->codes[c][row];
    if (code == EQP_NO_CODE) return (eqp_members){0};
    return (eqp_members){sets->part + sets->first[code], sets->first[code + 1] - sets->first[code]};
}

/* The same where groups overlap: people count in each of theirs, but once in `pooled` and `left_out`. */
static eqp_status pool_sets(eqp_labels *labels, size_t c, size_t min_group, size_t *pooled, size_t *left_out,
                            eqp_error *error)
{
    const eqp_dictionary *texts = labels->sets[c]->parts;
    uint32_t size = eqp_dictionary_size(texts);
    size_t *rows = eqp_take_zero(&labels->arena, size, sizeof *rows), few = 0;
    const char **to = eqp_take_zero(&labels->arena, size, sizeof *to);
    if (labels->arena.failed) return eqp_fail_memory(error);
    for (size_t row = 0; row < labels->rows; row++) {
        eqp_members parts = parts_of(labels, c, row);
        for (size_t i = 0; i < parts.count; i++) rows[parts.group[i]]++;
    }
    for (size_t row = 0; row < labels->rows; row++) {
        eqp_members parts = parts_of(labels, c, row);
        bool is_few = false;
        for (size_t i = 0; i < parts.count; i++) is_few = is_few || rows[parts.group[i]] < min_group;
        few += is_few;
    }
    *(few >= min_group ? pooled : left_out) += few;
    for (uint32_t part = 0; part < size; part++)
        to[part] = rows[part] >= min_group ? eqp_dictionary_text(texts, part)
                   : few >= min_group      ? EQP_OTHERS
                                           : NULL;
    return eqp_labels_rename(labels, c, to, error);
}

eqp_status eqp_labels_pool(eqp_labels *labels, size_t min_group, size_t *pooled, size_t *left_out,
                           eqp_error *error)
{
    eqp_status status = EQP_OK;
    *pooled = *left_out = 0;
    for (size_t c = 0; c < labels->column_count && min_group > 0 && status == EQP_OK; c++)
        status = (labels->sets[c] != NULL ? pool_sets : pool_column)(labels, c, min_group, pooled, left_out,
                                                                     error);
    return status;
}

bool eqp_labels_complete(const eqp_labels *labels, size_t row)
{
    for (size_t c = 0; c < labels->column_count; c++)
        if (labels->codes[c][row] == EQP_NO_CODE) return false;
    return true;
}

void eqp_labels_free(eqp_labels *labels)
{
    if (labels == NULL) return;
    for (size_t c = 0; labels->own_texts != NULL && c < labels->column_count; c++)
        eqp_dictionary_free(labels->own_texts[c]);
    for (size_t c = 0; labels->sets != NULL && c < labels->column_count; c++)
        if (labels->sets[c] != NULL) eqp_dictionary_free(labels->sets[c]->parts);
    eqp_arena_free(&labels->given);
    eqp_arena_free(&labels->arena);
    free(labels);
}
