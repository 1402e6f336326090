/* A model from its text: JSON, whose every member is read into the parts; check.c then says whether they are
 * a rule. */
#include "base/json.h"
#include "base/memory.h"
#include "encode/groups.h"
#include "model/member.h"
#include "model/model_format.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#define MAX_NESTING 16 /* of brackets: a model has 7; keeps the JSON parser's recursion small */

/* ---- features ------------------------------------------------------------------------------------------ */

/* Those of the kind; some are there only where they say something. */
static void check_members(eqp_member_reader *reader, const json_t *from, const eqp_field *of_kind)
{
    static const eqp_field OPTIONAL[] = {FIELD_date, FIELD_part, FIELD_alone};
    enum { COMMON = 2, MOST_OF_A_KIND = 3, OPTIONALS = sizeof OPTIONAL / sizeof *OPTIONAL };
    eqp_field names[COMMON + MOST_OF_A_KIND + OPTIONALS + 1] = {FIELD_column, FIELD_kind};
    size_t count = COMMON;
    while (*of_kind != FIELD_NONE) names[count++] = *of_kind++;
    assert(count <= COMMON + MOST_OF_A_KIND);
    for (size_t i = 0; i < OPTIONALS; i++)
        if (eqp_member_has(from, OPTIONAL[i])) names[count++] = OPTIONAL[i];
    names[count] = FIELD_NONE;
    eqp_member_exactly_of(reader, from, names);
}

#define of_kind(...) ((const eqp_field[]){__VA_ARGS__, FIELD_NONE})

/* "" is no order and no part. */
static void read_date(eqp_member_reader *reader, const json_t *from, eqp_feature *feature)
{
    if (eqp_member_has(from, FIELD_date))
        feature->date =
            (eqp_date_order)(1 + eqp_member_choice(reader, from, FIELD_date, eqp_date_order_names + 1,
                                                   EQP_DATE_ORDERS - 1));
    if (eqp_member_has(from, FIELD_part))
        feature->part = (eqp_date_part)(1 + eqp_member_choice(reader, from, FIELD_part,
                                                              eqp_date_part_names + 1, EQP_DATE_PARTS - 1));
}

static void read_moments(eqp_member_reader *reader, const json_t *from, eqp_feature *feature)
{
    check_members(reader, from, of_kind(FIELD_mean, FIELD_scale, FIELD_missing_share));
    feature->mean = eqp_member_number(reader, from, FIELD_mean);
    feature->scale = eqp_member_number(reader, from, FIELD_scale);
    feature->missing_share = eqp_member_number(reader, from, FIELD_missing_share);
}

static void read_levels(eqp_member_reader *reader, const json_t *from, eqp_feature *feature)
{
    size_t count;
    check_members(reader, from, of_kind(FIELD_levels, FIELD_shares));
    feature->levels = eqp_member_texts(reader, from, FIELD_levels, &count);
    feature->level_count = (uint32_t)count;
}

static void read_cuts(eqp_member_reader *reader, const json_t *from, eqp_feature *feature)
{
    size_t count;
    check_members(reader, from, of_kind(FIELD_cuts, FIELD_shares));
    feature->cuts = eqp_member_numbers(reader, from, FIELD_cuts, &count);
    feature->level_count = (uint32_t)count + 1;
}

static void read_shares(eqp_member_reader *reader, const json_t *from, eqp_feature *feature)
{
    size_t count;
    feature->shares = eqp_member_numbers(reader, from, FIELD_shares, &count);
    if (count != (size_t)feature->level_count + 2) eqp_member_wrong(reader, "\"shares\" has a wrong length");
    if (reader->status == EQP_OK) feature->missing_share = feature->shares[EQP_MISSING(feature)];
}

static void read_feature(eqp_member_reader *reader, const json_t *from, eqp_feature *feature)
{
    feature->kind = (eqp_feature_kind)eqp_member_choice(reader, from, FIELD_kind, eqp_feature_kind_names,
                                                        EQP_FEATURE_KINDS);
    feature->name = eqp_member_copy(reader, from, FIELD_column);
    read_date(reader, from, feature);
    if (eqp_member_has(from, FIELD_alone)) feature->alone = eqp_member_number(reader, from, FIELD_alone);
    if (feature->kind == EQP_FEATURE_NUMBER) {
        read_moments(reader, from, feature);
        return;
    }
    if (feature->kind == EQP_FEATURE_LEVELS)
        read_levels(reader, from, feature);
    else
        read_cuts(reader, from, feature);
    read_shares(reader, from, feature);
}

