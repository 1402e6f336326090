/* The rule as one C file: a head, the rule as tables, then the fixed text of c_runtime.c.in.
 *
 * Names chosen by users occur in string literals alone, never in comments or identifiers. */
#include "export/c_source.h"

#include "base/buffer.h"
#include "base/number.h"
#include "export/c_runtime.h"
#include "export/dialect.h"
#include "model/identity.h"
#include "table/missing.h"

#include <inttypes.h>
#include <string.h>

typedef struct c_writer {
    const eqp_model *model;
    bool permanent;
    eqp_missing missing;
    eqp_buffer out;
} c_writer;

/* ---- literals ---------------------------------------------------------------------------------------- */

/* Octal escapes have at most three digits, so that what follows is not taken for one. */
static void add_text(eqp_buffer *out, const char *text)
{
    eqp_buffer_text(out, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\' || c == '?') /* "??" begins a trigraph */
            eqp_buffer_printf(out, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            eqp_buffer_printf(out, "\\%03o", c);
        else
            eqp_buffer_add(out, text, 1);
    }
    eqp_buffer_text(out, "\"");
}

static void add_draw(eqp_buffer *out, double probability)
{
    eqp_buffer_printf(out, "UINT64_C(%" PRIu64 ")", eqp_draw_threshold(probability));
}

/* No array of C is empty: an entry that nobody reads ends each. */
static void open_array(c_writer *writer, const char *declaration)
{
    eqp_buffer_printf(&writer->out, "static const %s = {\n", declaration);
}

static void close_array(c_writer *writer, const char *filler)
{
    eqp_buffer_printf(&writer->out, "%s};\n", filler);
}

/* ---- what a caller sees ------------------------------------------------------------------------------ */

static bool counts(const eqp_encoding *encoding, size_t f, bool texts)
{
    return eqp_feature_reads_text(&encoding->features[f]) == texts && !eqp_feature_repeats(encoding, f);
}

static size_t count_columns(const eqp_encoding *encoding, bool texts)
{
    size_t count = 0;
    for (size_t f = 0; f < encoding->feature_count; f++) count += counts(encoding, f, texts);
    return count;
}

static void write_columns(c_writer *writer, const char *name, bool texts)
{
    const eqp_encoding *encoding = writer->model->encoding;
    eqp_buffer_printf(&writer->out, "const char *const %s[] = {\n", name);
    for (size_t f = 0; f < encoding->feature_count; f++) {
        if (!counts(encoding, f, texts)) continue;
        eqp_buffer_text(&writer->out, "    ");
        add_text(&writer->out, encoding->features[f].name);
        eqp_buffer_text(&writer->out, ",\n");
    }
    close_array(writer, "    0");
}

static void write_head(c_writer *writer)
{
    const eqp_encoding *encoding = writer->model->encoding;
    eqp_buffer_printf(
        &writer->out,
        "/* A selection rule of equipoise %s, model %s, without dependencies.\n"
        " *\n"
        " * equipoise_decide gives 1 for an accepted record, 0 for another: the decisions of\n"
        " * \"equipoise filter\".  It gives -1 without a key of 64 lower-case hexadecimal digits, without\n"
        " * an id, and for an infinite number.  Values stand in the order of equipoise_number_columns and\n"
        " * equipoise_text_columns; a missing number is NaN, a missing text NULL.  A date is a text.\n"
        " *\n"
        " * equipoise_number reads the text of a number as \"equipoise filter\" does, NaN where it is\n"
        " * missing; it gives 0 for a text that is not a number. */\n"
        "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
        "#include <string.h>\n\n"
        "#define EQUIPOISE_MODEL \"%s\"\n#define EQUIPOISE_DRAWS \"%s\"\n"
        "enum { EQUIPOISE_NUMBERS = %zu, EQUIPOISE_TEXTS = %zu };\n\n"
        "struct equipoise_record {\n    const double *numbers;\n    const char *const *texts;\n};\n\n"
        "extern const char *const equipoise_number_columns[], *const equipoise_text_columns[];\n"
        "int equipoise_decide(const struct equipoise_record *record, const char *key, const char *id);\n"
        "int equipoise_number(const char *text, double *value);\n\n",
        eqp_version(), writer->model->id, writer->model->id,
        writer->permanent ? EQP_PERMANENT : writer->model->id, count_columns(encoding, false),
        count_columns(encoding, true));
    write_columns(writer, "equipoise_number_columns", false);
    write_columns(writer, "equipoise_text_columns", true);
}

static void write_sizes(c_writer *writer, const eqp_key *key)
{
    static const char *const routers[] = {
        [EQP_ROUTE_TREE] = "TREE", [EQP_ROUTE_ARGMAX] = "ARGMAX", [EQP_ROUTE_LEVELS] = "CODE"};
    const eqp_rule *rule = writer->model->rule;
    eqp_buffer_printf(&writer->out,
                      "\n/* ---- the rule as tables ---- */\n\n"
                      "enum { NUMBER, LEVELS, BINS };\nenum { NO_DATE, YEAR_FIRST, DAY_FIRST, MONTH_FIRST "
                      "};\nenum { ALWAYS = -1, NEVER = -2 };\n"
                      "enum { TREE, ARGMAX, CODE, ROUTER = %s };\n"
                      "enum { NOISE = %d, FEATURES = %zu, NODES = %zu, LEAVES = %zu, MARKS = %zu };\n"
                      "enum { POINT = '%c', MOST_DIGITS = %d };\n\n",
                      routers[rule->router], rule->noise > 0, writer->model->encoding->feature_count,
                      rule->node_count, rule->leaf_count, writer->missing.count,
                      writer->model->encoding->decimal, EQP_NUMBER_DIGITS);
    eqp_buffer_text(&writer->out, "static const char *const built_in_key = ");
    if (key != NULL)
        add_text(&writer->out, key->hex);
    else
        eqp_buffer_text(&writer->out, "0");
    eqp_buffer_text(&writer->out, ";\nstatic const uint64_t noise_below = ");
    add_draw(&writer->out, rule->noise);
    eqp_buffer_text(&writer->out, ";\n");
}

/* ---- features ---------------------------------------------------------------------------------------- */

static void write_marks(c_writer *writer)
{
    open_array(writer, "char *const marks[]");
    for (size_t i = 0; i < writer->missing.count; i++) {
        add_text(&writer->out, writer->missing.marks[i]);
        eqp_buffer_text(&writer->out, ", ");
    }
    close_array(writer, "0");
}

static void write_levels(c_writer *writer)
{
    const eqp_encoding *encoding = writer->model->encoding;
    open_array(writer, "char *const level_texts[]");
    for (size_t f = 0; f < encoding->feature_count; f++)
        for (uint32_t i = 0;
             encoding->features[f].kind == EQP_FEATURE_LEVELS && i < encoding->features[f].level_count; i++) {
            add_text(&writer->out, encoding->features[f].levels[i]);
            eqp_buffer_text(&writer->out, ",\n");
        }
    close_array(writer, "\"\"");
}

static void write_cuts(c_writer *writer)
{
    const eqp_encoding *encoding = writer->model->encoding;
    open_array(writer, "double cuts[]");
    for (size_t f = 0; f < encoding->feature_count; f++)
        for (uint32_t i = 0;
             encoding->features[f].kind == EQP_FEATURE_BINS && i + 1 < encoding->features[f].level_count;
             i++) {
            eqp_quote_double(encoding->features[f].cuts[i], &writer->out);
            eqp_buffer_text(&writer->out, ",\n");
        }
    close_array(writer, "0");
}

static void write_features(c_writer *writer)
{
    static const char *const kinds[] = {
        [EQP_FEATURE_NUMBER] = "NUMBER", [EQP_FEATURE_LEVELS] = "LEVELS", [EQP_FEATURE_BINS] = "BINS"};
    const eqp_encoding *encoding = writer->model->encoding;
    size_t first[] = {[EQP_FEATURE_NUMBER] = 0, [EQP_FEATURE_LEVELS] = 0, [EQP_FEATURE_BINS] = 0};
    size_t columns[] = {[false] = 0, [true] = 0}; /* of numbers, of texts, so far */
    static const char *const dates[] = {"NO_DATE", "YEAR_FIRST", "DAY_FIRST", "MONTH_FIRST"};
    eqp_buffer_text(&writer->out, "struct feature {\n    int kind, column, levels;\n"
                                  "    int first; /* of its levels or cuts */\n    int slot;\n"
                                  "    int date, parts; /* 12: levels are months; 7: weekdays */\n};\n");
    open_array(writer, "struct feature features[]");
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        bool text = eqp_feature_reads_text(feature);
        uint32_t parts = 0;
        if (feature->part != EQP_NO_PART) eqp_part_names(feature->part, &parts);
        size_t column = columns[text] - eqp_feature_repeats(encoding, f);
        eqp_buffer_printf(&writer->out, "    {%s, %zu, %u, %zu, %u, %s, %u},\n", kinds[feature->kind], column,
                          feature->level_count, first[feature->kind], feature->slot, dates[feature->date],
                          parts);
        columns[text] += counts(encoding, f, text);
        first[feature->kind] += feature->level_count - (feature->kind == EQP_FEATURE_BINS);
    }
    close_array(writer, "    {0, 0, 0, 0, 0, 0, 0}");
}

