/* The frame of the page (page.html) and the pieces of its summary. */
#include "report/page.h"

#include "base/field.h"
#include "base/number.h"
#include "report/finding.h"
#include "report/page_css.h"
#include "report/page_html.h"
#include "report/page_js.h"
#include "report/plot.h"
#include "report/shown.h"

#include <assert.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SENTENCES 2048

/* ---- what fills page.html ------------------------------------------------------------------------------ */

static void write_script_digest(const eqp_page *page, eqp_buffer *out)
{
    (void)page;
    struct sha256_ctx state;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char encoded[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)];
    sha256_init(&state);
    sha256_update(&state, strlen(eqp_page_js), (const uint8_t *)eqp_page_js);
    sha256_digest(&state, sizeof digest, digest);
    base64_encode_raw(encoded, sizeof digest, digest);
    eqp_buffer_add(out, encoded, sizeof encoded);
}

static void write_script(const eqp_page *page, eqp_buffer *out)
{
    (void)page;
    eqp_buffer_text(out, eqp_page_js);
}

static void write_style(const eqp_page *page, eqp_buffer *out)
{
    (void)page;
    eqp_buffer_text(out, eqp_svg_style());
    eqp_buffer_text(out, eqp_page_css);
}

static const char *heading_of(const eqp_page *page)
{
    return page->count == 1 ? page->parts[0].heading : "The whole story";
}

static void write_title(const eqp_page *page, eqp_buffer *out)
{
    const eqp_page_part *first = &page->parts[0];
    eqp_markup_printf(out, "%s: %s", heading_of(page), eqp_field_text(first->document, FIELD_source));
}

static void write_heading(const eqp_page *page, eqp_buffer *out)
{
    eqp_markup_text(out, heading_of(page));
}

/* "applicants.csv · 24,421 rows · model 5c0f9a1be77d2043" */
static void write_subject(const json_t *document, eqp_buffer *out)
{
    double rows = eqp_field_number(document, FIELD_rows);
    const char *source = eqp_field_text(document, FIELD_source),
               *model = eqp_field_text(document, FIELD_model_id);
    char attributes[300];
    const char *joint = "";
    eqp_attributes_named(document, attributes, sizeof attributes);
    if (*source) eqp_markup_text(out, source), joint = " · ";
    if (rows > 0) eqp_markup_printf(out, "%s%s rows", joint, eqp_count(rows).text), joint = " · ";
    if (*attributes) eqp_markup_printf(out, "%sgroups of \"%s\"", joint, attributes), joint = " · ";
    if (*model) eqp_markup_printf(out, "%smodel %s", joint, model);
}

static void write_notes(const json_t *document, eqp_buffer *out)
{
    static const eqp_field LISTS[] = {FIELD_warnings, FIELD_notices};
    if (eqp_field_count(document, FIELD_warnings) + eqp_field_count(document, FIELD_notices) == 0) return;
    eqp_buffer_text(out, "<aside class=\"notes\" aria-label=\"notes\"><h2>Notes</h2><ul>\n");
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < eqp_field_count(document, LISTS[list]); i++) {
            eqp_buffer_text(out, "<li>");
            eqp_markup_printf(out, "%s", json_string_value(eqp_field_entry(document, i, LISTS[list])));
            eqp_buffer_text(out, "</li>\n");
        }
    eqp_buffer_text(out, "</ul></aside>\n");
}

/* The way through a page of several parts. */
static void write_contents(const eqp_page *page, eqp_buffer *out)
{
    if (page->count == 1) return;
    eqp_buffer_text(out, "<nav class=\"contents\" aria-label=\"parts of this report\"><ol>\n");
    for (size_t i = 0; i < page->count; i++) {
        eqp_buffer_printf(out, "<li><a href=\"#part-%zu\">", i + 1);
        eqp_markup_text(out, page->parts[i].heading);
        eqp_buffer_text(out, "</a></li>\n");
    }
    eqp_buffer_text(out, "</ol></nav>\n");
}

