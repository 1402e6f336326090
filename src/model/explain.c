/* The rule in plain words: what it balances, which columns it reads, how a record is decided.
 *
 * Large models are shown in part: the first nodes and leaves, the strongest influences. */
#include "base/memory.h"
#include "model/cells.h"
#include "model/identity.h"
#include "model/influence.h"
#include "model/paragraph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- text that wraps ---------------------------------------------------------------------------------- */

enum { LINE_WIDTH = 80 };

/* Plain text of at most 80 columns: words that wrap under a hanging indent. */
typedef struct wrapped {
    eqp_buffer *text;
    size_t indent; /* of the lines after the first */
    size_t column; /* where the current line ends */
    bool listing;  /* the last piece was an item of a list */
} wrapped;

/* Starts a line with `lead`; what follows wraps to the column where the lead ends. */
static wrapped paragraph_begin(eqp_buffer *text, const char *lead)
{
    size_t columns = eqp_text_columns(lead);
    eqp_buffer_text(text, lead);
    return (wrapped){text, columns, columns, false};
}

/* One piece that is not broken; a blank before it unless it begins the paragraph. */
static void paragraph_add(wrapped *paragraph, const char *piece)
{
    size_t columns = eqp_text_columns(piece);
    bool begins = paragraph->column == paragraph->indent;
    if (!begins && paragraph->column + 1 + columns + 1 > LINE_WIDTH) { /* a comma may follow */
        eqp_buffer_printf(paragraph->text, "\n%*s", (int)paragraph->indent, "");
        paragraph->column = paragraph->indent;
        begins = true;
    }
    eqp_buffer_printf(paragraph->text, "%s%s", begins ? "" : " ", piece);
    paragraph->column += columns + !begins;
}

/* The same for an item of a list: a comma after the item before it. */
static void paragraph_item(wrapped *paragraph, const char *item)
{
    if (paragraph->listing) eqp_buffer_text(paragraph->text, ",");
    paragraph->column += paragraph->listing;
    paragraph_add(paragraph, item);
    paragraph->listing = true;
}

static void paragraph_end(wrapped *paragraph)
{
    eqp_buffer_text(paragraph->text, "\n");
}

#define SHOWN_GROUPS     40
#define SHOWN_COLUMNS    60
#define SHOWN_LEVELS     6
#define SHOWN_NODES      12
#define SHOWN_COMPONENTS 8
#define SHOWN_LEAVES     24
#define SHOWN_INFLUENCES 4
#define NAME_COLUMNS     28

typedef struct explaining {
    const eqp_model *model;
    eqp_buffer text;
    eqp_buffer piece; /* scratch for one piece of a paragraph */
    eqp_error *error;
    eqp_status status;
} explaining;

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void say_more(explaining *explain, size_t count, size_t shown, const char *what)
{
    if (count > shown)
        eqp_buffer_printf(&explain->text, "  … and %zu more %s%s\n", count - shown, what,
                          plural(count - shown));
}

/* The current piece goes into the paragraph. */
static void put_piece(explaining *explain, wrapped *paragraph)
{
    if (explain->piece.bytes != NULL) paragraph_add(paragraph, explain->piece.bytes);
    explain->piece.length = 0;
}

static void put_item(explaining *explain, wrapped *paragraph)
{
    if (explain->piece.bytes != NULL) paragraph_item(paragraph, explain->piece.bytes);
    explain->piece.length = 0;
}

static void padded_name(explaining *explain, const char *name, size_t columns)
{
    eqp_buffer *piece = &explain->piece;
    piece->length = 0;
    eqp_name_show(piece, name, columns);
    const char *shown = piece->bytes ? piece->bytes : "";
    size_t used = piece->length > 0 ? eqp_text_columns(shown) : 0;
    eqp_buffer_printf(&explain->text, "  %s%*s", piece->length > 0 ? shown : "", (int)(columns - used), "");
    piece->length = 0;
}

/* ---- what for ---------------------------------------------------------------------------------------- */

