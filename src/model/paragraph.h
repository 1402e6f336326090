/* Names made safe for a terminal. */
#ifndef EQP_MODEL_PARAGRAPH_H
#define EQP_MODEL_PARAGRAPH_H

#include "base/buffer.h"

/* A name or value as people may see it: control characters replaced, long ones shortened to `columns`. */
void eqp_name_show(eqp_buffer *text, const char *name, size_t columns);
size_t eqp_text_columns(const char *text); /* characters of UTF-8 */

#endif
