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

/* The same, with the columns that most of these cells are in. */
static void show_cells(eqp_screen *screen, const json_t *document, eqp_field field, eqp_field columns,
                       const char *one, const char *many)
{
    double count = eqp_field_number(document, field);
    if (!eqp_field_is_known(document, columns))
        show_count(screen, document, field, one, many);
    else if (count > 0)
        eqp_screen_wrapped(screen, "note: %s %s, %s: %s", eqp_count(count).text, count > 1 ? many : one,
                           count > 1 ? "most of them in" : "in", eqp_field_text(document, columns));
}

static void show_notes(eqp_screen *screen, const json_t *document)
{
    show_cells(screen, document, FIELD_missing_cells, FIELD_missing_columns, "missing cell", "missing cells");
    show_cells(screen, document, FIELD_unseen_levels, FIELD_unseen_columns,
               "cell holds a value that training never saw", "cells hold values that training never saw");
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

static void show_chances(eqp_screen *screen, const json_t *document)
{
    const json_t *chances = eqp_field_value(document, FIELD_chances);
    if (!json_is_object(chances)) return;
    eqp_screen_wrapped(screen, "chance of a seat: least %s, most %s, none for %s; Gini %s",
                       eqp_percent(eqp_field_number(chances, FIELD_least)).text,
                       eqp_percent(eqp_field_number(chances, FIELD_most)).text,
                       eqp_percent(eqp_field_number(chances, FIELD_none)).text,
                       eqp_decimal(eqp_field_number(chances, FIELD_gini), 2).text);
}

static void show_foreseen(eqp_screen *screen, const json_t *document)
{
    if (eqp_field_is_true(document, FIELD_foreseen))
        eqp_screen_wrapped(screen, "note: no public randomness was announced, so whoever made the key could "
                                   "have tried others until they liked the draw");
    if (eqp_field_is_true(document, FIELD_reordered))
        eqp_screen_wrapped(screen, "note: the pool's bytes are not those that were committed to, but its "
                                   "records are: in another order, or with other line ends");
}

void eqp_screen_filter(eqp_screen *screen, const json_t *document)
{
    if (eqp_field_is_known(document, FIELD_selected))
        show_selected(screen, document);
    else
        show_accepted(screen, document);
    show_count(screen, document, FIELD_rounds, "round of declines", "rounds of declines");
    show_count(screen, document, FIELD_avoided, "record of an earlier cohort was left out",
               "records of an earlier cohort were left out");
    show_count(screen, document, FIELD_households, "record gives way to another of its household",
               "records give way to others of their households");
    show_chances(screen, document);
    show_foreseen(screen, document);
    show_notes(screen, document);
    if (*eqp_field_text(document, FIELD_key_commitment))
        eqp_screen_line(screen, "key %.16s…", eqp_field_text(document, FIELD_key_commitment));
}

void eqp_screen_commit(eqp_screen *screen, const json_t *document)
{
    static const struct {
        eqp_field field;
        const char *label;
    } LINES[] = {{FIELD_model_digest, "model"},
                 {FIELD_records_digest, "pool"},
                 {FIELD_id, "id column"},
                 {FIELD_one_per, "one per"},
                 {FIELD_key_commitment, "key"},
                 {FIELD_ranking_commitment, "ranking key"},
                 {FIELD_randomness, "randomness"},
                 {FIELD_randomness_form, "its form"},
                 {FIELD_randomness_time, "known from"},
                 {FIELD_digest, "commitment"}};
    eqp_grid grid;
    eqp_grid_begin(&grid, "ll", "committed to|");
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        if (!*eqp_field_text(document, LINES[i].field)) continue;
        eqp_grid_cell(&grid, "%s", LINES[i].label);
        eqp_grid_cell(&grid, "%.64s", eqp_field_text(document, LINES[i].field));
    }
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
    eqp_screen_line(screen, "%s seats and %s alternates from %s records; %s quotas",
                    eqp_count(eqp_field_number(document, FIELD_size)).text,
                    eqp_count(eqp_field_number(document, FIELD_alternates)).text,
                    eqp_count(eqp_field_number(document, FIELD_records)).text,
                    eqp_count((double)eqp_field_count(document, FIELD_quotas)).text);
    show_chances(screen, document);
    if (eqp_field_count(document, FIELD_quotas) > 0)
        eqp_screen_line(screen, "  by the rule alone; quotas change them, and select says how");
    eqp_screen_line(screen, "lines of the log before this one: %s",
                    eqp_count(eqp_field_number(document, FIELD_draws)).text);
    eqp_screen_warnings(screen, document);
    eqp_screen_line(screen, "next: publish the commitment; draw when the randomness is known");
}

void eqp_screen_verify(eqp_screen *screen, const json_t *document)
{
    bool pass = eqp_field_is_true(document, FIELD_pass);
    if (json_is_object(eqp_field_value(document, FIELD_certificate))) {
        eqp_screen_certificate(screen, document);
        return;
    }
    eqp_screen_verdict(screen, pass,
                       pass ? "verified: the result is the one that was committed to"
                            : "NOT VERIFIED: the result differs from the commitment");
    if (*eqp_field_text(document, FIELD_difference))
        eqp_screen_wrapped(screen, "%s", eqp_field_text(document, FIELD_difference));
    if (pass && eqp_field_is_true(document, FIELD_page))
        eqp_screen_line(screen, "the page is that of this draw, to the last byte");
    if (pass && !eqp_field_is_true(document, FIELD_same_cells))
        eqp_screen_wrapped(screen, "note: the ids agree, but some records are not those of the pool: an id "
                                   "may be beside another person's name");
    else if (pass && !eqp_field_is_true(document, FIELD_same_bytes))
        eqp_screen_wrapped(screen,
                           "note: the people agree, but the bytes of the file are not those that were "
                           "drawn: another order, other columns or line ends");
    if (*eqp_field_text(document, FIELD_randomness_value))
        eqp_screen_wrapped(
            screen, "note: according to the log, this commitment was drawn before with the randomness %s",
            eqp_field_text(document, FIELD_randomness_value));
    show_count(screen, document, FIELD_rounds, "round of declines", "rounds of declines");
    show_foreseen(screen, document);
    eqp_screen_line(screen, "%s records checked; lines of the log before this draw: %s",
                    eqp_count(eqp_field_number(document, FIELD_records)).text,
                    eqp_count(eqp_field_number(document, FIELD_draws)).text);
}

void eqp_screen_publish(eqp_screen *screen, const json_t *document)
{
    eqp_screen_line(screen, "wrote %s: %s tickets, %s selected, %s alternates",
                    eqp_field_text(document, FIELD_output),
                    eqp_count(eqp_field_number(document, FIELD_tickets)).text,
                    eqp_count(eqp_field_number(document, FIELD_selected)).text,
                    eqp_count(eqp_field_number(document, FIELD_alternates)).text);
    show_count(screen, document, FIELD_rounds, "round of declines", "rounds of declines");
    eqp_screen_wrapped(screen, "the page shows each ticket's leaf, which tells as much as the rule's budget "
                               "allows; it holds nobody's data");
    if (eqp_field_number(document, FIELD_quotas) > 0)
        eqp_screen_wrapped(screen,
                           "note: it also shows each ticket's values in the quota columns; \"equipoise "
                           "audit --quotas\" measures what they tell");
}
