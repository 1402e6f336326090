/* Runs one command line of this program at a time, in the folder, in a process of its own: it can be
 * cancelled at any moment, leaves nothing half-written, and a failure of it is not one of the server. */
#ifndef UI_JOB_H
#define UI_JOB_H

#include "recipe.h"

/* Takes over the order.  EQP_INFEASIBLE while another one runs. */
eqp_status job_start(order *wanted, eqp_error *error);
void job_cancel(void);
/* Cancels and waits. */
void job_end(void);

/* {"id", "action", "command", "state", "done", "stage", "exit", "message", "hint"} of the running or the last
 * job, or null; state is running, done, failed or cancelled. */
json_t *job_snapshot(void);

/* What an action found when it last went well: {"action", "command", "exit", "inputs", "document", "text",
 * "fresh"}; fresh: the files that it read are still the same.  NULL when it was never run. */
json_t *job_result(const char *action);

#endif