static void explain_purpose(explaining *explain)
{
    const eqp_provenance *from = &explain->model->provenance;
    eqp_buffer_printf(&explain->text, "model %s\n", explain->model->id);
    wrapped line = paragraph_begin(&explain->text, "");
    eqp_buffer_text(&explain->piece, "learned by equipoise ");
    eqp_name_show(&explain->piece, from->version, NAME_COLUMNS);
    eqp_buffer_text(&explain->piece, ":");
    put_piece(explain, &line);
    const char *const words[] = {from->method, "method", from->oracle, "oracle", from->solver, "solver"};
    for (size_t i = 0; i < 6; i += 2) {
        if (words[i][0] == '\0') continue;
        eqp_name_show(&explain->piece, words[i], NAME_COLUMNS);
        eqp_buffer_printf(&explain->piece, " %s", words[i + 1]);
        put_item(explain, &line);
    }
    paragraph_end(&line);
    eqp_buffer_printf(&explain->text,
                      "budget %g: an outcome may move the share of a group by at most that much\n",
                      from->max_disclosure);
    if (from->max_ratio > 0)
        eqp_buffer_printf(&explain->text, "ratio %g: nor may it move that share by a larger factor\n",
                          from->max_ratio);
    if (from->min_chance > 0)
        eqp_buffer_printf(&explain->text, "everybody has a chance of at least %g of the mean chance\n",
                          from->min_chance);
    if (from->max_distortion > 0) {
        eqp_buffer_printf(&explain->text, "within a group the mean may move by %g standard deviations of ",
                          from->max_distortion);
        eqp_name_show(&explain->text, from->protect, NAME_COLUMNS);
        eqp_buffer_text(&explain->text, "\n");
    }
    if (!isnan(from->confidence))
        eqp_buffer_printf(&explain->text,
                          "the budget is meant to hold in the population with %g %% confidence\n",
                          100 * from->confidence);
    if (from->strict) eqp_buffer_text(&explain->text, "every component by itself keeps the budget\n");
}

static void explain_groups(explaining *explain)
{
    const eqp_groups *groups = explain->model->groups;
    for (size_t k = 0; k < groups->group_count && k < SHOWN_GROUPS; k++) {
        const eqp_group *group = &groups->groups[k];
        if (k == 0 || group[-1].attribute != group->attribute) {
            eqp_buffer_text(&explain->text, "\n");
            eqp_buffer_text(&explain->text, "groups of \"");
            eqp_name_show(&explain->text, groups->attributes[group->attribute], 2 * NAME_COLUMNS);
            eqp_buffer_text(&explain->text, "\" and their target shares\n");
        }
        padded_name(explain, group->value, NAME_COLUMNS);
        eqp_buffer_printf(&explain->text, "%7.1f %%\n", 100 * group->target);
    }
    say_more(explain, groups->group_count, SHOWN_GROUPS, "group");
}

/* ---- columns ----------------------------------------------------------------------------------------- */

static void list_levels(explaining *explain, const eqp_feature *feature)
{
    wrapped line = paragraph_begin(&explain->text, "");
    line.indent = line.column = NAME_COLUMNS + 4;
    eqp_buffer_printf(&explain->piece, "text, %u level%s:", feature->level_count,
                      plural(feature->level_count));
    put_piece(explain, &line);
    for (uint32_t i = 0; i < feature->level_count && i < SHOWN_LEVELS; i++) {
        eqp_name_show(&explain->piece, feature->levels[i], NAME_COLUMNS);
        put_item(explain, &line);
    }
    if (feature->level_count > SHOWN_LEVELS) paragraph_item(&line, "…");
    paragraph_end(&line);
}

/* The items of a column of dates, as one list: "about 1975-06 ± 12 years", "8 ranges", "month", "weekday". */
static void explain_date(explaining *explain, size_t f)
{
    const eqp_encoding *encoding = explain->model->encoding;
    wrapped line = paragraph_begin(&explain->text, "");
    line.indent = line.column = NAME_COLUMNS + 4;
    eqp_buffer_printf(&explain->piece, "date, %s:", eqp_date_order_names[encoding->features[f].date]);
    put_piece(explain, &line);
    for (size_t i = f; i == f || (i < encoding->feature_count && eqp_feature_repeats(encoding, i)); i++) {
        const eqp_feature *one = &encoding->features[i];
        eqp_date_feature_show(&explain->piece, one);
        put_item(explain, &line);
    }
    paragraph_end(&line);
}

