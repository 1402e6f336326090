/* The officer's pack.  A sidecar NAME.json has the members that statistical output checkers ask for: status,
 * type, properties, outcome, command, summary.  Its status is
 *
 *     pass     at least the usual disclosure control, and nothing is left open
 *     review   weaker control, or something that a person must state is missing
 *     fail     no control, or a certificate that was not earned */
#include "report/pack.h"

#include "base/output.h"
#include "draw/digest.h"
#include "report/bitmap.h"
#include "report/figure.h"
#include "report/page.h"
#include "report/report.h"

#include <string.h>

#define USUAL_THRESHOLD 10.0 /* of `--sdc default` */
#define USUAL_BASE      5.0

typedef struct pack {
    const json_t *document;
    json_t *certificate; /* the statement */
    const char *directory, *command;
    bool without_png;
} pack;

/* ---- sidecars ------------------------------------------------------------------------------------------ */

static const char *status_of_control(const json_t *document)
{
    double base = eqp_field_number(document, FIELD_sdc, FIELD_base),
           threshold = eqp_field_number(document, FIELD_sdc, FIELD_threshold);
    if (!(base > 0)) return "fail";
    return base >= USUAL_BASE && threshold >= USUAL_THRESHOLD ? "pass" : "review";
}

static json_t *properties_json(const pack *of)
{
    static const eqp_field FIELDS[] = {FIELD_model_id, FIELD_rows,    FIELD_sensitive, FIELD_budget,
                                       FIELD_sdc,      FIELD_attempt, FIELD_kind,      FIELD_version};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++)
        eqp_json_set(&object, FIELDS[i], json_deep_copy(eqp_field_value(of->document, FIELDS[i])));
    if (of->without_png) eqp_json_set_text(&object, FIELD_png, "none: " EQP_BITMAP_MISSING);
    return object;
}

static json_t *outcome_json(const json_t *document)
{
    json_t *object = json_object(), *groups = json_array();
    size_t leaves = eqp_field_count(document, FIELD_leaves), withheld = 0;
    for (size_t k = 0; k < eqp_field_count(document, FIELD_groups); k++) {
        const json_t *group = eqp_field_entry(document, k, FIELD_groups);
        json_t *entry = json_object();
        eqp_json_set_text(&entry, FIELD_attribute, eqp_field_text(group, FIELD_attribute));
        eqp_json_set_text(&entry, FIELD_value, eqp_field_text(group, FIELD_value));
        eqp_json_set_bool(&entry, FIELD_suppressed, eqp_field_is_true(group, FIELD_suppressed));
        eqp_json_append(&groups, entry);
    }
    for (size_t j = 0; j < leaves; j++)
        withheld += eqp_field_is_true(eqp_field_entry(document, j, FIELD_leaves), FIELD_suppressed);
    eqp_json_set(&object, FIELD_groups, groups);
    eqp_json_set_count(&object, FIELD_leaves, leaves);
    eqp_json_set_count(&object, FIELD_suppressed, withheld);
    eqp_json_set_bool(&object, FIELD_pass, eqp_field_is_true(document, FIELD_pass));
    return object;
}

static eqp_status put(const pack *of, const char *name, const char *bytes, size_t length, eqp_error *error)
{
    eqp_buffer path = {0};
    eqp_buffer_printf(&path, "%s/%s", of->directory, name);
    eqp_status status =
        path.failed ? eqp_fail_memory(error) : eqp_output_text(path.bytes, bytes, length, error);
    eqp_buffer_free(&path);
    return status;
}

typedef struct output {
    const char *name, *type, *status, *summary;
} output;

static eqp_status put_sidecar(const pack *of, const output *made, const char *bytes, size_t length,
                              eqp_error *error)
{
    char digest[65];
    eqp_buffer text = {0}, name = {0};
    json_t *sidecar = json_object();
    eqp_digest_of(bytes, length, digest);
    eqp_json_set_text(&sidecar, FIELD_name, made->name);
    eqp_json_set_text(&sidecar, FIELD_digest, digest);
    eqp_json_set_text(&sidecar, FIELD_status, made->status);
    eqp_json_set_text(&sidecar, FIELD_type, made->type);
    eqp_json_set(&sidecar, FIELD_properties, properties_json(of));
    eqp_json_set(&sidecar, FIELD_outcome, outcome_json(of->document));
    eqp_json_set_text(&sidecar, FIELD_command, of->command);
    eqp_json_set_text(&sidecar, FIELD_summary, made->summary);
    eqp_buffer_printf(&name, "%s.json", made->name);
    if (sidecar != NULL) eqp_json_write(sidecar, &text);
    eqp_status status = sidecar == NULL || text.failed || name.failed
                            ? eqp_fail_memory(error)
                            : put(of, name.bytes, text.bytes, text.length, error);
    json_decref(sidecar);
    eqp_buffer_free(&text);
    eqp_buffer_free(&name);
    return status;
}

/* A file and its sidecar. */
static eqp_status put_output(const pack *of, const output *made, const eqp_buffer *content, eqp_error *error)
{
    if (content->failed) return eqp_fail_memory(error);
    eqp_status status = put(of, made->name, content->bytes, content->length, error);
    return status == EQP_OK ? put_sidecar(of, made, content->bytes, content->length, error) : status;
}

/* ---- what is in it ------------------------------------------------------------------------------------- */

