/* Memory to fall back on while a C++ library runs.  When memory is short, such a library throws: through C
 * code (CLP), or out of a function that must not throw (XGBoost); either ends the program.  But first the C++
 * runtime asks its handler for more, and the handler here gives back what was put aside. */
#ifndef EQP_BASE_SPARE_H
#define EQP_BASE_SPARE_H

#include "base/status.h"

/* Puts so many bytes aside for the calls that this thread is about to make; fails when they are not there.
 * They are address space alone until somebody needs them.  Not nested. */
eqp_status eqp_spare_take(size_t bytes, eqp_error *error);
/* After the calls, also when they failed. */
void eqp_spare_drop(void);

#endif
