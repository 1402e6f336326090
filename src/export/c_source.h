/* The rule as one C file without dependencies: tables of numbers, and a fixed text that decides by them. */
#ifndef EQP_EXPORT_C_SOURCE_H
#define EQP_EXPORT_C_SOURCE_H

#include "model/rule.h"

/* `key` is written into the file when it is not NULL. */
eqp_status eqp_c_source(const eqp_model *model, const eqp_key *key, bool permanent, char **text,
                        eqp_error *error);

#endif
