/* Disclosure control of documents about the rows that were learned from (base/sdc.h). */
#include "base/json.h"
#include "report/documents.h"

#include <math.h>
#include <string.h>

/* Figures that one record moves by about one over so many records. */
static bool is_of_rows(const char *name)
{
    static const eqp_field FIELDS[] = {FIELD_disclosure,
                                       FIELD_imbalance,
                                       FIELD_disclosure_error,
                                       FIELD_imbalance_error,
                                       FIELD_price,
                                       FIELD_mean,
                                       FIELD_low,
                                       FIELD_high,
                                       FIELD_limit,
                                       FIELD_disclosure_for_balance,
                                       FIELD_standard_error,
                                       FIELD_at_yield};
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++)
        if (strcmp(eqp_field_name(FIELDS[i]), name) == 0) return true;
    return false;
}

/* Shares among the accepted, of which there are fewer. */
static bool is_of_accepted(const char *name)
{
    return strcmp(name, eqp_field_name(FIELD_composition)) == 0 ||
           strcmp(name, eqp_field_name(FIELD_cohort)) == 0 ||
           strcmp(name, eqp_field_name(FIELD_composition_error)) == 0 ||
           strcmp(name, eqp_field_name(FIELD_cohort_error)) == 0 ||
           strcmp(name, eqp_field_name(FIELD_distortion)) == 0 ||
           strcmp(name, eqp_field_name(FIELD_distortion_error)) == 0 ||
           strcmp(name, eqp_field_name(FIELD_standardised_difference)) == 0;
}

/* Decided by one group, which may be a small one. */
static bool is_of_few(const char *name)
{
    return strcmp(name, eqp_field_name(FIELD_ratio)) == 0;
}

/* Models are for those who run them, and what their file tells is controlled already. */
static bool is_left_alone(const char *name)
{
    return strcmp(name, eqp_field_name(FIELD_model)) == 0 ||
           strcmp(name, eqp_field_name(FIELD_white_box)) == 0 ||
           strcmp(name, eqp_field_name(FIELD_seconds)) == 0;
}

/* ---- one figure ---------------------------------------------------------------------------------------- */

typedef struct control {
    const json_t *document;
    const eqp_sdc *sdc;
    double rows;
    uint64_t key;
} control;

#define NO_GROUP SIZE_MAX

/* Numbers the kinds of figures; groups have the numbers of their base rates, so that base rate and share of a
 * group are moved alike and say no more together. */
static uint64_t number_of(const char *kind, size_t group)
{
    if (group != NO_GROUP) return group;
    uint64_t number = 14695981039346656037u; /* FNV-1a */
    for (; *kind; kind++) number = (number ^ (unsigned char)*kind) * 1099511628211u;
    return number | (uint64_t)1 << 63;
}

/* A limit is an imbalance, and is moved with it. */
static const char *kind_of(const char *name)
{
    bool limit =
        strcmp(name, eqp_field_name(FIELD_limit)) == 0 || strcmp(name, eqp_field_name(FIELD_at_yield)) == 0;
    return limit ? eqp_field_name(FIELD_imbalance) : name;
}

/* All figures of a kind are moved by the same amount before they are rounded.  With an amount for each, or
 * none, the mean over the points of a frontier would tell what one record changes.  Disclosures are moved by
 * no more than rounding takes back where they are at a budget; the others by up to `base` records. */
static void tell(json_t *value, const control *of, const char *name, size_t group, double step_records,
                 double records)
{
    if (!json_is_real(value)) return;
    double offset = eqp_sdc_offset(of->sdc, of->key, number_of(kind_of(name), group), records);
    double reach = strcmp(name, eqp_field_name(FIELD_disclosure)) == 0 ? 1 : 2;
    double moved = fmax(json_real_value(value) + reach * offset, fmin(json_real_value(value), 0));
    json_real_set(value, eqp_sdc_neat(of->sdc, moved, step_records) + 0.0); /* no -0 */
}

/* Standard errors are rounded up: what is uncertain never seems certain. */
static void tell_error(json_t *value, const control *of, double records)
{
    if (json_is_real(value)) json_real_set(value, eqp_sdc_neat_up(of->sdc, json_real_value(value), records));
}

static bool is_error(const char *name)
{
    size_t length = strlen(name), ending = strlen("_error");
    return length > ending && strcmp(name + length - ending, "_error") == 0;
}

/* Whether a group's rate is of too few people to be told. */
static bool is_withheld(const control *of, size_t group)
{
    double rate = eqp_field_number(eqp_field_entry(of->document, group, FIELD_groups), FIELD_base_rate);
    return eqp_sdc_withholds(of->sdc, rate * of->rows + 1e-6);
}

/* A number about the accepted, or one per group: null where the group is withheld. */
static void tell_accepted(json_t *value, const control *of, const char *kind, size_t group, double records)
{
    for (size_t k = 0; k < json_array_size(value); k++) {
        json_t *share = json_array_get(value, k);
        if (json_is_real(share) && is_withheld(of, k))
            json_array_set_new(value, k, json_null());
        else
            tell_accepted(share, of, kind, k, records);
    }
    if (is_error(kind))
        tell_error(value, of, records);
    else
        tell(value, of, kind, group, records, records);
}

/* ---- a whole document ---------------------------------------------------------------------------------- */

/* [disclosure, imbalance, yield] of each split; a part has fewer rows, but a record is in part of the splits.
 */