/* ---- scores ------------------------------------------------------------------------------------------ */

static size_t term_count(const c_writer *writer, const eqp_score *score)
{
    return score->tree_count > 0 ? 1 : writer->model->encoding->width;
}

static void write_terms(c_writer *writer)
{
    const eqp_rule *rule = writer->model->rule;
    open_array(writer, "double terms[]");
    for (size_t s = 0; s < rule->score_count; s++)
        for (size_t i = 0; i < term_count(writer, &rule->scores[s]); i++) {
            eqp_quote_double(rule->scores[s].terms[i], &writer->out);
            eqp_buffer_text(&writer->out, ",\n");
        }
    close_array(writer, "0");
}

static void write_scores(c_writer *writer)
{
    const eqp_rule *rule = writer->model->rule;
    size_t first_term = 0, first_tree = 0;
    eqp_buffer_text(&writer->out,
                    "struct score {\n    int terms; /* the first; of trees the intercept alone */\n"
                    "    int first_tree, trees;\n};\n");
    open_array(writer, "struct score scores[]");
    for (size_t s = 0; s < rule->score_count; s++) {
        eqp_buffer_printf(&writer->out, "    {%zu, %zu, %u},\n", first_term, first_tree,
                          rule->scores[s].tree_count);
        first_term += term_count(writer, &rule->scores[s]);
        first_tree += rule->scores[s].tree_count;
    }
    close_array(writer, "    {0, 0, 0}");
}

