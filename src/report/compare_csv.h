/* The figures of a comparison as a table for other programs. */
#ifndef EQP_REPORT_COMPARE_CSV_H
#define EQP_REPORT_COMPARE_CSV_H

#include "base/buffer.h"

#include <jansson.h>

/* A header and one record for each method, budget and part; empty cells where nothing is known. */
void eqp_compare_csv(const json_t *document, eqp_buffer *out);

#endif