static void write_parts(const eqp_page *page, eqp_buffer *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const eqp_page_part *part = &page->parts[i];
        eqp_buffer_printf(out, "<div class=\"part\" id=\"part-%zu\">\n", i + 1);
        if (page->count > 1) {
            eqp_buffer_text(out, "<p class=\"part-name\">");
            eqp_markup_printf(out, "%zu. %s", i + 1, part->heading);
            eqp_buffer_text(out, "</p>\n");
        }
        eqp_buffer_text(out, "<section class=\"summary\">\n<p class=\"subject\">");
        write_subject(part->document, out);
        eqp_buffer_text(out, "</p>\n");
        eqp_buffer_append(out, &part->summary);
        eqp_buffer_text(out, "</section>\n");
        write_notes(part->document, out);
        eqp_buffer_text(out, "<div class=\"figures\">\n");
        eqp_buffer_append(out, &part->figures);
        eqp_buffer_text(out, "</div>\n</div>\n");
    }
}

static void add_number(eqp_grid *grid, double value)
{
    eqp_grid_cell(grid, "%.4g", value);
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

/* Of an audit: how sure it is, and the certificate that was written with it. */
static void add_audited(eqp_grid *grid, const json_t *document)
{
    const json_t *certificate = eqp_field_value(document, FIELD_certificate);
    if (strcmp(eqp_field_text(document, FIELD_command), "audit") != 0) return;
    add_fact(grid, eqp_field_value(document, FIELD_disclosure), "confidence of the bounds", FIELD_confidence);
    add_fact(grid, document, "certified", FIELD_certified);
    add_fact(grid, certificate, "date of the certificate", FIELD_date);
    add_fact(grid, certificate, "digest of the certificate", FIELD_digest);
    add_fact(grid, certificate, "digest of the model", FIELD_model_digest);
    add_fact(grid, certificate, "digest of the data, salted", FIELD_data_digest);
    add_fact(grid, certificate, "signed by", FIELD_signer);
}

static void write_facts_of(const json_t *document, eqp_buffer *out)
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
    eqp_grid_begin(&grid, "ll", "fact|value");
    for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++)
        if (!json_is_array(eqp_field_value(document, FACTS[i].field)))
            add_fact(&grid, document, FACTS[i].label, FACTS[i].field);
    add_audited(&grid, document);
    if (eqp_field_is_known(document, FIELD_seconds, FIELD_total)) {
        eqp_grid_cell(&grid, "time");
        eqp_grid_cell(&grid, "%s", eqp_seconds(eqp_field_number(document, FIELD_seconds, FIELD_total)).text);
    }
    eqp_grid_html(&grid, out);
    eqp_grid_free(&grid);
}

static void write_facts(const eqp_page *page, eqp_buffer *out)
{
    for (size_t i = 0; i < page->count; i++) {
        if (page->count > 1) {
            eqp_buffer_text(out, "<h3>");
            eqp_markup_text(out, page->parts[i].heading);
            eqp_buffer_text(out, "</h3>\n");
        }
        write_facts_of(page->parts[i].document, out);
    }
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static void write_part(const eqp_page *page, const char *name, size_t length, eqp_buffer *out)
{
    static const struct {
        const char *name;
        void (*write)(const eqp_page *page, eqp_buffer *out);
    } PARTS[] = {
        {"script digest", write_script_digest},
        {"title", write_title},
        {"style", write_style},
        {"heading", write_heading},
        {"contents", write_contents},
        {"parts", write_parts},
        {"facts", write_facts},
        {"script", write_script},
    };
    size_t part = 0, count = sizeof PARTS / sizeof *PARTS;
    while (part < count &&
           (strlen(PARTS[part].name) != length || memcmp(PARTS[part].name, name, length) != 0))
        part++;
    assert(part < count);
    PARTS[part].write(page, out);
}

void eqp_page_write(const eqp_page *page, eqp_buffer *out)
{
    const char *at = eqp_page_html;
    for (const char *open; (open = strstr(at, "{{")) != NULL;) {
        const char *close = strstr(open, "}}");
        assert(close != NULL);
        eqp_buffer_add(out, at, (size_t)(open - at));
        write_part(page, open + 2, (size_t)(close - open) - 2, out);
        at = close + 2;
    }
    eqp_buffer_text(out, at);
}

/* ---- pieces of a summary ------------------------------------------------------------------------------- */

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

void eqp_page_open(eqp_buffer *out, const char *class)
{
    eqp_buffer_printf(out, "<div class=\"%s\">\n", class);
}

void eqp_page_close(eqp_buffer *out)
{
    eqp_buffer_text(out, "</div>\n");
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
