/* A comma-separated option as a list of names. */
#ifndef EQP_BASE_NAME_LIST_H
#define EQP_BASE_NAME_LIST_H

#include "base/status.h"

typedef struct eqp_name_list {
    char *text; /* that the names point into */
    size_t count;
    char **names;
} eqp_name_list;

/* NULL is an empty list; blanks around a name and empty names are left out.  Freed also after a failure. */
eqp_status eqp_name_list_split(const char *text, eqp_name_list *list, eqp_error *error);
bool eqp_name_list_holds(const eqp_name_list *list, const char *name);
void eqp_name_list_free(eqp_name_list *list);

#endif
