/* A classification tree in the form of every rule: each question is a score with a threshold. */
#include "base/memory.h"
#include "baseline/cart.h"

/* "yes" must be score < threshold. */
static double ask(const eqp_encoding *encoding, const eqp_cart_node *node, double *terms)
{
    const eqp_feature *feature = &encoding->features[node->feature];
    switch (node->question) {
    case EQP_ASK_BELOW:
        terms[feature->slot] = 1;
        terms[feature->slot + 1] = feature->mean;
        return node->cut;
    case EQP_ASK_LEVEL:
        terms[feature->slot + node->code] = -1;
        break;
    case EQP_ASK_MISSING:
        terms[feature->slot + 1] = -1;
        break;
    case EQP_ASK_NOTHING:
        break;
    }
    return -0.5;
}

typedef struct rule_builder {
    const eqp_cart *cart;
    const eqp_encoding *encoding;
    eqp_rule *rule;
} rule_builder;

static bool add_question(rule_builder *builder, uint32_t index, int32_t *place)
{
    const eqp_cart_node *node = &builder->cart->nodes[index];
    eqp_rule *rule = builder->rule;
    if (node->question == EQP_ASK_NOTHING) {
        *place = ~(int32_t)node->class_of;
        return true;
    }
    size_t own = rule->node_count++;
    double *terms = eqp_alloc_zero(builder->encoding->width, sizeof *terms);
    if (terms == NULL) return false;
    rule->scores[own].terms = terms;
    rule->score_count = own + 1;
    rule->components[own] = (eqp_component){1, (uint32_t)own, ask(builder->encoding, node, terms)};
    rule->component_count = own + 1;
    rule->nodes[own] = (eqp_node){.first_component = (uint32_t)own, .component_count = 1};
    *place = (int32_t)own;
    return add_question(builder, node->yes, &rule->nodes[own].child[1]) &&
           add_question(builder, node->no, &rule->nodes[own].child[0]);
}

/* A tree without questions still names its class: one node that always goes there. */
static void always(eqp_rule *rule, int32_t leaf)
{
    rule->components[0] = (eqp_component){1, EQP_SCORE_ALWAYS, 0};
    rule->nodes[0] = (eqp_node){.first_component = 0, .component_count = 1, .child = {leaf, leaf}};
    rule->component_count = rule->node_count = 1;
}

eqp_status eqp_cart_rule(const eqp_cart *cart, const eqp_encoding *encoding, size_t classes, eqp_rule **built,
                         eqp_error *error)
{
    eqp_rule *rule;
    eqp_rule_size size = {
        .scores = cart->count, .components = cart->count, .nodes = cart->count, .leaves = classes};
    *built = NULL;
    eqp_status status = eqp_rule_new(EQP_ROUTE_TREE, &size, &rule, error);
    if (status != EQP_OK) return status;
    rule_builder builder = {cart, encoding, rule};
    int32_t root;
    if (!add_question(&builder, 0, &root)) {
        eqp_rule_free(rule);
        return eqp_fail_memory(error);
    }
    if (root < 0) always(rule, root);
    *built = rule;
    return EQP_OK;
}