/* A number and its bins are one column. */
static void explain_column(explaining *explain, size_t f)
{
    const eqp_encoding *encoding = explain->model->encoding;
    const eqp_feature *feature = &encoding->features[f];
    bool binned = eqp_feature_is_binned(encoding, f);
    padded_name(explain, feature->name, NAME_COLUMNS);
    eqp_buffer_text(&explain->text, "  ");
    if (feature->date != EQP_NO_DATE) {
        explain_date(explain, f);
    } else if (feature->kind == EQP_FEATURE_LEVELS) {
        list_levels(explain, feature);
    } else if (feature->kind == EQP_FEATURE_BINS) {
        eqp_buffer_printf(&explain->text, "number, in %u ranges\n", feature->level_count);
    } else {
        eqp_buffer_printf(&explain->text, "number, about %.4g ± %.3g", feature->mean, feature->scale);
        if (binned) eqp_buffer_printf(&explain->text, ", also in %u ranges", feature[1].level_count);
        eqp_buffer_text(&explain->text, "\n");
    }
    if (feature->alone > 0)
        eqp_buffer_printf(&explain->text, "%*sby itself it discloses at least %g\n", NAME_COLUMNS + 4, "",
                          feature->alone);
}

static void explain_columns(explaining *explain)
{
    const eqp_encoding *encoding = explain->model->encoding;
    eqp_buffer_text(&explain->text, "\ncolumns the rule reads\n");
    size_t columns = 0;
    for (size_t f = 0; f < encoding->feature_count; f++)
        if (!eqp_feature_repeats(encoding, f) && columns++ < SHOWN_COLUMNS) explain_column(explain, f);
    say_more(explain, columns, SHOWN_COLUMNS, "column");
    if (encoding->feature_count == 0)
        eqp_buffer_text(&explain->text, "  none: every record is treated the same\n");
}

/* ---- scores ------------------------------------------------------------------------------------------ */

static void name_code(explaining *explain, const eqp_feature *feature, uint32_t code)
{
    eqp_name_show(&explain->piece, feature->name, NAME_COLUMNS);
    eqp_buffer_text(&explain->piece, " ");
    eqp_value_show(&explain->piece, feature, code, NAME_COLUMNS);
}

/* Whether the influence moves the score up (or down); a number does both, by its high and its low values. */
static bool name_influence(explaining *explain, const eqp_influence *influence, bool up)
{
    const eqp_feature *feature = &explain->model->encoding->features[influence->feature];
    bool raises = influence->effect > 0;
    if (feature->kind == EQP_FEATURE_NUMBER && influence->code == 0) {
        bool date = feature->date != EQP_NO_DATE;
        eqp_buffer_text(&explain->piece, raises == up ? date ? "late " : "high " : date ? "early " : "low ");
        eqp_name_show(&explain->piece, feature->name, NAME_COLUMNS);
        return true;
    }
    if (raises != up) return false;
    if (feature->kind == EQP_FEATURE_NUMBER) {
        eqp_name_show(&explain->piece, feature->name, NAME_COLUMNS);
        eqp_buffer_text(&explain->piece, " missing");
    } else {
        name_code(explain, feature, influence->code);
    }
    return true;
}

static void list_influences(explaining *explain, const char *lead, const eqp_influence *list, size_t count,
                            bool up)
{
    wrapped line = paragraph_begin(&explain->text, lead);
    size_t shown = 0;
    for (size_t i = 0; i < count && shown <= SHOWN_INFLUENCES; i++) {
        if (!name_influence(explain, &list[i], up)) continue;
        if (shown++ == SHOWN_INFLUENCES) {
            explain->piece.length = 0;
            paragraph_item(&line, "…");
            break;
        }
        put_item(explain, &line);
    }
    if (shown == 0) paragraph_add(&line, "nothing");
    paragraph_end(&line);
}

static void explain_boosted(explaining *explain, const eqp_score *score)
{
    const eqp_encoding *encoding = explain->model->encoding;
    size_t *uses = eqp_alloc_zero(encoding->feature_count, sizeof *uses);
    if (uses == NULL) {
        explain->status = eqp_fail_memory(explain->error);
        return;
    }
    eqp_score_uses(score, uses);
    wrapped line = paragraph_begin(&explain->text, "           ");
    eqp_buffer_printf(&explain->piece, "%u small tree%s, asking most about", score->tree_count,
                      plural(score->tree_count));
    put_piece(explain, &line);
    for (size_t shown = 0; shown < SHOWN_INFLUENCES; shown++) {
        size_t best = 0;
        for (size_t f = 1; f < encoding->feature_count; f++)
            if (uses[f] > uses[best]) best = f;
        if (encoding->feature_count == 0 || uses[best] == 0) break;
        eqp_name_show(&explain->piece, encoding->features[best].name, NAME_COLUMNS);
        put_item(explain, &line);
        uses[best] = 0;
    }
    paragraph_end(&line);
    free(uses);
}

