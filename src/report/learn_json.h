/* What learning found, as the document of docs/json.md. */
#ifndef EQP_REPORT_LEARN_JSON_H
#define EQP_REPORT_LEARN_JSON_H

#include "learn/learning.h"

#include <jansson.h>

/* Times that the caller measured around learning. */
typedef struct eqp_learn_times {
    double read, total;
} eqp_learn_times;

/* NULL when memory is short; eqp_report_from_json reports it. */
json_t *eqp_learn_document(const eqp_training *training, const eqp_learning *learning,
                           const eqp_learn_options *options, const eqp_learn_times *times);

/* Parts that other documents share. */
json_t *eqp_figures_document(const eqp_figures *figures, size_t groups);
json_t *eqp_groups_document(const eqp_groups *groups, const double *base_rate);
json_t *eqp_limit_curve_document(const eqp_groups *groups, const double *base_rate);
json_t *eqp_notes_document(const eqp_notes *notes);

#endif
