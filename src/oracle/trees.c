/* A dumped node is {"nodeid", "split": "f12", "split_condition": c, "yes", "no", "missing", "children"} or
 * {"nodeid", "leaf": v}; a value goes to "yes" when it is below c, and to "missing" when there is none. */
#include "oracle/boosting.h"

#include "base/json.h"
#include "base/memory.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#define FAR 1e300 /* beyond any number: a cut that all values, or none, lie below */

typedef struct tree_writer {
    const eqp_tree_columns *columns;
    eqp_branch *branches;
    size_t count, capacity;
    size_t start; /* of the tree at hand */
    double scale;
} tree_writer;

static eqp_status not_a_tree(eqp_error *error)
{
    return eqp_fail(error, EQP_DATA, "boosting gave a tree that cannot be read");
}

static size_t feature_of(const eqp_encoding *encoding, size_t slot)
{
    size_t f = 0;
    while (f < encoding->feature_count && slot >= encoding->features[f].slot + encoding->features[f].slots)
        f++;
    return f;
}

static const json_t *child(const json_t *node, const char *which)
{
    const json_t *children = json_object_get(node, "children");
    json_int_t wanted = json_integer_value(json_object_get(node, which));
    for (size_t c = 0; c < json_array_size(children); c++) {
        const json_t *candidate = json_array_get(children, c);
        if (json_integer_value(json_object_get(candidate, "nodeid")) == wanted) return candidate;
    }
    return NULL;
}

/* Bin codes below c are those below the next whole number; a cut lies under each code but the first. */
static double cut_below(const eqp_bins *bins, double condition)
{
    double codes = ceil(condition);
    if (codes < 1) return -FAR;
    if (codes >= bins->count) return FAR;
    return bins->cuts[(size_t)codes - 1];
}

static eqp_status write_node(tree_writer *writer, const json_t *node, eqp_error *error);

/* The children follow their parent, the "yes" side first. */
static eqp_status write_children(tree_writer *writer, size_t parent, const json_t *yes, const json_t *no,
                                 eqp_error *error)
{
    writer->branches[parent].yes = (uint32_t)(writer->count - writer->start);
    eqp_status status = write_node(writer, yes, error);
    if (status != EQP_OK) return status;
    writer->branches[parent].no = (uint32_t)(writer->count - writer->start);
    return write_node(writer, no, error);
}

static eqp_status write_split(tree_writer *writer, size_t at, const json_t *node, eqp_error *error)
{
    const eqp_encoding *encoding = writer->columns->encoding;
    const char *name = json_string_value(json_object_get(node, "split"));
    size_t slot = name != NULL && name[0] == 'f' ? strtoul(name + 1, NULL, 10) : 0;
    size_t f = feature_of(encoding, slot);
    double condition = json_number_value(json_object_get(node, "split_condition"));
    const json_t *yes = child(node, "yes"), *no = child(node, "no"), *missing = child(node, "missing");
    if (slot == 0 || f == encoding->feature_count || !yes || !no || !missing) return not_a_tree(error);

    eqp_branch *branch = &writer->branches[at];
    branch->feature = (int32_t)f;
    if (encoding->features[f].kind == EQP_FEATURE_NUMBER) {
        branch->cut = cut_below(&writer->columns->bins[f], condition);
        branch->missing_yes = missing == yes;
        return write_children(writer, at, yes, no, error);
    }
    branch->code = (uint32_t)(slot - encoding->features[f].slot);
    return write_children(writer, at, 1.0 < condition ? yes : no, missing, error);
}

static eqp_status write_node(tree_writer *writer, const json_t *node, eqp_error *error)
{
    eqp_branch *grown = eqp_reserve(writer->branches, &writer->capacity, writer->count + 1, sizeof *grown);
    if (grown == NULL) return eqp_fail_memory(error);
    writer->branches = grown;
    size_t at = writer->count++;
    grown[at] = (eqp_branch){.feature = -1};
    const json_t *leaf = json_object_get(node, "leaf");
    if (leaf == NULL) return write_split(writer, at, node, error);
    grown[at].value = writer->scale * json_number_value(leaf);
    return EQP_OK;
}

static eqp_status write_tree(tree_writer *writer, const char *dump, eqp_error *error)
{
    json_t *tree = eqp_json_load(dump, strlen(dump), 0, NULL);
    if (tree == NULL) return errno == ENOMEM ? eqp_fail_memory(error) : not_a_tree(error);
    writer->start = writer->count;
    eqp_status status = write_node(writer, tree, error);
    json_decref(tree);
    return status;
}

eqp_status eqp_trees_convert(const eqp_tree_columns *columns, const char *const *dumps, size_t count,
                             double scale, eqp_score *score, eqp_error *error)
{
    tree_writer writer = {.columns = columns, .scale = scale};
    eqp_status status = EQP_OK;
    score->tree_start = eqp_alloc_zero(count + 1, sizeof *score->tree_start);
    if (score->tree_start == NULL) return eqp_fail_memory(error);
    for (size_t t = 0; t < count && status == EQP_OK; t++) {
        status = write_tree(&writer, dumps[t], error);
        score->tree_start[t + 1] = (uint32_t)writer.count;
    }
    score->tree_count = (uint32_t)count;
    score->branches = writer.branches;
    return status;
}
