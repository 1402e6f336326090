/* The names of a file's columns, so that one can be chosen before anything is computed. */
#ifndef UI_FILE_COLUMNS_H
#define UI_FILE_COLUMNS_H

#include "equipoise.h"

#include <jansson.h>

/* A list of names. */
eqp_status columns_of_file(const char *name, json_t **columns, eqp_error *error);

#endif
