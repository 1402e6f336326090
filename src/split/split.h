/* One leaf (M5, M7): the program, its exact solver, the game, the polish.
 *
 *     min  sum_e s_e price_e    over s in conv{ s(h) : h of the oracle's class }
 *     s.t. both children within the budget of the base rates, and of support at least min_mass */
#ifndef EQP_SPLIT_SPLIT_H
#define EQP_SPLIT_SPLIT_H

#include "oracle/oracle.h"

typedef struct eqp_split_program {
    const eqp_groups *groups;
    const double *base_rate; /* r, K */
    const double *cell_mass; /* S, E: the leaf's mass in each cell */
    const double *price;     /* E: M_e·g - g-bar + phi */
    double budget;
    double min_mass; /* of each child; 0: none */
} eqp_split_program;

typedef enum eqp_outcome_kind { EQP_SOLVED, EQP_CAPPED, EQP_NO_SPLIT } eqp_outcome_kind;

typedef struct eqp_split_options {
    const char *solver; /* "exact", "game" */
    double gap;         /* stop the game at this measured duality gap */
    size_t max_rounds;
    double max_multiplier; /* lambda_max of the game */
} eqp_split_options;

/* A randomised splitting function: parts[j] with probability weight[j]. */
typedef struct eqp_split_result {
    eqp_outcome_kind outcome;
    size_t part_count;
    double *weight;
    eqp_splitter **parts;
    double *mass; /* E: cell masses of child 1 */
    double objective;
    double gap; /* measured: objective less the best bound seen */
    size_t rounds, oracle_calls;
    double oracle_seconds, program_seconds;
} eqp_split_result;

eqp_status eqp_split_solve(const eqp_split_program *program, eqp_oracle *oracle,
                           const eqp_split_options *options, eqp_split_result **result, eqp_error *error);
void eqp_split_result_free(eqp_split_result *result);

#endif
