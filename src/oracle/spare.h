/* Memory to fall back on while XGBoost runs.  When memory is short, it throws out of functions that must not
 * throw, which ends the program.  But first the C++ runtime asks its handler for more, and the handler here
 * gives back what was put aside. */
#ifndef EQP_ORACLE_SPARE_H
#define EQP_ORACLE_SPARE_H

#include "base/status.h"

/* Puts so many bytes aside for the calls that this thread is about to make; fails when they are not there.
 * They are address space alone until somebody needs them.  Not nested. */
eqp_status eqp_spare_take(size_t bytes, eqp_error *error);
/* After the calls, also when they failed. */
void eqp_spare_drop(void);

#endif