static eqp_encoding *read_encoding(eqp_member_reader *reader, const json_t *root)
{
    size_t count;
    eqp_member_enter(reader, "input", EQP_MEMBER_ONLY);
    json_t *input = eqp_member_object(reader, root, FIELD_input);
    json_t *features = eqp_member_array(reader, root, FIELD_features, &count);
    eqp_encoding *encoding = eqp_member_alloc(reader, 1, sizeof *encoding);
    if (encoding == NULL) return NULL;
    eqp_member_exactly(reader, input, FIELD_missing, FIELD_decimal);
    encoding->missing_marks = eqp_member_copy(reader, input, FIELD_missing);
    encoding->decimal = eqp_member_text(reader, input, FIELD_decimal)[0];
    encoding->features = eqp_member_alloc(reader, count, sizeof *encoding->features);
    for (size_t f = 0; f < count && reader->status == EQP_OK; f++) {
        eqp_member_enter(reader, "feature", f);
        encoding->feature_count = f + 1;
        read_feature(reader, json_array_get(features, f), &encoding->features[f]);
    }
    if (reader->status == EQP_OK) reader->status = eqp_encoding_number_slots(encoding, reader->error);
    return encoding;
}

/* ---- scores -------------------------------------------------------------------------------------------- */

static void read_terms(eqp_member_reader *reader, const json_t *from, const eqp_encoding *encoding,
                       eqp_score *score)
{
    size_t features, count;
    json_t *terms = eqp_member_array(reader, from, FIELD_terms, &features);
    if (features != encoding->feature_count) eqp_member_wrong(reader, "\"terms\" has a wrong length");
    for (size_t f = 0; f < features && reader->status == EQP_OK; f++) {
        const eqp_feature *feature = &encoding->features[f];
        json_t *list = json_array_get(terms, f);
        count = json_array_size(list);
        if (count != feature->slots)
            eqp_member_wrong(reader, "\"terms\" of feature %zu has a wrong length", f);
        for (size_t i = 0; i < count && reader->status == EQP_OK; i++) {
            json_t *value = json_array_get(list, i);
            if (!json_is_number(value)) eqp_member_wrong(reader, "\"terms\" of feature %zu: not a number", f);
            score->terms[feature->slot + i] = json_number_value(value);
        }
    }
}

static void read_branch(eqp_member_reader *reader, const json_t *from, const eqp_encoding *encoding,
                        eqp_branch *branch)
{
    branch->feature = -1;
    if (eqp_member_has(from, FIELD_value)) {
        eqp_member_exactly(reader, from, FIELD_value);
        branch->value = eqp_member_number(reader, from, FIELD_value);
        return;
    }
    uint32_t feature = eqp_member_index(reader, from, FIELD_feature);
    if (feature >= encoding->feature_count) eqp_member_wrong(reader, "there is no feature %u", feature);
    if (reader->status != EQP_OK) return;
    bool number = encoding->features[feature].kind == EQP_FEATURE_NUMBER;
    if (number)
        eqp_member_exactly(reader, from, FIELD_feature, FIELD_below, FIELD_yes, FIELD_no, FIELD_missing);
    else
        eqp_member_exactly(reader, from, FIELD_feature, FIELD_code, FIELD_yes, FIELD_no);
    branch->feature = (int32_t)feature;
    branch->yes = eqp_member_index(reader, from, FIELD_yes);
    branch->no = eqp_member_index(reader, from, FIELD_no);
    if (!number) {
        branch->code = eqp_member_index(reader, from, FIELD_code);
        return;
    }
    branch->cut = eqp_member_number(reader, from, FIELD_below);
    const char *missing = eqp_member_text(reader, from, FIELD_missing);
    branch->missing_yes = strcmp(missing, "yes") == 0;
    if (!branch->missing_yes && strcmp(missing, "no") != 0)
        eqp_member_wrong(reader, "\"missing\" is neither \"yes\" nor \"no\"");
}

static size_t count_branches(const json_t *trees, size_t tree_count)
{
    size_t branches = 0;
    for (size_t tree = 0; tree < tree_count; tree++) branches += json_array_size(json_array_get(trees, tree));
    return branches;
}

