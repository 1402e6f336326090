/* Plain text of at most 80 columns: words that wrap under a hanging indent, and names made safe for a
 * terminal. */
#ifndef EQP_MODEL_PARAGRAPH_H
#define EQP_MODEL_PARAGRAPH_H

#include "base/buffer.h"

#define EQP_LINE_WIDTH 80

typedef struct eqp_paragraph {
    eqp_buffer *text;
    size_t indent; /* of the lines after the first */
    size_t column; /* where the line at hand ends */
    bool listing;  /* the last piece was an item of a list */
} eqp_paragraph;

/* Starts a line with `lead`; what follows wraps to the column where the lead ends. */
eqp_paragraph eqp_paragraph_begin(eqp_buffer *text, const char *lead);
/* One piece that is not broken; a blank before it unless it begins the paragraph. */
void eqp_paragraph_add(eqp_paragraph *paragraph, const char *piece);
/* The same for an item of a list: a comma after the item before it. */
void eqp_paragraph_item(eqp_paragraph *paragraph, const char *item);
void eqp_paragraph_end(eqp_paragraph *paragraph);

/* A name or value as people may see it: control characters replaced, long ones shortened to `columns`. */
void eqp_name_show(eqp_buffer *text, const char *name, size_t columns);
size_t eqp_text_columns(const char *text); /* characters of UTF-8 */

#endif
