/* From the command line to eqp_learn_options: the values are stored straight into the library's record. */
#include "learn_options.h"

#include "failure.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(learning_settings, field)

const option_spec group_options[] = {
    {"sensitive", 's', OPTION_LIST, AT(sensitive), "COL", NULL, NULL,
     "column of a sensitive attribute; ATTR=COL,COL where people tick a column for each group they are in"},
    {"multiple", 0, OPTION_TEXT, AT(options.multiple), "SEP", NULL, NULL,
     "what stands between several groups in one cell of a sensitive column, as | in Black|Hispanic"},
    {"intersect", 0, OPTION_FLAG, AT(options.intersect), NULL, NULL, NULL,
     "balance the combinations of several attributes; without it each attribute is balanced by itself"},
    {"target", 0, OPTION_TEXT, AT(options.target), "SHARES", NULL, "uniform",
     "shares to aim at; \"uniform\", or a CSV file with the columns attribute, value, share"},
    {"weight", 0, OPTION_TEXT, AT(options.weight), "COL", NULL, NULL, "column of design weights"},
    {"features", 0, OPTION_TEXT, AT(options.features), "LIST", NULL, NULL,
     "columns that the rule may use, comma-separated; every usable column when not given"},
    {"ignore", 0, OPTION_TEXT, AT(options.ignore), "LIST", NULL, NULL, "columns left out, comma-separated"},
    {"keep", 0, OPTION_TEXT, AT(options.keep), "LIST", NULL, NULL,
     "columns to use although they would be left out, comma-separated; \"inspect\" says which those are"},
    {"as", 0, OPTION_TEXT, AT(options.kinds), "LIST", NULL, NULL,
     "what columns hold, whatever they look like; COLUMN=number, levels, date, day-first, month-first or "
     "identifier, comma-separated"},
    {"min-group", 0, OPTION_COUNT, AT(options.min_group), "N", NULL, "0",
     "groups of fewer labelled people are pooled as \"other\"; left out if all of them together are still "
     "too few"},
    {"proxy", 0, OPTION_TEXT, AT(options.proxy), "COL", NULL, NULL,
     "only learn the acceptance, for this existing column; no rule is searched for"},
    {0}};

const option_spec rule_options[] = {
    {"max-disclosure", 'd', OPTION_SHARE, AT(options.max_disclosure), "X", NULL, "0.2",
     "the budget: how far the share of a group may move once an outcome is known, 0 to 1"},
    {"max-ratio", 0, OPTION_REAL, AT(options.max_ratio), "R", NULL, NULL,
     "keep the share of every group between its base rate divided by R and R times it, among the accepted "
     "and among the rejected; in addition to the budget"},
    {"min-chance", 0, OPTION_SHARE, AT(options.min_chance), "X", NULL, NULL,
     "chance of acceptance that everybody must have, as a share of the yield, 0 to 1"},
    {"protect", 0, OPTION_TEXT, AT(options.protect), "LIST", NULL, NULL,
     "columns to protect, comma-separated: within every group the accepted keep their mean or level shares; "
     "needs --max-distortion"},
    {"max-distortion", 0, OPTION_REAL, AT(options.max_distortion), "X", NULL, NULL,
     "how far a protected column may move within a group, in standard deviations"},
    {"max-imbalance", 0, OPTION_REAL, AT(options.max_imbalance), "X", NULL, NULL,
     "imbalance that is good enough; exit code 5 when it is not reached on unseen rows, 0 means as little as "
     "possible"},
    {"min-yield", 0, OPTION_SHARE, AT(options.min_yield), "X", NULL, NULL,
     "least share of accepted candidates; chosen by cross-validation when not given"},
    {"prefer", 0, OPTION_NAME, AT(options.prefer), "NAME", "prefer", NULL,
     "what matters more when a yield is chosen; balance when not given"},
    {"method", 0, OPTION_NAME, AT(options.method), "NAME", "method", "", "how the rule is learned"},
    {"oracle", 0, OPTION_NAME, AT(options.oracle), "NAME", "oracle", NULL,
     "how scores are fitted; the method's own way when not given, auto for direct"},
    {"solver", 0, OPTION_NAME, AT(options.solver), "NAME", "solver", NULL,
     "how the program of a split is solved; the method's own way when not given"},
    {"spread", 0, OPTION_REAL, AT(options.spread), "X", NULL, NULL,
     "weight of the sampling variance, 0 trusts the sample; when not given 1, or 0 for trees"},
    {"confidence", 0, OPTION_SHARE_OR_OFF, AT(options.confidence), "X|off", NULL, NULL,
     "confidence with which the budget holds in the population that the records came from, 0.95 for direct "
     "and publishable when not given; off: the budget holds in expectation"},
    {"strict", 0, OPTION_FLAG, AT(options.strict), NULL, NULL, NULL,
     "keep each single component of the rule within the budget; not what they tell together"},
    {"relaxed", 0, OPTION_FLAG, AT(options.relaxed), NULL, NULL, NULL,
     "acceptance by the paper's relaxed program; the shares of the leaves need not sum to 1"},
    {"min-leaf", 0, OPTION_COUNT, AT(options.min_leaf), "N", NULL, NULL,
     "fewest rows behind a leaf of a tree, 1 unless given, or behind a cell of a publishable rule, 50 unless "
     "given; 0 means chosen by cross-validation"},
    {"max-height", 0, OPTION_COUNT, AT(options.max_height), "N", NULL, NULL,
     "greatest height of a tree, 15 unless given; most questions of a publishable rule, 2 unless given, 5 at "
     "most"},
    {"max-leaves", 0, OPTION_COUNT, AT(options.max_leaves), "N", NULL, NULL,
     "most leaves of a tree, 64 unless given"},
    {0}};

