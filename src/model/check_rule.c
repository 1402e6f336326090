/* What must hold of a rule: a proper tree (or argmax, or levels) of finite scores, so that every walk ends in
 * a leaf. */
#include "base/memory.h"
#include "model/model_format.h"

#include <math.h>

static bool is_share(double value)
{
    return value >= 0 && value <= 1;
}

/* ---- scores ------------------------------------------------------------------------------------------ */

static const char *wrong_with_branch(const eqp_encoding *encoding, const eqp_branch *branch, size_t own,
                                     size_t size)
{
    if (branch->feature < 0) return isfinite(branch->value) ? NULL : "a value is not finite";
    if ((size_t)branch->feature >= encoding->feature_count) return "there is no such feature";
    const eqp_feature *feature = &encoding->features[branch->feature];
    if (feature->kind == EQP_FEATURE_NUMBER && !isfinite(branch->cut)) return "a cut is not finite";
    if (feature->kind != EQP_FEATURE_NUMBER && branch->code > EQP_MISSING(feature))
        return "there is no such code";
    if (branch->yes <= own || branch->no <= own) return "a child does not come after its parent";
    return branch->yes < size && branch->no < size ? NULL : "there is no such child";
}

/* `depth` of a branch is 0 until its parent was seen; the root counts as seen.  A branch with two parents
 * would be written twice by every export, and its children four times. */
static const char *wrong_with_children(const eqp_branch *tree, size_t own, uint32_t *depth)
{
    const uint32_t children[] = {tree[own].yes, tree[own].no};
    if (depth[own] > EQP_MODEL_MAX_DEPTH) return "a tree is too deep";
    for (size_t c = 0; c < 2; c++) {
        if (depth[children[c]] != 0) return "a branch has two parents";
        depth[children[c]] = depth[own] + 1;
    }
    return NULL;
}

/* `depth` has a place for every branch of the tree. */
static const char *wrong_with_tree(const eqp_encoding *encoding, const eqp_branch *tree, size_t size,
                                   uint32_t *depth)
{
    for (size_t i = 0; i < size; i++) depth[i] = i == 0;
    for (size_t i = 0; i < size; i++) {
        const char *wrong = wrong_with_branch(encoding, &tree[i], i, size);
        if (wrong == NULL && depth[i] == 0) wrong = "a branch cannot be reached";
        if (wrong == NULL && tree[i].feature >= 0) wrong = wrong_with_children(tree, i, depth);
        if (wrong != NULL) return wrong;
    }
    return NULL;
}

static bool starts_rise(const eqp_score *score)
{
    for (uint32_t tree = 0; tree < score->tree_count; tree++)
        if (score->tree_start[tree] >= score->tree_start[tree + 1]) return false;
    return score->tree_start[0] == 0;
}

static const char *wrong_with_trees(const eqp_encoding *encoding, const eqp_score *score, uint32_t *depth)
{
    for (uint32_t tree = 0; tree < score->tree_count; tree++) {
        uint32_t start = score->tree_start[tree], end = score->tree_start[tree + 1];
        const char *wrong = wrong_with_tree(encoding, score->branches + start, end - start, depth);
        if (wrong != NULL) return wrong;
    }
    return NULL;
}

static eqp_status check_trees(const eqp_encoding *encoding, const eqp_score *score, const char **wrong,
                              eqp_error *error)
{
    *wrong = starts_rise(score) ? NULL : "a tree is empty or out of order";
    if (*wrong != NULL) return EQP_OK;
    uint32_t *depth = eqp_alloc(score->tree_start[score->tree_count], sizeof *depth);
    if (depth == NULL) return eqp_fail_memory(error);
    *wrong = wrong_with_trees(encoding, score, depth);
    free(depth);
    return EQP_OK;
}

static eqp_status check_score(const eqp_encoding *encoding, const eqp_score *score, size_t index,
                              eqp_error *error)
{
    const char *wrong = NULL;
    uint32_t terms = score->tree_count > 0 ? 1 : encoding->width;
    eqp_status status = score->tree_count > 0 ? check_trees(encoding, score, &wrong, error) : EQP_OK;
    if (status != EQP_OK) return status;
    for (uint32_t slot = 0; slot < terms; slot++)
        if (!isfinite(score->terms[slot])) wrong = "a term is not finite";
    return wrong == NULL ? EQP_OK : eqp_fail(error, EQP_DATA, "model, score %zu: %s", index, wrong);
}

/* ---- nodes ------------------------------------------------------------------------------------------- */

