/* What was chosen, in a file of the folder: reopening goes on where one stopped. */
#ifndef UI_PROJECT_FILE_H
#define UI_PROJECT_FILE_H

#include "equipoise.h"

#include <jansson.h>

#define PROJECT_FILE "equipoise-project.json"

/* {"format", "version", "revision", "choices"}; one without choices when there is no file yet. */
eqp_status project_read(json_t **project, eqp_error *error);

/* Keeps `choices` when nobody has changed them since `revision`; `*revision` is then the new one.  Otherwise
 * EQP_INFEASIBLE: another tab was quicker. */
eqp_status project_write(const json_t *choices, json_int_t *revision, eqp_error *error);

#endif
