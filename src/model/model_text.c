/* The canonical text of a model: fixed order of members, shortest numbers that read back the same, no choice
 * left. So saving, loading and saving again gives the same bytes, and the digest is that of the meaning, not
 * of the blanks. */
#include "base/number.h"
#include "base/output.h"
#include "draw/digest.h"
#include "model/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_word(eqp_buffer *text, const char *word)
{
    eqp_buffer_text(text, "\"");
    for (; *word != '\0'; word++) {
        unsigned char byte = (unsigned char)*word;
        if (byte == '"' || byte == '\\')
            eqp_buffer_printf(text, "\\%c", byte);
        else if (byte < 0x20)
            eqp_buffer_printf(text, "\\u%04x", byte);
        else
            eqp_buffer_add(text, word, 1);
    }
    eqp_buffer_text(text, "\"");
}

static void write_number(eqp_buffer *text, double value)
{
    char digits[32];
    size_t length = eqp_number_print(value + 0.0, digits); /* −0 is written as 0 */
    eqp_buffer_add(text, digits, length);
}

static void name_member(eqp_buffer *text, const char *before, const char *name)
{
    eqp_buffer_printf(text, "%s\"%s\": ", before, name);
}

static void word_member(eqp_buffer *text, const char *before, const char *name, const char *word)
{
    name_member(text, before, name);
    write_word(text, word);
}

static void number_member(eqp_buffer *text, const char *before, const char *name, double value)
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
        write_word(text, words[i]);
    }
    eqp_buffer_text(text, "]");
}

/* One element a line. */
static void begin_element(eqp_buffer *text, size_t index)
{
    eqp_buffer_text(text, index > 0 ? ",\n{" : "\n{");
}

/* ---- sections ---------------------------------------------------------------------------------------- */

static void write_provenance(eqp_buffer *text, const eqp_provenance *from)
{
    word_member(text, "{", "version", from->version);
    word_member(text, ", ", "method", from->method);
    word_member(text, ", ", "oracle", from->oracle);
    word_member(text, ", ", "solver", from->solver);
    number_member(text, ",\n", "max_disclosure", from->max_disclosure);
    number_member(text, ", ", "spread", from->spread);
    name_member(text, ", ", "confidence");
    if (isnan(from->confidence))
        eqp_buffer_text(text, "null");
    else
        write_number(text, from->confidence);
    name_member(text, ", ", "strict");
    eqp_buffer_text(text, from->strict ? "true" : "false");
    eqp_buffer_printf(text, ", \"seed\": \"%llu\"", (unsigned long long)from->seed); /* may exceed 2^53 */
    word_member(text, ",\n", "data", from->data_digest);
    eqp_buffer_text(text, "}");
}

static void write_feature(eqp_buffer *text, const eqp_feature *feature)
{
    word_member(text, "", "column", feature->name);
    if (feature->kind == EQP_FEATURE_NUMBER) {
        word_member(text, ", ", "kind", "number");
        number_member(text, ", ", "mean", feature->mean);
        number_member(text, ", ", "scale", feature->scale);
        number_member(text, ", ", "missing_share", feature->missing_share);
    } else {
        bool levels = feature->kind == EQP_FEATURE_LEVELS;
        word_member(text, ", ", "kind", levels ? "levels" : "bins");
        name_member(text, ",\n ", levels ? "levels" : "cuts");
        if (levels)
            write_words(text, feature->levels, feature->level_count);
        else
            write_numbers(text, feature->cuts, feature->level_count - 1);
        name_member(text, ",\n ", "shares");
        write_numbers(text, feature->shares, (size_t)feature->level_count + 2);
    }
    eqp_buffer_text(text, "}");
}

static void write_groups(eqp_buffer *text, const eqp_groups *groups)
{
    name_member(text, "{", "columns");
    write_words(text, groups->columns, groups->column_count);
    name_member(text, ", ", "intersect");
    eqp_buffer_text(text, groups->intersect ? "true" : "false");
    name_member(text, ", ", "groups");
    eqp_buffer_text(text, "[");
    for (size_t k = 0; k < groups->group_count; k++) {
        begin_element(text, k);
        word_member(text, "", "attribute", groups->attributes[groups->groups[k].attribute]);
        word_member(text, ", ", "value", groups->groups[k].value);
        number_member(text, ", ", "target", groups->groups[k].target);
        eqp_buffer_text(text, "}");
    }
    eqp_buffer_text(text, "]}");
}

static void write_branch(eqp_buffer *text, const eqp_encoding *encoding, const eqp_branch *branch)
{
    if (branch->feature < 0) {
        number_member(text, "{", "value", branch->value);
    } else {
        bool number = encoding->features[branch->feature].kind == EQP_FEATURE_NUMBER;
        number_member(text, "{", "feature", branch->feature);
        number_member(text, ", ", number ? "below" : "code", number ? branch->cut : branch->code);
        number_member(text, ", ", "yes", branch->yes);
        number_member(text, ", ", "no", branch->no);
        if (number) word_member(text, ", ", "missing", branch->missing_yes ? "yes" : "no");
    }
    eqp_buffer_text(text, "}");
}

