/* Draws a report from its JSON, for tests that look at pages and figures with other programs:
 *
 *     draw-report DOCUMENT.json text|colour|json|html|figures [PATH] */
#include "report/report.h"

#include <stdio.h>
#include <string.h>

static eqp_status draw(const eqp_report *report, const char *what, const char *path, eqp_error *error)
{
    char *text = NULL;
    if (strcmp(what, "html") == 0) return eqp_report_html(report, path, error);
    if (strcmp(what, "figures") == 0) return eqp_report_figures(report, path, error);
    if (strcmp(what, "json") == 0) {
        fputs(eqp_report_json(report), stdout);
        return EQP_OK;
    }
    eqp_status status = eqp_report_text(report, strcmp(what, "colour") == 0, &text, error);
    if (status == EQP_OK) fputs(text, stdout);
    eqp_text_free(text);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 3)
        return fputs("usage: draw-report DOCUMENT.json text|colour|json|html|figures [PATH]\n", stderr), 2;
    eqp_error error = {0};
    eqp_report *report = NULL;
    eqp_status status = eqp_report_from_json(json_load_file(arguments[1], 0, NULL), &report, &error);
    if (status == EQP_OK) status = draw(report, arguments[2], count > 3 ? arguments[3] : "-", &error);
    if (status != EQP_OK) fprintf(stderr, "draw-report: %s\n", error.message);
    eqp_report_free(report);
    return eqp_exit_code(status);
}
