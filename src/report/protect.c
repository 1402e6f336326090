/* Disclosure control of documents about the rows that were learned from (base/sdc.h). */
#include "base/json.h"
#include "report/documents.h"

#include <math.h>
#include <stdio.h>
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

#define KEPT 1e-9 /* a budget that is exceeded by less */

/* ---- one figure ---------------------------------------------------------------------------------------- */

typedef struct control {
    const json_t *document;
    const eqp_groups *groups; /* NULL: the document is about no groups */
    const eqp_sdc *sdc;
    double rows;
    uint64_t key;
    double budget; /* of what is being told; NaN: none */
    bool hides_a_group;
    bool *incomplete; /* memory was short: nothing may be told */
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

/* Twice the records that a figure of this kind may be moved by, in units of the base.  Disclosures and yields
 * are moved by no more than rounding takes back where they are at a budget or at the least yield.  One record
 * moves the imbalance the most, because a rule accepts few. */
static double reach_of(const char *kind)
{
    if (strcmp(kind, eqp_field_name(FIELD_disclosure)) == 0) return 1;
    if (strcmp(kind, eqp_field_name(FIELD_yield)) == 0) return 1;
    return strcmp(kind, eqp_field_name(FIELD_imbalance)) == 0 ? 4 : 2;
}

/* All figures of a kind are moved by the same amount before they are rounded.  With an amount for each, or
 * none, the mean over the points of a frontier would tell what one record changes. */
static void tell(json_t *value, const control *of, const char *name, size_t group, double step_records,
                 double records)
{
    if (!json_is_real(value)) return;
    double offset = eqp_sdc_offset(of->sdc, of->key, number_of(kind_of(name), group), records);
    double moved =
        fmax(json_real_value(value) + reach_of(kind_of(name)) * offset, fmin(json_real_value(value), 0));
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

static void put(const control *of, json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) != 0) *of->incomplete = true;
}

static void put_entry(const control *of, json_t *list, size_t index, json_t *value)
{
    if (json_array_set_new(list, index, value) != 0) *of->incomplete = true;
}

static double rate_of(const control *of, size_t group)
{
    return eqp_field_number(eqp_field_entry(of->document, group, FIELD_groups), FIELD_base_rate);
}

/* All groups of too few people to be told have the same rate by now (eqp_sdc_rates). */
static bool is_withheld(const control *of, size_t group)
{
    return eqp_sdc_is_nominal(of->sdc, rate_of(of, group), of->rows);
}

/* A list of shares, or of groups with theirs. */
static json_t *share_in(const json_t *list, size_t group)
{
    json_t *entry = json_array_get(list, group);
    return json_is_object(entry) ? json_object_get(entry, eqp_field_name(FIELD_cohort)) : entry;
}

/* A share that is withheld does not follow from the others. */
static void leave_room(const json_t *list, const control *of)
{
    size_t count = of->groups != NULL && of->hides_a_group ? of->groups->group_count : 0;
    if (count == 0 || !json_is_real(share_in(list, 0))) return;
    double *told = eqp_alloc(count, sizeof *told);
    if (told == NULL) *of->incomplete = true;
    if (told == NULL) return;
    for (size_t k = 0; k < count; k++)
        told[k] = is_withheld(of, k) ? rate_of(of, k) : json_real_value(share_in(list, k));
    eqp_groups_leave_room(of->groups, of->sdc, of->rows, 1, told);
    for (size_t k = 0; k < count; k++) json_real_set(share_in(list, k), told[k]);
    free(told);
}

/* A number about the accepted, or one per group: null where the group is withheld. */
static void tell_accepted(json_t *value, const control *of, const char *kind, size_t group, double records)
{
    if (strcmp(kind, eqp_field_name(FIELD_composition)) == 0) leave_room(value, of);
    for (size_t k = 0; k < json_array_size(value); k++) {
        json_t *share = json_array_get(value, k);
        if (json_is_real(share) && is_withheld(of, k))
            put_entry(of, value, k, json_null());
        else
            tell_accepted(share, of, kind, k, records);
    }
    if (is_error(kind))
        tell_error(value, of, records);
    else
        tell(value, of, kind, group, records, records);
}

