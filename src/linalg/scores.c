/* P = X B: a coded cell adds one row of B, a number adds a multiple of one.
 *
 * Vectorised over the columns of B: a panel of up to 8 columns is kept in registers while a row's features
 * are added, and the panel's width is a constant of the compiled kernel.  Wider B take several panels. */
#include "linalg/design.h"

#include "base/wide.h"

#define PANEL 8

/* `panel` entries of each row, `columns` apart; the rows are listed, or count from `first`. */
static inline __attribute__((always_inline)) void panel_scores(const eqp_design *design, const double *b,
                                                               size_t columns, const uint32_t *row,
                                                               size_t first, size_t count, double *p,
                                                               const size_t panel)
{
    const eqp_feature *features = design->encoding->features;
    size_t feature_count = design->encoding->feature_count;

    for (size_t at = 0; at < count; at++, p += columns) {
        size_t i = row ? row[at] : first + at;
        double sum[PANEL];
        for (size_t c = 0; c < panel; c++) sum[c] = b[c];
        for (size_t f = 0; f < feature_count; f++) {
            const double *term = b + features[f].slot * columns;
            if (design->codes[f] != NULL) {
                term += design->codes[f][i] * columns;
                for (size_t c = 0; c < panel; c++) sum[c] += term[c];
            } else if (design->missing[f] != NULL && design->missing[f][i]) {
                for (size_t c = 0; c < panel; c++) sum[c] += term[columns + c];
            } else {
                double z = design->standard[f][i];
                for (size_t c = 0; c < panel; c++) sum[c] += z * term[c];
            }
        }
        for (size_t c = 0; c < panel; c++) p[c] = sum[c];
    }
}

EQP_WIDE static void all_panels(const eqp_design *design, const double *coefficients, size_t columns,
                                const uint32_t *row, size_t first, size_t count, double *scores)
{
    for (size_t c = 0; c < columns; c += PANEL) {
        const double *b = coefficients + c;
        double *p = scores + c;
        switch (columns - c) {
        case 1:
            panel_scores(design, b, columns, row, first, count, p, 1);
            break;
        case 2:
            panel_scores(design, b, columns, row, first, count, p, 2);
            break;
        case 3:
            panel_scores(design, b, columns, row, first, count, p, 3);
            break;
        case 4:
            panel_scores(design, b, columns, row, first, count, p, 4);
            break;
        case 5:
            panel_scores(design, b, columns, row, first, count, p, 5);
            break;
        case 6:
            panel_scores(design, b, columns, row, first, count, p, 6);
            break;
        case 7:
            panel_scores(design, b, columns, row, first, count, p, 7);
            break;
        default:
            panel_scores(design, b, columns, row, first, count, p, PANEL);
        }
    }
}

void eqp_design_scores(const eqp_design *design, const double *coefficients, size_t columns, size_t first,
                       size_t count, double *scores)
{
    all_panels(design, coefficients, columns, NULL, first, count, scores);
}

void eqp_design_scores_of(const eqp_design *design, const double *coefficients, size_t columns,
                          const uint32_t *row, size_t count, double *scores)
{
    all_panels(design, coefficients, columns, row, 0, count, scores);
}
