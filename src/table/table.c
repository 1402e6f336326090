/* Tables as objects: their life, looking up columns, taking rows. */
#include "table/table.h"

#include "base/memory.h"
#include "draw/digest.h"
#include "table/reader.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

size_t eqp_table_rows(const eqp_table *table)
{
    return table->rows;
}

size_t eqp_table_columns(const eqp_table *table)
{
    return table->column_count;
}

const char *eqp_table_column_name(const eqp_table *table, size_t column)
{
    return column < table->column_count ? table->columns[column].name : NULL;
}

void eqp_table_free(eqp_table *table)
{
    if (table == NULL) return;
    for (size_t i = 0; table->columns != NULL && i < table->column_count; i++) {
        eqp_column *column = &table->columns[i];
        free(column->name);
        free(column->numbers);
        free(column->codes);
        if (!column->borrows_levels) eqp_dictionary_free(column->levels);
    }
    free(table->columns);
    free(table->source);
    free(table->missing_marks);
    free(table);
}

/* ---- the digest --------------------------------------------------------------------------------------- */

static void digest_cells(const eqp_table *table, char hex[65])
{
    eqp_digest digest;
    eqp_digest_begin(&digest);
    for (size_t i = 0; i < table->column_count; i++) {
        const eqp_column *column = &table->columns[i];
        eqp_digest_add(&digest, column->name, strlen(column->name) + 1);
        if (column->kind == EQP_NUMBER) {
            eqp_digest_add(&digest, column->numbers, table->rows * sizeof *column->numbers);
            continue;
        }
        for (uint32_t code = 0; code < eqp_dictionary_size(column->levels); code++)
            eqp_digest_add(&digest, eqp_dictionary_text(column->levels, code),
                           eqp_dictionary_length(column->levels, code) + 1);
        eqp_digest_add(&digest, column->codes, table->rows * sizeof *column->codes);
    }
    eqp_digest_end(&digest, hex);
}

/* Deciding needs none, and hashing a table costs as much as a tenth of deciding it: so it waits until asked
 * for. */
const char *eqp_table_digest(const eqp_table *table)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (table->digest[0] == '\0') digest_cells(table, ((eqp_table *)table)->digest);
    pthread_mutex_unlock(&lock);
    return table->digest;
}

/* ---- looking up -------------------------------------------------------------------------------------- */

const eqp_column *eqp_table_find(const eqp_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0) return &table->columns[i];
    return NULL;
}

bool eqp_column_is_shared(const eqp_table *table, const eqp_column *column)
{
    size_t length = strlen(column->name);
    for (const eqp_column *later = column + 1; later < table->columns + table->column_count; later++)
        if (later->renamed && !column->renamed && strncmp(later->name, column->name, length) == 0 &&
            later->name[length] == '.' && strchr(later->name + length + 1, '.') == NULL)
            return true;
    return false;
}

/* As the file has them, so that tables and streams find the same columns under the same names. */
static const char *name_in_file(const eqp_column *column, char *space, size_t size)
{
    const char *point = column->renamed ? strrchr(column->name, '.') : NULL;
    if (point == NULL || (size_t)(point - column->name) >= size) return column->name;
    memcpy(space, column->name, (size_t)(point - column->name));
    space[point - column->name] = '\0';
    return space;
}

eqp_status eqp_table_require(const eqp_table *table, const char *name, const eqp_column **column,
                             eqp_error *error)
{
    enum { NAME = 256 };
    const eqp_layout layout = {.delimiter = table->delimiter, .columns = table->column_count};
    const char **names = eqp_alloc(table->column_count, sizeof *names);
    char(*space)[NAME] = eqp_alloc(table->column_count, sizeof *space);
    size_t found = 0;
    *column = NULL;
    eqp_status status = names != NULL && space != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t i = 0; i < table->column_count && status == EQP_OK; i++)
        names[i] = name_in_file(&table->columns[i], space[i], NAME);
    if (status == EQP_OK) status = eqp_column_require(&layout, names, name, &found, error);
    if (status == EQP_OK) *column = &table->columns[found];
    free(space);
    free(names);
    return status;
}

/* ---- taking rows ------------------------------------------------------------------------------------- */

static bool take_column(const eqp_column *from, const size_t *rows, size_t count, eqp_column *to)
{
    *to = (eqp_column){.kind = from->kind,
                       .levels = from->levels,
                       .borrows_levels = true,
                       .first_text_line = from->first_text_line,
                       .odd_cells = from->odd_cells,
                       .renamed = from->renamed};
    to->name = eqp_copy_text(from->name, strlen(from->name));
    if (from->kind == EQP_NUMBER)
        to->numbers = eqp_alloc(count, sizeof *to->numbers);
    else
        to->codes = eqp_alloc(count, sizeof *to->codes);
    if (to->name == NULL || (to->numbers == NULL && to->codes == NULL)) return false;
    for (size_t i = 0; i < count; i++) {
        if (to->numbers != NULL)
            to->numbers[i] = from->numbers[rows[i]];
        else
            to->codes[i] = from->codes[rows[i]];
        to->missing += to->numbers != NULL ? isnan(to->numbers[i]) : to->codes[i] == EQP_NO_CODE;
    }
    return true;
}

static bool copy_description(const eqp_table *from, eqp_table *to)
{
    *to = (eqp_table){.bytes = from->bytes, .decimal = from->decimal, .delimiter = from->delimiter};
    memcpy(to->digest, eqp_table_digest(from), sizeof to->digest);
    to->source = eqp_copy_text(from->source, strlen(from->source));
    to->missing_marks = eqp_copy_text(from->missing_marks, strlen(from->missing_marks));
    to->columns = eqp_alloc_zero(from->column_count, sizeof *to->columns);
    return to->source != NULL && to->missing_marks != NULL && to->columns != NULL;
}

eqp_status eqp_table_take(const eqp_table *table, const size_t *rows, size_t count, eqp_table **taken,
                          eqp_error *error)
{
    *taken = NULL;
    eqp_table *made = eqp_alloc_zero(1, sizeof *made);
    bool whole = made != NULL && copy_description(table, made);
    for (size_t i = 0; whole && i < table->column_count; i++) {
        whole = take_column(&table->columns[i], rows, count, &made->columns[i]);
        made->column_count = i + 1;
    }
    if (!whole) {
        eqp_table_free(made);
        return eqp_fail_memory(error);
    }
    made->rows = count;
    *taken = made;
    return EQP_OK;
}
