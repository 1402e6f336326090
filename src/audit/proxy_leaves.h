/* A column that someone uses as a proxy today: a category, or a probability such as a surname-based score.
 * Its values become leaves, so that its disclosure is measured like a rule's. */
#ifndef EQP_AUDIT_PROXY_LEAVES_H
#define EQP_AUDIT_PROXY_LEAVES_H

#include "table/table.h"

typedef struct eqp_proxy {
    size_t rows;
    uint32_t *leaf;    /* of each row */
    size_t leaf_count; /* only values that occur; a missing cell is the last */
    char **names;
} eqp_proxy;

/* Text: one leaf per level.  Numbers with at most 20 values: one leaf per value.  Numbers within [0, 1]: ten
 * bins of width 0.1.  Other numbers: tenths of the rows.  EQP_DATA for more than 1000 levels. */
eqp_status eqp_proxy_from_table(const eqp_table *table, const char *column, eqp_proxy **proxy,
                                eqp_error *error);
void eqp_proxy_free(eqp_proxy *proxy);

#endif