static size_t branch_count(const eqp_score *score)
{
    return score->tree_count > 0 ? score->tree_start[score->tree_count] : 0;
}

static void write_branch(c_writer *writer, const eqp_branch *branch, size_t tree)
{
    bool ends = branch->feature < 0;
    eqp_buffer_printf(&writer->out, "    {%d, %u, %zu, %zu, %d, ", branch->feature, branch->code,
                      ends ? 0 : tree + branch->yes, ends ? 0 : tree + branch->no, branch->missing_yes);
    eqp_quote_double(ends ? 0 : branch->cut, &writer->out);
    eqp_buffer_text(&writer->out, ", ");
    eqp_quote_double(ends ? branch->value : 0, &writer->out);
    eqp_buffer_text(&writer->out, "},\n");
}

static void write_branches(c_writer *writer)
{
    const eqp_rule *rule = writer->model->rule;
    size_t first = 0;
    eqp_buffer_text(&writer->out, "struct branch {\n    int feature, code, yes, no, missing_yes;\n"
                                  "    double cut, value;\n};\n");
    open_array(writer, "struct branch branches[]");
    for (size_t s = 0; s < rule->score_count; first += branch_count(&rule->scores[s++])) {
        const eqp_score *score = &rule->scores[s];
        for (uint32_t tree = 0; tree < score->tree_count; tree++)
            for (uint32_t b = score->tree_start[tree]; b < score->tree_start[tree + 1]; b++)
                write_branch(writer, &score->branches[b], first + score->tree_start[tree]);
    }
    close_array(writer, "    {-1, 0, 0, 0, 0, 0, 0}");
    open_array(writer, "int roots[]");
    first = 0;
    for (size_t s = 0; s < rule->score_count; first += branch_count(&rule->scores[s++]))
        for (uint32_t tree = 0; tree < rule->scores[s].tree_count; tree++)
            eqp_buffer_printf(&writer->out, "%zu,\n", first + rule->scores[s].tree_start[tree]);
    close_array(writer, "0");
}

