/* The frame of the page and the pieces of its summary. */
#include "report/page.h"

#include "base/field.h"
#include "base/number.h"
#include "report/markup.h"
#include "report/shown.h"
#include "report/svg.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SENTENCES 2048

/* ---- the frame --------------------------------------------------------------------------------------- */

/* The page may run its own script, known by its digest, and fetch nothing: whatever slipped into it from the
 * data could neither run nor call home. */
static void write_policy(eqp_buffer *out)
{
    struct sha256_ctx state;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char encoded[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1];
    sha256_init(&state);
    sha256_update(&state, strlen(EQP_PAGE_SCRIPT), (const uint8_t *)EQP_PAGE_SCRIPT);
    sha256_digest(&state, sizeof digest, digest);
    base64_encode_raw(encoded, sizeof digest, digest);
    encoded[sizeof encoded - 1] = 0;
    eqp_buffer_printf(out,
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src 'unsafe-inline'; script-src 'sha256-%s'; img-src data:\">\n",
                      encoded);
}

static void write_head(const json_t *document, const char *heading, eqp_buffer *out)
{
    eqp_buffer_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    write_policy(out);
    eqp_buffer_text(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                         "<meta name=\"color-scheme\" content=\"light dark\">\n"
                         "<link rel=\"icon\" href=\"data:,\">\n<title>");
    eqp_markup_printf(out, "%s: %s", heading, eqp_field_text(document, FIELD_source));
    eqp_buffer_text(out, "</title>\n<style>\n");
    eqp_buffer_text(out, EQP_SVG_STYLE);
    eqp_buffer_text(out, EQP_PAGE_STYLE);
    eqp_buffer_text(out, "</style>\n</head>\n");
}

/* "applicants.csv · 24,421 rows · model 5c0f9a1be77d2043" */
static void write_subject(const json_t *document, eqp_buffer *out)
{
    double rows = eqp_field_number(document, FIELD_rows);
    const char *source = eqp_field_text(document, FIELD_source),
               *model = eqp_field_text(document, FIELD_model_id);
    const char *attribute = eqp_field_text(eqp_field_entry(document, 0, FIELD_groups), FIELD_attribute);
    eqp_buffer_text(out, "<p class=\"subject\">");
    eqp_markup_text(out, source);
    if (rows > 0) eqp_markup_printf(out, "%s%s rows", *source ? " · " : "", eqp_count(rows).text);
    if (*attribute) eqp_markup_printf(out, " · groups of %s", attribute);
    if (*model) eqp_markup_printf(out, " · model %s", model);
    eqp_buffer_text(out, "</p>\n");
}

void eqp_page_open(const json_t *document, const char *heading, eqp_buffer *out)
{
    write_head(document, heading, out);
    eqp_buffer_text(
        out, "<body>\n<header class=\"top\"><span class=\"brand\">equipoise</span><span class=\"kind\">");
    eqp_markup_text(out, heading);
    eqp_buffer_text(
        out, "</span><button type=\"button\" id=\"theme\" aria-label=\"switch between light and dark\">"
             "light / dark</button></header>\n<main>\n<section class=\"summary\">\n");
    write_subject(document, out);
}

void eqp_page_notes(const json_t *document, eqp_buffer *out)
{
    size_t count = eqp_field_count(document, FIELD_warnings);
    eqp_buffer_text(out, "</section>\n");
    if (count == 0) return;
    eqp_buffer_text(out, "<aside class=\"notes\" aria-label=\"notes\"><h2>Notes</h2><ul>\n");
    for (size_t i = 0; i < count; i++) {
        eqp_buffer_text(out, "<li>");
        eqp_markup_printf(out, "%s", json_string_value(eqp_field_entry(document, i, FIELD_warnings)));
        eqp_buffer_text(out, "</li>\n");
    }
    eqp_buffer_text(out, "</ul></aside>\n");
}

/* ---- provenance -------------------------------------------------------------------------------------- */

static void add_number(eqp_grid *grid, double value)
{
    char digits[32];
    eqp_number_print(value, digits);
    eqp_grid_cell(grid, "%s", digits);
}

static void add_fact(eqp_grid *grid, const json_t *document, const char *label, eqp_field field)
{
    const json_t *value = eqp_field_value(document, field);
    if (!value || json_is_null(value) || (json_is_string(value) && !*json_string_value(value))) return;
    eqp_grid_cell(grid, "%s", label);
    if (json_is_string(value))
        eqp_grid_cell(grid, "%s", json_string_value(value));
    else if (json_is_integer(value))
        eqp_grid_cell(grid, "%s", eqp_count(json_number_value(value)).text);
    else if (json_is_real(value))
        add_number(grid, json_number_value(value));
    else
        eqp_grid_cell(grid, "%s", json_is_true(value) ? "yes" : "no");
}

