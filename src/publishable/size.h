/* The number of questions, by cross-validation (size.c). */
#ifndef EQP_PUBLISHABLE_SIZE_H
#define EQP_PUBLISHABLE_SIZE_H

#include "publishable/publishable.h"

#define EQP_SIZE_FOLDS 5

typedef struct eqp_size_study eqp_size_study;

/* Partitions of every size, searched for without each fold and judged on it; to be freed also on failure. */
eqp_status eqp_size_study_new(const eqp_partition_search *search, uint64_t seed, eqp_size_study **study,
                              eqp_error *error);
void eqp_size_study_free(eqp_size_study *study);
size_t eqp_size_chosen(const eqp_size_study *study);
/* On unseen rows, without the yield; the composition is the caller's to free. */
eqp_status eqp_size_figures(const eqp_size_study *study, eqp_figures *figures, eqp_error *error);

#endif
