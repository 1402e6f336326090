/* A comparison as CSV: method by method, budget by budget, training rows and unseen rows. */
#include "report/compare_csv.h"

#include "base/number.h"
#include "report/field.h"

#include <math.h>

static const char *const PARTS[] = {"train", "test"};
static const char *const FIGURES[] = {"disclosure", "imbalance", "yield"};
static const char *const ENDS[] = {"mean", "low", "high"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void add_number(eqp_buffer *out, double value)
{
    char text[32];
    if (!isfinite(value)) return;
    eqp_buffer_add(out, text, eqp_number_print(value, text));
}

static void add_header(eqp_buffer *out)
{
    eqp_buffer_text(out, "method,oracle,solver,budget,part");
    for (size_t f = 0; f < COUNT(FIGURES); f++)
        for (size_t e = 0; e < COUNT(ENDS); e++) eqp_buffer_printf(out, ",%s_%s", FIGURES[f], ENDS[e]);
    eqp_buffer_text(out, ",seconds\n");
}

static void add_record(eqp_buffer *out, const json_t *method, const json_t *point, const char *part)
{
    const json_t *figures = eqp_field(point, part);
    eqp_buffer_printf(out, "%s,%s,%s,", eqp_field_text(method, "method"), eqp_field_text(method, "oracle"),
                      eqp_field_text(method, "solver"));
    add_number(out, eqp_field_number(point, "max_disclosure"));
    eqp_buffer_printf(out, ",%s", part);
    for (size_t f = 0; f < COUNT(FIGURES); f++)
        for (size_t e = 0; e < COUNT(ENDS); e++) {
            eqp_buffer_text(out, ",");
            add_number(out, eqp_field_number(eqp_field(figures, FIGURES[f]), ENDS[e]));
        }
    eqp_buffer_text(out, ",");
    add_number(out, eqp_field_number(point, "seconds"));
    eqp_buffer_text(out, "\n");
}

void eqp_compare_csv(const json_t *document, eqp_buffer *out)
{
    add_header(out);
    for (size_t i = 0; i < eqp_field_count(document, "methods"); i++) {
        const json_t *method = eqp_field_entry(document, "methods", i);
        for (size_t j = 0; j < eqp_field_count(method, "points"); j++)
            for (size_t p = 0; p < COUNT(PARTS); p++)
                add_record(out, method, eqp_field_entry(method, "points", j), PARTS[p]);
    }
}
