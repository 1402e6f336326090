/* Class scores of the rows of a program, and the search for rules along them (M6, M9).
 *
 * Least squares is linear in its targets: the fit to prices v over the cells is P v, where the columns of P
 * are the fits to the cells' indicators.  So an oracle call is one pass over P and the best threshold.  There
 * may be several such P, called bases; rules from all of them compete in the same program. */
#ifndef EQP_DIRECT_CLASS_SCORES_H
#define EQP_DIRECT_CLASS_SCORES_H

#include "direct/program.h"
#include "learn/training.h"
#include "oracle/threshold.h"

/* ---- rules that keep the budget by themselves --------------------------------------------------------- */

/* Rules that are within the budget by themselves (--strict): whoever reads the model file and evaluates one
 * component learns no more than the outcome may say. */

/* Whether those chosen, of these group masses, and the others are both within the budget of the base rates */
bool eqp_direct_within(const eqp_direct_rows *rows, const double *group_mass, double total, double budget);

/* Looks along a score for the best cut that is within the budget. */
typedef struct eqp_direct_ranks eqp_direct_ranks;
eqp_status eqp_direct_ranks_new(const eqp_direct_rows *rows, eqp_direct_ranks **ranks, eqp_error *error);
void eqp_direct_ranks_free(eqp_direct_ranks *ranks);
/* A threshold of -inf when no cut within the budget costs less than nothing. */
eqp_cut eqp_direct_strict_cut(eqp_direct_ranks *ranks, const double *line, const double *cost, double budget);

/* Prices for the next try: groups beyond the budget among the rows below the threshold cost more, groups
 * short of it less.  `pull` (K) collects over the tries. */
void eqp_direct_strict_prices(eqp_direct_ranks *ranks, const double *line, double threshold, double budget,
                              const double *price, double *pull, double *next);

enum { EQP_LINEAR_BASES = 4, EQP_NO_BASIS = EQP_LINEAR_BASES + 1 }; /* a boosted one may follow */

typedef struct eqp_direct_scores {
    size_t first, turn;                 /* the first basis to price along, and the one to try next */
    size_t rows, count, cells, bases;   /* count: rows learned from; held ones follow */
    size_t coefficients;                /* behind a score of the first basis */
    float *score;                       /* [basis][cell][row] */
    double *deployed[EQP_LINEAR_BASES]; /* width × E coefficients of the fit on all rows learned from */
    eqp_arena arena;                    /* of the scratch below */
    float *narrow;           /* scratch: the line along which a rule is sought, one score per row */
    double *line;            /* scratch: the same, wide */
    void *scratch;           /* of eqp_best_threshold */
    size_t logits, boosted;  /* the basis of logits, and of boosted scores, or EQP_NO_BASIS */
    double *place, *bent;    /* scratch of logits: E each */
    eqp_direct_ranks *ranks; /* for strict rules; else NULL */
    double *pull, *tried;    /* scratch of strict rules: K, E */
} eqp_direct_scores;

eqp_status eqp_direct_scores_new(size_t rows, size_t count, size_t cells, size_t bases,
                                 eqp_direct_scores **scores, eqp_error *error);
void eqp_direct_scores_free(eqp_direct_scores *scores);
/* One basis more: where its scores go, cell by cell, or NULL when memory is short. */
float *eqp_direct_scores_add_basis(eqp_direct_scores *scores);
/* The basis holds logits: rules along it are sought where their chances are as prices want them. */
bool eqp_direct_scores_bend(eqp_direct_scores *scores, size_t basis);
/* From now on rules are found along the last basis alone, or along all others. */
void eqp_direct_scores_only_last(eqp_direct_scores *scores);
void eqp_direct_scores_drop_last(eqp_direct_scores *scores);
/* line[i] = sum_e price[e] · score of row i. */
void eqp_direct_scores_project(eqp_direct_scores *scores, size_t basis, const double *price);
/* From now on only rules that are within the budget by themselves are found; `rows` is borrowed. */
eqp_status eqp_direct_scores_strict(eqp_direct_scores *scores, const eqp_direct_rows *rows, eqp_error *error);
eqp_direct_pricer eqp_direct_score_pricer(eqp_direct_scores *scores);

/* Fills rows->chance and rows->trust from the cross-fitted scores of the rows learned from: what scores say
 * of each row's cell (chances.c). */
eqp_status eqp_direct_estimate_chances(const eqp_direct_scores *scores, eqp_direct_rows *rows,
                                       eqp_error *error);

/* ---- stumps ------------------------------------------------------------------------------------------- */

/* The direct learner's stumps: the best one for any prices, exactly (M6). */
typedef struct eqp_direct_stumps eqp_direct_stumps;

/* `rows` are rows of the training's sample; both are borrowed. */
eqp_status eqp_direct_stumps_new(const eqp_training *training, const eqp_direct_rows *rows, uint64_t seed,
                                 eqp_direct_stumps **stumps, eqp_error *error);
void eqp_direct_stumps_free(eqp_direct_stumps *stumps);
eqp_direct_pricer eqp_direct_stump_pricer(eqp_direct_stumps *stumps);

#endif