static const char *wrong_with_components(const eqp_rule *rule, const eqp_node *node)
{
    double sum = 0;
    if (node->component_count == 0) return "has no components";
    if ((size_t)node->first_component + node->component_count > rule->component_count)
        return "has components that do not exist";
    for (uint32_t c = 0; c < node->component_count; c++) {
        const eqp_component *component = &rule->components[node->first_component + c];
        bool constant = component->score == EQP_SCORE_ALWAYS || component->score == EQP_SCORE_NEVER;
        if (!is_share(component->weight)) return "has a weight that is not between 0 and 1";
        if (!constant && component->score >= rule->score_count) return "uses a score that does not exist";
        if (!constant && !isfinite(component->threshold)) return "has a threshold that is not finite";
        sum += component->weight;
    }
    return fabs(sum - 1) <= EQP_WEIGHT_SLACK ? NULL : "has weights that do not sum to 1";
}

/* `depth` of a node is 0 until its parent was seen; the root counts as seen. */
static const char *wrong_with_child(const eqp_rule *rule, size_t own, int32_t child, uint32_t *depth)
{
    if (child < 0) return (size_t)~child < rule->leaf_count ? NULL : "leads to a leaf that does not exist";
    if ((size_t)child <= own) return "has a child that does not come after it";
    if ((size_t)child >= rule->node_count) return "leads to a node that does not exist";
    if (depth[child] != 0) return "leads to a node that has another parent";
    if (depth[own] >= EQP_MODEL_MAX_DEPTH) return "is too deep";
    depth[child] = depth[own] + 1;
    return NULL;
}

static const char *wrong_with_node(const eqp_rule *rule, size_t n, uint32_t *depth)
{
    const eqp_node *node = &rule->nodes[n];
    if (depth[n] == 0) return "cannot be reached";
    const char *wrong = wrong_with_components(rule, node);
    if (wrong == NULL) wrong = wrong_with_child(rule, n, node->child[0], depth);
    return wrong != NULL ? wrong : wrong_with_child(rule, n, node->child[1], depth);
}

static eqp_status check_nodes(const eqp_rule *rule, eqp_error *error)
{
    if (rule->node_count == 0)
        return rule->leaf_count == 1 ? EQP_OK : eqp_fail(error, EQP_DATA, "model: leaves without a node");
    if (rule->node_count > INT32_MAX) return eqp_fail(error, EQP_DATA, "model: too many nodes");
    uint32_t *depth = eqp_alloc_zero(rule->node_count, sizeof *depth);
    if (depth == NULL) return eqp_fail_memory(error);
    eqp_status status = EQP_OK;
    depth[0] = 1;
    for (size_t n = 0; n < rule->node_count && status == EQP_OK; n++) {
        const char *wrong = wrong_with_node(rule, n, depth);
        if (wrong != NULL) status = eqp_fail(error, EQP_DATA, "model, node %zu: %s", n, wrong);
    }
    free(depth);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static eqp_status check_router(const eqp_rule *rule, const eqp_encoding *encoding, eqp_error *error)
{
    if (rule->router == EQP_ROUTE_TREE) return check_nodes(rule, error);
    if (rule->node_count > 0) return eqp_fail(error, EQP_DATA, "model: nodes without a tree");
    if (rule->router == EQP_ROUTE_ARGMAX)
        return rule->score_count == rule->leaf_count
                   ? EQP_OK
                   : eqp_fail(error, EQP_DATA, "model: an argmax needs one score per leaf");
    if (encoding->feature_count == 0 || encoding->features[0].kind == EQP_FEATURE_NUMBER)
        return eqp_fail(error, EQP_DATA, "model: feature 0 has no levels to route by");
    if (rule->leaf_count != (size_t)encoding->features[0].level_count + 2 || rule->score_count > 0)
        return eqp_fail(error, EQP_DATA, "model: routing by levels needs one leaf per level and no scores");
    return EQP_OK;
}

eqp_status eqp_rule_check(const eqp_rule *rule, const eqp_encoding *encoding, eqp_error *error)
{
    if (rule->leaf_count == 0 || rule->leaf_count > EQP_MODEL_MAX_LEAF)
        return eqp_fail(error, EQP_DATA, "model: a rule has between 1 and %d leaves", EQP_MODEL_MAX_LEAF);
    if (rule->component_count > EQP_MODEL_MAX_COMPONENTS || rule->score_count > EQP_MODEL_MAX_COMPONENTS)
        return eqp_fail(error, EQP_DATA, "model: a rule has at most %d components and as many scores",
                        EQP_MODEL_MAX_COMPONENTS);
    if (!is_share(rule->noise)) return eqp_fail(error, EQP_DATA, "model: the noise is not between 0 and 1");
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++)
        if (!is_share(rule->accept[leaf]) || !is_share(rule->share[leaf]))
            return eqp_fail(error, EQP_DATA, "model, leaf %zu: a probability is not between 0 and 1", leaf);
    for (size_t i = 0; i < rule->score_count; i++) {
        eqp_status status = check_score(encoding, &rule->scores[i], i, error);
        if (status != EQP_OK) return status;
    }
    return check_router(rule, encoding, error);
}
