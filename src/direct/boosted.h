/* Boosted scores for the direct learner, beside the linear ones in the same program (M9).
 *
 *     class scores   trees that all cells share, cross-fitted once
 *     library        the few directions that programs take along them: each is a sum of class scores, and so
 *                    one score with the same trees
 *
 * Programs are solved along the library and the linear scores, and these are what the model holds. */
#ifndef EQP_DIRECT_BOOSTED_H
#define EQP_DIRECT_BOOSTED_H

#include "direct/class_scores.h"
#include "direct/folds.h"
#include "oracle/boosting.h"

/* ---- class scores ---------------------------------------------------------------------------------------
 */

typedef struct eqp_direct_boosted {
    const eqp_direct_folds *folds; /* borrowed */
    size_t cells;
    uint64_t seed;
    eqp_boost_rows *rows;      /* in the order of the folds */
    eqp_shared_trees trees;    /* of the fit on all rows */
    eqp_arena arena;           /* of the scores, [cell][row] */
    float *own;                /* by the fit without the row's twentieth of the rows */
    float *without[EQP_FOLDS]; /* by the fit without the row's fold and this one; none of its own rows */
} eqp_direct_boosted;

eqp_status eqp_direct_boosted_new(const eqp_direct_folds *folds, uint64_t seed, eqp_direct_boosted **boosted,
                                  eqp_error *error);
void eqp_direct_boosted_free(eqp_direct_boosted *boosted);
/* One basis more for a program that leaves `held` out. */
eqp_status eqp_direct_boosted_add(const eqp_direct_boosted *boosted, size_t held, eqp_direct_scores *scores,
                                  eqp_error *error);

/* ---- library --------------------------------------------------------------------------------------------
 */

enum { EQP_LIBRARY_SCORES = 8 }; /* at most */

/* A direction that rules of programs took along the class scores. */
typedef struct eqp_direct_trait {
    double *direction; /* E prices, centred, of length 1 */
    size_t point;      /* whose program took it */
    double use;        /* share of what that program accepts, times the importance of the point */
} eqp_direct_trait;

typedef struct eqp_direct_library {
    const eqp_direct_boosted *boosted; /* borrowed */
    eqp_arena arena;                   /* of the arrays below */
    eqp_direct_trait *traits;
    size_t trait_count, trait_capacity;
    size_t count;        /* of scores */
    float *score;        /* [score][row], a row by the fit without its twentieth */
    eqp_score *deployed; /* by the fit on all rows */
} eqp_direct_library;

eqp_status eqp_direct_library_new(const eqp_direct_boosted *boosted, size_t most_traits,
                                  eqp_direct_library **library, eqp_error *error);
void eqp_direct_library_free(eqp_direct_library *library);
/* Notes the directions that the solution of a point uses. */
void eqp_direct_library_note(eqp_direct_library *library, const eqp_direct_pool *pool,
                             const eqp_direct_solution *solution, size_t point);
/* From then on a direction counts as much as its point. */
void eqp_direct_library_weigh(eqp_direct_library *library, const double *importance);
/* Keeps the few that stand for most, each as one score. */
eqp_status eqp_direct_library_settle(eqp_direct_library *library, eqp_error *error);

/* Thresholds along the scores of the library for one program; where none helps, rules along linear class
 * scores, which are borrowed. */
typedef struct eqp_direct_shelf {
    const eqp_direct_library *library; /* borrowed, as are the linear scores */
    eqp_direct_scores *linear;
    eqp_direct_scores *scores; /* "cell" j is score j of the library */
    double *unit;              /* scratch: a direction that picks one score */
} eqp_direct_shelf;

/* `rows` is borrowed; with `strict` only rules that are within the budget by themselves are found. */
eqp_status eqp_direct_shelf_new(const eqp_direct_library *library, size_t held, eqp_direct_scores *linear,
                                const eqp_direct_rows *rows, bool strict, eqp_direct_shelf **shelf,
                                eqp_error *error);
void eqp_direct_shelf_free(eqp_direct_shelf *shelf);
eqp_direct_pricer eqp_direct_shelf_pricer(eqp_direct_shelf *shelf);

#endif