/* The file that was drawn, and its sidecar. */
static eqp_status put_bitmap(pack *of, const eqp_figure *figure, eqp_error *error)
{
    eqp_buffer svg = {0}, png = {0}, name = {0}, bytes = {0};
    bool drawn = false;
    eqp_buffer_printf(&svg, "%s/%s.svg", of->directory, figure->name);
    eqp_buffer_printf(&png, "%s/%s.png", of->directory, figure->name);
    eqp_buffer_printf(&name, "%s.png", figure->name);
    eqp_status status = svg.failed || png.failed || name.failed
                            ? eqp_fail_memory(error)
                            : eqp_bitmap_draw(svg.bytes, png.bytes, &bytes, &drawn, error);
    output made = {name.bytes, "figure", status_of_control(of->document), figure->title};
    if (status == EQP_OK && drawn) status = put_sidecar(of, &made, bytes.bytes, bytes.length, error);
    of->without_png = !drawn;
    eqp_buffer_free(&svg);
    eqp_buffer_free(&png);
    eqp_buffer_free(&name);
    eqp_buffer_free(&bytes);
    return status;
}

/* As SVG, and as PNG where that can be drawn; the sidecar of the SVG says when it could not. */
static eqp_status put_figure(void *context, const eqp_figure *figure, eqp_error *error)
{
    pack *of = context;
    eqp_buffer name = {0}, drawing = {0};
    eqp_buffer_printf(&name, "%s.svg", figure->name);
    eqp_figure_plain_file(figure, &drawing);
    output made = {name.bytes, "figure", status_of_control(of->document), figure->title};
    eqp_status status = name.failed || drawing.failed
                            ? eqp_fail_memory(error)
                            : put(of, made.name, drawing.bytes, drawing.length, error);
    if (status == EQP_OK) status = put_bitmap(of, figure, error);
    if (status == EQP_OK) status = put_sidecar(of, &made, drawing.bytes, drawing.length, error);
    eqp_buffer_free(&name);
    eqp_buffer_free(&drawing);
    return status;
}

static eqp_status put_report(const pack *of, const eqp_report *report, eqp_error *error)
{
    const char *control = status_of_control(of->document), *text = eqp_report_json(report);
    eqp_buffer page = {0}, figures = {0};
    eqp_status status = eqp_report_page(report, &page, error);
    if (status == EQP_OK)
        status = put_output(of, &(output){"report.html", "page", control, "the report of the audit"}, &page,
                            error);
    eqp_buffer_add(&figures, text, strlen(text));
    if (status == EQP_OK)
        status = put_output(of, &(output){"audit.json", "table", control, "every figure of the report"},
                            &figures, error);
    eqp_buffer_free(&page);
    eqp_buffer_free(&figures);
    return status;
}

/* What only a person can state must have been stated. */
static eqp_status put_answers(const pack *of, eqp_error *error)
{
    bool stated = *eqp_field_text(of->certificate, FIELD_held_by) &&
                  *eqp_field_text(of->certificate, FIELD_delete_by) &&
                  *eqp_field_text(of->certificate, FIELD_signer);
    const char *control = status_of_control(of->document);
    eqp_page page = {.parts = {{.document = of->document, .heading = "Answers"}}, .count = 1};
    eqp_buffer *summary = &page.parts[0].summary;
    eqp_buffer out = {0};
    eqp_page_answers(of->document, of->certificate, summary);
    if (summary->failed) out.failed = true;
    eqp_page_write(&page, &out);
    output made = {"answers.html", "statement",
                   stated                    ? control
                   : strcmp(control, "fail") ? "review"
                                             : control,
                   stated
                       ? "answers for a data-protection review"
                       : "answers for a data-protection review; holder, deletion or signature is not stated"};
    eqp_status status = put_output(of, &made, &out, error);
    eqp_buffer_free(summary);
    eqp_buffer_free(&out);
    return status;
}

static eqp_status put_certificate(const pack *of, const char *path, const char *text, eqp_error *error)
{
    const char *slash = strrchr(path, '/');
    bool certified = eqp_field_is_true(of->certificate, FIELD_certified);
    output made = {slash != NULL ? slash + 1 : path, "certificate",
                   certified ? status_of_control(of->document) : "fail",
                   eqp_field_text(of->certificate, FIELD_outcome)};
    return put_sidecar(of, &made, text, strlen(text), error);
}

eqp_status eqp_report_pack(const eqp_report *report, const char *directory, const char *certificate,
                           const char *command, eqp_error *error)
{
    char *text;
    pack of = {.document = report->document, .directory = directory, .command = command};
    eqp_status status = eqp_file_read(certificate, &text, error);
    if (status != EQP_OK) return status;
    of.certificate = eqp_json_load(text, strlen(text), 0, NULL);
    if (of.certificate == NULL)
        status = eqp_fail_at(error, EQP_DATA, certificate, 0, 0, "this is not a certificate");
    if (status == EQP_OK) status = eqp_report_each_figure(report, put_figure, &of, error);
    if (status == EQP_OK) status = put_report(&of, report, error);
    if (status == EQP_OK) status = put_answers(&of, error);
    if (status == EQP_OK) status = put_certificate(&of, certificate, text, error);
    json_decref(of.certificate);
    eqp_text_free(text);
    return status;
}
