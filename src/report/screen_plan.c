/* The screens of planning: people for a cohort and labels for a certificate; labels for an imbalance. */
#include "base/field.h"
#include "report/finding.h"
#include "report/screen.h"
#include "report/shown.h"

#include <math.h>

static void show_cohort(eqp_screen *screen, const json_t *document)
{
    double alternates = eqp_field_number(document, FIELD_alternates);
    eqp_screen_line(screen, "a cohort of %s%s%s%s at a yield of %s needs about %s candidates",
                    eqp_count(eqp_field_number(document, FIELD_size)).text, alternates > 0 ? " with " : "",
                    alternates > 0 ? eqp_count(alternates).text : "", alternates > 0 ? " alternates" : "",
                    eqp_percent(eqp_field_number(document, FIELD_yield)).text,
                    eqp_count(eqp_field_number(document, FIELD_candidates)).text);
    eqp_screen_line(screen, "%s to %s with %s %% confidence, given this yield",
                    eqp_count(eqp_field_number(document, FIELD_candidates_low)).text,
                    eqp_count(eqp_field_number(document, FIELD_candidates_high)).text,
                    eqp_confidence(eqp_field_number(document, FIELD_confidence)).text);
    if (eqp_field_number(document, FIELD_response) < 1)
        eqp_screen_line(screen, "%s of those invited respond: about %s invitations, %s to %s",
                        eqp_percent(eqp_field_number(document, FIELD_response)).text,
                        eqp_count(eqp_field_number(document, FIELD_invitations)).text,
                        eqp_count(eqp_field_number(document, FIELD_invitations_low)).text,
                        eqp_count(eqp_field_number(document, FIELD_invitations_high)).text);
    if (eqp_field_number(document, FIELD_drop_out) > 0)
        eqp_screen_line(screen, "%s drop out: %s alternates keep all seats filled",
                        eqp_percent(eqp_field_number(document, FIELD_drop_out)).text,
                        eqp_count(eqp_field_number(document, FIELD_alternates_needed)).text);
    eqp_screen_gap(screen);
    eqp_screen_line(screen, "a certificate at a budget of %s needs %s to %s labelled rows:",
                    eqp_decimal(eqp_field_number(document, FIELD_budget), 3).text,
                    eqp_count(eqp_field_number(document, FIELD_labels_needed_low)).text,
                    eqp_count(eqp_field_number(document, FIELD_labels_needed)).text);
    eqp_screen_line(screen, "  fewest if the rule uses half of its budget, on a small group; most if it");
    eqp_screen_line(screen, "  uses nine tenths of it, on a group of half of the people");
}

/* ---- labels for an imbalance --------------------------------------------------------------------------- */

static void add_value(eqp_grid *grid, const json_t *value, const char *how)
{
    eqp_grid_cell(grid, "%s", eqp_count(eqp_field_number(value, FIELD_rows)).text);
    eqp_grid_cell(grid, "%s", eqp_decimal(eqp_field_number(value, FIELD_imbalance), 3).text);
    eqp_grid_cell(grid, "%s to %s", eqp_decimal(eqp_field_number(value, FIELD_low), 3).text,
                  eqp_decimal(eqp_field_number(value, FIELD_high), 3).text);
    eqp_grid_cell(grid, "%s", how);
}

static void show_values(eqp_screen *screen, const json_t *document)
{
    eqp_grid grid;
    eqp_grid_begin(&grid, "rrll", "labels|imbalance|%s %% interval|",
                   eqp_confidence(eqp_field_number(document, FIELD_confidence)).text);
    for (size_t i = 0; i < eqp_field_count(document, FIELD_curve); i++)
        add_value(&grid, eqp_field_entry(document, i, FIELD_curve), "learned from that many of them");
    for (size_t i = 0; i < eqp_field_count(document, FIELD_forecast); i++)
        add_value(&grid, eqp_field_entry(document, i, FIELD_forecast),
                  i == 0 ? "now, by the curve" : "forecast by the curve");
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
}

void eqp_screen_more_labels(eqp_screen *screen, const json_t *curve)
{
    eqp_more_labels more = eqp_more_labels_of(curve);
    eqp_screen_wrapped(screen, "%s more labels would bring %s → %s (%s to %s)", more.rows.text, more.now.text,
                       more.then.text, more.low.text, more.high.text);
}

static void show_needed(eqp_screen *screen, const json_t *document)
{
    const json_t *labels = eqp_field_value(document, FIELD_labels);
    double needed = eqp_field_number(labels, FIELD_rows), have = eqp_field_number(document, FIELD_rows);
    double least = eqp_field_number(labels, FIELD_least), most = eqp_field_number(labels, FIELD_most);
    eqp_shown asked = eqp_decimal(eqp_field_number(document, FIELD_imbalance), 3);
    if (!isfinite(needed))
        eqp_screen_wrapped(screen,
                           "an imbalance of %s is not reached by more labels: the curve ends at about %s; %s",
                           asked.text, eqp_decimal(eqp_field_number(document, FIELD_reach), 3).text,
                           isfinite(least) ? "the interval does not exclude it"
                                           : "other columns or a larger budget are needed");
    else if (needed <= have)
        eqp_screen_wrapped(screen, "an imbalance of %s needs about %s labels: there are enough", asked.text,
                           eqp_count(needed).text);
    else if (isfinite(most))
        eqp_screen_wrapped(screen, "an imbalance of %s needs about %s labels, %s to %s: %s more", asked.text,
                           eqp_count(needed).text, eqp_count(least).text, eqp_count(most).text,
                           eqp_count(needed - have).text);
    else
        eqp_screen_wrapped(screen, "an imbalance of %s needs about %s labels, at least %s: %s more",
                           asked.text, eqp_count(needed).text, eqp_count(least).text,
                           eqp_count(needed - have).text);
}

static void show_labels(eqp_screen *screen, const json_t *document)
{
    eqp_screen_line(screen, "%s labelled rows, budget %s",
                    eqp_count(eqp_field_number(document, FIELD_rows)).text,
                    eqp_decimal(eqp_field_number(document, FIELD_budget), 3).text);
    eqp_screen_warnings(screen, document);
    eqp_screen_gap(screen);
    show_values(screen, document);
    eqp_screen_gap(screen);
    eqp_screen_more_labels(screen, document);
    show_needed(screen, document);
}

void eqp_screen_plan(eqp_screen *screen, const json_t *document)
{
    if (eqp_field_is_known(document, FIELD_curve))
        show_labels(screen, document);
    else
        show_cohort(screen, document);
}
