/* The screens around a draw: filter, select and merge, plan, commit, verify. */
#include "base/field.h"
#include "report/screen.h"
#include "report/shown.h"

#include <math.h>

static void show_count(eqp_screen *screen, const json_t *document, eqp_field field, const char *one,
                       const char *many)
{
    double count = eqp_field_number(document, field);
    if (count > 0) eqp_screen_wrapped(screen, "note: %s %s", eqp_count(count).text, count > 1 ? many : one);
}

static void show_notes(eqp_screen *screen, const json_t *document)
{
    show_count(screen, document, FIELD_missing_cells, "missing cell", "missing cells");
    show_count(screen, document, FIELD_unseen_levels, "cell holds a value that training never saw",
               "cells hold values that training never saw");
    show_count(screen, document, FIELD_duplicate_ids, "record repeats an id; it has the outcome of the first",
               "records repeat an id; they have the outcome of the first");
    show_count(screen, document, FIELD_suspicious_cells,
               "cell would run as a formula in a spreadsheet (--excel-safe quotes it)",
               "cells would run as formulas in a spreadsheet (--excel-safe quotes them)");
    eqp_screen_warnings(screen, document);
}

static void show_accepted(eqp_screen *screen, const json_t *document)
{
    double read = eqp_field_number(document, FIELD_read),
           accepted = eqp_field_number(document, FIELD_accepted);
    double seconds = eqp_field_number(document, FIELD_seconds);
    eqp_screen_line(screen, "accepted %s of %s records (%s)%s%s", eqp_count(accepted).text,
                    eqp_count(read).text, eqp_percent(read > 0 ? accepted / read : NAN).text,
                    isfinite(seconds) ? " in " : "", isfinite(seconds) ? eqp_seconds(seconds).text : "");
}

static void show_selected(eqp_screen *screen, const json_t *document)
{
    double size = eqp_field_number(document, FIELD_size),
           selected = eqp_field_number(document, FIELD_selected);
    eqp_screen_line(screen, "selected %s of %s records, %s alternates", eqp_count(selected).text,
                    eqp_count(eqp_field_number(document, FIELD_read)).text,
                    eqp_count(eqp_field_number(document, FIELD_alternates)).text);
    if (selected < size)
        eqp_screen_verdict(screen, false, "SHORT of %s: only %s records can be accepted at all",
                           eqp_count(size).text, eqp_count(eqp_field_number(document, FIELD_reachable)).text);
}

void eqp_screen_filter(eqp_screen *screen, const json_t *document)
{
    if (eqp_field_is_known(document, FIELD_selected))
        show_selected(screen, document);
    else
        show_accepted(screen, document);
    show_notes(screen, document);
    if (*eqp_field_text(document, FIELD_key_commitment))
        eqp_screen_line(screen, "key %.16s…", eqp_field_text(document, FIELD_key_commitment));
}

void eqp_screen_plan(eqp_screen *screen, const json_t *document)
{
    eqp_screen_line(screen, "a cohort of %s at a yield of %s needs about %s candidates",
                    eqp_count(eqp_field_number(document, FIELD_size)).text,
                    eqp_percent(eqp_field_number(document, FIELD_yield)).text,
                    eqp_count(eqp_field_number(document, FIELD_candidates)).text);
    eqp_screen_line(screen, "%s to %s with %s %% confidence",
                    eqp_count(eqp_field_number(document, FIELD_candidates_low)).text,
                    eqp_count(eqp_field_number(document, FIELD_candidates_high)).text,
                    eqp_decimal(100 * eqp_field_number(document, FIELD_confidence), 0).text);
    eqp_screen_gap(screen);
    eqp_screen_line(screen, "a certificate at a budget of %s needs %s to %s labelled rows:",
                    eqp_decimal(eqp_field_number(document, FIELD_budget), 3).text,
                    eqp_count(eqp_field_number(document, FIELD_labels_needed_low)).text,
                    eqp_count(eqp_field_number(document, FIELD_labels_needed)).text);
    eqp_screen_line(screen, "  few where the rule uses half of its budget, on a small group; most where it");
    eqp_screen_line(screen, "  uses nine tenths of it, on a group of half of the people");
}

void eqp_screen_commit(eqp_screen *screen, const json_t *document)
{
    static const struct {
        eqp_field field;
        const char *label;
    } LINES[] = {{FIELD_model_digest, "model"},
                 {FIELD_input_digest, "input"},
                 {FIELD_key_commitment, "key"},
                 {FIELD_randomness, "randomness"},
                 {FIELD_digest, "commitment"}};
    eqp_grid grid;
    eqp_grid_begin(&grid, "ll", "committed to|");
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        if (!*eqp_field_text(document, LINES[i].field)) continue;
        eqp_grid_cell(&grid, "%s", LINES[i].label);
        eqp_grid_cell(&grid, "%.64s", eqp_field_text(document, LINES[i].field));
    }
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
    eqp_screen_line(screen, "draws before this one: %s",
                    eqp_count(eqp_field_number(document, FIELD_draws)).text);
    eqp_screen_line(screen, "next: publish the commitment, then draw, then reveal the key for verify");
}

void eqp_screen_verify(eqp_screen *screen, const json_t *document)
{
    bool pass = eqp_field_is_true(document, FIELD_pass);
    eqp_screen_verdict(screen, pass,
                       pass ? "verified: the result is the one that was committed to"
                            : "NOT VERIFIED: the result differs from the commitment");
    if (*eqp_field_text(document, FIELD_difference))
        eqp_screen_wrapped(screen, "%s", eqp_field_text(document, FIELD_difference));
    eqp_screen_line(screen, "%s records checked; draws before this one: %s",
                    eqp_count(eqp_field_number(document, FIELD_records)).text,
                    eqp_count(eqp_field_number(document, FIELD_draws)).text);
}
