/* From the command line to eqp_learn_options: the values are stored straight into the library's record. */
#include "learn_options.h"

#include "failure.h"

#include <stddef.h>
#include <stdlib.h>

#define AT(field) offsetof(learning_settings, field)

const option_spec group_options[] = {
    {"sensitive", 's', OPTION_LIST, AT(sensitive), "COL", NULL, NULL, "column of a sensitive attribute"},
    {"intersect", 0, OPTION_FLAG, AT(options.intersect), NULL, NULL, NULL,
     "balance the combinations of several attributes; not each attribute by itself"},
    {"target", 0, OPTION_TEXT, AT(options.target), "SHARES", NULL, "uniform",
     "shares to aim at; \"uniform\", or a CSV file with the columns attribute, value, share"},
    {"weight", 0, OPTION_TEXT, AT(options.weight), "COL", NULL, NULL, "column of design weights"},
    {"features", 0, OPTION_TEXT, AT(options.features), "LIST", NULL, NULL,
     "columns that the rule may use, comma-separated; every usable column when not given"},
    {"ignore", 0, OPTION_TEXT, AT(options.ignore), "LIST", NULL, NULL, "columns left out, comma-separated"},
    {"proxy", 0, OPTION_TEXT, AT(options.proxy), "COL", NULL, NULL,
     "learn the acceptance for this existing column; no rule is searched for"},
    {0}};

const option_spec rule_options[] = {
    {"max-disclosure", 'd', OPTION_SHARE, AT(options.max_disclosure), "X", NULL, "0.2",
     "the budget: how far the share of a group may move once an outcome is known, 0 to 1"},
    {"max-imbalance", 0, OPTION_REAL, AT(options.max_imbalance), "X", NULL, NULL,
     "imbalance that is enough; exit code 5 when it is not reached on unseen rows, 0: as little as can be "
     "had"},
    {"min-yield", 0, OPTION_SHARE, AT(options.min_yield), "X", NULL, NULL,
     "least share of accepted candidates; chosen by cross-validation when not given"},
    {"method", 0, OPTION_NAME, AT(options.method), "NAME", "method", "", "how the rule is learned"},
    {"oracle", 0, OPTION_NAME, AT(options.oracle), "NAME", "oracle", NULL,
     "what a split looks at; the method's own when not given"},
    {"solver", 0, OPTION_NAME, AT(options.solver), "NAME", "solver", NULL,
     "how a split is solved; the method's own when not given"},
    {"spread", 0, OPTION_REAL, AT(options.spread), "X", NULL, NULL,
     "weight of the sampling variance, 0 trusts the sample; when not given 1, for trees 0"},
    {"confidence", 0, OPTION_SHARE_OR_OFF, AT(options.confidence), "X", NULL, NULL,
     "confidence with which the budget holds in the population that the records came from, 0.95 for direct "
     "when not given; \"off\": the budget holds in expectation"},
    {"strict", 0, OPTION_FLAG, AT(options.strict), NULL, NULL, NULL,
     "keep each single component of the rule within the budget; not what they tell together"},
    {"relaxed", 0, OPTION_FLAG, AT(options.relaxed), NULL, NULL, NULL,
     "acceptance by the paper's relaxed program; the shares of the leaves need not sum to 1"},
    {"min-leaf", 0, OPTION_COUNT, AT(options.min_leaf), "N", NULL, NULL,
     "least rows behind a leaf of a tree, 1 unless given; 0: chosen by cross-validation"},
    {"max-height", 0, OPTION_COUNT, AT(options.max_height), "N", NULL, NULL,
     "greatest height of a tree, 15 unless given"},
    {"max-leaves", 0, OPTION_COUNT, AT(options.max_leaves), "N", NULL, NULL,
     "most leaves of a tree, 64 unless given"},
    {0}};

const option_spec running_options[] = {
    {"seed", 0, OPTION_SEED, AT(options.seed), "N", NULL, "1", "seed of folds and random splits"},
    {"threads", 0, OPTION_COUNT, AT(options.threads), "N", NULL, "0",
     "threads; 0 means all cores, and the result is the same for any number"},
    {0}};

eqp_status learning_read(const learning_settings *learning, const char *input, const eqp_watch *watch,
                         eqp_learn_options *options, eqp_table **table, eqp_error *error)
{
    *table = NULL;
    if (learning->sensitive.count == 0) {
        fail(error, EQP_USAGE, "no sensitive attribute given");
        remedy(error, "name its column with --sensitive COL");
        return EQP_USAGE;
    }
    *options = learning->options;
    options->sensitive = learning->sensitive.items;
    options->sensitive_count = learning->sensitive.count;
    text_list text;
    eqp_status status = reading_text_columns(&learning->reading, &learning->sensitive, &text, error);
    if (status != EQP_OK) return status;
    eqp_read_options reading = reading_with(&learning->reading, &text);
    status = eqp_table_read(input, &reading, watch, table, error);
    free(text.items);
    return status;
}
