/* A frontier as the document of docs/json.md. */
#ifndef EQP_REPORT_FRONTIER_JSON_H
#define EQP_REPORT_FRONTIER_JSON_H

#include "study/frontier.h"

#include <jansson.h>

/* NULL when memory is short; eqp_report_from_json reports it. */
json_t *eqp_frontier_document(const eqp_frontier_result *result, const eqp_learn_options *options);

#endif
