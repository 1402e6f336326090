/* The comparison (M10; paper, experiments): every method, every budget, many seeds; on the rows learned from
 * and on unseen ones. */
#ifndef EQP_STUDY_COMPARE_H
#define EQP_STUDY_COMPARE_H

#include "audit/distortion.h"
#include "base/memory.h"
#include "base/sdc.h"
#include "study/axis.h"
#include "study/trial.h"
#include <stddef.h>

/* The mean and the central 95 % (percentiles, linear in between) of the values that are known. */
typedef struct eqp_interval {
    double mean, low, high; /* NaN when none is known */
} eqp_interval;

/* Reorders the values. */
eqp_interval eqp_interval_of(double *values, size_t count);

typedef struct eqp_comparison {
    const eqp_table *table; /* borrowed */
    const eqp_study_options *options;
    eqp_groups *groups;
    eqp_sample *sample; /* all labelled rows */
    eqp_axis budgets;
    eqp_contenders contenders;
    size_t seeds;
    eqp_learn_options learn; /* as given, with the label among the ignored columns */
    char *ignored;           /* behind learn.ignore */
    eqp_arena arena;         /* of the trials, their values and over_seeds */
    eqp_trial *trials;       /* [contender][seed] */
    double *over_seeds;      /* scratch of eqp_comparison_interval */
    /* within-group distortion of the direct rule at the middle budget on the first seed's test part */
    eqp_distortion *distortion; /* NULL where the direct method does not take part */
    eqp_model *distorting;      /* that rule */
    eqp_notes notes, notices;   /* the second about columns */
    eqp_sdc sdc;                /* how figures about these rows are told */
    uint64_t sdc_key;           /* of its choices */
    double *told_rate;          /* base rates as they may be told */
    double seconds;
} eqp_comparison;

/* Same figures for any number of threads, except seconds. */
eqp_status eqp_comparison_run(const eqp_table *table, const eqp_study_options *options,
                              const eqp_watch *watch, eqp_comparison **comparison, eqp_error *error);
void eqp_comparison_free(eqp_comparison *comparison);

/* Over the seeds, of entry `field` of a point: an eqp_trial_field or one beyond them. */
eqp_interval eqp_comparison_interval(const eqp_comparison *comparison, size_t contender, size_t budget,
                                     size_t field);

/* Of one seed. */
double eqp_comparison_value(const eqp_comparison *comparison, size_t contender, size_t seed, size_t budget,
                            size_t field);

/* Share of the seeds whose disclosure on unseen rows is within the budget; NaN when none is known. */
double eqp_comparison_within(const eqp_comparison *comparison, size_t contender, size_t budget);

#endif
