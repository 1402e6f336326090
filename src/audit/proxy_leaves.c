/* A proxy column as leaves: first a raw code for each row, then only the codes that occur. */
#include "audit/audit.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_LEVELS 1000
#define FEW_VALUES  20
#define BINS        10

/* Raw codes 0 … code_count-1 are named by name(); code_count itself is "missing". */
struct coding {
    const eqp_column *column;
    size_t rows, code_count;
    double values[FEW_VALUES]; /* the distinct values, rising, or the upper edges of the bins */
    bool by_value;
};

/* The present values, sorted. */
static double *sorted_values(const eqp_column *column, size_t rows, size_t *count)
{
    double *values = eqp_alloc(rows, sizeof *values);
    *count = 0;
    for (size_t i = 0; values != NULL && i < rows; i++)
        if (!isnan(column->numbers[i])) values[(*count)++] = column->numbers[i];
    if (values != NULL) eqp_sort_numbers(values, *count);
    return values;
}

static bool take_distinct(struct coding *coding, const double *values, size_t count)
{
    coding->code_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && values[i] == values[i - 1]) continue;
        if (coding->code_count == FEW_VALUES) return false;
        coding->values[coding->code_count++] = values[i];
    }
    return true;
}

/* Upper edges: 0.1, 0.2 … of a probability, else the tenths of the rows. */
static void take_bins(struct coding *coding, const double *values, size_t count)
{
    bool probability = values[0] >= 0 && values[count - 1] <= 1;
    coding->code_count = BINS;
    for (size_t b = 0; b + 1 < BINS; b++)
        coding->values[b] = probability ? (double)(b + 1) / BINS : values[count * (b + 1) / BINS];
    coding->values[BINS - 1] = values[count - 1];
}

static eqp_status code_numbers(struct coding *coding, eqp_error *error)
{
    size_t count;
    double *values = sorted_values(coding->column, coding->rows, &count);
    if (values == NULL) return eqp_fail_memory(error);
    coding->by_value = take_distinct(coding, values, count);
    if (!coding->by_value) take_bins(coding, values, count);
    free(values);
    return EQP_OK;
}

static eqp_status code_texts(struct coding *coding, eqp_error *error)
{
    coding->code_count = eqp_dictionary_size(coding->column->levels);
    if (coding->code_count <= MOST_LEVELS) return EQP_OK;
    eqp_status status = eqp_fail(error, EQP_DATA, "proxy column \"%s\" has %zu different values",
                                 coding->column->name, coding->code_count);
    eqp_hint(error, "a proxy is a category or a score; this looks like an identifier");
    return status;
}

static uint32_t code_of_number(const struct coding *coding, double value)
{
    uint32_t code = 0;
    if (isnan(value)) return (uint32_t)coding->code_count;
    while (code + 1 < coding->code_count &&
           (coding->by_value ? value > coding->values[code] : value >= coding->values[code]))
        code++;
    return code;
}

static uint32_t code_of_row(const struct coding *coding, size_t row)
{
    if (coding->column->kind == EQP_NUMBER) return code_of_number(coding, coding->column->numbers[row]);
    uint32_t code = coding->column->codes[row];
    return code == EQP_NO_CODE ? (uint32_t)coding->code_count : code;
}

static char *name_of_code(const struct coding *coding, size_t code)
{
    char text[80], number[32], lower[32];
    if (code == coding->code_count) return eqp_copy_text("missing", strlen("missing"));
    if (coding->column->kind == EQP_TEXT)
        return eqp_copy_text(eqp_dictionary_text(coding->column->levels, (uint32_t)code),
                             eqp_dictionary_length(coding->column->levels, (uint32_t)code));
    eqp_number_print(coding->values[code], number);
    if (coding->by_value) return eqp_copy_text(number, strlen(number));
    if (code == 0)
        snprintf(text, sizeof text, "below %s", number);
    else
        eqp_number_print(coding->values[code - 1], lower);
    if (code + 1 == coding->code_count)
        snprintf(text, sizeof text, "from %s", lower);
    else if (code > 0)
        snprintf(text, sizeof text, "%s to below %s", lower, number);
    return eqp_copy_text(text, strlen(text));
}

/* Leaves are numbered in the order of the raw codes, those that no row has left out. */
static eqp_status number_leaves(const struct coding *coding, eqp_proxy *proxy, eqp_error *error)
{
    size_t codes = coding->code_count + 1;
    uint32_t *leaf_of = eqp_alloc_zero(codes, sizeof *leaf_of);
    proxy->names = eqp_alloc_zero(codes, sizeof *proxy->names);
    if (leaf_of == NULL || proxy->names == NULL) {
        free(leaf_of);
        return eqp_fail_memory(error);
    }
    for (size_t i = 0; i < proxy->rows; i++) leaf_of[proxy->leaf[i]] = 1;
    bool complete = true;
    for (size_t code = 0; code < codes; code++) {
        if (leaf_of[code] == 0) continue;
        leaf_of[code] = (uint32_t)proxy->leaf_count;
        char *name = name_of_code(coding, code);
        proxy->names[proxy->leaf_count++] = name;
        complete = complete && name != NULL;
    }
    for (size_t i = 0; i < proxy->rows; i++) proxy->leaf[i] = leaf_of[proxy->leaf[i]];
    free(leaf_of);
    return complete ? EQP_OK : eqp_fail_memory(error);
}

eqp_status eqp_proxy_from_table(const eqp_table *table, const char *column, eqp_proxy **proxy,
                                eqp_error *error)
{
    *proxy = NULL;
    struct coding coding = {.rows = table->rows};
    eqp_status status = eqp_table_require(table, column, &coding.column, error);
    if (status == EQP_OK)
        status = coding.column->kind == EQP_TEXT ? code_texts(&coding, error) : code_numbers(&coding, error);
    if (status != EQP_OK) return status;

    eqp_proxy *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->rows = table->rows;
    made->leaf = eqp_alloc(table->rows, sizeof *made->leaf);
    if (made->leaf == NULL) status = eqp_fail_memory(error);
    for (size_t i = 0; status == EQP_OK && i < table->rows; i++) made->leaf[i] = code_of_row(&coding, i);
    if (status == EQP_OK) status = number_leaves(&coding, made, error);
    if (status == EQP_OK) *proxy = made;
    if (status != EQP_OK) eqp_proxy_free(made);
    return status;
}

void eqp_proxy_free(eqp_proxy *proxy)
{
    if (proxy == NULL) return;
    for (size_t j = 0; j < proxy->leaf_count && proxy->names != NULL; j++) free(proxy->names[j]);
    free(proxy->names);
    free(proxy->leaf);
    free(proxy);
}