/* `yes_is_up`: a large score speaks for it (argmax); in a node a small one does. */
static void explain_score(explaining *explain, const eqp_score *score, bool yes_is_up)
{
    eqp_influence *list;
    size_t count;
    if (score->tree_count > 0) {
        explain_boosted(explain, score);
        return;
    }
    explain->status = eqp_influences(explain->model->encoding, score, &list, &count, explain->error);
    if (explain->status != EQP_OK) return;
    list_influences(explain, "           for:     ", list, count, yes_is_up);
    list_influences(explain, "           against: ", list, count, !yes_is_up);
    free(list);
}

/* The whole rule in two lists, before its parts. */
static void explain_reasons(explaining *explain)
{
    eqp_influence *list;
    size_t count;
    const eqp_model *model = explain->model;
    explain->status = eqp_rule_reasons(model->encoding, model->rule, &list, &count, explain->error);
    if (explain->status != EQP_OK) return;
    if (count > 0) {
        eqp_buffer_text(&explain->text, "\nstrongest reasons, over all parts of the rule\n");
        list_influences(explain, "  for acceptance: ", list, count, true);
        list_influences(explain, "  against:        ", list, count, false);
    }
    free(list);
}

/* ---- router ------------------------------------------------------------------------------------------ */

static void explain_component(explaining *explain, const eqp_node *node, uint32_t c)
{
    const eqp_rule *rule = explain->model->rule;
    const eqp_component *component = &rule->components[node->first_component + c];
    double share = eqp_component_share(rule, node, c);
    eqp_buffer_printf(&explain->text, "  %5.1f %%  ", 100 * share);
    if (component->score == EQP_SCORE_ALWAYS || component->score == EQP_SCORE_NEVER) {
        eqp_buffer_text(&explain->text,
                        component->score == EQP_SCORE_ALWAYS ? "always yes\n" : "always no\n");
        return;
    }
    eqp_buffer_printf(&explain->text, "yes when score %u is below %.6g\n", component->score + 1,
                      component->threshold);
    explain_score(explain, &rule->scores[component->score], false);
}

static void name_child(explaining *explain, const char *answer, int32_t child)
{
    const eqp_rule *rule = explain->model->rule;
    if (child >= 0)
        eqp_buffer_printf(&explain->text, "  %-3s -> step %d\n", answer, child + 1);
    else
        eqp_buffer_printf(&explain->text, "  %-3s -> leaf %d, accepted with probability %.4g\n", answer,
                          ~child + 1, rule->accept[~child]);
}

static void explain_node(explaining *explain, size_t n)
{
    const eqp_node *node = &explain->model->rule->nodes[n];
    uint32_t count = node->component_count;
    eqp_buffer_printf(&explain->text, "\nstep %zu: ", n + 1);
    if (count == 1)
        eqp_buffer_text(&explain->text, "one component decides\n");
    else
        eqp_buffer_printf(&explain->text, "the draw picks which of %u components decides\n", count);
    for (uint32_t c = 0; c < count && c < SHOWN_COMPONENTS && explain->status == EQP_OK; c++)
        explain_component(explain, node, c);
    say_more(explain, count, SHOWN_COMPONENTS, "component");
    name_child(explain, "yes", node->child[1]);
    name_child(explain, "no", node->child[0]);
}

static void explain_argmax(explaining *explain)
{
    const eqp_rule *rule = explain->model->rule;
    eqp_buffer_text(&explain->text, "\nthe largest of its scores sends a record to that leaf\n");
    for (size_t i = 0; i < rule->score_count && i < SHOWN_NODES && explain->status == EQP_OK; i++) {
        eqp_buffer_printf(&explain->text, "  leaf %zu\n", i + 1);
        explain_score(explain, &rule->scores[i], true);
    }
    say_more(explain, rule->score_count, SHOWN_NODES, "score");
}

static void explain_router(explaining *explain)
{
    const eqp_rule *rule = explain->model->rule;
    if (rule->router == EQP_ROUTE_ARGMAX) explain_argmax(explain);
    if (rule->router == EQP_ROUTE_LEVELS) {
        eqp_buffer_text(&explain->text, "\nthe value of \"");
        eqp_name_show(&explain->text, explain->model->encoding->features[0].name, NAME_COLUMNS);
        eqp_buffer_text(&explain->text, "\" sends a record to its leaf\n");
    }
    for (size_t n = 0; n < rule->node_count && n < SHOWN_NODES && explain->status == EQP_OK; n++)
        explain_node(explain, n);
    say_more(explain, rule->node_count, SHOWN_NODES, "step");
    if (rule->noise > 0)
        eqp_buffer_printf(&explain->text, "\nwith probability %.4g the leaf is a random one instead\n",
                          rule->noise);
}