static void write_provenance(const json_t *document, eqp_buffer *out)
{
    static const struct {
        const char *label;
        eqp_field field;
    } FACTS[] = {{"command", FIELD_command},
                 {"version of equipoise", FIELD_version},
                 {"model", FIELD_model_id},
                 {"data", FIELD_source},
                 {"digest of the data (SHA-256)", FIELD_data_digest},
                 {"rows", FIELD_rows},
                 {"rows without a group", FIELD_rows_unlabelled},
                 {"method", FIELD_method},
                 {"oracle", FIELD_oracle},
                 {"solver", FIELD_solver},
                 {"budget", FIELD_max_disclosure},
                 {"budget of the audit", FIELD_budget},
                 {"tightened budget", FIELD_inner_budget},
                 {"confidence asked for", FIELD_confidence},
                 {"seed", FIELD_seed},
                 {"seeds", FIELD_seeds},
                 {"label", FIELD_label},
                 {"leaves", FIELD_leaves},
                 {"components", FIELD_components},
                 {"attempt", FIELD_attempt}};
    eqp_grid grid;
    eqp_grid_begin(&grid, "ll");
    eqp_grid_cell(&grid, "fact");
    eqp_grid_cell(&grid, "value");
    for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++)
        if (!json_is_array(eqp_field_value(document, FACTS[i].field)))
            add_fact(&grid, document, FACTS[i].label, FACTS[i].field);
    if (eqp_field_is_known(document, FIELD_seconds, FIELD_total)) {
        eqp_grid_cell(&grid, "time");
        eqp_grid_cell(&grid, "%s", eqp_seconds(eqp_field_number(document, FIELD_seconds, FIELD_total)).text);
    }
    eqp_grid_html(&grid, out);
    eqp_grid_free(&grid);
}

void eqp_page_close(const json_t *document, eqp_buffer *out)
{
    eqp_buffer_text(out, "</main>\n<footer>\n<section class=\"facts\"><h2>Where this comes from</h2>\n");
    write_provenance(document, out);
    eqp_buffer_text(
        out, "</section>\n<section class=\"use\"><h2>Responsible use</h2>\n"
             "<p>The sensitive attribute is used once, in a consented labelled sample, to find a statistical "
             "rule; it is not "
             "used to decide about anyone. A rule distorts who is chosen <em>within</em> groups; the audit "
             "shows how much. "
             "Balance in data does not by itself make later models fair. Whether such a rule is lawful and "
             "right in a setting "
             "is for the people responsible there; equipoise gives them the figures, and no way to hide "
             "them.</p>\n"
             "<dl><dt>disclosure</dt><dd>how much seeing the outcome for a person can change what one "
             "believes about "
             "that person&#39;s group: the largest change of any group&#39;s probability, from 0 (nothing) "
             "to 1</dd>"
             "<dt>imbalance</dt><dd>the distance of the cohort&#39;s group shares from their targets; 0 is "
             "full balance</dd>"
             "<dt>yield</dt><dd>the share of candidates that are accepted</dd>"
             "<dt>budget</dt><dd>the disclosure that is allowed</dd>"
             "<dt>limit</dt><dd>the lowest imbalance that any rule within a budget can reach</dd></dl>\n"
             "</section>\n</footer>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>");
    eqp_buffer_text(out, EQP_PAGE_SCRIPT);
    eqp_buffer_text(out, "</script>\n</body>\n</html>\n");
}

/* ---- pieces of a summary ----------------------------------------------------------------------------- */

void eqp_page_headline(eqp_buffer *out, const char *format, ...)
{
    char text[SENTENCES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    eqp_buffer_text(out, "<h1>");
    eqp_markup_text(out, text);
    eqp_buffer_text(out, "</h1>\n");
}

void eqp_page_cards_open(eqp_buffer *out)
{
    eqp_buffer_text(out, "<div class=\"cards\">\n");
}

void eqp_page_card(eqp_buffer *out, const char *label, const char *value, const char *note, eqp_tone tone,
                   const char *verdict)
{
    static const char *const TONES[] = {"plain", "good", "bad"}, *const SIGNS[] = {"", "✓ ", "! "};
    eqp_buffer_text(out, "<div class=\"card\"><div class=\"label\">");
    eqp_markup_text(out, label);
    eqp_buffer_text(out, "</div><div class=\"value\">");
    eqp_markup_text(out, value);
    eqp_buffer_text(out, "</div><div class=\"note\">");
    eqp_markup_text(out, note);
    eqp_buffer_text(out, "</div>");
    if (*verdict) {
        eqp_buffer_printf(out, "<div class=\"verdict %s\">%s", TONES[tone], SIGNS[tone]);
        eqp_markup_text(out, verdict);
        eqp_buffer_text(out, "</div>");
    }
    eqp_buffer_text(out, "</div>\n");
}

void eqp_page_cards_close(eqp_buffer *out)
{
    eqp_buffer_text(out, "</div>\n");
}

void eqp_page_answers_open(eqp_buffer *out)
{
    eqp_buffer_text(out, "<div class=\"answers\">\n");
}

/* Text between back quotes is typed: it becomes <code>. */
static void write_sentences(eqp_buffer *out, const char *text)
{
    bool typed = false;
    for (const char *at = text; *at;) {
        char piece[SENTENCES];
        size_t length = strcspn(at, "`");
        snprintf(piece, sizeof piece, "%.*s", (int)length, at);
        eqp_markup_text(out, piece);
        at += length;
        if (!*at) break;
        eqp_buffer_text(out, typed ? "</code>" : "<code>");
        typed = !typed;
        at++;
    }
    if (typed) eqp_buffer_text(out, "</code>");
}

void eqp_page_answer(eqp_buffer *out, const char *question, const char *format, ...)
{
    char text[SENTENCES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    eqp_buffer_text(out, "<div><h2>");
    eqp_markup_text(out, question);
    eqp_buffer_text(out, "</h2><p>");
    write_sentences(out, text);
    eqp_buffer_text(out, "</p></div>\n");
}

void eqp_page_answers_close(eqp_buffer *out)
{
    eqp_buffer_text(out, "</div>\n");
}
