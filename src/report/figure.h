/* A figure: one or more panels, the words around them and the table behind them.  It is drawn as a section of
 * a page or as a file of its own. */
#ifndef EQP_REPORT_FIGURE_H
#define EQP_REPORT_FIGURE_H

#include "report/chart.h"
#include "report/grid.h"
#include "report/shown.h"

#define EQP_FIGURE_PANELS 12 /* the budgets of a comparison, 0 to 1 in tenths, fit */

typedef struct eqp_figure {
    const char *name; /* of the file, without ".svg", and of the anchor on the page */
    const char *title;
    char caption[800]; /* what it shows and how to read it */
    size_t part;       /* tells figures of one name apart where there are several documents; else 0 */
    size_t panel_count;
    eqp_chart panels[EQP_FIGURE_PANELS]; /* with the same series in the same order */
    bool without_legend, wide;           /* wide: as broad as the page, also with one panel */
    eqp_grid table;
    bool table_open; /* the table says more than the drawing */
} eqp_figure;

/* Fills an empty figure from a document; it stays without panels when the document has nothing to show. */
typedef void (*eqp_figure_maker)(const json_t *document, eqp_figure *figure);

void eqp_figure_tradeoff(const json_t *document, eqp_figure *figure);      /* learn */
void eqp_figure_yield(const json_t *document, eqp_figure *figure);         /* learn */
void eqp_figure_dial(const json_t *document, eqp_figure *figure);          /* frontier: what a budget buys */
void eqp_figure_frontier(const json_t *document, eqp_figure *figure);      /* frontier: trade-off */
void eqp_figure_yields(const json_t *document, eqp_figure *figure);        /* frontier: yield */
void eqp_figure_methods(const json_t *document, eqp_figure *figure);       /* compare: trade-off */
void eqp_figure_method_yields(const json_t *document, eqp_figure *figure); /* compare: yield */
void eqp_figure_shares(const json_t *document, eqp_figure *figure);        /* learn, audit, compare */
void eqp_figure_rule(const json_t *document, eqp_figure *figure);          /* learn */
void eqp_figure_influence(const json_t *document, eqp_figure *figure);     /* learn */
void eqp_figure_reasons(const json_t *document, eqp_figure *figure);       /* learn */
void eqp_figure_bands(const json_t *document, eqp_figure *figure);         /* learn */
void eqp_figure_certificate(const json_t *document, eqp_figure *figure);   /* audit */
void eqp_figure_components(const json_t *document, eqp_figure *figure);    /* audit */
void eqp_figure_drift(const json_t *document, eqp_figure *figure);         /* audit */
void eqp_figure_distortion(const json_t *document, eqp_figure *figure);    /* audit, compare */
void eqp_figure_downstream(const json_t *document, eqp_figure *figure);    /* compare */

/* Name, title and caption; name and title are borrowed. */
void eqp_figure_describe(eqp_figure *figure, const char *name, const char *title, const char *caption, ...)
    __attribute__((format(printf, 4, 5)));
/* The next panel; a figure has at most EQP_FIGURE_PANELS. */
eqp_chart *eqp_figure_panel(eqp_figure *figure, eqp_chart_kind kind, const char *title);
/* Gives all panels the same axes. */
void eqp_figure_align(eqp_figure *figure);
bool eqp_figure_is_empty(const eqp_figure *figure);
bool eqp_figure_failed(const eqp_figure *figure); /* memory ran out: it is not complete */
void eqp_figure_free(eqp_figure *figure);

/* The name of a figure on a page and as a file. */
eqp_shown eqp_figure_anchor(const eqp_figure *figure);
void eqp_figure_section(const eqp_figure *figure, eqp_buffer *out);
void eqp_figure_file(const eqp_figure *figure, eqp_buffer *out);
/* The same in light colours alone, without what only browsers know: for office programs and librsvg. */
void eqp_figure_plain_file(const eqp_figure *figure, eqp_buffer *out);

/* The limit as the first series of a trade-off: dashed, the area below it shaded. */
void eqp_figure_limit(eqp_chart *chart, const json_t *document);

#endif
