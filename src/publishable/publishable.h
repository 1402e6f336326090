/* A rule whose file may be published (M15): a few questions that a person can read, and a chance of
 * acceptance for every combination of answers.  No combination, and so nothing that anybody can compute from
 * the answers, shifts the share of a group by more than the budget.
 *
 *     publishable.c   the conductor: columns -> partitions of growing size -> size by cross-validation ->
 * rule columns.c       what may be asked about: columns as codes that enough people share judge.c         one
 * partition: is every cell within the budget, and how balanced a cohort does it allow? best_set.c      the
 * best question about one column, the other questions given search.c        partitions of each size: add a
 * question, improve each in turn, keep the best few size.c          how many questions pay on unseen rows
 *     partition_rule.c  the partition as a rule, and an encoding that knows nothing but its questions */
#ifndef EQP_PUBLISHABLE_PUBLISHABLE_H
#define EQP_PUBLISHABLE_PUBLISHABLE_H

#include "learn/method.h"

extern const eqp_method eqp_method_publishable;

#define EQP_MOST_QUESTIONS  5
#define EQP_MOST_CELLS      (1u << EQP_MOST_QUESTIONS)
#define EQP_MOST_CODES      256 /* of a column */
#define EQP_FEW_CODES       7   /* of levels: every set of them is tried */
#define EQP_PEOPLE_OF_LEVEL 11  /* a level that fewer people have is never named */

/* ---- columns ------------------------------------------------------------------------------------------- */

typedef struct eqp_asked_column {
    const eqp_feature *feature;   /* levels, or bins of a number */
    uint32_t codes;               /* as in the feature: levels or bins, then other, then missing */
    uint8_t *code;                /* of each labelled row */
    uint8_t used[EQP_MOST_CODES]; /* codes that some row has; fewer than enough people: pooled in other */
} eqp_asked_column;

typedef struct eqp_asked_columns {
    const eqp_training *training;
    eqp_encoding *encoding; /* with bins for numbers; levels of few people are left out */
    size_t count;
    eqp_asked_column *columns;
    eqp_arena arena; /* of the arrays */
} eqp_asked_columns;

eqp_status eqp_asked_columns_new(const eqp_training *training, eqp_asked_columns **columns, eqp_error *error);
void eqp_asked_columns_free(eqp_asked_columns *columns);

/* ---- partitions ---------------------------------------------------------------------------------------- */

typedef struct eqp_question {
    uint32_t column;
    uint64_t yes[EQP_MOST_CODES / 64]; /* codes whose answer is yes */
} eqp_question;

static inline bool eqp_says_yes(const eqp_question *question, uint32_t code)
{
    return question->yes[code / 64] >> code % 64 & 1;
}

/* Question i of `count` is bit i of a cell's number. */
typedef struct eqp_partition {
    size_t count;
    eqp_question questions[EQP_MOST_QUESTIONS];
    double loss; /* of the judge */
} eqp_partition;

/* ---- the judge ----------------------------------------------------------------------------------------- */

typedef struct eqp_judge {
    size_t groups;
    const double *base_rate;
    double *target;
    double budget;
    double risk;       /* chance with which some cell may exceed the budget; 0: in expectation */
    double rows;       /* effective, behind masses of 1 */
    double least_rows; /* of a cell that is not empty */
    double least_yield;
    double spread;
    double max_ratio;  /* of a group's share in a cell and overall; 0: off */
    double min_chance; /* of acceptance in every cell, in units of the yield; 0: off */
} eqp_judge;

#define EQP_NOT_ALLOWED 1e6 /* losses from here on: a cell is not within the budget */

/* The loss of a partition with these masses of the groups in its cells; `mass` are the cells' own.  Where the
 * cells are within the budget it is the squared imbalance and its sampling variance; `q` is the mixture
 * behind it and may be NULL.  `scratch` holds (cells + 1) × groups doubles. */
double eqp_judge_cells(const eqp_judge *judge, size_t cells, const double *mass, const double *group_mass,
                       double *scratch, double *q);

/* Whether every cell is within the budget. */
bool eqp_judge_allows(const eqp_judge *judge, size_t cells, const double *mass, const double *group_mass);

/* ---- the search ---------------------------------------------------------------------------------------- */

typedef struct eqp_partition_search {
    const eqp_asked_columns *columns;
    size_t rows;          /* to learn from */
    const uint32_t *row;  /* which of the training rows they are */
    const double *weight; /* of each, sums to 1 */
    eqp_judge judge;
    size_t most_questions, threads;
    const eqp_watch *watch;
    double from, to; /* of the progress told to the watch */
} eqp_partition_search;

/* The best found of each size: best[m] has at most m questions. */
eqp_status eqp_search_partitions(const eqp_partition_search *search, eqp_partition *best, eqp_error *error);

/* The best question about column c beside the others, whose cells the rows are in; partitions of one size
 * less are among them: the question may be one that everybody answers alike. */
typedef struct eqp_step {
    const eqp_partition_search *search;
    const uint8_t *cell; /* of each row to learn from, by the other questions */
    size_t cells;
    const double *pull; /* groups: composition of the cohort less the target, of the partition so far */
} eqp_step;
eqp_status eqp_best_set(const eqp_step *step, uint32_t column, const eqp_question *now,
                        eqp_question *question, double *loss, eqp_error *error);

/* The cell of each row, the masses of the cells, and those of the groups in them (cells × groups). */
void eqp_partition_masses(const eqp_partition_search *search, const eqp_partition *partition, uint8_t *cell,
                          double *mass, double *group_mass);

/* ---- publishing ---------------------------------------------------------------------------------------- */

eqp_status eqp_partition_publish(const eqp_asked_columns *columns, const eqp_partition *partition,
                                 const double *accept, const double *share, eqp_encoding **encoding,
                                 eqp_rule **rule, eqp_error *error);

#endif
