/* The comparison as a JSON document: by method and budget, with means and intervals over the seeds. */
#include "model/identity.h"
#include "report/documents.h"

#include <math.h>

/* ---- points -------------------------------------------------------------------------------------------- */

static json_t *interval(const eqp_comparison *c, size_t contender, size_t budget, size_t field)
{
    eqp_interval over = eqp_comparison_interval(c, contender, budget, field);
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_mean, over.mean);
    eqp_json_set_number(&object, FIELD_low, over.low);
    eqp_json_set_number(&object, FIELD_high, over.high);
    return object;
}

static json_t *figures(const eqp_comparison *c, size_t contender, size_t budget, size_t field)
{
    json_t *object = json_object();
    eqp_json_set(&object, FIELD_disclosure, interval(c, contender, budget, field));
    eqp_json_set(&object, FIELD_imbalance, interval(c, contender, budget, field + 1));
    eqp_json_set(&object, FIELD_yield, interval(c, contender, budget, field + 2));
    return object;
}

static double mean(const eqp_comparison *c, size_t contender, size_t budget, size_t field)
{
    return eqp_comparison_interval(c, contender, budget, field).mean;
}

/* [disclosure, imbalance, yield] of every seed, so that methods can be compared split by split. */
static json_t *by_seed(const eqp_comparison *c, size_t contender, size_t budget, size_t field)
{
    json_t *list = json_array();
    for (size_t seed = 0; seed < c->seeds; seed++) {
        json_t *one = json_array();
        for (size_t f = 0; f < 3; f++)
            eqp_json_append(&one,
                            eqp_json_number(eqp_comparison_value(c, contender, seed, budget, field + f)));
        eqp_json_append(&list, one);
    }
    return list;
}

static json_t *all_seeds(const eqp_comparison *c, size_t contender, size_t budget)
{
    json_t *object = json_object();
    eqp_json_set(&object, FIELD_train, by_seed(c, contender, budget, EQP_TRIAL_TRAIN));
    eqp_json_set(&object, FIELD_test, by_seed(c, contender, budget, EQP_TRIAL_TEST));
    return object;
}

static json_t *point(const eqp_comparison *c, size_t contender, size_t b)
{
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_max_disclosure, c->budgets.values[b]);
    eqp_json_set(&object, FIELD_train, figures(c, contender, b, EQP_TRIAL_TRAIN));
    eqp_json_set(&object, FIELD_test, figures(c, contender, b, EQP_TRIAL_TEST));
    eqp_json_set(&object, FIELD_by_seed, all_seeds(c, contender, b));
    eqp_json_set_number(&object, FIELD_within_budget, eqp_comparison_within(c, contender, b));
    eqp_json_set_number(&object, FIELD_seconds, mean(c, contender, b, EQP_TRIAL_SECONDS));
    eqp_json_set_number(&object, FIELD_leaves, mean(c, contender, b, EQP_TRIAL_LEAVES));
    eqp_json_set_number(&object, FIELD_splits, mean(c, contender, b, EQP_TRIAL_SPLITS));
    eqp_json_set_number(&object, FIELD_lemma_splits, mean(c, contender, b, EQP_TRIAL_LEMMA_SPLITS));
    return object;
}

static json_t *points(const eqp_comparison *c, size_t contender)
{
    json_t *list = json_array();
    for (size_t b = 0; b < c->budgets.count; b++) eqp_json_append(&list, point(c, contender, b));
    return list;
}

/* ---- one number per group ------------------------------------------------------------------------------ */

static size_t field_of(const eqp_comparison *c, eqp_trial_run run, size_t group)
{
    return EQP_TRIAL_FIGURES + (size_t)run * c->groups->group_count + group;
}

static json_t *shares(const eqp_comparison *c, size_t contender, size_t budget, eqp_trial_run run)
{
    json_t *list = json_array();
    for (size_t k = 0; k < c->groups->group_count; k++)
        eqp_json_append(&list, eqp_json_number(mean(c, contender, budget, field_of(c, run, k))));
    return list;
}

static json_t *compositions(const eqp_comparison *c, size_t contender)
{
    json_t *list = json_array();
    for (size_t b = 0; b < c->budgets.count; b++) {
        json_t *object = json_object();
        eqp_json_set_number(&object, FIELD_max_disclosure, c->budgets.values[b]);
        eqp_json_set(&object, FIELD_train, shares(c, contender, b, EQP_RUN_TRAIN));
        eqp_json_set(&object, FIELD_test, shares(c, contender, b, EQP_RUN_TEST));
        eqp_json_append(&list, object);
    }
    return list;
}

