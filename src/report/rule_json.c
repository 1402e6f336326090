/* The rule as parts of a document. */
#include "base/memory.h"
#include "report/documents.h"

#include <math.h>
#include <string.h>

/* ---- nodes --------------------------------------------------------------------------------------------- */

static json_t *components_document(const eqp_rule *rule, const eqp_node *node)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < node->component_count; i++) {
        const eqp_component *component = &rule->components[node->first_component + i];
        json_t *object = json_object();
        eqp_json_set_number(&object, FIELD_weight, component->weight);
        eqp_json_set_number(&object, FIELD_threshold, component->threshold);
        eqp_json_append(&list, object);
    }
    return list;
}

json_t *eqp_rule_nodes_document(const eqp_rule *rule)
{
    json_t *list = json_array();
    for (size_t i = 0; rule->router == EQP_ROUTE_TREE && i < rule->node_count; i++) {
        const eqp_node *node = &rule->nodes[i];
        json_t *object = json_object(), *children = json_array();
        for (size_t side = 0; side < 2; side++) eqp_json_append(&children, json_integer(node->child[side]));
        eqp_json_set(&object, FIELD_components, components_document(rule, node));
        eqp_json_set(&object, FIELD_children, children);
        eqp_json_append(&list, object);
    }
    return list;
}

/* ---- influence ----------------------------------------------------------------------------------------- */

typedef struct influence {
    const char *column;
    double share;
} influence;

/* Standard deviation of the coefficient that a record gets, by the shares of the codes. */
static double coded_movement(const eqp_feature *feature, const double *terms)
{
    double mass = 0, mean = 0, square = 0;
    for (uint32_t code = 0; feature->shares && code < feature->slots; code++) {
        double share = feature->shares[code], term = terms[feature->slot + code];
        mass += share;
        mean += share * term;
        square += share * term * term;
    }
    if (!(mass > 0)) return 0;
    mean /= mass;
    return sqrt(fmax(square / mass - mean * mean, 0));
}

static void add_linear(const eqp_encoding *encoding, const eqp_score *score, double *movement)
{
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        bool is_number = feature->kind == EQP_FEATURE_NUMBER;
        movement[f] = is_number ? fabs(score->terms[feature->slot]) * feature->scale
                                : coded_movement(feature, score->terms);
    }
}

static void add_boosted(const eqp_score *score, double *movement)
{
    for (uint32_t b = 0; b < score->tree_start[score->tree_count]; b++)
        if (score->branches[b].feature >= 0) movement[score->branches[b].feature] += 1;
}

/* Adds one score, scaled to a movement of `weight` in all. */
static void add_score(const eqp_encoding *encoding, const eqp_score *score, double weight, double *scratch,
                      influence *influences)
{
    double total = 0;
    memset(scratch, 0, encoding->feature_count * sizeof *scratch);
    if (score->tree_count > 0)
        add_boosted(score, scratch);
    else
        add_linear(encoding, score, scratch);
    for (size_t f = 0; f < encoding->feature_count; f++) total += scratch[f];
    for (size_t f = 0; f < encoding->feature_count && total > 0; f++)
        influences[f].share += weight * scratch[f] / total;
}

static void add_scores(const eqp_encoding *encoding, const eqp_rule *rule, double *scratch,
                       influence *influences)
{
    if (rule->router == EQP_ROUTE_LEVELS) {
        influences[0].share = 1;
        return;
    }
    for (size_t i = 0; rule->router == EQP_ROUTE_ARGMAX && i < rule->score_count; i++)
        add_score(encoding, &rule->scores[i], 1, scratch, influences);
    for (size_t i = 0; rule->router == EQP_ROUTE_TREE && i < rule->component_count; i++) {
        const eqp_component *component = &rule->components[i];
        if (component->score < rule->score_count)
            add_score(encoding, &rule->scores[component->score], component->weight, scratch, influences);
    }
}

/* A column may feed several features (a number and its bins): their shares are one. */
static void merge_columns(influence *influences, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (influences[j].share > 0 && strcmp(influences[i].column, influences[j].column) == 0) {
                influences[j].share += influences[i].share;
                influences[i].share = 0;
            }
}

static int by_share(const void *left, const void *right)
{
    const influence *a = left, *b = right;
    if (a->share != b->share) return a->share < b->share ? 1 : -1;
    return strcmp(a->column, b->column);
}

static json_t *influences_document(influence *influences, size_t count)
{
    double total = 0;
    merge_columns(influences, count);
    qsort(influences, count, sizeof *influences, by_share);
    for (size_t i = 0; i < count; i++) total += influences[i].share;
    json_t *list = json_array();
    for (size_t i = 0; i < count && influences[i].share > 0; i++) {
        json_t *object = json_object();
        eqp_json_set_text(&object, FIELD_column, influences[i].column);
        eqp_json_set_number(&object, FIELD_share, influences[i].share / total);
        eqp_json_append(&list, object);
    }
    return list;
}

json_t *eqp_rule_influence_document(const eqp_encoding *encoding, const eqp_rule *rule)
{
    size_t count = encoding->feature_count;
    influence *influences = eqp_alloc_zero(count, sizeof *influences);
    double *scratch = eqp_alloc_zero(count, sizeof *scratch);
    json_t *list = NULL;
    if (influences && scratch) {
        for (size_t f = 0; f < count; f++) influences[f].column = encoding->features[f].name;
        if (count > 0) add_scores(encoding, rule, scratch, influences);
        list = influences_document(influences, count);
    }
    free(influences);
    free(scratch);
    return list;
}
