/* Scores: encoded rows -> one double each, a sum in a fixed order (M13).
 *
 *     linear    terms[0] + term of feature 0 + term of feature 1 + …
 *     boosted   terms[0] + value of tree 0 + value of tree 1 + …
 *
 * Every row is summed in that order, whether alone or in a batch, so that any engine that adds from left to
 * right gets the same bits.  A batch runs feature by feature over all rows: no row's sum is reordered, and
 * the loops vectorise. */
#include "model/rule.h"

/* A feature without weight adds 0 everywhere and can be passed over: no sum changes. */
static bool adds_nothing(const eqp_feature *feature, const double *terms)
{
    for (uint32_t slot = feature->slot; slot < feature->slot + feature->slots; slot++)
        if (terms[slot] != 0) return false;
    return true;
}

static double number_term(const double *pair, double value)
{
    return value == value ? pair[0] * value : pair[1];
}

static void add_numbers(const double *pair, const double *restrict values, size_t count, double *restrict out)
{
    double slope = pair[0], missing = pair[1];
    for (size_t i = 0; i < count; i++) out[i] += values[i] == values[i] ? slope * values[i] : missing;
}

static void add_levels(const double *table, const uint32_t *restrict codes, size_t count,
                       double *restrict out)
{
    for (size_t i = 0; i < count; i++) out[i] += table[codes[i]];
}

static bool goes_yes(const eqp_branch *branch, const eqp_block *block, size_t row)
{
    const uint32_t *codes = block->codes[branch->feature];
    if (codes != NULL) return codes[row] == branch->code;
    double value = block->numbers[branch->feature][row];
    return value == value ? value < branch->cut : branch->missing_yes;
}

static double tree_value(const eqp_branch *tree, const eqp_block *block, size_t row)
{
    const eqp_branch *branch = tree;
    while (branch->feature >= 0) branch = &tree[goes_yes(branch, block, row) ? branch->yes : branch->no];
    return branch->value;
}

static double boosted_row(const eqp_score *score, const eqp_block *block, size_t row)
{
    double sum = score->terms[0];
    for (uint32_t tree = 0; tree < score->tree_count; tree++)
        sum += tree_value(score->branches + score->tree_start[tree], block, row);
    return sum;
}

/* Tree by tree, so that each is near while all rows walk it. */
static void add_trees(const eqp_score *score, const eqp_block *block, size_t first, size_t count, double *out)
{
    for (uint32_t tree = 0; tree < score->tree_count; tree++)
        for (size_t i = 0; i < count; i++)
            out[i] += tree_value(score->branches + score->tree_start[tree], block, first + i);
}

double eqp_score_row(const eqp_encoding *encoding, const eqp_score *score, const eqp_block *block, size_t row)
{
    if (score->tree_count > 0) return boosted_row(score, block, row);
    double sum = score->terms[0];
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const double *terms = score->terms + encoding->features[f].slot;
        const uint32_t *codes = block->codes[f];
        sum += codes != NULL ? terms[codes[row]] : number_term(terms, block->numbers[f][row]);
    }
    return sum;
}

void eqp_score_rows(const eqp_encoding *encoding, const eqp_score *score, const eqp_block *block,
                    size_t first, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) out[i] = score->terms[0];
    if (score->tree_count > 0) {
        add_trees(score, block, first, count, out);
        return;
    }
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (adds_nothing(feature, score->terms)) continue;
        if (block->codes[f] != NULL)
            add_levels(score->terms + feature->slot, block->codes[f] + first, count, out);
        else
            add_numbers(score->terms + feature->slot, block->numbers[f] + first, count, out);
    }
}

static void add_some_numbers(const double *pair, const double *restrict values, const uint32_t *restrict row,
                             size_t count, double *restrict out)
{
    for (size_t i = 0; i < count; i++) out[i] += number_term(pair, values[row[i]]);
}

static void add_some_levels(const double *table, const uint32_t *restrict codes, const uint32_t *restrict row,
                            size_t count, double *restrict out)
{
    for (size_t i = 0; i < count; i++) out[i] += table[codes[row[i]]];
}

void eqp_score_some(const eqp_encoding *encoding, const eqp_score *score, const eqp_block *block,
                    const uint32_t *row, size_t count, double *out)
{
    if (score->tree_count > 0) {
        for (size_t i = 0; i < count; i++) out[i] = boosted_row(score, block, row[i]);
        return;
    }
    for (size_t i = 0; i < count; i++) out[i] = score->terms[0];
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const double *terms = score->terms + encoding->features[f].slot;
        if (adds_nothing(&encoding->features[f], score->terms)) continue;
        if (block->codes[f] != NULL)
            add_some_levels(terms, block->codes[f], row, count, out);
        else
            add_some_numbers(terms, block->numbers[f], row, count, out);
    }
}
