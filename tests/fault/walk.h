/* Every call of the library to the system fails once, by every way that leads to it (calls.h), and each
 * failure must come out as a status with a message: no result, no crash, nothing lost (the leak sanitizer
 * watches).  A call that can be done without leaves the result as it was. */
#ifndef EQP_TEST_WALK_H
#define EQP_TEST_WALK_H

#include "equipoise.h"

enum { ROWS = 48, CANDIDATES = 40 };

/* Calls the library with some wishes and hands back all that comes out. */
typedef eqp_status scenario(const void *wishes, eqp_error *error);

/* Without a fault, then with each; SHOW_CALLS in the environment prints how many. */
void walk(const char *name, scenario *run, const void *wishes);

/* What came out of a call stands exactly when it succeeded; it is noted, without times, and released. */
eqp_status hand_back(eqp_status status, eqp_report *report);
eqp_status hand_back_text(eqp_status status, char *text);
eqp_status hand_back_model(eqp_status status, eqp_model *made);
void note_bytes(const char *bytes, size_t length);
void note_file(const char *path);

/* Made once, in a folder of its own, which is the working directory: labelled.csv, target.csv, candidates.csv
 * also packed as .gz and .zst. */
extern struct ground {
    eqp_table *labelled, *later; /* learned from, audited with */
    eqp_model *model, *tree;
    eqp_report *learned, *audited, *frontier, *compared;
    eqp_key key;
} ground;

extern const eqp_watch walk_watch;
extern const char *const SENSITIVE[2];

typedef struct learn_wishes {
    const char *name, *method, *oracle, *solver, *weight, *proxy, *target;
    size_t sensitive, min_leaf, max_height, threads;
    double min_yield, confidence;
    bool intersect, strict;
} learn_wishes;

eqp_learn_options learn_options(const learn_wishes *w);
eqp_study_options study_options(void);

int ground_prepare(void **state);
int ground_clear(void **state); /* fails when a temporary file was left */

#endif
