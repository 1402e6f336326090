/* One seed of a comparison: the labelled rows split at random into a part to learn from, a part to test on
 * and a part for what comes after (the paper's train, test and post-test), encoded once for all methods. */
#ifndef EQP_STUDY_PARTS_H
#define EQP_STUDY_PARTS_H

#include "baseline/baseline.h"

#define EQP_TRAIN_SHARE 0.5
#define EQP_TEST_SHARE  0.3

/* The first two parts in one encoding, fitted on the first. */
typedef struct eqp_view {
    eqp_training *training;
    eqp_block *test;
} eqp_view;

typedef struct eqp_parts {
    const eqp_groups *groups; /* borrowed: of the whole table, so that every part knows all of them */
    eqp_table *train, *test, *post;
    eqp_sample *test_sample, *post_sample;
    eqp_view plain, binned;       /* made at first use */
    eqp_predictor *predictors[2]; /* by eqp_predictor_kind, made at first use */
    double predictor_seconds[2];
    const eqp_watch *watch; /* borrowed, of the trial at work; or NULL */
} eqp_parts;

/* `sample` holds the labelled rows of the table; the split depends on `seed` alone. */
eqp_status eqp_parts_new(const eqp_table *table, const eqp_sample *sample, const char *weight, uint64_t seed,
                         eqp_parts **parts, eqp_error *error);
void eqp_parts_free(eqp_parts *parts);

/* The view for a method with these needs: with bins of numbers, or without. */
eqp_status eqp_parts_view(eqp_parts *parts, eqp_training_needs needs, const eqp_learn_options *options,
                          eqp_view **view, eqp_error *error);
/* The predictor of a baseline, fitted on its view. */
eqp_status eqp_parts_predictor(eqp_parts *parts, const eqp_method *method, const eqp_learn_options *options,
                               eqp_predictor **predictor, eqp_error *error);

#endif
