/* Finished trials in a file, so that an interrupted comparison goes on where it stopped.
 *
 * The first line binds the file to the data and the options; every other line is one trial.  Lines are
 * appended whole; a last line that was cut off is dropped. */
#ifndef EQP_STUDY_RESUME_H
#define EQP_STUDY_RESUME_H

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

#endif
