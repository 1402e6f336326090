/* The cells of a readable rule in words.
 *
 *     path to the leaf -> codes that each column may still have -> ranges of a number, names of levels */
#include "model/cells.h"

#include "base/json.h"
#include "model/influence.h"
#include "model/paragraph.h"

#include <string.h>

enum { NAME_COLUMNS = 80 };

/* ---- which rules --------------------------------------------------------------------------------------- */

/* The one feature whose terms are not all 0; the number of features where there are several, or a number. */
static size_t feature_asked(const eqp_encoding *encoding, const eqp_score *score)
{
    size_t found = encoding->feature_count;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        bool asks = false;
        for (uint32_t s = 0; s < feature->slots; s++) asks |= score->terms[feature->slot + s] != 0;
        if (!asks) continue;
        if (found < encoding->feature_count || feature->kind == EQP_FEATURE_NUMBER)
            return encoding->feature_count;
        found = f;
    }
    return found;
}

static bool is_readable(const eqp_model *model, const eqp_node *node)
{
    const eqp_component *component = &model->rule->components[node->first_component];
    if (node->component_count != 1 || component->score >= model->rule->score_count) return false;
    const eqp_score *score = &model->rule->scores[component->score];
    return score->tree_count == 0 && feature_asked(model->encoding, score) < model->encoding->feature_count;
}

/* With one leaf more than nodes, each of which but the root hangs at one place, so does every leaf that is
 * reached at all. */
bool eqp_rule_is_readable(const eqp_model *model)
{
    const eqp_rule *rule = model->rule;
    if (rule->router != EQP_ROUTE_TREE || rule->noise > 0 || rule->node_count == 0 ||
        rule->leaf_count != rule->node_count + 1)
        return false;
    size_t reached = 0;
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++) {
        size_t places = 0;
        for (size_t n = 0; n < rule->node_count; n++)
            for (size_t side = 0; side < 2; side++) places += rule->nodes[n].child[side] == ~(int32_t)leaf;
        reached += places == 1;
    }
    for (size_t n = 0; n < rule->node_count; n++)
        if (!is_readable(model, &rule->nodes[n])) return false;
    return reached == rule->leaf_count;
}

/* ---- the codes of a cell ------------------------------------------------------------------------------- */

/* The node and side at which a node or leaf hangs; false for the root. */
static bool find_parent(const eqp_rule *rule, int32_t child, size_t *node, size_t *side)
{
    for (*node = 0; *node < rule->node_count; ++*node)
        for (*side = 0; *side < 2; ++*side)
            if (rule->nodes[*node].child[*side] == child) return true;
    return false;
}

/* allowed[slot] = 0 for codes that some question on the way to the leaf excludes. */
static void follow_path(const eqp_model *model, size_t leaf, unsigned char *allowed)
{
    const eqp_rule *rule = model->rule;
    size_t node, side;
    memset(allowed, 1, model->encoding->width);
    for (int32_t at = ~(int32_t)leaf; find_parent(rule, at, &node, &side); at = (int32_t)node) {
        const eqp_component *component = &rule->components[rule->nodes[node].first_component];
        const eqp_score *score = &rule->scores[component->score];
        const eqp_feature *feature = &model->encoding->features[feature_asked(model->encoding, score)];
        for (uint32_t s = feature->slot; s < feature->slot + feature->slots; s++) {
            bool yes = score->terms[0] + score->terms[s] < component->threshold;
            if (yes != (side == 1)) allowed[s] = 0;
        }
    }
}

/* ---- words --------------------------------------------------------------------------------------------- */

static void say_number(eqp_buffer *text, const eqp_feature *feature, double number)
{
    if (feature->date == EQP_NO_DATE)
        eqp_json_write_number(number, text);
    else
        eqp_number_show(text, feature, number, 0);
}

/* Bins first … last, the ends of which may be open. */
static void say_range(eqp_buffer *text, const eqp_feature *feature, uint32_t first, uint32_t last)
{
    bool low = first > 0, high = last + 1 < feature->level_count;
    if (low) {
        eqp_buffer_text(text, high ? " from " : " ");
        say_number(text, feature, feature->cuts[first - 1]);
    }
    if (low && high) eqp_buffer_text(text, " to");
    if (high) {
        eqp_buffer_text(text, " below ");
        say_number(text, feature, feature->cuts[last]);
    }
    if (low && !high) eqp_buffer_text(text, " and above");
    if (!low && !high) eqp_buffer_text(text, feature->date == EQP_NO_DATE ? " any number" : " any date");
}

static void say_bins(eqp_buffer *text, const eqp_feature *feature, const unsigned char *allowed)
{
    bool any = false;
    for (uint32_t first = 0; first < feature->level_count; first++) {
        uint32_t last = first;
        if (!allowed[first]) continue;
        while (last + 1 < feature->level_count && allowed[last + 1]) last++;
        if (any) eqp_buffer_text(text, ", or");
        say_range(text, feature, first, last);
        any = true;
        first = last;
    }
    if (allowed[EQP_MISSING(feature)]) eqp_buffer_text(text, any ? ", or missing" : " missing");
}

static void say_levels(eqp_buffer *text, const eqp_feature *feature, const unsigned char *allowed)
{
    bool others = allowed[EQP_OTHER(feature)], any = false;
    for (uint32_t code = 0; code < feature->level_count; code++) {
        if ((allowed[code] != 0) == others) continue;
        eqp_buffer_text(text, any ? ", \"" : others ? " is none of \"" : " is \"");
        eqp_name_show(text, feature->levels[code], NAME_COLUMNS);
        eqp_buffer_text(text, "\"");
        any = true;
    }
    if (others && !any) eqp_buffer_text(text, " is anything");
    if (!others && !any) eqp_buffer_text(text, allowed[EQP_MISSING(feature)] ? " is missing" : " is nothing");
    if (others && !allowed[EQP_MISSING(feature)]) eqp_buffer_text(text, ", nor missing");
    if (!others && any && allowed[EQP_MISSING(feature)]) eqp_buffer_text(text, ", or missing");
}

static bool is_asked(const eqp_feature *feature, const unsigned char *allowed)
{
    bool unused = feature->kind == EQP_FEATURE_BINS; /* bins have no other */
    for (uint32_t code = 0; code < feature->level_count + 2; code++)
        if (!allowed[code] && !(unused && code == EQP_OTHER(feature))) return true;
    return false;
}

eqp_status eqp_cell_words(const eqp_model *model, size_t leaf, char **words, eqp_error *error)
{
    eqp_buffer text = {0};
    unsigned char *allowed = eqp_alloc(model->encoding->width, 1);
    *words = NULL;
    if (allowed == NULL) return eqp_fail_memory(error);
    follow_path(model, leaf, allowed);
    for (size_t f = 0; f < model->encoding->feature_count; f++) {
        const eqp_feature *feature = &model->encoding->features[f];
        if (feature->kind == EQP_FEATURE_NUMBER || !is_asked(feature, allowed + feature->slot)) continue;
        if (text.length > 0) eqp_buffer_text(&text, "; ");
        eqp_name_show(&text, feature->name, NAME_COLUMNS);
        if (feature->kind == EQP_FEATURE_BINS)
            say_bins(&text, feature, allowed + feature->slot);
        else
            say_levels(&text, feature, allowed + feature->slot);
    }
    if (text.length == 0) eqp_buffer_text(&text, "everybody");
    free(allowed);
    return eqp_buffer_take(&text, words, error);
}
