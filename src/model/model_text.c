/* The canonical text of a model: fixed order of members, shortest numbers that read back the same, no choice
 * left. So saving, loading and saving again gives the same bytes, and the digest is that of the meaning, not
 * of the blanks. */
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "draw/digest.h"
#include "model/model_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const eqp_feature_kind_names[EQP_FEATURE_KINDS] = {
    [EQP_FEATURE_NUMBER] = "number", [EQP_FEATURE_LEVELS] = "levels", [EQP_FEATURE_BINS] = "bins"};
const char *const eqp_date_part_names[EQP_DATE_PARTS] = {
    [EQP_NO_PART] = "", [EQP_PART_MONTH] = "month", [EQP_PART_WEEKDAY] = "weekday"};
const char *const eqp_router_names[EQP_ROUTERS] = {
    [EQP_ROUTE_TREE] = "tree", [EQP_ROUTE_ARGMAX] = "argmax", [EQP_ROUTE_LEVELS] = "levels"};

static void write_number(eqp_buffer *text, double value)
{
    eqp_json_write_number(value + 0.0, text); /* −0 is written as 0 */
}

static void name_member(eqp_buffer *text, const char *before, eqp_field name)
{
    eqp_buffer_printf(text, "%s\"%s\": ", before, eqp_field_name(name));
}

static void word_member(eqp_buffer *text, const char *before, eqp_field name, const char *word)
{
    name_member(text, before, name);
    eqp_json_write_text(word, text);
}

static void number_member(eqp_buffer *text, const char *before, eqp_field name, double value)
{
    name_member(text, before, name);
    write_number(text, value);
}

static void write_numbers(eqp_buffer *text, const double *values, size_t count)
{
    eqp_buffer_text(text, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) eqp_buffer_text(text, ", ");
        write_number(text, values[i]);
    }
    eqp_buffer_text(text, "]");
}

static void write_words(eqp_buffer *text, char *const *words, size_t count)
{
    eqp_buffer_text(text, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) eqp_buffer_text(text, ", ");
        eqp_json_write_text(words[i], text);
    }
    eqp_buffer_text(text, "]");
}

static void begin_list(eqp_buffer *text, const char *before, eqp_field name)
{
    name_member(text, before, name);
    eqp_buffer_text(text, "[");
}

/* One element per line. */
static void begin_element(eqp_buffer *text, size_t index)
{
    eqp_buffer_text(text, index > 0 ? ",\n{" : "\n{");
}

/* ---- sections ------------------------------------------------------------------------------------------ */

/* What was asked for besides the budget; not there when nothing was. */
static void write_limits(eqp_buffer *text, const eqp_provenance *from)
{
    if (from->max_ratio == 0 && from->min_chance == 0 && from->max_distortion == 0) return;
    name_member(text, ",\n", FIELD_limits);
    number_member(text, "{", FIELD_max_ratio, from->max_ratio);
    number_member(text, ", ", FIELD_min_chance, from->min_chance);
    number_member(text, ", ", FIELD_max_distortion, from->max_distortion);
    word_member(text, ", ", FIELD_protect, from->protect);
    eqp_buffer_text(text, "}");
}

static void write_provenance(eqp_buffer *text, const eqp_provenance *from)
{
    word_member(text, "{", FIELD_version, from->version);
    word_member(text, ", ", FIELD_method, from->method);
    word_member(text, ", ", FIELD_oracle, from->oracle);
    word_member(text, ", ", FIELD_solver, from->solver);
    number_member(text, ",\n", FIELD_max_disclosure, from->max_disclosure);
    number_member(text, ", ", FIELD_spread, from->spread);
    name_member(text, ", ", FIELD_confidence);
    if (isnan(from->confidence))
        eqp_buffer_text(text, "null");
    else
        write_number(text, from->confidence);
    name_member(text, ", ", FIELD_strict);
    eqp_buffer_text(text, from->strict ? "true" : "false");
    name_member(text, ", ", FIELD_seed);
    eqp_buffer_printf(text, "\"%llu\"", (unsigned long long)from->seed); /* may exceed 2^53 */
    write_limits(text, from);
    word_member(text, ",\n", FIELD_data, from->data_digest);
    eqp_buffer_text(text, "}");
}

