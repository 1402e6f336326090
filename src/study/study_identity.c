/* Studies: what binds finished parts to their data and options. */
#include "study/study_identity.h"

#include "base/buffer.h"
#include "draw/digest.h"

static void add_word(eqp_buffer *text, const char *name, const char *value)
{
    eqp_buffer_printf(text, "%s=%s\n", name, value != NULL ? value : "");
}

static void add_number(eqp_buffer *text, const char *name, double value)
{
    eqp_buffer_printf(text, "%s=%.17g\n", name, value);
}

static void add_options(eqp_buffer *text, const eqp_learn_options *o)
{
    for (size_t i = 0; i < o->sensitive_count; i++) add_word(text, "sensitive", o->sensitive[i]);
    add_word(text, "weight", o->weight);
    add_word(text, "features", o->features);
    add_word(text, "ignore", o->ignore);
    add_word(text, "oracle", o->oracle);
    add_word(text, "solver", o->solver);
    add_number(text, "min_yield", o->min_yield);
    add_number(text, "spread", o->spread);
    add_number(text, "confidence", o->confidence);
    eqp_buffer_printf(text, "%d %d %zu %zu %zu %llu\n", o->intersect, o->strict, o->min_leaf, o->max_height,
                      o->max_leaves, (unsigned long long)o->seed);
}

static void add_groups(eqp_buffer *text, const eqp_groups *groups)
{
    for (size_t k = 0; k < groups->group_count; k++) {
        add_word(text, "group", groups->groups[k].value);
        add_number(text, "target", groups->groups[k].target);
    }
}

eqp_status eqp_study_digest(const eqp_table *table, const eqp_groups *groups,
                            const eqp_study_options *options, const eqp_axis *budgets, char digest[65],
                            eqp_error *error)
{
    eqp_buffer text = {0};
    add_word(&text, "version", eqp_version());
    add_word(&text, "data", eqp_table_digest(table));
    add_word(&text, "label", options->label);
    add_groups(&text, groups);
    add_options(&text, &options->learn);
    for (size_t i = 0; i < budgets->count; i++) add_number(&text, "budget", budgets->values[i]);
    eqp_status status = text.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) eqp_digest_of(text.bytes, text.length, digest);
    eqp_buffer_free(&text);
    return status;
}