/* ---- leaves ------------------------------------------------------------------------------------------ */

static void name_leaf(explaining *explain, size_t leaf)
{
    if (explain->model->rule->router == EQP_ROUTE_LEVELS)
        name_code(explain, &explain->model->encoding->features[0], (uint32_t)leaf);
    else
        eqp_buffer_printf(&explain->piece, "%zu", leaf + 1);
    char *name = eqp_copy_text(explain->piece.bytes ? explain->piece.bytes : "", explain->piece.length);
    if (name == NULL) explain->status = eqp_fail_memory(explain->error);
    if (name != NULL) padded_name(explain, name, NAME_COLUMNS);
    free(name);
}

static void explain_leaves(explaining *explain)
{
    const eqp_rule *rule = explain->model->rule;
    eqp_buffer_printf(&explain->text, "\n  %-*s  of candidates   accepted\n", NAME_COLUMNS, "leaf");
    for (size_t leaf = 0; leaf < rule->leaf_count && explain->status == EQP_OK; leaf++) {
        if (leaf >= SHOWN_LEAVES) continue;
        name_leaf(explain, leaf);
        eqp_buffer_printf(&explain->text, "  %11.2f %%  %7.2f %%\n", 100 * rule->share[leaf],
                          100 * rule->accept[leaf]);
    }
    if (rule->leaf_count > SHOWN_LEAVES)
        eqp_buffer_printf(&explain->text, "  … and %zu more leaves\n", rule->leaf_count - SHOWN_LEAVES);
}

static void explain_yield(explaining *explain)
{
    const eqp_rule *rule = explain->model->rule;
    double yield = 0;
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++) yield += rule->share[leaf] * rule->accept[leaf];
    eqp_buffer_printf(&explain->text, "\nabout %.3g %% of candidates are accepted", 100 * yield);
    if (yield > 0 && yield < 0.35) eqp_buffer_printf(&explain->text, ", 1 in %.0f", 1 / yield);
    eqp_buffer_text(&explain->text, "\n");
}

/* A rule that can be read as a table. */
static void explain_cell(explaining *explain, size_t leaf)
{
    const eqp_rule *rule = explain->model->rule;
    char lead[64], *words, *rest;
    explain->status = eqp_cell_words(explain->model, leaf, &words, explain->error);
    if (explain->status != EQP_OK) return;
    snprintf(lead, sizeof lead, "  %6.1f %%  %11.2f %%   ", 100 * rule->accept[leaf],
             100 * rule->share[leaf]);
    wrapped line = paragraph_begin(&explain->text, lead);
    rest = words;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) paragraph_add(&line, word);
    paragraph_end(&line);
    free(words);
}

static void explain_cells(explaining *explain)
{
    eqp_buffer_text(&explain->text, "\nthe whole rule: who is accepted with which chance\n\n"
                                    "  accepted  of candidates  who\n");
    for (size_t leaf = 0; leaf < explain->model->rule->leaf_count && explain->status == EQP_OK; leaf++)
        explain_cell(explain, leaf);
}

eqp_status eqp_model_explain(const eqp_model *model, char **text, eqp_error *error)
{
    *text = NULL;
    explaining explain = {.model = model, .error = error, .status = EQP_OK};
    explain_purpose(&explain);
    explain_groups(&explain);
    explain_columns(&explain);
    bool readable = eqp_rule_is_readable(model);
    if (explain.status == EQP_OK && readable) explain_cells(&explain);
    if (explain.status == EQP_OK && !readable) explain_reasons(&explain);
    if (explain.status == EQP_OK && !readable) explain_router(&explain);
    if (explain.status == EQP_OK && !readable) explain_leaves(&explain);
    if (explain.status == EQP_OK) explain_yield(&explain);
    explain.text.failed |= explain.piece.failed;
    eqp_buffer_free(&explain.piece);
    if (explain.status == EQP_OK) return eqp_buffer_take(&explain.text, text, error);
    eqp_buffer_free(&explain.text);
    return explain.status;
}
