/* A learned model, damaged in one place at a time: each time it is refused with a message, or is a model
 * whose probabilities are probabilities.
 *
 *     damage-model MODEL TABLE STRIDE BITS     flips so many bits of every STRIDE-th byte, one at a time;
 * cuts the text off before it
 *
 * The digest is not looked at, as if whoever did the damage had made it anew. */
#include "base/memory.h"
#include "model/model_format.h"
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct tally {
    size_t refused, harmless, wrong;
} tally;

static bool all_are_probabilities(const double *probability, size_t rows, size_t leaves)
{
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (size_t leaf = 0; leaf < leaves; leaf++) {
            double p = probability[row * leaves + leaf];
            if (!(p >= 0 && p <= 1 + 1e-9)) return false;
            sum += p;
        }
        if (!(fabs(sum - 1) < 1e-8)) return false;
    }
    return true;
}

/* True also when the table has not the columns of the model. */
static bool is_harmless(const eqp_model *model, const eqp_table *table)
{
    eqp_block *block;
    eqp_error error = {0};
    if (eqp_block_from_table(model->encoding, table, &block, &error) != EQP_OK)
        return error.message[0] != '\0';
    size_t leaves = model->rule->leaf_count, rows = table->rows;
    double *probability = eqp_alloc(rows, leaves * sizeof *probability);
    double *scratch = eqp_alloc(eqp_rule_scratch(model->rule, rows), sizeof *scratch);
    bool good = probability != NULL && scratch != NULL;
    if (good) eqp_rule_leaves(model->encoding, model->rule, block, 0, rows, probability, scratch);
    good = good && all_are_probabilities(probability, rows, leaves);
    free(probability);
    free(scratch);
    eqp_block_free(block);
    return good;
}

static eqp_status read_model(const char *text, size_t length, eqp_model **model, eqp_error *error)
{
    eqp_encoding *encoding;
    eqp_groups *groups;
    eqp_rule *rule;
    eqp_provenance provenance;
    char digest[65];
    *model = NULL;
    eqp_status status = eqp_model_read(text, length, &encoding, &groups, &rule, &provenance, digest, error);
    if (status == EQP_OK) {
        status = eqp_model_new(encoding, groups, rule, &provenance, model, error);
    } else {
        eqp_encoding_free(encoding);
        eqp_groups_free(groups);
        eqp_rule_free(rule);
    }
    eqp_provenance_clear(&provenance);
    return status;
}

static void judge(const char *text, size_t length, const eqp_table *table, tally *ends)
{
    eqp_model *model;
    eqp_error error = {0};
    eqp_status status = read_model(text, length, &model, &error);
    if (status == EQP_OK && is_harmless(model, table))
        ends->harmless++;
    else if (status == EQP_DATA && error.message[0] != '\0')
        ends->refused++;
    else
        ends->wrong++;
    eqp_model_free(model);
}

static tally flip_bits(char *text, size_t length, const eqp_table *table, size_t stride, size_t bits)
{
    tally ends = {0};
    for (size_t i = 0; i < length; i += stride)
        for (size_t bit = 0; bit < bits; bit++) {
            char before = text[i];
            text[i] = (char)((unsigned char)before ^ 1u << (i + bit) % 8);
            judge(text, length, table, &ends);
            text[i] = before;
        }
    return ends;
}

/* What follows the last brace is white space. */
static tally cut_off(const char *text, size_t length, const eqp_table *table, size_t stride)
{
    tally ends = {0};
    while (length > 0 && text[length - 1] != '}') length--;
    for (size_t i = 0; i < length; i += stride) judge(text, i, table, &ends);
    return ends;
}

static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = file != NULL ? eqp_alloc(1 << 20, 1) : NULL;
    *length = text != NULL ? fread(text, 1, 1 << 20, file) : 0;
    if (file != NULL) fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    eqp_table *table;
    eqp_read_options options = {0};
    size_t length;
    if (argc != 5 || eqp_table_read(argv[2], &options, NULL, &table, NULL) != EQP_OK) return 2;
    char *text = read_text(argv[1], &length);
    if (length == 0) return 2;
    tally flipped = flip_bits(text, length, table, (size_t)atoi(argv[3]), (size_t)atoi(argv[4]));
    tally cut = cut_off(text, length, table, (size_t)atoi(argv[3]));
    printf("%zu bytes; flips: %zu refused, %zu harmless; cut off: %zu refused, %zu harmless; wrong: %zu\n",
           length, flipped.refused, flipped.harmless, cut.refused, cut.harmless, flipped.wrong + cut.wrong);
    free(text);
    eqp_table_free(table);
    return flipped.wrong + cut.wrong + cut.harmless > 0;
}