static void write_feature(eqp_buffer *text, const eqp_feature *feature)
{
    word_member(text, "", FIELD_column, feature->name);
    word_member(text, ", ", FIELD_kind, eqp_feature_kind_names[feature->kind]);
    if (feature->date != EQP_NO_DATE)
        word_member(text, ", ", FIELD_date, eqp_date_order_names[feature->date]);
    if (feature->part != EQP_NO_PART) word_member(text, ", ", FIELD_part, eqp_date_part_names[feature->part]);
    if (feature->alone > 0) number_member(text, ", ", FIELD_alone, feature->alone);
    if (feature->kind == EQP_FEATURE_NUMBER) {
        number_member(text, ", ", FIELD_mean, feature->mean);
        number_member(text, ", ", FIELD_scale, feature->scale);
        number_member(text, ", ", FIELD_missing_share, feature->missing_share);
    } else {
        bool levels = feature->kind == EQP_FEATURE_LEVELS;
        name_member(text, ",\n ", levels ? FIELD_levels : FIELD_cuts);
        if (levels)
            write_words(text, feature->levels, feature->level_count);
        else
            write_numbers(text, feature->cuts, feature->level_count - 1);
        name_member(text, ",\n ", FIELD_shares);
        write_numbers(text, feature->shares, (size_t)feature->level_count + 2);
    }
    eqp_buffer_text(text, "}");
}

/* Columns of ticks are joined: how many of the columns are those of each attribute. */
static void write_attributes(eqp_buffer *text, const eqp_groups *groups)
{
    begin_list(text, ", ", FIELD_attributes);
    for (size_t a = 0; a < groups->attribute_count; a++) {
        eqp_buffer_text(text, a > 0 ? ", {" : "{");
        word_member(text, "", FIELD_name, groups->attributes[a]);
        number_member(text, ", ", FIELD_columns, (double)groups->widths[a]);
        eqp_buffer_text(text, "}");
    }
    eqp_buffer_text(text, "]");
}

static void write_groups(eqp_buffer *text, const eqp_groups *groups)
{
    name_member(text, "{", FIELD_columns);
    write_words(text, groups->columns, groups->column_count);
    name_member(text, ", ", FIELD_intersect);
    eqp_buffer_text(text, groups->intersect ? "true" : "false");
    if (groups->separator != NULL) word_member(text, ", ", FIELD_multiple, groups->separator);
    if (groups->widths != NULL) write_attributes(text, groups);
    if (groups->min_group > 0) number_member(text, ", ", FIELD_pooled, (double)groups->min_group);
    begin_list(text, ", ", FIELD_groups);
    for (size_t k = 0; k < groups->group_count; k++) {
        begin_element(text, k);
        word_member(text, "", FIELD_attribute, groups->attributes[groups->groups[k].attribute]);
        word_member(text, ", ", FIELD_value, groups->groups[k].value);
        number_member(text, ", ", FIELD_target, groups->groups[k].target);
        eqp_buffer_text(text, "}");
    }
    eqp_buffer_text(text, "]}");
}

static void write_branch(eqp_buffer *text, const eqp_encoding *encoding, const eqp_branch *branch)
{
    if (branch->feature < 0) {
        number_member(text, "{", FIELD_value, branch->value);
    } else {
        bool number = encoding->features[branch->feature].kind == EQP_FEATURE_NUMBER;
        number_member(text, "{", FIELD_feature, branch->feature);
        number_member(text, ", ", number ? FIELD_below : FIELD_code, number ? branch->cut : branch->code);
        number_member(text, ", ", FIELD_yes, branch->yes);
        number_member(text, ", ", FIELD_no, branch->no);
        if (number) word_member(text, ", ", FIELD_missing, branch->missing_yes ? "yes" : "no");
    }
    eqp_buffer_text(text, "}");
}

static void write_trees(eqp_buffer *text, const eqp_encoding *encoding, const eqp_score *score)
{
    begin_list(text, ",\n ", FIELD_trees);
    for (uint32_t tree = 0; tree < score->tree_count; tree++) {
        eqp_buffer_text(text, tree > 0 ? ",\n [" : "\n [");
        for (uint32_t i = score->tree_start[tree]; i < score->tree_start[tree + 1]; i++) {
            if (i > score->tree_start[tree]) eqp_buffer_text(text, ", ");
            write_branch(text, encoding, &score->branches[i]);
        }
        eqp_buffer_text(text, "]");
    }
    eqp_buffer_text(text, "]");
}

static void write_score(eqp_buffer *text, const eqp_encoding *encoding, const eqp_score *score)
{
    number_member(text, "", FIELD_intercept, score->terms[0]);
    if (score->tree_count > 0) {
        write_trees(text, encoding, score);
    } else {
        name_member(text, ", ", FIELD_terms);
        for (size_t f = 0; f < encoding->feature_count; f++) {
            eqp_buffer_text(text, f > 0 ? ",\n " : "[\n ");
            write_numbers(text, score->terms + encoding->features[f].slot, encoding->features[f].slots);
        }
        eqp_buffer_text(text, encoding->feature_count > 0 ? "]" : "[]");
    }
    eqp_buffer_text(text, "}");
}