const option_spec running_options[] = {
    {"seed", 0, OPTION_SEED, AT(options.seed), "N", NULL, "1", "seed of folds and random splits"},
    {"threads", 0, OPTION_COUNT, AT(options.threads), "N", NULL, "0",
     "threads; 0 means all cores, and the result is the same for any number"},
    {"sdc", 0, OPTION_TEXT, AT(options.sdc), "PRESET", NULL, "default",
     "disclosure control of the report: default, strict or none"},
    {"sdc-threshold", 0, OPTION_UNSIGNED, AT(options.sdc_threshold), "N", NULL, NULL,
     "counts below N, zeros included, are not shown; the preset's value when not given"},
    {"sdc-base", 0, OPTION_UNSIGNED, AT(options.sdc_base), "N", NULL, NULL,
     "figures are no finer than N records; the preset's value when not given"},
    {0}};

/* Columns that --as calls levels are read as text; `storage` keeps their names. */
static eqp_status add_levels(const char *kinds, text_list *text, char **storage, eqp_error *error)
{
    static const char LEVELS[] = "=levels";
    size_t most = text->count + 1;
    for (const char *c = kinds; c != NULL && *c != '\0'; c++) most += *c == ',';
    *storage = strdup(kinds != NULL ? kinds : "");
    const char **items = realloc(text->items, (most + 1) * sizeof *items);
    if (items != NULL) text->items = items;
    if (*storage == NULL || items == NULL) return fail(error, EQP_MEMORY, "not enough memory");
    char *rest = *storage, *entry;
    while ((entry = strsep(&rest, ",")) != NULL) {
        entry += strspn(entry, " ");
        size_t length = strlen(entry), tail = sizeof LEVELS - 1;
        if (length <= tail || strcmp(entry + length - tail, LEVELS) != 0) continue;
        entry[length - tail] = '\0';
        text->items[text->count++] = entry;
    }
    return EQP_OK;
}

eqp_status learning_read_any(const learning_settings *learning, const char *input, const eqp_watch *watch,
                             eqp_learn_options *options, eqp_table **table, eqp_error *error)
{
    text_list text;
    char *storage = NULL;
    *table = NULL;
    *options = learning->options;
    options->sensitive = learning->sensitive.items;
    options->sensitive_count = learning->sensitive.count;
    eqp_status status = reading_text_columns(&learning->reading, &learning->sensitive, &text, error);
    if (status == EQP_OK) status = add_levels(options->kinds, &text, &storage, error);
    if (status == EQP_OK) {
        eqp_read_options reading = reading_with(&learning->reading, &text);
        status = eqp_table_read(input, &reading, watch, table, error);
    }
    free(storage);
    free(text.items);
    return status;
}

eqp_status learning_read(const learning_settings *learning, const char *input, const eqp_watch *watch,
                         eqp_learn_options *options, eqp_table **table, eqp_error *error)
{
    *table = NULL;
    if (learning->sensitive.count > 0)
        return learning_read_any(learning, input, watch, options, table, error);
    fail(error, EQP_USAGE, "no sensitive attribute given");
    remedy(error, "name its column with --sensitive COL");
    return EQP_USAGE;
}