static void read_trees(eqp_member_reader *reader, const json_t *from, const eqp_encoding *encoding,
                       eqp_score *score)
{
    size_t count, at = 0;
    json_t *trees = eqp_member_array(reader, from, FIELD_trees, &count);
    if (count == 0) eqp_member_wrong(reader, "\"trees\" is empty");
    score->tree_start = eqp_member_alloc(reader, count + 1, sizeof *score->tree_start);
    score->branches = eqp_member_alloc(reader, count_branches(trees, count), sizeof *score->branches);
    if (score->tree_start == NULL || score->branches == NULL) return;
    score->tree_count = (uint32_t)count;
    for (size_t tree = 0; tree < count; tree++) {
        json_t *list = json_array_get(trees, tree);
        if (!json_is_array(list)) eqp_member_wrong(reader, "tree %zu is not a list", tree);
        for (size_t i = 0; i < json_array_size(list) && reader->status == EQP_OK; i++)
            read_branch(reader, json_array_get(list, i), encoding, &score->branches[at++]);
        score->tree_start[tree + 1] = (uint32_t)at;
    }
}

static void read_score(eqp_member_reader *reader, const json_t *from, const eqp_encoding *encoding,
                       eqp_score *score)
{
    bool boosted = eqp_member_has(from, FIELD_trees);
    if (boosted)
        eqp_member_exactly(reader, from, FIELD_intercept, FIELD_trees);
    else
        eqp_member_exactly(reader, from, FIELD_intercept, FIELD_terms);
    score->terms = eqp_member_alloc(reader, boosted ? 1 : encoding->width, sizeof *score->terms);
    if (score->terms == NULL) return;
    score->terms[0] = eqp_member_number(reader, from, FIELD_intercept);
    if (boosted)
        read_trees(reader, from, encoding, score);
    else
        read_terms(reader, from, encoding, score);
}

/* ---- router -------------------------------------------------------------------------------------------- */

static void read_component(eqp_member_reader *reader, const json_t *from, eqp_component *component)
{
    component->weight = eqp_member_number(reader, from, FIELD_weight);
    if (!json_is_string(eqp_field_value(from, FIELD_score))) {
        eqp_member_exactly(reader, from, FIELD_weight, FIELD_score, FIELD_below);
        component->score = eqp_member_index(reader, from, FIELD_score);
        component->threshold = eqp_member_number(reader, from, FIELD_below);
        return;
    }
    const char *constant = eqp_member_text(reader, from, FIELD_score);
    eqp_member_exactly(reader, from, FIELD_weight, FIELD_score);
    component->score = strcmp(constant, "always") == 0 ? EQP_SCORE_ALWAYS : EQP_SCORE_NEVER;
    if (component->score == EQP_SCORE_NEVER && strcmp(constant, "never") != 0)
        eqp_member_wrong(reader, "unknown score \"%.40s\"", constant);
}

static int32_t read_child(eqp_member_reader *reader, const json_t *from, eqp_field name)
{
    json_t *child = eqp_member_object(reader, from, name);
    bool leaf = eqp_member_has(child, FIELD_leaf);
    if (leaf)
        eqp_member_exactly(reader, child, FIELD_leaf);
    else
        eqp_member_exactly(reader, child, FIELD_node);
    int32_t index = (int32_t)eqp_member_index(reader, child, leaf ? FIELD_leaf : FIELD_node);
    return leaf ? ~index : index;
}

static size_t count_components(const json_t *nodes)
{
    size_t count = 0;
    for (size_t n = 0; n < json_array_size(nodes); n++)
        count += json_array_size(eqp_field_value(json_array_get(nodes, n), FIELD_components));
    return count;
}

static void read_node(eqp_member_reader *reader, const json_t *from, eqp_rule *rule, eqp_node *node)
{
    size_t count;
    eqp_member_exactly(reader, from, FIELD_components, FIELD_yes, FIELD_no);
    json_t *components = eqp_member_array(reader, from, FIELD_components, &count);
    node->child[0] = read_child(reader, from, FIELD_no);
    node->child[1] = read_child(reader, from, FIELD_yes);
    node->first_component = (uint32_t)rule->component_count;
    node->component_count = (uint32_t)count;
    for (size_t c = 0; c < count && reader->status == EQP_OK; c++)
        read_component(reader, json_array_get(components, c), &rule->components[rule->component_count++]);
}