static void tell_seeds(const json_t *seeds, const control *of, eqp_field part, double share)
{
    static const eqp_field KINDS[] = {FIELD_disclosure, FIELD_imbalance, FIELD_yield};
    for (size_t seed = 0; seed < eqp_field_count(seeds, part); seed++)
        for (size_t f = 0; f < 3; f++)
            tell(json_array_get(eqp_field_entry(seeds, seed, part), f), of, eqp_field_name(KINDS[f]),
                 NO_GROUP, of->rows * share, of->rows);
}

/* Means over the splits, by budget, beside the points with their yields. */
static void tell_compositions(const json_t *method, const control *of)
{
    static const eqp_field PARTS[] = {FIELD_train, FIELD_test};
    for (size_t b = 0; b < eqp_field_count(method, FIELD_composition); b++) {
        const json_t *shares = eqp_field_entry(method, b, FIELD_composition),
                     *point = eqp_field_entry(method, b, FIELD_points);
        for (size_t p = 0; p < 2; p++) {
            double yield = eqp_field_number(point, PARTS[p], FIELD_yield, FIELD_mean);
            tell_accepted(eqp_field_value(shares, PARTS[p]), of, eqp_field_name(FIELD_composition), NO_GROUP,
                          isnan(yield) ? of->rows / 10 : of->rows * yield);
        }
    }
}

/* The figures of an interval are of the kind that it is about. */
static bool is_of_interval(const char *name)
{
    return strcmp(name, eqp_field_name(FIELD_mean)) == 0 || strcmp(name, eqp_field_name(FIELD_low)) == 0 ||
           strcmp(name, eqp_field_name(FIELD_high)) == 0;
}

static void tell_members(json_t *value, const control *of, const char *kind, size_t group)
{
    const char *name;
    json_t *member;
    double yield = eqp_field_number(value, FIELD_yield),
           accepted = isnan(yield) ? of->rows / 10 : of->rows * yield;
    json_object_foreach(value, name, member)
    {
        if (is_left_alone(name)) continue;
        if (is_of_rows(name) && is_error(name))
            tell_error(member, of, of->rows);
        else if (is_of_rows(name) && json_is_real(member))
            tell(member, of, is_of_interval(name) ? kind : name, NO_GROUP, of->rows, of->rows);
        else if (is_of_few(name))
            tell(member, of, name, NO_GROUP, of->rows / 100, of->rows / 100);
        else if (is_of_accepted(name))
            tell_accepted(member, of, name, group, accepted);
        if (strcmp(name, eqp_field_name(FIELD_by_seed)) == 0) {
            tell_seeds(member, of, FIELD_train, EQP_TRAIN_SHARE);
            tell_seeds(member, of, FIELD_test, EQP_TEST_SHARE);
        }
        tell_members(member, of, name, NO_GROUP);
    }
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++)
        tell_members(json_array_get(value, i), of, kind,
                     strcmp(kind, eqp_field_name(FIELD_groups)) == 0 ? i : NO_GROUP);
}

/* The distance from the limit is rounded, not both: or a rule that reaches its limit would seem to miss it.
 */
static void round_beside_limit(json_t *figures, double exact_limit, double limit, double exact,
                               const eqp_sdc *sdc, double rows)
{
    if (!json_is_object(figures) || isnan(exact_limit) || isnan(exact)) return;
    double above = eqp_sdc_neat(sdc, exact - exact_limit, rows);
    json_real_set(json_object_get(figures, eqp_field_name(FIELD_imbalance)),
                  eqp_sdc_neat(sdc, limit + above, rows));
}

/* False when memory is short. */
static bool put(json_t *object, eqp_field field, json_t *value)
{
    return json_object_set_new(object, eqp_field_name(field), value) == 0;
}

static bool withhold_rates(json_t *document, const control *of)
{
    bool done = true;
    for (size_t k = 0; k < eqp_field_count(document, FIELD_groups); k++) {
        json_t *group = (json_t *)eqp_field_entry(document, k, FIELD_groups);
        bool hidden = is_withheld(of, k);
        done = done && put(group, FIELD_suppressed, json_boolean(hidden));
        if (hidden) done = done && put(group, FIELD_base_rate, json_null());
        if (hidden) done = done && put(group, FIELD_cohort, json_null());
    }
    return done;
}

void eqp_protect_document(json_t **document, const eqp_sdc *sdc, uint64_t key, double rows)
{
    control of = {*document, sdc, rows, key};
    json_t *chosen = json_object();
    eqp_json_set_text(&chosen, FIELD_name, sdc->name);
    eqp_json_set_number(&chosen, FIELD_threshold, sdc->threshold);
    eqp_json_set_number(&chosen, FIELD_base, sdc->base);
    eqp_json_set(document, FIELD_sdc, chosen);
    if (*document == NULL || !eqp_sdc_hides(sdc)) return;
    double limit = eqp_field_number(*document, FIELD_limit, FIELD_imbalance),
           train = eqp_field_number(*document, FIELD_train, FIELD_imbalance),
           in_sample = eqp_field_number(*document, FIELD_in_sample, FIELD_imbalance);
    tell_members(*document, &of, "", NO_GROUP);
    for (size_t i = 0; i < eqp_field_count(*document, FIELD_methods); i++)
        tell_compositions(eqp_field_entry(*document, i, FIELD_methods), &of);
    double told = eqp_field_number(*document, FIELD_limit, FIELD_imbalance);
    round_beside_limit(eqp_field_value(*document, FIELD_train), limit, told, train, sdc, rows);
    round_beside_limit(eqp_field_value(*document, FIELD_in_sample), limit, told, in_sample, sdc, rows);
    if (withhold_rates(*document, &of)) return;
    json_decref(*document); /* an incomplete document tells nothing */
    *document = NULL;
}