/* A disclosure on the side of the budget where it is; rounded up where it keeps the budget. */
static void tell_bound(json_t *value, const control *of, double records)
{
    if (!json_is_real(value)) return;
    double exact = json_real_value(value), up = eqp_sdc_neat_up(of->sdc, exact, records);
    bool kept = exact <= of->budget + KEPT, broken = exact > of->budget + KEPT; /* neither: there is none */
    json_real_set(value, kept     ? fmin(up, of->budget)
                         : broken ? fmax(eqp_sdc_neat(of->sdc, exact, records), of->budget)
                                  : up);
}

/* ---- a whole document ---------------------------------------------------------------------------------- */

/* How balanced people are and how far shares grow may be decided by the smallest group. */
static bool rests_on_groups(const char *name, const control *of)
{
    static const eqp_field FIELDS[] = {FIELD_imbalance, FIELD_imbalance_error, FIELD_price,
                                       FIELD_ratio,     FIELD_disclosure,      FIELD_disclosure_error};
    for (size_t i = 0; of->hides_a_group && i < sizeof FIELDS / sizeof *FIELDS; i++)
        if (strcmp(eqp_field_name(FIELDS[i]), name) == 0) return true;
    return false;
}

#define MOST_LIFTED     2  /* how much larger a small group's share is among the accepted, about */
#define FEWEST_ACCEPTED 40 /* in units of the base: with fewer, what is told says nothing */

/* Where a group is withheld, a figure that may rest on it is told as coarsely as a share of the accepted, or
 * not at all, where these are few: then false. */
static bool tell_coarsely(json_t *value, const control *of, const char *kind, double accepted)
{
    if (strcmp(kind, eqp_field_name(FIELD_disclosure)) == 0) {
        tell_bound(value, of, accepted);
        return true;
    }
    if (accepted < FEWEST_ACCEPTED * of->sdc->base || is_of_few(kind)) return false;
    if (is_error(kind))
        tell_error(value, of, accepted);
    else
        tell(value, of, kind, NO_GROUP, accepted, accepted / MOST_LIFTED);
    return true;
}

/* What no rule can be better than, or a figure in a document of that. */
static bool is_limit(const char *name, const char *kind)
{
    return strcmp(kind, eqp_field_name(FIELD_limit)) == 0 ||
           strcmp(kind, eqp_field_name(FIELD_limit_curve)) == 0 || kind_of(name) != name;
}

/* [disclosure, imbalance, yield] of each split; a part has fewer rows, but a record is in part of the splits.
 */
