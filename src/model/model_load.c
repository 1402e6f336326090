/* A model from its text: JSON, whose every member is read into the parts; check.c then says whether they are
 * a rule. */
#include "base/json.h"
#include "base/memory.h"
#include "encode/groups.h"
#include "model/format.h"
#include "model/member.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MAX_NESTING 16 /* of brackets: a model has 7; keeps the JSON parser's recursion small */

/* ---- features ---------------------------------------------------------------------------------------- */

static void read_levels(eqp_reader *reader, const json_t *from, eqp_feature *feature)
{
    size_t count;
    eqp_reader_members(reader, from, "column kind levels shares");
    feature->levels = eqp_reader_words(reader, from, "levels", &count);
    feature->level_count = (uint32_t)count;
}

static void read_cuts(eqp_reader *reader, const json_t *from, eqp_feature *feature)
{
    size_t count;
    eqp_reader_members(reader, from, "column kind cuts shares");
    feature->cuts = eqp_reader_numbers(reader, from, "cuts", &count);
    feature->level_count = (uint32_t)count + 1;
}

static void read_shares(eqp_reader *reader, const json_t *from, eqp_feature *feature)
{
    size_t count;
    feature->shares = eqp_reader_numbers(reader, from, "shares", &count);
    if (count != (size_t)feature->level_count + 2) eqp_reader_wrong(reader, "\"shares\" has a wrong length");
    if (reader->status == EQP_OK) feature->missing_share = feature->shares[EQP_MISSING(feature)];
}

static void read_feature(eqp_reader *reader, const json_t *from, eqp_feature *feature)
{
    const char *kind = eqp_reader_word(reader, from, "kind");
    feature->name = eqp_reader_copy(reader, from, "column");
    if (strcmp(kind, "number") == 0) {
        feature->kind = EQP_FEATURE_NUMBER;
        eqp_reader_members(reader, from, "column kind mean scale missing_share");
        feature->mean = eqp_reader_number(reader, from, "mean");
        feature->scale = eqp_reader_number(reader, from, "scale");
        feature->missing_share = eqp_reader_number(reader, from, "missing_share");
    } else if (strcmp(kind, "levels") == 0) {
        feature->kind = EQP_FEATURE_LEVELS;
        read_levels(reader, from, feature);
        read_shares(reader, from, feature);
    } else if (strcmp(kind, "bins") == 0) {
        feature->kind = EQP_FEATURE_BINS;
        read_cuts(reader, from, feature);
        read_shares(reader, from, feature);
    } else {
        eqp_reader_wrong(reader, "unknown kind \"%.40s\"", kind);
    }
}

