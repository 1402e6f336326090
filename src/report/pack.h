/* The officer's pack: all that is handed on about an audit, each file with a sidecar that says what it is and
 * whether it may be handed on (eqp_report_pack). */
#ifndef EQP_REPORT_PACK_H
#define EQP_REPORT_PACK_H

#include "base/buffer.h"

#include <jansson.h>

/* The answers to what a data-protection review asks; `certificate` is the statement of the file. */
void eqp_page_answers(const json_t *document, const json_t *certificate, eqp_buffer *out);

#endif
