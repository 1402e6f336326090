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
           strcmp(name, eqp_field_name(FIELD_distortion_error)) == 0;
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

typedef double rounding(const eqp_sdc *sdc, double figure, double records);

static void round_value(json_t *value, const eqp_sdc *sdc, double records, rounding *how)
{
    if (json_is_real(value)) json_real_set(value, how(sdc, json_real_value(value), records));
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++)
        round_value(json_array_get(value, i), sdc, records, how);
}

/* Standard errors are rounded up. */
static rounding *rounding_of(const char *name)
{
    size_t length = strlen(name), ending = strlen("_error");
    bool is_error = length > ending && strcmp(name + length - ending, "_error") == 0;
    return is_error ? eqp_sdc_neat_up : eqp_sdc_neat;
}

static void round_members(json_t *value, const eqp_sdc *sdc, double rows)
{
    const char *name;
    json_t *member;
    double yield = eqp_field_number(value, FIELD_yield);
    json_object_foreach(value, name, member)
    {
        if (is_left_alone(name)) continue;
        if (is_of_rows(name) && json_is_real(member))
            round_value(member, sdc, rows, rounding_of(name));
        else if (is_of_accepted(name))
            round_value(member, sdc, isnan(yield) ? rows / 10 : rows * yield, rounding_of(name));
        else if (is_of_few(name))
            round_value(member, sdc, rows / 100, eqp_sdc_neat);
        else
            round_members(member, sdc, rows);
    }
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++)
        round_members(json_array_get(value, i), sdc, rows);
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

static bool withhold_rates(json_t *document, const eqp_sdc *sdc, double rows)
{
    bool done = true;
    for (size_t k = 0; k < eqp_field_count(document, FIELD_groups); k++) {
        json_t *group = (json_t *)eqp_field_entry(document, k, FIELD_groups);
        bool hidden = eqp_sdc_withholds(sdc, eqp_field_number(group, FIELD_base_rate) * rows + 1e-6);
        done = done && put(group, FIELD_suppressed, json_boolean(hidden));
        if (hidden) done = done && put(group, FIELD_base_rate, json_null());
        if (hidden) done = done && put(group, FIELD_cohort, json_null());
    }
    return done;
}

void eqp_protect_document(json_t **document, const eqp_sdc *sdc, double rows)
{
    json_t *control = json_object();
    eqp_json_set_text(&control, FIELD_name, sdc->name);
    eqp_json_set_number(&control, FIELD_threshold, sdc->threshold);
    eqp_json_set_number(&control, FIELD_base, sdc->base);
    eqp_json_set(document, FIELD_sdc, control);
    if (*document == NULL || !eqp_sdc_hides(sdc)) return;
    double limit = eqp_field_number(*document, FIELD_limit, FIELD_imbalance),
           train = eqp_field_number(*document, FIELD_train, FIELD_imbalance),
           in_sample = eqp_field_number(*document, FIELD_in_sample, FIELD_imbalance);
    round_members(*document, sdc, rows);
    double told = eqp_field_number(*document, FIELD_limit, FIELD_imbalance);
    round_beside_limit(eqp_field_value(*document, FIELD_train), limit, told, train, sdc, rows);
    round_beside_limit(eqp_field_value(*document, FIELD_in_sample), limit, told, in_sample, sdc, rows);
    if (withhold_rates(*document, sdc, rows)) return;
    json_decref(*document); /* an incomplete document tells nothing */
    *document = NULL;
}
