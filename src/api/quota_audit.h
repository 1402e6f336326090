/* What being selected tells about a person's group when quotas decide too.
 *
 *     labelled rows --routing, a few times over--> types --> the lottery that select would hold -->
 * everybody's chance
 *
 * The labelled rows stand in for the pool.  Quotas on a column that goes with the group disclose it by
 * themselves, however little the rule does; the audit measures both together. */
#ifndef EQP_API_QUOTA_AUDIT_H
#define EQP_API_QUOTA_AUDIT_H

#include "audit/audit.h"

/* {"size", "budget", "disclosure", "group", "columns", "page", "pass"}: of being selected or not; of the
 * quota columns alone; of what the public page shows of a ticket.  The result does not pass when the first
 * exceeds its budget. */
eqp_status eqp_quota_audit(const char *quotas, size_t size, eqp_audit_result *result, json_t **document,
                           eqp_error *error);

#endif
