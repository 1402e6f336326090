/* The groups of a document: their names for people, and which of them to show when there are many. */
#ifndef EQP_REPORT_GROUP_H
#define EQP_REPORT_GROUP_H

#include "base/status.h"

#include <jansson.h>

#define EQP_GROUPS_SHOWN 12

typedef struct eqp_group_name {
    char text[200];
} eqp_group_name;

/* "White", or "race: White" where the document has several attributes. */
eqp_group_name eqp_group_named(const json_t *document, size_t index);

/* Fills `order` with at most `room` groups: all in their order, or, where there are more, those whose share
 * now is furthest from their target, the largest gap first.  Returns how many. */
size_t eqp_groups_shown(const json_t *document, size_t *order, size_t room);

#endif
