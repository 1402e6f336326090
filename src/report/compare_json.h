/* A comparison as the document of docs/json.md. */
#ifndef EQP_REPORT_COMPARE_JSON_H
#define EQP_REPORT_COMPARE_JSON_H

#include "study/compare.h"

#include <jansson.h>

/* NULL when memory is short; eqp_report_from_json reports it. */
json_t *eqp_compare_document(const eqp_comparison *comparison);

#endif