static void tell_seeds(const json_t *seeds, const control *of, eqp_field part, double share)
{
    static const eqp_field KINDS[] = {FIELD_disclosure, FIELD_imbalance, FIELD_yield};
    for (size_t seed = 0; seed < eqp_field_count(seeds, part); seed++)
        for (size_t f = 0; f < 3; f++) {
            json_t *figures = (json_t *)eqp_field_entry(seeds, seed, part),
                   *figure = json_array_get(figures, f);
            const char *kind = eqp_field_name(KINDS[f]);
            if (!rests_on_groups(kind, of))
                tell(figure, of, kind, NO_GROUP, of->rows * share, of->rows);
            else if (!tell_coarsely(figure, of, kind,
                                    of->rows * share * json_real_value(json_array_get(figures, 2))))
                put_entry(of, figures, f, json_null());
        }
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

static void tell_members(json_t *value, const control *outer, const char *kind, size_t group)
{
    const char *name;
    json_t *member;
    control here = *outer, *of = &here;
    if (eqp_field_is_known(value, FIELD_max_disclosure))
        here.budget = eqp_field_number(value, FIELD_max_disclosure);
    double yield = eqp_field_number(value, FIELD_yield),
           accepted = isnan(yield) ? of->rows / 10 : of->rows * yield;
    json_object_foreach(value, name, member)
    {
        bool asked_for = *kind == '\0' && strcmp(name, eqp_field_name(FIELD_imbalance)) == 0;
        if (is_left_alone(name) || asked_for) continue;
        const char *about = is_of_interval(name) ? kind : name;
        bool figure = of->hides_a_group && json_is_real(member);
        if (figure && is_limit(name, kind)) continue; /* is computed from base rates as they are told */
        if (figure && rests_on_groups(about, of)) {
            if (!tell_coarsely(member, of, about, accepted)) put(of, value, name, json_null());
            continue;
        }
        if (strcmp(name, eqp_field_name(FIELD_bound)) == 0)
            tell_bound(member, of, of->rows);
        else if (is_of_rows(name) && is_error(name))
            tell_error(member, of, of->rows);
        else if (is_of_rows(name) && json_is_real(member))
            tell(member, of, about, NO_GROUP, of->rows, of->rows);
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

static void withhold_groups(const control *of)
{
    for (size_t k = 0; k < eqp_field_count(of->document, FIELD_groups); k++) {
        json_t *group = (json_t *)eqp_field_entry(of->document, k, FIELD_groups);
        bool hidden = is_withheld(of, k);
        put(of, group, eqp_field_name(FIELD_suppressed), json_boolean(hidden));
        if (!hidden) continue;
        put(of, group, eqp_field_name(FIELD_base_rate), json_null());
        put(of, group, eqp_field_name(FIELD_cohort), json_null());
        put(of, group, eqp_field_name(FIELD_cohort_error), json_null());
    }
}

static void note_withheld(json_t **document, const eqp_sdc *sdc)
{
    char note[200];
    snprintf(note, sizeof note,
             "groups of fewer than %.0f labelled people are withheld, and how balanced a cohort is with them "
             "is shown coarsely or not at all; a least group size of %.0f pools them",
             sdc->threshold + sdc->base, sdc->threshold + sdc->base);
    json_t *notes = json_object_get(*document, eqp_field_name(FIELD_warnings));
    if (json_array_append_new(notes, eqp_json_text(note)) != 0) eqp_json_set(document, FIELD_warnings, NULL);
}

static void tell_document(json_t *document, const control *of)
{
    double limit = eqp_field_number(document, FIELD_limit, FIELD_imbalance),
           train = eqp_field_number(document, FIELD_train, FIELD_imbalance),
           in_sample = eqp_field_number(document, FIELD_in_sample, FIELD_imbalance);
    leave_room(eqp_field_value(document, FIELD_groups), of);
    tell_members(document, of, "", NO_GROUP);
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++)
        tell_compositions(eqp_field_entry(document, i, FIELD_methods), of);
    double told = eqp_field_number(document, FIELD_limit, FIELD_imbalance);
    if (!of->hides_a_group) {
        round_beside_limit(eqp_field_value(document, FIELD_train), limit, told, train, of->sdc, of->rows);
        round_beside_limit(eqp_field_value(document, FIELD_in_sample), limit, told, in_sample, of->sdc,
                           of->rows);
    }
    withhold_groups(of);
}

void eqp_protect_document(json_t **document, const eqp_groups *groups, const eqp_sdc *sdc, uint64_t key,
                          double rows)
{
    bool incomplete = false;
    control of = {*document, groups, sdc, rows, key, NAN, false, &incomplete};
    json_t *chosen = json_object();
    eqp_json_set_text(&chosen, FIELD_name, sdc->name);
    eqp_json_set_number(&chosen, FIELD_threshold, sdc->threshold);
    eqp_json_set_number(&chosen, FIELD_base, sdc->base);
    eqp_json_set(document, FIELD_sdc, chosen);
    if (*document == NULL || !eqp_sdc_hides(sdc)) return;
    for (size_t k = 0; k < eqp_field_count(*document, FIELD_groups); k++)
        of.hides_a_group |= is_withheld(&of, k);
    tell_document(*document, &of);
    if (of.hides_a_group) note_withheld(document, sdc);
    if (!incomplete || *document == NULL) return;
    json_decref(*document);
    *document = NULL;
}