static void read_nodes(eqp_member_reader *reader, const json_t *from, eqp_rule *rule)
{
    size_t count;
    eqp_member_enter(reader, "rule", EQP_MEMBER_ONLY);
    json_t *nodes = eqp_member_array(reader, from, FIELD_nodes, &count);
    for (size_t n = 0; n < count && reader->status == EQP_OK; n++) {
        eqp_member_enter(reader, "node", n);
        rule->node_count = n + 1;
        read_node(reader, json_array_get(nodes, n), rule, &rule->nodes[n]);
    }
}

static void read_scores(eqp_member_reader *reader, const json_t *from, const eqp_encoding *encoding,
                        eqp_rule *rule)
{
    size_t count;
    json_t *scores = eqp_member_array(reader, from, FIELD_scores, &count);
    for (size_t i = 0; i < count && reader->status == EQP_OK; i++) {
        eqp_member_enter(reader, "score", i);
        rule->score_count = i + 1;
        read_score(reader, json_array_get(scores, i), encoding, &rule->scores[i]);
    }
}

static void read_leaves(eqp_member_reader *reader, const json_t *from, eqp_rule *rule)
{
    size_t count;
    eqp_member_enter(reader, "rule", EQP_MEMBER_ONLY);
    json_t *leaves = eqp_member_array(reader, from, FIELD_leaves, &count);
    for (size_t i = 0; i < count && reader->status == EQP_OK; i++) {
        const json_t *leaf = json_array_get(leaves, i);
        eqp_member_enter(reader, "leaf", i);
        eqp_member_exactly(reader, leaf, FIELD_accept, FIELD_share);
        rule->accept[i] = eqp_member_number(reader, leaf, FIELD_accept);
        rule->share[i] = eqp_member_number(reader, leaf, FIELD_share);
    }
}

static eqp_rule *read_rule(eqp_member_reader *reader, const json_t *root, const eqp_encoding *encoding)
{
    eqp_member_enter(reader, "rule", EQP_MEMBER_ONLY);
    json_t *from = eqp_member_object(reader, root, FIELD_rule);
    const json_t *nodes = eqp_field_value(from, FIELD_nodes);
    eqp_rule_size size = {.scores = json_array_size(eqp_field_value(from, FIELD_scores)),
                          .components = count_components(nodes),
                          .nodes = json_array_size(nodes),
                          .leaves = json_array_size(eqp_field_value(from, FIELD_leaves))};
    eqp_rule *rule = NULL;
    if (reader->status == EQP_OK) reader->status = eqp_rule_new(EQP_ROUTE_TREE, &size, &rule, reader->error);
    if (rule == NULL) return NULL;
    eqp_member_exactly(reader, from, FIELD_router, FIELD_noise, FIELD_scores, FIELD_nodes, FIELD_leaves);
    rule->router = (eqp_router)eqp_member_choice(reader, from, FIELD_router, eqp_router_names, EQP_ROUTERS);
    rule->noise = eqp_member_number(reader, from, FIELD_noise);
    read_scores(reader, from, encoding, rule);
    read_nodes(reader, from, rule);
    read_leaves(reader, from, rule);
    return rule;
}

/* ---- provenance ---------------------------------------------------------------------------------------- */

static uint64_t read_seed(eqp_member_reader *reader, const json_t *from)
{
    const char *digits = eqp_member_text(reader, from, FIELD_seed);
    uint64_t seed = 0;
    bool whole = digits[0] != '\0' && (digits[0] != '0' || digits[1] == '\0'); /* one way to write it */
    for (; whole && *digits != '\0'; digits++)
        whole = *digits >= '0' && *digits <= '9' && !__builtin_mul_overflow(seed, 10, &seed) &&
                !__builtin_add_overflow(seed, (uint64_t)(*digits - '0'), &seed);
    if (!whole) eqp_member_wrong(reader, "\"seed\" is not a whole number");
    return seed;
}

static void read_digest(eqp_member_reader *reader, const json_t *from, eqp_field name, char digest[65])
{
    const char *text = eqp_member_text(reader, from, name);
    if (strlen(text) > 64) eqp_member_wrong(reader, "\"%s\" is not a digest", eqp_field_name(name));
    if (reader->status == EQP_OK) strcpy(digest, text);
}

