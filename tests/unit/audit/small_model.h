/* A model and labelled rows small enough to be followed by hand: one number x, three leaves, three groups.
 *
 *     x < 0 with chance 0.7, x < 1 with chance 0.3:  leaf 0
 *     else x < 2:  leaf 1,  otherwise leaf 2 */
#ifndef EQP_TEST_AUDIT_SMALL_MODEL_H
#define EQP_TEST_AUDIT_SMALL_MODEL_H

#include "base/random.h"
#include "model/rule.h"

#include <math.h>
#include <string.h>

#define SMALL_LEAVES 3
#define SMALL_GROUPS 3

static char small_column[] = "x", small_attribute[] = "race", name_a[] = "a", name_b[] = "b", name_c[] = "c";
static char *small_attributes[] = {small_attribute};
static char small_version[] = "0", small_method[] = "tree", small_oracle[] = "stump",
            small_solver[] = "exact";
static char small_marks[] = "?";

static eqp_feature small_features[] = {
    {.name = small_column, .kind = EQP_FEATURE_NUMBER, .mean = 1, .scale = 1.2, .slot = 1, .slots = 2}};
static eqp_encoding small_encoding = {
    .feature_count = 1, .features = small_features, .width = 3, .missing_marks = small_marks, .decimal = '.'};
static double small_terms[] = {0, 1, 0.5};
static eqp_score small_scores[] = {{.terms = small_terms}};
static eqp_component small_components[] = {
    {.weight = 0.7, .score = 0, .threshold = 0},
    {.weight = 0.3, .score = 0, .threshold = 1},
    {.weight = 1, .score = 0, .threshold = 2},
};
static eqp_node small_nodes[] = {
    {.first_component = 0, .component_count = 2, .child = {1, ~0}},
    {.first_component = 2, .component_count = 1, .child = {~2, ~1}},
};
static double small_accept[] = {1, 0.25, 0.5}, small_share[] = {0.25, 0.5, 0.25};
static eqp_rule small_rule = {
    .router = EQP_ROUTE_TREE,
    .score_count = 1,
    .scores = small_scores,
    .component_count = 3,
    .components = small_components,
    .node_count = 2,
    .nodes = small_nodes,
    .leaf_count = SMALL_LEAVES,
    .accept = small_accept,
    .share = small_share,
};
static eqp_group small_group[] = {{0, name_a, 1.0 / 3}, {0, name_b, 1.0 / 3}, {0, name_c, 1.0 / 3}};
static uint32_t small_membership[] = {0, 1, 2};
static eqp_groups small_groups = {
    .attribute_count = 1,
    .attributes = small_attributes,
    .column_count = 1,
    .columns = small_attributes,
    .group_count = SMALL_GROUPS,
    .groups = small_group,
    .cell_count = SMALL_GROUPS,
    .membership = small_membership,
};
static char small_text[] = "the small model";

static eqp_model small_model = {
    .encoding = &small_encoding,
    .groups = &small_groups,
    .rule = &small_rule,
    .provenance = {.version = small_version,
                   .method = small_method,
                   .oracle = small_oracle,
                   .solver = small_solver,
                   .max_disclosure = 0.3},
    .text = small_text,
    .id = "0123456789abcdef",
};

/* Labelled rows in memory: group k has x around its number. */
#define MOST_ROWS 6000
typedef struct small_rows {
    size_t rows;
    double x[MOST_ROWS], weight[MOST_ROWS];
    uint32_t cell[MOST_ROWS];
    size_t row[MOST_ROWS];
    double *numbers[1];
    uint32_t *codes[1];
    eqp_block block;
    eqp_sample sample;
} small_rows;

static inline void small_rows_join(small_rows *rows)
{
    double total = 0;
    for (size_t i = 0; i < rows->rows; i++) total += rows->weight[i];
    for (size_t i = 0; i < rows->rows; i++) rows->weight[i] /= total;
    rows->numbers[0] = rows->x;
    rows->codes[0] = NULL;
    rows->block =
        (eqp_block){.rows = rows->rows, .feature_count = 1, .numbers = rows->numbers, .codes = rows->codes};
    rows->sample = (eqp_sample){.groups = &small_groups,
                                .rows = rows->rows,
                                .row = rows->row,
                                .cell = rows->cell,
                                .weight = rows->weight};
}

static inline void small_rows_make(small_rows *rows, size_t count, uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, 0);
    rows->rows = count;
    for (size_t i = 0; i < count; i++) {
        double unit = eqp_random_unit(&random);
        rows->cell[i] = unit < 0.6 ? 0 : unit < 0.9 ? 1 : 2;
        rows->x[i] = rows->cell[i] * 0.6 + 0.4 + eqp_random_normal(&random);
        rows->weight[i] = 1;
        rows->row[i] = i;
    }
    small_rows_join(rows);
}

/* The leaf chances of a row, straight from the drawing above. */
static inline void small_leaves(double x, double chance[SMALL_LEAVES])
{
    chance[0] = x < 0 ? 1 : x < 1 ? 0.3 : 0;
    chance[1] = x < 2 ? 1 - chance[0] : 0;
    chance[2] = x < 2 ? 0 : 1;
}

#endif