/* A group by its value, with the attribute before it where there are several. */
static json_t *group_name(const eqp_groups *groups, size_t k)
{
    eqp_buffer name = {0};
    if (groups->attribute_count > 1)
        eqp_buffer_printf(&name, "%s: ", groups->attributes[groups->groups[k].attribute]);
    eqp_buffer_text(&name, groups->groups[k].value);
    json_t *text = name.failed ? NULL : eqp_json_text(name.bytes);
    eqp_buffer_free(&name);
    return text;
}

/* Budgets and groups where nothing could be said are left out. */
static json_t *downstream(const eqp_comparison *c, size_t contender)
{
    json_t *list = json_array();
    for (size_t b = 0; c->options->label != NULL && b < c->budgets.count; b++)
        for (size_t k = 0; k < c->groups->group_count; k++) {
            size_t field = field_of(c, EQP_RUN_DOWNSTREAM, k);
            if (isnan(mean(c, contender, b, field))) continue;
            json_t *object = json_object();
            eqp_json_set_number(&object, FIELD_max_disclosure, c->budgets.values[b]);
            eqp_json_set(&object, FIELD_group, group_name(c->groups, k));
            eqp_json_set(&object, FIELD_difference, interval(c, contender, b, field));
            eqp_json_append(&list, object);
        }
    return list;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static json_t *methods(const eqp_comparison *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->contenders.count; i++) {
        const eqp_contender *contender = &c->contenders.list[i];
        json_t *method = json_object();
        eqp_json_set_text(&method, FIELD_method, contender->method->name);
        eqp_json_set_text(&method, FIELD_oracle, contender->oracle);
        eqp_json_set_text(&method, FIELD_solver, contender->solver);
        eqp_json_set_text(&method, FIELD_name, contender->name);
        eqp_json_set(&method, FIELD_points, points(c, i));
        eqp_json_set(&method, FIELD_downstream, downstream(c, i));
        eqp_json_set(&method, FIELD_composition, compositions(c, i));
        eqp_json_append(&list, method);
    }
    return list;
}

static json_t *distortion_entry(const eqp_comparison *c, size_t f, size_t k)
{
    const eqp_distortion *d = c->distortion;
    json_t *object = json_object();
    eqp_json_set_text(&object, FIELD_feature, c->distorting->encoding->features[f].name);
    eqp_json_set(&object, FIELD_group, k < d->groups ? group_name(c->groups, k) : eqp_json_text(""));
    eqp_json_set_number(&object, FIELD_standardised_difference, d->difference[f * (d->groups + 1) + k]);
    return object;
}

static json_t *distortion(const eqp_comparison *c)
{
    json_t *list = json_array();
    for (size_t f = 0; c->distortion != NULL && f < c->distortion->features; f++) {
        if (eqp_feature_repeats(c->distorting->encoding, f)) continue;
        for (size_t k = 0; k <= c->distortion->groups; k++) eqp_json_append(&list, distortion_entry(c, f, k));
    }
    return list;
}

static json_t *split_shares(void)
{
    json_t *list = json_array();
    eqp_json_append(&list, eqp_json_number(EQP_TRAIN_SHARE));
    eqp_json_append(&list, eqp_json_number(EQP_TEST_SHARE));
    eqp_json_append(&list, eqp_json_number(1 - EQP_TRAIN_SHARE - EQP_TEST_SHARE));
    return list;
}

json_t *eqp_compare_document(const eqp_comparison *c)
{
    json_t *document = json_object(), *seconds = json_object();
    eqp_json_set_text(&document, FIELD_command, "compare");
    eqp_json_set_text(&document, FIELD_version, eqp_version());
    eqp_json_set_count(&document, FIELD_rows, c->sample->rows);
    eqp_json_set_count(&document, FIELD_seeds, c->seeds);
    eqp_json_set(&document, FIELD_split, split_shares());
    eqp_json_set_text(&document, FIELD_source, c->table->source);
    eqp_json_set_text(&document, FIELD_label, c->options->label);
    eqp_json_set(&document, FIELD_groups, eqp_groups_document(c->groups, c->told_rate));
    eqp_json_set(&document, FIELD_limit_curve, eqp_limit_curve_document(c->groups, c->told_rate, NULL));
    eqp_json_set(&document, FIELD_methods, methods(c));
    eqp_json_set(&document, FIELD_distortion, distortion(c));
    eqp_json_set(&document, FIELD_warnings, eqp_notes_document(&c->notes));
    eqp_json_set(&document, FIELD_notices, eqp_notes_document(&c->notices));
    eqp_json_set_number(&seconds, FIELD_total, c->seconds);
    eqp_json_set(&document, FIELD_seconds, seconds);
    return document;
}