static void write_component(eqp_buffer *text, const eqp_component *component)
{
    number_member(text, "{", FIELD_weight, component->weight);
    if (component->score == EQP_SCORE_ALWAYS || component->score == EQP_SCORE_NEVER) {
        word_member(text, ", ", FIELD_score, component->score == EQP_SCORE_ALWAYS ? "always" : "never");
    } else {
        number_member(text, ", ", FIELD_score, component->score);
        number_member(text, ", ", FIELD_below, component->threshold);
    }
    eqp_buffer_text(text, "}");
}

static void write_child(eqp_buffer *text, eqp_field name, int32_t child)
{
    name_member(text, ", ", name);
    name_member(text, "{", child >= 0 ? FIELD_node : FIELD_leaf);
    eqp_buffer_printf(text, "%d}", child >= 0 ? child : ~child);
}

static void write_node(eqp_buffer *text, const eqp_rule *rule, const eqp_node *node)
{
    begin_list(text, "", FIELD_components);
    for (uint32_t c = 0; c < node->component_count; c++) {
        if (c > 0) eqp_buffer_text(text, ",\n ");
        write_component(text, &rule->components[node->first_component + c]);
    }
    eqp_buffer_text(text, "]");
    write_child(text, FIELD_yes, node->child[1]);
    write_child(text, FIELD_no, node->child[0]);
    eqp_buffer_text(text, "}");
}

static void write_leaf(eqp_buffer *text, const eqp_rule *rule, size_t leaf)
{
    number_member(text, "", FIELD_accept, rule->accept[leaf]);
    number_member(text, ", ", FIELD_share, rule->share[leaf]);
    eqp_buffer_text(text, "}");
}

static void write_rule(eqp_buffer *text, const eqp_encoding *encoding, const eqp_rule *rule)
{
    word_member(text, "{", FIELD_router, eqp_router_names[rule->router]);
    number_member(text, ", ", FIELD_noise, rule->noise);
    begin_list(text, ",\n", FIELD_scores);
    for (size_t i = 0; i < rule->score_count; i++) {
        begin_element(text, i);
        write_score(text, encoding, &rule->scores[i]);
    }
    begin_list(text, "],\n", FIELD_nodes);
    for (size_t i = 0; i < rule->node_count; i++) {
        begin_element(text, i);
        write_node(text, rule, &rule->nodes[i]);
    }
    begin_list(text, "],\n", FIELD_leaves);
    for (size_t i = 0; i < rule->leaf_count; i++) {
        begin_element(text, i);
        write_leaf(text, rule, i);
    }
    eqp_buffer_text(text, "]}");
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void write_members(const eqp_model *model, eqp_buffer *text)
{
    const eqp_encoding *encoding = model->encoding;
    const char decimal[2] = {encoding->decimal, '\0'};
    word_member(text, "{\n", FIELD_format, EQP_MODEL_FORMAT);
    number_member(text, ",\n", FIELD_version, EQP_MODEL_VERSION);
    name_member(text, ",\n", FIELD_provenance);
    write_provenance(text, &model->provenance);
    name_member(text, ",\n", FIELD_input);
    word_member(text, "{", FIELD_missing, encoding->missing_marks);
    word_member(text, ", ", FIELD_decimal, decimal);
    begin_list(text, "},\n", FIELD_features);
    for (size_t f = 0; f < encoding->feature_count; f++) {
        begin_element(text, f);
        write_feature(text, &encoding->features[f]);
    }
    name_member(text, "],\n", FIELD_sensitive);
    write_groups(text, model->groups);
    name_member(text, ",\n", FIELD_rule);
    write_rule(text, encoding, model->rule);
}

eqp_status eqp_model_compose(eqp_model *model, eqp_error *error)
{
    eqp_buffer made = {0};
    eqp_digest state;
    write_members(model, &made);
    eqp_digest_begin(&state);
    if (!made.failed) eqp_digest_add(&state, made.bytes, made.length);
    eqp_digest_add(&state, "\n}\n", 3);
    eqp_digest_end(&state, model->digest);
    snprintf(model->id, sizeof model->id, "%.16s", model->digest);
    word_member(&made, ",\n", FIELD_digest, model->digest);
    eqp_buffer_text(&made, "\n}\n");
    return eqp_buffer_take(&made, &model->text, error);
}

eqp_status eqp_model_text(const eqp_model *model, char **text, eqp_error *error)
{
    *text = eqp_copy_text(model->text, strlen(model->text));
    return *text != NULL ? EQP_OK : eqp_fail_memory(error);
}

eqp_status eqp_model_save(const eqp_model *model, const char *path, eqp_error *error)
{
    return eqp_output_text(path, model->text, strlen(model->text), error);
}

const char *eqp_model_id(const eqp_model *model)
{
    return model->id;
}
