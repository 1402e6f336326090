/* Chances as text.  A rule gives few different ones, so their texts are remembered: printing the shortest
 * decimal costs more than deciding a record. */
#include "filter/record.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdio.h>

#define REMEMBERED 256

typedef struct printed_chance {
    double value;
    char text[36]; /* quotes included; empty when the place is free */
} printed_chance;

struct eqp_chances {
    const eqp_model *model;
    const eqp_record_style *style;
    double chance[EQP_BATCH_ROWS];
    double *leaves, *scratch;
    printed_chance printed[REMEMBERED];
};

eqp_status eqp_chances_new(const eqp_model *model, const eqp_record_style *style, eqp_chances **chances,
                           eqp_error *error)
{
    *chances = NULL;
    eqp_chances *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->model = model;
    made->style = style;
    made->leaves = eqp_alloc(model->rule->leaf_count, EQP_BATCH_ROWS * sizeof *made->leaves);
    made->scratch = eqp_alloc(eqp_rule_scratch(model->rule, EQP_BATCH_ROWS), sizeof *made->scratch);
    if (made->leaves == NULL || made->scratch == NULL) {
        eqp_chances_free(made);
        return eqp_fail_memory(error);
    }
    *chances = made;
    return EQP_OK;
}

void eqp_chances_free(eqp_chances *chances)
{
    if (chances == NULL) return;
    free(chances->leaves);
    free(chances->scratch);
    free(chances);
}

void eqp_chances_find(eqp_chances *chances, const eqp_block *block)
{
    const eqp_rule *rule = chances->model->rule;
    eqp_rule_leaves(chances->model->encoding, rule, block, 0, block->rows, chances->leaves, chances->scratch);
    for (size_t i = 0; i < block->rows; i++)
        chances->chance[i] = eqp_rule_chance(rule, chances->leaves + i * rule->leaf_count);
}

static size_t place_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (size_t)((bits ^ bits >> 27) * UINT64_C(0x9E3779B97F4A7C15) >> 56);
}

/* In the input's own way: with its decimal mark, in quotes where that is the delimiter too. */
static void print_chance(const eqp_record_style *style, double value, printed_chance *printed)
{
    char digits[32];
    eqp_number_print(value, digits);
    char *point = strchr(digits, '.');
    if (point != NULL) *point = style->decimal;
    const char *quote = style->decimal == style->delimiter ? "\"" : "";
    printed->value = value;
    snprintf(printed->text, sizeof printed->text, "%s%s%s", quote, digits, quote);
}

const char *eqp_chances_text(eqp_chances *chances, size_t i)
{
    double value = chances->chance[i];
    printed_chance *printed = &chances->printed[place_of(value)];
    if (printed->text[0] == '\0' || printed->value != value) print_chance(chances->style, value, printed);
    return printed->text;
}
