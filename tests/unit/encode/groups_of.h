/* The groups of a table's sensitive columns, for tests that want nothing else of the labels. */
#ifndef EQP_TESTS_GROUPS_OF_H
#define EQP_TESTS_GROUPS_OF_H

#include "encode/groups.h"

static inline eqp_status groups_of(const eqp_table *table, const char *const *columns, size_t count,
                                   bool intersect, eqp_groups **groups, eqp_error *error)
{
    eqp_labels *labels;
    *groups = NULL;
    eqp_status status = eqp_labels_read(table, columns, count, &labels, error);
    if (status == EQP_OK) status = eqp_groups_find(labels, intersect, groups, error);
    eqp_labels_free(labels);
    return status;
}

#endif
