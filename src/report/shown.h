/* Numbers and names as people read them, on a terminal and in HTML and SVG. */
#ifndef EQP_REPORT_SHOWN_H
#define EQP_REPORT_SHOWN_H

#include "base/buffer.h"

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* The functions return small texts by value: eqp_percent(x).text may be used within one expression.  What is
 * not known (NaN) is shown as a dash.  No locale has a say. */

typedef struct eqp_shown {
    char text[64];
} eqp_shown;

eqp_shown eqp_fixed(double value, int digits);   /* plain ASCII, for coordinates: "-12.50" */
eqp_shown eqp_decimal(double value, int digits); /* "−0.031" */
eqp_shown eqp_signed(double value, int digits);  /* "+0.031" */
eqp_shown eqp_percent(double share);             /* "85.4 %", "0.34 %", "0.012 %" */
eqp_shown eqp_points(double share);              /* percentage points without a unit: "0.9" */
eqp_shown eqp_confidence(double share);          /* in percent without a unit, never rounded up: "99.9" */
eqp_shown eqp_significant(double value);         /* "0.410", "0.0021", "< 0.0001" */
eqp_shown eqp_threshold(double value); /* what a figure is above or below of; 0.0001 for smaller ones */
eqp_shown eqp_count(double count);     /* "24,421" */
eqp_shown eqp_seconds(double seconds); /* "0.09 s", "2 min 31 s" */
eqp_shown eqp_with_error(double value, double error, int digits); /* "0.198 ± 0.006" */

/* ---- names --------------------------------------------------------------------------------------------- */

size_t eqp_text_width(const char *text); /* columns on a terminal */
/* `text` in at most `width` columns, ending in "…" when it was cut; control characters become blanks. */
void eqp_text_shorten(const char *text, size_t width, char *out, size_t size);

/* ---- markup -------------------------------------------------------------------------------------------- */

/* Whatever comes from a document goes through here, so that a group called "</script><img onerror=…>" is
 * shown and never run. */

/* Escaped for content and for quoted attributes; what XML cannot hold becomes U+FFFD. */
void eqp_markup_text(eqp_buffer *out, const char *text);
/* Formats first, then escapes the whole. */
void eqp_markup_printf(eqp_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
