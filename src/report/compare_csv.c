/* A comparison as CSV: method by method, budget by budget, training rows and unseen rows. */
#include "report/documents.h"

#include <math.h>

static const eqp_field PARTS[] = {FIELD_train, FIELD_test};
static const eqp_field FIGURES[] = {FIELD_disclosure, FIELD_imbalance, FIELD_yield};
static const eqp_field ENDS[] = {FIELD_mean, FIELD_low, FIELD_high};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void add_number(eqp_buffer *out, double value)
{
    if (isfinite(value)) eqp_json_write_number(value, out);
}

static void add_header(eqp_buffer *out)
{
    eqp_buffer_text(out, "method,oracle,solver,budget,part");
    for (size_t f = 0; f < COUNT(FIGURES); f++)
        for (size_t e = 0; e < COUNT(ENDS); e++)
            eqp_buffer_printf(out, ",%s_%s", eqp_field_name(FIGURES[f]), eqp_field_name(ENDS[e]));
    eqp_buffer_text(out, ",seconds\n");
}

static void add_record(eqp_buffer *out, const json_t *method, const json_t *point, eqp_field part)
{
    const json_t *figures = eqp_field_value(point, part);
    eqp_buffer_printf(out, "%s,%s,%s,", eqp_field_text(method, FIELD_method),
                      eqp_field_text(method, FIELD_oracle), eqp_field_text(method, FIELD_solver));
    add_number(out, eqp_field_number(point, FIELD_max_disclosure));
    eqp_buffer_printf(out, ",%s", eqp_field_name(part));
    for (size_t f = 0; f < COUNT(FIGURES); f++)
        for (size_t e = 0; e < COUNT(ENDS); e++) {
            eqp_buffer_text(out, ",");
            add_number(out, eqp_field_number(figures, FIGURES[f], ENDS[e]));
        }
    eqp_buffer_text(out, ",");
    add_number(out, eqp_field_number(point, FIELD_seconds));
    eqp_buffer_text(out, "\n");
}

void eqp_compare_csv(const json_t *document, eqp_buffer *out)
{
    add_header(out);
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *method = eqp_field_entry(document, i, FIELD_methods);
        for (size_t j = 0; j < eqp_field_count(method, FIELD_points); j++)
            for (size_t p = 0; p < COUNT(PARTS); p++)
                add_record(out, method, eqp_field_entry(method, j, FIELD_points), PARTS[p]);
    }
}
