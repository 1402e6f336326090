/* What rule and quotas tell together, on the screen of the audit. */
#include "base/field.h"
#include "report/finding.h"
#include "report/screen.h"
#include "report/shown.h"

#include <math.h>

void eqp_screen_quotas(eqp_screen *screen, const json_t *document)
{
    const json_t *quotas = eqp_field_value(document, FIELD_quotas);
    eqp_grid grid;
    if (!json_is_object(quotas)) return;
    bool pass = eqp_field_is_true(quotas, FIELD_pass),
         known = isfinite(eqp_field_number(quotas, FIELD_disclosure));
    eqp_grid_begin(&grid, "llll", "  known of a person|shift|budget|");
    eqp_grid_cell(&grid, "  selected or not");
    eqp_grid_cell(&grid, "%s", eqp_audit_figure(quotas, FIELD_disclosure, 3).text);
    eqp_grid_cell(&grid, "%s", eqp_decimal(eqp_field_number(quotas, FIELD_budget), 3).text);
    eqp_grid_cell(&grid, "%s",
                  pass    ? "within it, as measured"
                  : known ? "ABOVE THE BUDGET"
                          : "NOT KNOWN: too few rows");
    eqp_grid_tone(&grid, pass ? EQP_TONE_GOOD : EQP_TONE_BAD);
    eqp_grid_cell(&grid, "  the quota columns alone");
    eqp_grid_cell(&grid, "%s", eqp_audit_figure(quotas, FIELD_columns, 3).text);
    eqp_grid_cell(&grid, "%s", "");
    eqp_grid_cell(&grid, "%s", "");
    eqp_grid_cell(&grid, "  a ticket on the page of the draw");
    bool above = eqp_field_number(quotas, FIELD_page) > eqp_field_number(quotas, FIELD_budget);
    eqp_grid_cell(&grid, "%s", eqp_audit_figure(quotas, FIELD_page, 3).text);
    eqp_grid_cell(&grid, "%s", eqp_decimal(eqp_field_number(quotas, FIELD_budget), 3).text);
    eqp_grid_cell(&grid, "%s", above ? "above it: do not publish" : "");
    eqp_grid_tone(&grid, above ? EQP_TONE_BAD : EQP_TONE_PLAIN);
    eqp_screen_gap(screen);
    eqp_screen_line(screen, "what rule and quotas tell together, for a panel of %s of these rows",
                    eqp_count(eqp_field_number(quotas, FIELD_size)).text);
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
}
