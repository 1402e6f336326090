/* What a study is about, as a digest: data and every option that changes its figures. */
#ifndef EQP_STUDY_STUDY_IDENTITY_H
#define EQP_STUDY_STUDY_IDENTITY_H

#include "encode/groups.h"
#include "study/axis.h"

/* `groups` with the target shares as they were read: a file of shares may change under its name.  Methods and
 * the number of seeds are left out: a study may be extended by more of either. */
eqp_status eqp_study_digest(const eqp_table *table, const eqp_groups *groups,
                            const eqp_study_options *options, const eqp_axis *budgets, char digest[65],
                            eqp_error *error);

#endif