static eqp_encoding *read_encoding(eqp_reader *reader, const json_t *root)
{
    size_t count;
    eqp_reader_enter(reader, "input", EQP_READER_ONLY);
    json_t *input = eqp_reader_object(reader, root, "input");
    json_t *features = eqp_reader_array(reader, root, "features", &count);
    eqp_encoding *encoding = eqp_reader_room(reader, 1, sizeof *encoding);
    if (encoding == NULL) return NULL;
    eqp_reader_members(reader, input, "missing decimal");
    encoding->missing_marks = eqp_reader_copy(reader, input, "missing");
    encoding->decimal = eqp_reader_word(reader, input, "decimal")[0];
    encoding->features = eqp_reader_room(reader, count, sizeof *encoding->features);
    for (size_t f = 0; f < count && reader->status == EQP_OK; f++) {
        eqp_reader_enter(reader, "feature", f);
        encoding->feature_count = f + 1;
        read_feature(reader, json_array_get(features, f), &encoding->features[f]);
    }
    if (reader->status == EQP_OK) reader->status = eqp_encoding_number_slots(encoding, reader->error);
    return encoding;
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static char *joined_columns(eqp_reader *reader, char *const *columns, size_t count)
{
    eqp_buffer text = {0};
    char *joined;
    for (size_t c = 0; c < count; c++) {
        if (c > 0) eqp_buffer_text(&text, EQP_TIMES);
        eqp_buffer_text(&text, columns[c]);
    }
    eqp_status status = eqp_buffer_take(&text, &joined, reader->error);
    if (status != EQP_OK) reader->status = status;
    return joined;
}

/* The attributes follow from the columns: each one by itself, or all joined. */
static void name_attributes(eqp_reader *reader, eqp_groups *groups)
{
    size_t count = groups->intersect ? 1 : groups->column_count;
    groups->attributes = eqp_reader_room(reader, count, sizeof *groups->attributes);
    if (groups->attributes == NULL) return;
    groups->attribute_count = count;
    for (size_t a = 0; a < count && reader->status == EQP_OK; a++)
        groups->attributes[a] = groups->intersect
                                    ? joined_columns(reader, groups->columns, groups->column_count)
                                    : joined_columns(reader, groups->columns + a, 1);
}

static void read_group(eqp_reader *reader, const json_t *from, const eqp_groups *groups, eqp_group *group)
{
    eqp_reader_members(reader, from, "attribute value target");
    const char *attribute = eqp_reader_word(reader, from, "attribute");
    group->value = eqp_reader_copy(reader, from, "value");
    group->target = eqp_reader_number(reader, from, "target");
    while (group->attribute < groups->attribute_count &&
           strcmp(attribute, groups->attributes[group->attribute]) != 0)
        group->attribute++;
    if (group->attribute == groups->attribute_count)
        eqp_reader_wrong(reader, "\"%.60s\" is no sensitive attribute of the model", attribute);
}

static eqp_groups *read_groups(eqp_reader *reader, const json_t *root)
{
    size_t count;
    eqp_reader_enter(reader, "sensitive", EQP_READER_ONLY);
    json_t *from = eqp_reader_object(reader, root, "sensitive");
    eqp_groups *groups = eqp_reader_room(reader, 1, sizeof *groups);
    if (groups == NULL) return NULL;
    eqp_reader_members(reader, from, "columns intersect groups");
    groups->columns = eqp_reader_words(reader, from, "columns", &groups->column_count);
    groups->intersect = eqp_reader_bool(reader, from, "intersect");
    json_t *array = eqp_reader_array(reader, from, "groups", &count);
    if (groups->column_count == 0) eqp_reader_wrong(reader, "no sensitive column");
    if (count > EQP_GROUPS_MAX) eqp_reader_wrong(reader, "more than %d groups", EQP_GROUPS_MAX);
    if (reader->status == EQP_OK) name_attributes(reader, groups);
    groups->groups = eqp_reader_room(reader, count, sizeof *groups->groups);
    for (size_t k = 0; k < count && reader->status == EQP_OK; k++) {
        eqp_reader_enter(reader, "group", k);
        groups->group_count = k + 1;
        read_group(reader, json_array_get(array, k), groups, &groups->groups[k]);
    }
    return groups;
}

/* ---- scores ------------------------------------------------------------------------------------------ */

static void read_terms(eqp_reader *reader, const json_t *from, const eqp_encoding *encoding, eqp_score *score)
{
    size_t features, count;
    json_t *terms = eqp_reader_array(reader, from, "terms", &features);
    if (features != encoding->feature_count) eqp_reader_wrong(reader, "\"terms\" has a wrong length");
    for (size_t f = 0; f < features && reader->status == EQP_OK; f++) {
        const eqp_feature *feature = &encoding->features[f];
        json_t *list = json_array_get(terms, f);
        count = json_array_size(list);
        if (count != feature->slots)
            eqp_reader_wrong(reader, "\"terms\" of feature %zu has a wrong length", f);
        for (size_t i = 0; i < count && reader->status == EQP_OK; i++) {
            json_t *value = json_array_get(list, i);
            if (!json_is_number(value)) eqp_reader_wrong(reader, "\"terms\" of feature %zu: not a number", f);
            score->terms[feature->slot + i] = json_number_value(value);
        }
    }
}

static void read_branch(eqp_reader *reader, const json_t *from, const eqp_encoding *encoding,
                        eqp_branch *branch)
{
    branch->feature = -1;
    if (eqp_reader_has(from, "value")) {
        eqp_reader_members(reader, from, "value");
        branch->value = eqp_reader_number(reader, from, "value");
        return;
    }
    uint32_t feature = eqp_reader_index(reader, from, "feature");
    if (feature >= encoding->feature_count) eqp_reader_wrong(reader, "there is no feature %u", feature);
    if (reader->status != EQP_OK) return;
    bool number = encoding->features[feature].kind == EQP_FEATURE_NUMBER;
    eqp_reader_members(reader, from, number ? "feature below yes no missing" : "feature code yes no");
    branch->feature = (int32_t)feature;
    branch->yes = eqp_reader_index(reader, from, "yes");
    branch->no = eqp_reader_index(reader, from, "no");
    if (!number) {
        branch->code = eqp_reader_index(reader, from, "code");
        return;
    }
    branch->cut = eqp_reader_number(reader, from, "below");
    const char *missing = eqp_reader_word(reader, from, "missing");
    branch->missing_yes = strcmp(missing, "yes") == 0;
    if (!branch->missing_yes && strcmp(missing, "no") != 0)
        eqp_reader_wrong(reader, "\"missing\" is neither \"yes\" nor \"no\"");
}

static size_t count_branches(const json_t *trees, size_t tree_count)
{
    size_t branches = 0;
    for (size_t tree = 0; tree < tree_count; tree++) branches += json_array_size(json_array_get(trees, tree));
    return branches;
}

static void read_trees(eqp_reader *reader, const json_t *from, const eqp_encoding *encoding, eqp_score *score)
{
    size_t count, at = 0;
    json_t *trees = eqp_reader_array(reader, from, "trees", &count);
    if (count == 0) eqp_reader_wrong(reader, "\"trees\" is empty");
    score->tree_start = eqp_reader_room(reader, count + 1, sizeof *score->tree_start);
    score->branches = eqp_reader_room(reader, count_branches(trees, count), sizeof *score->branches);
    if (score->tree_start == NULL || score->branches == NULL) return;
    score->tree_count = (uint32_t)count;
    for (size_t tree = 0; tree < count; tree++) {
        json_t *list = json_array_get(trees, tree);
        if (!json_is_array(list)) eqp_reader_wrong(reader, "tree %zu is not a list", tree);
        for (size_t i = 0; i < json_array_size(list) && reader->status == EQP_OK; i++)
            read_branch(reader, json_array_get(list, i), encoding, &score->branches[at++]);
        score->tree_start[tree + 1] = (uint32_t)at;
    }
}

static void read_score(eqp_reader *reader, const json_t *from, const eqp_encoding *encoding, eqp_score *score)
{
    bool boosted = eqp_reader_has(from, "trees");
    eqp_reader_members(reader, from, boosted ? "intercept trees" : "intercept terms");
    score->terms = eqp_reader_room(reader, boosted ? 1 : encoding->width, sizeof *score->terms);
    if (score->terms == NULL) return;
    score->terms[0] = eqp_reader_number(reader, from, "intercept");
    if (boosted)
        read_trees(reader, from, encoding, score);
    else
        read_terms(reader, from, encoding, score);
}

/* ---- router ------------------------------------------------------------------------------------------ */

static void read_component(eqp_reader *reader, const json_t *from, eqp_component *component)
{
    component->weight = eqp_reader_number(reader, from, "weight");
    if (!json_is_string(json_object_get(from, "score"))) {
        eqp_reader_members(reader, from, "weight score below");
        component->score = eqp_reader_index(reader, from, "score");
        component->threshold = eqp_reader_number(reader, from, "below");
        return;
    }
    const char *constant = eqp_reader_word(reader, from, "score");
    eqp_reader_members(reader, from, "weight score");
    component->score = strcmp(constant, "always") == 0 ? EQP_SCORE_ALWAYS : EQP_SCORE_NEVER;
    if (component->score == EQP_SCORE_NEVER && strcmp(constant, "never") != 0)
        eqp_reader_wrong(reader, "unknown score \"%.40s\"", constant);
}

static int32_t read_child(eqp_reader *reader, const json_t *from, const char *name)
{
    json_t *child = eqp_reader_object(reader, from, name);
    bool leaf = eqp_reader_has(child, "leaf");
    eqp_reader_members(reader, child, leaf ? "leaf" : "node");
    int32_t index = (int32_t)eqp_reader_index(reader, child, leaf ? "leaf" : "node");
    return leaf ? ~index : index;
}

static size_t count_components(const json_t *nodes, size_t node_count)
{
    size_t count = 0;
    for (size_t n = 0; n < node_count; n++)
        count += json_array_size(json_object_get(json_array_get(nodes, n), "components"));
    return count;
}

static void read_node(eqp_reader *reader, const json_t *from, eqp_rule *rule, eqp_node *node)
{
    size_t count;
    eqp_reader_members(reader, from, "components yes no");
    json_t *components = eqp_reader_array(reader, from, "components", &count);
    node->child[0] = read_child(reader, from, "no");
    node->child[1] = read_child(reader, from, "yes");
    node->first_component = (uint32_t)rule->component_count;
    node->component_count = (uint32_t)count;
    for (size_t c = 0; c < count && reader->status == EQP_OK; c++)
        read_component(reader, json_array_get(components, c), &rule->components[rule->component_count++]);
}

static void read_nodes(eqp_reader *reader, const json_t *from, eqp_rule *rule)
{
    size_t count;
    eqp_reader_enter(reader, "rule", EQP_READER_ONLY);
    json_t *nodes = eqp_reader_array(reader, from, "nodes", &count);
    rule->nodes = eqp_reader_room(reader, count, sizeof *rule->nodes);
    rule->components = eqp_reader_room(reader, count_components(nodes, count), sizeof *rule->components);
    for (size_t n = 0; n < count && reader->status == EQP_OK; n++) {
        eqp_reader_enter(reader, "node", n);
        rule->node_count = n + 1;
        read_node(reader, json_array_get(nodes, n), rule, &rule->nodes[n]);
    }
}

static void read_scores(eqp_reader *reader, const json_t *from, const eqp_encoding *encoding, eqp_rule *rule)
{
    size_t count;
    json_t *scores = eqp_reader_array(reader, from, "scores", &count);
    rule->scores = eqp_reader_room(reader, count, sizeof *rule->scores);
    for (size_t i = 0; i < count && reader->status == EQP_OK; i++) {
        eqp_reader_enter(reader, "score", i);
        rule->score_count = i + 1;
        read_score(reader, json_array_get(scores, i), encoding, &rule->scores[i]);
    }
}

static void read_leaves(eqp_reader *reader, const json_t *from, eqp_rule *rule)
{
    size_t count;
    eqp_reader_enter(reader, "rule", EQP_READER_ONLY);
    json_t *leaves = eqp_reader_array(reader, from, "leaves", &count);
    rule->accept = eqp_reader_room(reader, count, sizeof *rule->accept);
    rule->share = eqp_reader_room(reader, count, sizeof *rule->share);
    for (size_t i = 0; i < count && reader->status == EQP_OK; i++) {
        const json_t *leaf = json_array_get(leaves, i);
        eqp_reader_enter(reader, "leaf", i);
        rule->leaf_count = i + 1;
        eqp_reader_members(reader, leaf, "accept share");
        rule->accept[i] = eqp_reader_number(reader, leaf, "accept");
        rule->share[i] = eqp_reader_number(reader, leaf, "share");
    }
}

static eqp_router read_router(eqp_reader *reader, const json_t *from)
{
    const char *name = eqp_reader_word(reader, from, "router");
    if (strcmp(name, "tree") == 0) return EQP_ROUTE_TREE;
    if (strcmp(name, "argmax") == 0) return EQP_ROUTE_ARGMAX;
    if (strcmp(name, "levels") != 0) eqp_reader_wrong(reader, "unknown router \"%.40s\"", name);
    return EQP_ROUTE_LEVELS;
}

static eqp_rule *read_rule(eqp_reader *reader, const json_t *root, const eqp_encoding *encoding)
{
    eqp_reader_enter(reader, "rule", EQP_READER_ONLY);
    json_t *from = eqp_reader_object(reader, root, "rule");
    eqp_rule *rule = eqp_reader_room(reader, 1, sizeof *rule);
    if (rule == NULL) return NULL;
    eqp_reader_members(reader, from, "router noise scores nodes leaves");
    rule->router = read_router(reader, from);
    rule->noise = eqp_reader_number(reader, from, "noise");
    read_scores(reader, from, encoding, rule);
    read_nodes(reader, from, rule);
    read_leaves(reader, from, rule);
    return rule;
}

/* ---- provenance -------------------------------------------------------------------------------------- */

static uint64_t read_seed(eqp_reader *reader, const json_t *from)
{
    const char *digits = eqp_reader_word(reader, from, "seed");
    uint64_t seed = 0;
    bool whole = digits[0] != '\0' && (digits[0] != '0' || digits[1] == '\0'); /* one way to write it */
    for (; whole && *digits != '\0'; digits++)
        whole = *digits >= '0' && *digits <= '9' && !__builtin_mul_overflow(seed, 10, &seed) &&
                !__builtin_add_overflow(seed, (uint64_t)(*digits - '0'), &seed);
    if (!whole) eqp_reader_wrong(reader, "\"seed\" is not a whole number");
    return seed;
}

static void read_digest(eqp_reader *reader, const json_t *from, const char *name, char digest[65])
{
    const char *text = eqp_reader_word(reader, from, name);
    if (strlen(text) > 64) eqp_reader_wrong(reader, "\"%s\" is not a digest", name);
    if (reader->status == EQP_OK) strcpy(digest, text);
}

static void read_provenance(eqp_reader *reader, const json_t *root, eqp_provenance *to)
{
    eqp_reader_enter(reader, "provenance", EQP_READER_ONLY);
    json_t *from = eqp_reader_object(reader, root, "provenance");
    eqp_reader_members(reader, from,
                       "version method oracle solver max_disclosure spread confidence strict seed data");
    to->version = eqp_reader_copy(reader, from, "version");
    to->method = eqp_reader_copy(reader, from, "method");
    to->oracle = eqp_reader_copy(reader, from, "oracle");
    to->solver = eqp_reader_copy(reader, from, "solver");
    to->max_disclosure = eqp_reader_number(reader, from, "max_disclosure");
    to->spread = eqp_reader_number(reader, from, "spread");
    to->confidence = json_is_null(json_object_get(from, "confidence"))
                         ? NAN
                         : eqp_reader_number(reader, from, "confidence");
    to->strict = eqp_reader_bool(reader, from, "strict");
    to->seed = read_seed(reader, from);
    read_digest(reader, from, "data", to->data_digest);
}

/* ---- the whole --------------------------------------------------------------------------------------- */

/* The parser recurses; brackets outside of texts are counted first. */
static bool nests_too_deep(const char *json, size_t length)
{
    size_t depth = 0;
    bool text = false;
    for (size_t i = 0; i < length; i++) {
        if (text && json[i] == '\\') {
            i++;
        } else if (json[i] == '"') {
            text = !text;
        } else if (!text && (json[i] == '[' || json[i] == '{')) {
            if (++depth > MAX_NESTING) return true;
        } else if (!text && (json[i] == ']' || json[i] == '}') && depth > 0) {
            depth--;
        }
    }
    return false;
}

static eqp_status parse_json(const char *json, size_t length, json_t **root, eqp_error *error)
{
    json_error_t wrong;
    *root = NULL;
    if (length > EQP_MODEL_MAX_BYTES)
        return eqp_fail(error, EQP_DATA, "a model has at most %zu bytes", EQP_MODEL_MAX_BYTES);
    if (nests_too_deep(json, length)) return eqp_fail(error, EQP_DATA, "not a model: nested too deeply");
    *root = eqp_json_load(json, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &wrong);
    if (*root != NULL) return EQP_OK;
    if (errno == ENOMEM) return eqp_fail_memory(error);
    return eqp_fail_at(error, EQP_DATA, NULL, wrong.line > 0 ? (uint64_t)wrong.line : 0,
                       wrong.column > 0 ? (uint64_t)wrong.column : 0, "not a model: %.150s", wrong.text);
}

/* Said first, so that some other JSON file, or a model of the future, is called what it is. */
static void read_header(eqp_reader *reader, const json_t *root)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    if (format == NULL || strcmp(format, EQP_MODEL_FORMAT) != 0) {
        reader->status = eqp_fail(reader->error, EQP_DATA, "not a model of equipoise");
        return;
    }
    double version = eqp_reader_number(reader, root, "version");
    if (reader->status == EQP_OK && version != EQP_MODEL_VERSION) {
        reader->status =
            eqp_fail(reader->error, EQP_DATA, "the model has format version %g; this program reads %d",
                     version, EQP_MODEL_VERSION);
        eqp_hint(reader->error, "use the version of equipoise that wrote it, or learn the model again");
    }
    eqp_reader_members(reader, root, "format version provenance input features sensitive rule digest");
}

eqp_status eqp_model_read(const char *json, size_t length, eqp_encoding **encoding, eqp_groups **groups,
                          eqp_rule **rule, eqp_provenance *provenance, char digest[65], eqp_error *error)
{
    *encoding = NULL;
    *groups = NULL;
    *rule = NULL;
    *provenance = (eqp_provenance){0};
    json_t *root;
    eqp_reader reader = {.error = error, .section = "text", .index = EQP_READER_ONLY};
    reader.status = parse_json(json, length, &root, error);
    if (reader.status == EQP_OK) read_header(&reader, root);
    if (reader.status == EQP_OK) read_digest(&reader, root, "digest", digest);
    if (reader.status == EQP_OK) read_provenance(&reader, root, provenance);
    if (reader.status == EQP_OK) *encoding = read_encoding(&reader, root);
    if (reader.status == EQP_OK) *groups = read_groups(&reader, root);
    if (reader.status == EQP_OK) *rule = read_rule(&reader, root, *encoding);
    json_decref(root);
    return reader.status;
}
