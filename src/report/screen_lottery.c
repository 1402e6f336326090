/* The screens around a draw: filter, select and merge, plan, commit, verify. */
#include "report/field.h"
#include "report/screen.h"
#include "report/shown.h"

#include <math.h>
#include <string.h>

static void show_count(eqp_screen *screen, const json_t *document, const char *field, const char *one,
                       const char *many)
{
    double count = eqp_field_number(document, field);
    if (count > 0) eqp_screen_wrapped(screen, "note: %s %s", eqp_count(count).text, count > 1 ? many : one);
}

static void show_notes(eqp_screen *screen, const json_t *document)
{
    show_count(screen, document, "missing_cells", "missing cell", "missing cells");
    show_count(screen, document, "unseen_levels", "cell holds a value that training never saw",
               "cells hold values that training never saw");
    show_count(screen, document, "duplicate_ids", "record repeats an id; it has the outcome of the first",
               "records repeat an id; they have the outcome of the first");
    show_count(screen, document, "suspicious_cells",
               "cell would run as a formula in a spreadsheet (--excel-safe quotes it)",
               "cells would run as formulas in a spreadsheet (--excel-safe quotes them)");
    eqp_screen_warnings(screen, document);
}

static void show_accepted(eqp_screen *screen, const json_t *document)
{
    double read = eqp_field_number(document, "read"), accepted = eqp_field_number(document, "accepted");
    double seconds = eqp_field_number(document, "seconds");
    eqp_screen_line(screen, "accepted %s of %s records (%s)%s%s", eqp_count(accepted).text,
                    eqp_count(read).text, eqp_percent(read > 0 ? accepted / read : NAN).text,
                    isfinite(seconds) ? " in " : "", isfinite(seconds) ? eqp_seconds(seconds).text : "");
}

static void show_selected(eqp_screen *screen, const json_t *document)
{
    double size = eqp_field_number(document, "size"), selected = eqp_field_number(document, "selected");
    eqp_screen_line(screen, "selected %s of %s records, %s alternates", eqp_count(selected).text,
                    eqp_count(eqp_field_number(document, "read")).text,
                    eqp_count(eqp_field_number(document, "alternates")).text);
    if (selected < size)
        eqp_screen_verdict(screen, false, "SHORT of %s: only %s records can be accepted at all",
                           eqp_count(size).text, eqp_count(eqp_field_number(document, "reachable")).text);
}

void eqp_screen_filter(eqp_screen *screen, const json_t *document)
{
    if (eqp_field_known(document, "selected"))
        show_selected(screen, document);
    else
        show_accepted(screen, document);
    show_notes(screen, document);
    if (*eqp_field_text(document, "key_commitment"))
        eqp_screen_line(screen, "key %.16s…%s", eqp_field_text(document, "key_commitment"),
                        eqp_field_true(document, "key_made") ? " (made for this run; keep it to repeat it)"
                                                             : "");
}

void eqp_screen_plan(eqp_screen *screen, const json_t *document)
{
    eqp_screen_line(screen, "a cohort of %s at a yield of %s needs about %s candidates",
                    eqp_count(eqp_field_number(document, "size")).text,
                    eqp_percent(eqp_field_number(document, "yield")).text,
                    eqp_count(eqp_field_number(document, "candidates")).text);
    eqp_screen_line(screen, "%s to %s with %s %% confidence",
                    eqp_count(eqp_field_number(document, "candidates_low")).text,
                    eqp_count(eqp_field_number(document, "candidates_high")).text,
                    eqp_decimal(100 * eqp_field_number(document, "confidence"), 0).text);
    eqp_screen_gap(screen);
    eqp_screen_line(screen, "a certificate at a budget of %s needs about %s labelled rows",
                    eqp_decimal(eqp_field_number(document, "budget"), 3).text,
                    eqp_count(eqp_field_number(document, "labels_needed")).text);
}

void eqp_screen_commit(eqp_screen *screen, const json_t *document)
{
    static const char *const FIELDS[][2] = {{"model_digest", "model"},
                                            {"input_digest", "input"},
                                            {"key_commitment", "key"},
                                            {"randomness", "randomness"},
                                            {"digest", "commitment"}};
    eqp_grid grid;
    eqp_grid_begin(&grid, "ll");
    eqp_grid_cell(&grid, "committed to");
    eqp_grid_cell(&grid, "%s", "");
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        if (!*eqp_field_text(document, FIELDS[i][0])) continue;
        eqp_grid_cell(&grid, "%s", FIELDS[i][1]);
        eqp_grid_cell(&grid, "%.64s", eqp_field_text(document, FIELDS[i][0]));
    }
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
    eqp_screen_line(screen, "draws before this one: %s", eqp_count(eqp_field_number(document, "draws")).text);
    eqp_screen_line(screen, "next: publish the commitment, then draw, then reveal the key for verify");
}

void eqp_screen_verify(eqp_screen *screen, const json_t *document)
{
    bool pass = eqp_field_true(document, "pass");
    eqp_screen_verdict(screen, pass,
                       pass ? "verified: the result is the one that was committed to"
                            : "NOT VERIFIED: the result differs from the commitment");
    if (*eqp_field_text(document, "difference"))
        eqp_screen_wrapped(screen, "%s", eqp_field_text(document, "difference"));
    eqp_screen_line(screen, "%s records checked; draws before this one: %s",
                    eqp_count(eqp_field_number(document, "records")).text,
                    eqp_count(eqp_field_number(document, "draws")).text);
}
