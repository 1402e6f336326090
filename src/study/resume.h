/* Finished trials in a file, so that an interrupted comparison goes on where it stopped.
 *
 * The first line binds the file to the data and the options; every other line is one trial.  Lines are
 * appended whole; a last line that was cut off is dropped. */
#ifndef EQP_STUDY_RESUME_H
#define EQP_STUDY_RESUME_H

#include "encode/groups.h"
#include "study/axis.h"
#include "study/trial.h"

typedef struct eqp_resume eqp_resume;

/* EQP_DATA when the file belongs to another study.  `path` NULL: nothing is kept. */
eqp_status eqp_resume_open(const char *path, const char study[65], eqp_resume **resume, eqp_error *error);
void eqp_resume_close(eqp_resume *resume);

/* Fills the trial when it is among the finished ones. */
bool eqp_resume_find(const eqp_resume *resume, size_t seed, const char *contender, eqp_trial *trial);
/* Not to be called by two threads at once. */
eqp_status eqp_resume_keep(eqp_resume *resume, size_t seed, const char *contender, const eqp_trial *trial,
                           eqp_error *error);

/* `groups` with the target shares as they were read: a file of shares may change under its name.  Methods and
 * the number of seeds are left out: a study may be extended by more of either. */
eqp_status eqp_study_digest(const eqp_table *table, const eqp_groups *groups,
                            const eqp_study_options *options, const eqp_axis *budgets, char digest[65],
                            eqp_error *error);

#endif
