/* A comparison as CSV: method by method, budget by budget, seed by seed, training rows and unseen rows. */
#include "report/documents.h"

#include <math.h>

static const eqp_field PARTS[] = {FIELD_train, FIELD_test};
static const eqp_field FIGURES[] = {FIELD_disclosure, FIELD_imbalance, FIELD_yield};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void add_header(eqp_buffer *out)
{
    eqp_buffer_text(out, "method,oracle,solver,budget,part,seed");
    for (size_t f = 0; f < COUNT(FIGURES); f++) eqp_buffer_printf(out, ",%s", eqp_field_name(FIGURES[f]));
    eqp_buffer_text(out, "\n");
}

static void add_record(eqp_buffer *out, const json_t *method, const json_t *point, eqp_field part,
                       size_t seed)
{
    const json_t *figures = eqp_field_entry(point, seed, FIELD_by_seed, part);
    eqp_buffer_printf(out, "%s,%s,%s,", eqp_field_text(method, FIELD_method),
                      eqp_field_text(method, FIELD_oracle), eqp_field_text(method, FIELD_solver));
    eqp_json_write_number(eqp_field_number(point, FIELD_max_disclosure), out);
    eqp_buffer_printf(out, ",%s,%zu", eqp_field_name(part), seed + 1);
    for (size_t f = 0; f < COUNT(FIGURES); f++) {
        const json_t *value = json_array_get(figures, f);
        eqp_buffer_text(out, ",");
        if (json_is_number(value)) eqp_json_write_number(json_number_value(value), out);
    }
    eqp_buffer_text(out, "\n");
}

void eqp_compare_csv(const json_t *document, eqp_buffer *out)
{
    add_header(out);
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *method = eqp_field_entry(document, i, FIELD_methods);
        for (size_t j = 0; j < eqp_field_count(method, FIELD_points); j++) {
            const json_t *point = eqp_field_entry(method, j, FIELD_points);
            for (size_t p = 0; p < COUNT(PARTS); p++)
                for (size_t s = 0; s < eqp_field_count(point, FIELD_by_seed, PARTS[p]); s++)
                    add_record(out, method, point, PARTS[p], s);
        }
    }
}
