/* The comparison as a JSON document: method by method, budget by budget, means and intervals over the seeds.
 */
#include "report/compare_json.h"

#include "base/buffer.h"
#include "model/identity.h"
#include "report/learn_json.h"
#include "report/report.h"

#include <math.h>

/* ---- points -------------------------------------------------------------------------------------------- */

static json_t *interval(const eqp_comparison *c, size_t contender, size_t budget, size_t field)
{
    eqp_interval over = eqp_comparison_interval(c, contender, budget, field);
    return json_pack("{s:o, s:o, s:o}", "mean", eqp_json_number(over.mean), "low", eqp_json_number(over.low),
                     "high", eqp_json_number(over.high));
}

static json_t *figures(const eqp_comparison *c, size_t contender, size_t budget, size_t field)
{
    return json_pack("{s:o, s:o, s:o}", "disclosure", interval(c, contender, budget, field), "imbalance",
                     interval(c, contender, budget, field + 1), "yield",
                     interval(c, contender, budget, field + 2));
}

static double mean(const eqp_comparison *c, size_t contender, size_t budget, size_t field)
{
    return eqp_comparison_interval(c, contender, budget, field).mean;
}

static json_t *points(const eqp_comparison *c, size_t contender)
{
    json_t *list = json_array();
    for (size_t b = 0; b < c->budgets.count; b++)
        eqp_json_append(&list,
                        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "max_disclosure",
                                  eqp_json_number(c->budgets.values[b]), "train",
                                  figures(c, contender, b, EQP_TRIAL_TRAIN), "test",
                                  figures(c, contender, b, EQP_TRIAL_TEST), "within_budget",
                                  eqp_json_number(eqp_comparison_within(c, contender, b)), "seconds",
                                  eqp_json_number(mean(c, contender, b, EQP_TRIAL_SECONDS)), "leaves",
                                  eqp_json_number(mean(c, contender, b, EQP_TRIAL_LEAVES)), "splits",
                                  eqp_json_number(mean(c, contender, b, EQP_TRIAL_SPLITS)), "lemma_splits",
                                  eqp_json_number(mean(c, contender, b, EQP_TRIAL_LEMMA_SPLITS))));
    return list;
}

/* ---- one number a group -------------------------------------------------------------------------------- */

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
    for (size_t b = 0; b < c->budgets.count; b++)
        eqp_json_append(&list,
                        json_pack("{s:o, s:o, s:o}", "max_disclosure", eqp_json_number(c->budgets.values[b]),
                                  "train", shares(c, contender, b, EQP_RUN_TRAIN), "test",
                                  shares(c, contender, b, EQP_RUN_TEST)));
    return list;
}

/* A group by its value, with the attribute before it where there are several. */
static json_t *group_name(const eqp_groups *groups, size_t k)
{
    eqp_buffer name = {0};
    if (groups->attribute_count > 1)
        eqp_buffer_printf(&name, "%s: ", groups->attributes[groups->groups[k].attribute]);
    eqp_buffer_text(&name, groups->groups[k].value);
    json_t *text = name.failed ? NULL : eqp_json_text(name.bytes != NULL ? name.bytes : "");
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
            eqp_json_append(&list, json_pack("{s:o, s:o, s:o}", "max_disclosure",
                                             eqp_json_number(c->budgets.values[b]), "group",
                                             group_name(c->groups, k), "difference",
                                             interval(c, contender, b, field)));
        }
    return list;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static json_t *methods(const eqp_comparison *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->contenders.count; i++) {
        const eqp_contender *contender = &c->contenders.list[i];
        json_t *method = json_pack("{s:s, s:s, s:s, s:s}", "method", contender->method->name, "oracle",
                                   contender->oracle, "solver", c->learn.solver, "name", contender->name);
        eqp_json_set(&method, "points", points(c, i));
        eqp_json_set(&method, "downstream", downstream(c, i));
        eqp_json_set(&method, "composition", compositions(c, i));
        eqp_json_append(&list, method);
    }
    return list;
}

static json_t *distortion(const eqp_comparison *c)
{
    json_t *list = json_array();
    const eqp_distortion *d = c->distortion;
    for (size_t f = 0; d != NULL && f < d->features; f++) {
        if (eqp_feature_repeats(c->distorting->encoding, f)) continue;
        for (size_t k = 0; k <= d->groups; k++)
            eqp_json_append(&list,
                            json_pack("{s:o, s:o, s:o}", "feature",
                                      eqp_json_text(c->distorting->encoding->features[f].name), "group",
                                      k < d->groups ? group_name(c->groups, k) : json_string(""),
                                      "standardised_difference",
                                      eqp_json_number(d->difference[f * (d->groups + 1) + k])));
    }
    return list;
}

json_t *eqp_compare_document(const eqp_comparison *c)
{
    const char *label = c->options->label;
    json_t *document = json_pack("{s:s, s:s, s:s, s:I, s:I, s:[f, f, f]}", "command", "compare", "version",
                                 eqp_version(), "data_digest", eqp_table_digest(c->table), "rows",
                                 (json_int_t)c->sample->rows, "seeds", (json_int_t)c->seeds, "split",
                                 EQP_TRAIN_SHARE, EQP_TEST_SHARE, 1 - EQP_TRAIN_SHARE - EQP_TEST_SHARE);
    eqp_json_set(&document, "source", eqp_json_text(c->table->source));
    eqp_json_set(&document, "label", label != NULL ? eqp_json_text(label) : json_null());
    eqp_json_set(&document, "groups", eqp_groups_document(c->groups, c->sample->base_rate));
    eqp_json_set(&document, "limit_curve", eqp_limit_curve_document(c->groups, c->sample->base_rate));
    eqp_json_set(&document, "methods", methods(c));
    eqp_json_set(&document, "distortion", distortion(c));
    eqp_json_set(&document, "warnings", eqp_notes_document(&c->notes));
    eqp_json_set(&document, "seconds", json_pack("{s:o}", "total", eqp_json_number(c->seconds)));
    return document;
}
