/* One leaf (M5, M7): the program, its exact solver, the game, the polish.
 *
 *     min  sum_e s_e price_e / W    over s in conv{ s(h) : h of the oracle's class },   W = sum_e S_e
 *     s.t. both children within the budget of the base rates, and of support at least min_mass */
#ifndef EQP_TREE_SPLIT_H
#define EQP_TREE_SPLIT_H

#include "base/memory.h"
#include "oracle/oracle.h"

typedef struct eqp_split_program {
    const eqp_groups *groups;
    const double *base_rate; /* r, K */
    const double *cell_mass; /* S, E: the leaf's mass in each cell */
    const double *price;     /* E: M_e·g - g-bar + phi */
    double budget;
    double min_mass; /* of each child; 0: none */
} eqp_split_program;

/* Where splitting functions come from: any finite or infinite class with a best response to prices. */
typedef struct eqp_split_oracle {
    void *context;
    eqp_status (*best)(void *context, const double *prices, eqp_splitter **splitter, eqp_error *error);
    eqp_status (*constant)(void *context, bool always, eqp_splitter **splitter, eqp_error *error);
} eqp_split_oracle;

eqp_split_oracle eqp_split_oracle_from(eqp_oracle *oracle);

/* The splitting functions found for one leaf.  They stay good when the prices or the budget change, so that a
 * later solve of the same leaf begins with them, and with the master program as it was left.  Only masses and
 * deployed scores are kept, not the choice for each row. */
typedef struct eqp_split_columns {
    size_t count, capacity;
    eqp_splitter **splitters;
    struct eqp_master *master; /* of the last exact solve, or NULL */
} eqp_split_columns;

/* Takes the splitter over, also on failure; *at is its place, or that of an older one with the same masses */
eqp_status eqp_split_columns_add(eqp_split_columns *columns, eqp_splitter *splitter, size_t cells, size_t *at,
                                 eqp_error *error);
/* To be called when masses of columns were corrected: the master program is dropped. */
void eqp_split_columns_changed(eqp_split_columns *columns);
void eqp_split_columns_clear(eqp_split_columns *columns);

typedef enum eqp_outcome_kind {
    EQP_SOLVED,
    EQP_CAPPED,  /* as good as the cap on rounds allowed; the gap says how good */
    EQP_NO_SPLIT /* nothing better than leaving the leaf whole */
} eqp_outcome_kind;

/* A row of the solver table. */
typedef struct eqp_split_solver eqp_split_solver;
/* The names of the table, the usual one first, with a line about each; NULL past the last. */
const char *eqp_split_solver_name(size_t index, const char **summary);

typedef struct eqp_split_options {
    const eqp_split_solver *solver;
    double gap; /* stop the game at this measured duality gap */
    size_t max_rounds;
    double max_multiplier; /* lambda_max of the game */
    bool as_played;        /* the game's answer is the play itself, every round alike, without a polish */
} eqp_split_options;

/* The settings of a solver of the table: the gap 0.01, the multiplier that the paper's theorem asks for it */
eqp_split_options eqp_split_defaults(const char *solver, size_t groups);

/* A randomised splitting function: columns->splitters[part[j]] with probability weight[j]. */
typedef struct eqp_split_result {
    eqp_outcome_kind outcome;
    size_t part_count;
    eqp_arena arena; /* of the arrays below */
    size_t *part;
    double *weight; /* positive, sum 1 */
    double *mass;   /* E: cell masses of child 1 */
    double objective;
    double gap;        /* measured: objective less the best bound seen */
    double violation;  /* of the budget by either child, by separate code */
    bool as_played;    /* the weights are those of a play and stay as they are */
    bool budget_binds; /* a larger budget might have given another answer */
    size_t rounds, oracle_calls;
    double oracle_seconds, program_seconds;
} eqp_split_result;

/* `columns` holds what was found before, and receives what is found now. */
eqp_status eqp_split_solve(const eqp_split_program *program, const eqp_split_oracle *oracle,
                           const eqp_split_options *options, eqp_split_columns *columns,
                           eqp_split_result **result, eqp_error *error);
/* Only the last step of it: the best mixture of the given columns. */
eqp_status eqp_split_polish(const eqp_split_program *program, const eqp_split_columns *columns,
                            eqp_split_result **result, eqp_error *error);
/* The split again after masses of columns were corrected: polished, or as it was played. */
eqp_status eqp_split_again(const eqp_split_program *program, const eqp_split_columns *columns,
                           const eqp_split_result *before, eqp_split_result **result, eqp_error *error);
void eqp_split_result_free(eqp_split_result *result);

/* How far the worse child is outside the budget, and how much support is missing, relative to min_mass: from
 * the definitions, sharing nothing with the solvers.  0 or less: the split keeps the budget. */
double eqp_split_violation(const eqp_split_program *program, const double *child_mass);

#endif