static void read_limits(eqp_member_reader *reader, const json_t *from, eqp_provenance *to)
{
    json_t *limits = eqp_member_object(reader, from, FIELD_limits);
    eqp_member_exactly(reader, limits, FIELD_max_ratio, FIELD_min_chance, FIELD_max_distortion,
                       FIELD_protect);
    to->max_ratio = eqp_member_number(reader, limits, FIELD_max_ratio);
    to->min_chance = eqp_member_number(reader, limits, FIELD_min_chance);
    to->max_distortion = eqp_member_number(reader, limits, FIELD_max_distortion);
    to->protect = eqp_member_copy(reader, limits, FIELD_protect);
    if (to->max_ratio == 0 && to->min_chance == 0 && to->max_distortion == 0)
        eqp_member_wrong(reader, "\"limits\" limits nothing");
}

static void read_provenance(eqp_member_reader *reader, const json_t *root, eqp_provenance *to)
{
    eqp_member_enter(reader, "provenance", EQP_MEMBER_ONLY);
    json_t *from = eqp_member_object(reader, root, FIELD_provenance);
    bool limited = eqp_member_has(from, FIELD_limits);
    eqp_member_exactly(reader, from, FIELD_version, FIELD_method, FIELD_oracle, FIELD_solver,
                       FIELD_max_disclosure, FIELD_spread, FIELD_confidence, FIELD_strict, FIELD_seed,
                       FIELD_data, limited ? FIELD_limits : FIELD_NONE);
    if (limited)
        read_limits(reader, from, to);
    else
        to->protect = eqp_member_alloc(reader, 1, 1);
    to->version = eqp_member_copy(reader, from, FIELD_version);
    to->method = eqp_member_copy(reader, from, FIELD_method);
    to->oracle = eqp_member_copy(reader, from, FIELD_oracle);
    to->solver = eqp_member_copy(reader, from, FIELD_solver);
    to->max_disclosure = eqp_member_number(reader, from, FIELD_max_disclosure);
    to->spread = eqp_member_number(reader, from, FIELD_spread);
    to->confidence = json_is_null(eqp_field_value(from, FIELD_confidence))
                         ? NAN
                         : eqp_member_number(reader, from, FIELD_confidence);
    to->strict = eqp_member_bool(reader, from, FIELD_strict);
    to->seed = read_seed(reader, from);
    read_digest(reader, from, FIELD_data, to->data_digest);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

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
static void read_header(eqp_member_reader *reader, const json_t *root)
{
    const char *format = json_string_value(eqp_field_value(root, FIELD_format));
    if (format == NULL || strcmp(format, EQP_MODEL_FORMAT) != 0) {
        reader->status = eqp_fail(reader->error, EQP_DATA, "not a model of equipoise");
        return;
    }
    double version = eqp_member_number(reader, root, FIELD_version);
    if (reader->status == EQP_OK && version != EQP_MODEL_VERSION) {
        reader->status =
            eqp_fail(reader->error, EQP_DATA, "the model has format version %g; this program reads %d",
                     version, EQP_MODEL_VERSION);
        eqp_hint(reader->error, "use the version of equipoise that wrote it, or learn the model again");
    }
    eqp_member_exactly(reader, root, FIELD_format, FIELD_version, FIELD_provenance, FIELD_input,
                       FIELD_features, FIELD_sensitive, FIELD_rule, FIELD_digest);
}

eqp_status eqp_model_read(const char *json, size_t length, eqp_encoding **encoding, eqp_groups **groups,
                          eqp_rule **rule, eqp_provenance *provenance, char digest[65], eqp_error *error)
{
    *encoding = NULL;
    *groups = NULL;
    *rule = NULL;
    *provenance = (eqp_provenance){0};
    json_t *root;
    eqp_member_reader reader = {.error = error, .section = "text", .index = EQP_MEMBER_ONLY};
    reader.status = parse_json(json, length, &root, error);
    if (reader.status == EQP_OK) read_header(&reader, root);
    if (reader.status == EQP_OK) read_digest(&reader, root, FIELD_digest, digest);
    if (reader.status == EQP_OK) read_provenance(&reader, root, provenance);
    if (reader.status == EQP_OK) *encoding = read_encoding(&reader, root);
    if (reader.status == EQP_OK) *groups = eqp_member_groups(&reader, root);
    if (reader.status == EQP_OK) *rule = read_rule(&reader, root, *encoding);
    json_decref(root);
    return reader.status;
}