/* ---- router ------------------------------------------------------------------------------------------ */

static void write_component(c_writer *writer, const eqp_component *component, double sum)
{
    eqp_buffer_text(&writer->out, "    {");
    add_draw(&writer->out, sum);
    if (component->score < writer->model->rule->score_count)
        eqp_buffer_printf(&writer->out, ", %u, ", component->score);
    else
        eqp_buffer_printf(&writer->out, ", %s, ", component->score == EQP_SCORE_ALWAYS ? "ALWAYS" : "NEVER");
    eqp_quote_double(component->threshold, &writer->out);
    eqp_buffer_text(&writer->out, "},\n");
}

/* Written node by node, whatever their order in the model. */
static void write_nodes(c_writer *writer)
{
    const eqp_rule *rule = writer->model->rule;
    size_t first = 0;
    eqp_buffer_text(&writer->out,
                    "struct component {\n    uint64_t below; /* the end of its stretch of draws */\n"
                    "    int score;\n    double threshold;\n};\n");
    open_array(writer, "struct component components[]");
    for (size_t n = 0; n < rule->node_count; n++) {
        double sum = 0;
        for (uint32_t c = 0; c < rule->nodes[n].component_count; c++) {
            const eqp_component *component = &rule->components[rule->nodes[n].first_component + c];
            write_component(writer, component, sum += component->weight);
        }
    }
    close_array(writer, "    {0, NEVER, 0}");
    eqp_buffer_text(
        &writer->out,
        "struct node {\n    int first, count;\n    int child[2]; /* below 0: leaf ~child */\n};\n");
    open_array(writer, "struct node nodes[]");
    for (size_t n = 0; n < rule->node_count; first += rule->nodes[n++].component_count)
        eqp_buffer_printf(&writer->out, "    {%zu, %u, {%d, %d}},\n", first, rule->nodes[n].component_count,
                          rule->nodes[n].child[0], rule->nodes[n].child[1]);
    close_array(writer, "    {0, 0, {-1, -1}}");
}

static void write_acceptance(c_writer *writer)
{
    const eqp_rule *rule = writer->model->rule;
    open_array(writer, "uint64_t accept_below[]");
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++) {
        add_draw(&writer->out, rule->accept[leaf]);
        eqp_buffer_text(&writer->out, ",\n");
    }
    close_array(writer, "0");
}

eqp_status eqp_c_source(const eqp_model *model, const eqp_key *key, bool permanent, char **text,
                        eqp_error *error)
{
    *text = NULL;
    c_writer writer = {.model = model, .permanent = permanent};
    eqp_status status = eqp_missing_init(&writer.missing, model->encoding->missing_marks, error);
    if (status != EQP_OK) return status;
    write_head(&writer);
    write_sizes(&writer, key);
    write_marks(&writer);
    write_levels(&writer);
    write_cuts(&writer);
    write_features(&writer);
    write_terms(&writer);
    write_scores(&writer);
    write_branches(&writer);
    write_nodes(&writer);
    write_acceptance(&writer);
    eqp_buffer_text(&writer.out, eqp_c_runtime);
    eqp_missing_free(&writer.missing);
    return eqp_buffer_take(&writer.out, text, error);
}