static void write_trees(eqp_buffer *text, const eqp_encoding *encoding, const eqp_score *score)
{
    name_member(text, ",\n ", "trees");
    eqp_buffer_text(text, "[");
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
    number_member(text, "", "intercept", score->terms[0]);
    if (score->tree_count > 0) {
        write_trees(text, encoding, score);
    } else {
        name_member(text, ", ", "terms");
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
    number_member(text, "{", "weight", component->weight);
    if (component->score == EQP_SCORE_ALWAYS || component->score == EQP_SCORE_NEVER) {
        word_member(text, ", ", "score", component->score == EQP_SCORE_ALWAYS ? "always" : "never");
    } else {
        number_member(text, ", ", "score", component->score);
        number_member(text, ", ", "below", component->threshold);
    }
    eqp_buffer_text(text, "}");
}

static void write_child(eqp_buffer *text, const char *name, int32_t child)
{
    name_member(text, ", ", name);
    eqp_buffer_printf(text, child >= 0 ? "{\"node\": %d}" : "{\"leaf\": %d}", child >= 0 ? child : ~child);
}

static void write_node(eqp_buffer *text, const eqp_rule *rule, const eqp_node *node)
{
    name_member(text, "", "components");
    eqp_buffer_text(text, "[");
    for (uint32_t c = 0; c < node->component_count; c++) {
        if (c > 0) eqp_buffer_text(text, ",\n ");
        write_component(text, &rule->components[node->first_component + c]);
    }
    eqp_buffer_text(text, "]");
    write_child(text, "yes", node->child[1]);
    write_child(text, "no", node->child[0]);
    eqp_buffer_text(text, "}");
}

static void write_leaf(eqp_buffer *text, const eqp_rule *rule, size_t leaf)
{
    number_member(text, "", "accept", rule->accept[leaf]);
    number_member(text, ", ", "share", rule->share[leaf]);
    eqp_buffer_text(text, "}");
}

static void write_rule(eqp_buffer *text, const eqp_encoding *encoding, const eqp_rule *rule)
{
    static const char *const routers[] = {"tree", "argmax", "levels"};
    word_member(text, "{", "router", routers[rule->router]);
    number_member(text, ", ", "noise", rule->noise);
    eqp_buffer_text(text, ",\n\"scores\": [");
    for (size_t i = 0; i < rule->score_count; i++) {
        begin_element(text, i);
        write_score(text, encoding, &rule->scores[i]);
    }
    eqp_buffer_text(text, "],\n\"nodes\": [");
    for (size_t i = 0; i < rule->node_count; i++) {
        begin_element(text, i);
        write_node(text, rule, &rule->nodes[i]);
    }
    eqp_buffer_text(text, "],\n\"leaves\": [");
    for (size_t i = 0; i < rule->leaf_count; i++) {
        begin_element(text, i);
        write_leaf(text, rule, i);
    }
    eqp_buffer_text(text, "]}");
}

/* ---- the whole --------------------------------------------------------------------------------------- */

void eqp_model_write(const eqp_model *model, eqp_buffer *text)
{
    const eqp_encoding *encoding = model->encoding;
    const char decimal[2] = {encoding->decimal, '\0'};
    eqp_buffer_printf(text, "{\n\"format\": \"%s\",\n\"version\": %d", EQP_MODEL_FORMAT, EQP_MODEL_VERSION);
    name_member(text, ",\n", "provenance");
    write_provenance(text, &model->provenance);
    word_member(text, ",\n\"input\": {", "missing", encoding->missing_marks);
    word_member(text, ", ", "decimal", decimal);
    eqp_buffer_text(text, "},\n\"features\": [");
    for (size_t f = 0; f < encoding->feature_count; f++) {
        begin_element(text, f);
        write_feature(text, &encoding->features[f]);
    }
    name_member(text, "],\n", "sensitive");
    write_groups(text, model->groups);
    name_member(text, ",\n", "rule");
    write_rule(text, encoding, model->rule);
}

static void end_digest(const eqp_buffer *text, char digest[65])
{
    eqp_digest state;
    eqp_digest_begin(&state);
    eqp_digest_add(&state, text->bytes, text->length);
    eqp_digest_add(&state, "\n}\n", 3);
    eqp_digest_end(&state, digest);
}

eqp_status eqp_model_digest(const eqp_model *model, char digest[65], eqp_error *error)
{
    eqp_buffer text = {0};
    eqp_model_write(model, &text);
    bool failed = text.failed;
    if (!failed) end_digest(&text, digest);
    eqp_buffer_free(&text);
    return failed ? eqp_fail_memory(error) : EQP_OK;
}

eqp_status eqp_model_text(const eqp_model *model, char **text, eqp_error *error)
{
    *text = NULL;
    eqp_buffer made = {0};
    char digest[65] = "";
    eqp_model_write(model, &made);
    if (!made.failed) end_digest(&made, digest);
    eqp_buffer_printf(&made, ",\n\"digest\": \"%s\"\n}\n", digest);
    return eqp_buffer_take(&made, text, error);
}

eqp_status eqp_model_save(const eqp_model *model, const char *path, eqp_error *error)
{
    char *text;
    eqp_status status = eqp_model_text(model, &text, error);
    if (status != EQP_OK) return status;
    status = eqp_output_text(path, text, strlen(text), error);
    eqp_text_free(text);
    return status;
}

const char *eqp_model_id(const eqp_model *model)
{
    return model->id;
}
