/* Text inside HTML and SVG.  Whatever comes from a document goes through here, so that a group called
 * "</script><img onerror=…>" is shown and never run. */
#ifndef EQP_REPORT_MARKUP_H
#define EQP_REPORT_MARKUP_H

#include "base/buffer.h"

/* Escaped for content and for quoted attributes; what XML cannot hold becomes U+FFFD. */
void eqp_markup_text(eqp_buffer *out, const char *text);
/* Formats first, then escapes the whole. */
void eqp_markup_printf(eqp_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
