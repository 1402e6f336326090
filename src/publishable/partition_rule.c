/* A partition as a rule, with an encoding that knows nothing but its questions.
 *
 *     questions -> order of fewest leaves -> tree: every node asks one question about one column
 *     columns   -> only those asked about; of a number the cuts of its questions, of levels the names that an
 *                  answer depends on, no means, no scales
 *
 * Cells with the same chance that hang at the same node become one leaf.  A combination of answers that
 * nobody had goes with its neighbour. */
#include "publishable/publishable.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct publishing {
    const eqp_asked_columns *columns;
    const eqp_partition *partition;
    const double *accept, *share; /* of the cells */
    size_t order[EQP_MOST_QUESTIONS];
    eqp_encoding *encoding;
    eqp_rule *rule;
    size_t feature_of[EQP_MOST_QUESTIONS]; /* of the encoding, by question */
    size_t score_of[EQP_MOST_QUESTIONS];
} publishing;

/* ---- the tree ------------------------------------------------------------------------------------------ */

/* The cells below a node: those whose first `depth` questions, in order, are answered as in `cell`. */
static bool is_below(const publishing *p, size_t cell, size_t depth, size_t other)
{
    for (size_t d = 0; d < depth; d++)
        if ((cell ^ other) >> p->order[d] & 1) return false;
    return true;
}

/* Whether all people below a node have one chance; `cell` becomes one that somebody is in.  Empty where
 * nobody is below. */
typedef struct below {
    bool anybody, alike;
    double accept, share;
} below;

static below look_below(const publishing *p, size_t cell, size_t depth)
{
    below found = {.alike = true};
    for (size_t c = 0; c < (size_t)1 << p->partition->count; c++) {
        if (!is_below(p, cell, depth, c) || !(p->share[c] > 0)) continue;
        if (!found.anybody) found.accept = p->accept[c];
        found.alike = found.alike && p->accept[c] == found.accept;
        found.anybody = true;
        found.share += p->share[c];
    }
    return found;
}

static size_t count_leaves(const publishing *p, size_t cell, size_t depth)
{
    below here = look_below(p, cell, depth);
    if (!here.anybody) return 0;
    if (here.alike) return 1;
    size_t bit = (size_t)1 << p->order[depth];
    return count_leaves(p, cell & ~bit, depth + 1) + count_leaves(p, cell | bit, depth + 1);
}

/* All orders of the questions, by exchanges (Heap's algorithm); the first of those with fewest leaves stays.
 */
static void try_orders(publishing *p, size_t *order, size_t count, size_t *fewest, size_t *best)
{
    if (count <= 1) {
        memcpy(p->order, order, p->partition->count * sizeof *order);
        size_t leaves = count_leaves(p, 0, 0);
        if (leaves < *fewest) {
            *fewest = leaves;
            memcpy(best, order, p->partition->count * sizeof *order);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        try_orders(p, order, count - 1, fewest, best);
        size_t other = count % 2 == 0 ? i : 0, last = order[count - 1];
        order[count - 1] = order[other];
        order[other] = last;
    }
}

static size_t choose_order(publishing *p)
{
    size_t order[EQP_MOST_QUESTIONS], best[EQP_MOST_QUESTIONS], fewest = SIZE_MAX;
    for (size_t q = 0; q < p->partition->count; q++) order[q] = best[q] = q;
    try_orders(p, order, p->partition->count, &fewest, best);
    memcpy(p->order, best, sizeof best);
    return fewest == SIZE_MAX ? 1 : fewest;
}

/* Which questions the tree asks at all. */
static void find_asked(const publishing *p, size_t cell, size_t depth, bool *asked)
{
    below here = look_below(p, cell, depth);
    if (!here.anybody || here.alike) return;
    size_t question = p->order[depth], bit = (size_t)1 << question;
    if (look_below(p, cell & ~bit, depth + 1).anybody && look_below(p, cell | bit, depth + 1).anybody)
        asked[question] = true;
    find_asked(p, cell & ~bit, depth + 1, asked);
    find_asked(p, cell | bit, depth + 1, asked);
}

/* ---- the encoding -------------------------------------------------------------------------------------- */

/* The answers to all questions asked about a column, as bits. */
static uint32_t answers_of(const publishing *p, const bool *asked, uint32_t column, uint32_t code)
{
    uint32_t answers = 0;
    for (size_t q = 0; q < p->partition->count; q++)
        if (asked[q] && p->partition->questions[q].column == column)
            answers |= (uint32_t)eqp_says_yes(&p->partition->questions[q], code) << q;
    return answers;
}

/* A bin ends where some answer changes. */
static bool publish_bins(const publishing *p, const bool *asked, uint32_t c, eqp_feature *made)
{
    const eqp_feature *full = p->columns->columns[c].feature;
    uint32_t bins = full->level_count;
    made->cuts = eqp_alloc(bins, sizeof *made->cuts);
    made->shares = eqp_alloc_zero((size_t)bins + 2, sizeof *made->shares);
    if (made->cuts == NULL || made->shares == NULL) return false;
    made->level_count = 1;
    for (uint32_t b = 0; b < bins; b++) {
        if (b > 0 && answers_of(p, asked, c, b) != answers_of(p, asked, c, b - 1))
            made->cuts[made->level_count++ - 1] = full->cuts[b - 1];
        made->shares[made->level_count - 1] += full->shares[b];
    }
    made->shares[EQP_MISSING(made)] = made->missing_share = full->missing_share;
    return true;
}

/* A level is named when its answers are not those of unknown levels. */
static bool publish_levels(const publishing *p, const bool *asked, uint32_t c, eqp_feature *made)
{
    const eqp_asked_column *column = &p->columns->columns[c];
    const eqp_feature *full = column->feature;
    uint32_t other = answers_of(p, asked, c, EQP_OTHER(full));
    made->levels = eqp_alloc_zero(full->level_count, sizeof *made->levels);
    made->shares = eqp_alloc_zero((size_t)full->level_count + 2, sizeof *made->shares);
    if (made->levels == NULL || made->shares == NULL) return false;
    double rest = full->shares[EQP_OTHER(full)];
    for (uint32_t code = 0; code < full->level_count; code++) {
        if (!column->used[code] || answers_of(p, asked, c, code) == other) {
            rest += full->shares[code];
            continue;
        }
        char *name = eqp_copy_text(full->levels[code], strlen(full->levels[code]));
        if (name == NULL) return false;
        made->shares[made->level_count] = full->shares[code];
        made->levels[made->level_count++] = name;
    }
    made->shares[EQP_OTHER(made)] = fmin(1, rest);
    made->shares[EQP_MISSING(made)] = made->missing_share = full->missing_share;
    return true;
}

static bool publish_column(publishing *p, const bool *asked, uint32_t c)
{
    const eqp_feature *full = p->columns->columns[c].feature;
    eqp_feature *made = &p->encoding->features[p->encoding->feature_count++];
    made->kind = full->kind;
    made->date = full->date;
    made->part = full->part;
    made->scale = 1;
    made->name = eqp_copy_text(full->name, strlen(full->name));
    if (made->name == NULL) return false;
    bool published =
        made->kind == EQP_FEATURE_BINS ? publish_bins(p, asked, c, made) : publish_levels(p, asked, c, made);
    for (uint32_t code = 0; published && code < made->level_count + 2; code++)
        made->shares[code] = round(1000 * made->shares[code]) / 1000; /* sums of rounded ones */
    return published;
}

static eqp_status publish_encoding(publishing *p, const bool *asked, eqp_error *error)
{
    const eqp_encoding *full = p->columns->encoding;
    eqp_encoding *made = p->encoding = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->decimal = full->decimal;
    made->missing_marks = eqp_copy_text(full->missing_marks, strlen(full->missing_marks));
    made->features = eqp_alloc_zero(EQP_MOST_QUESTIONS, sizeof *made->features);
    if (made->missing_marks == NULL || made->features == NULL) return eqp_fail_memory(error);
    for (uint32_t c = 0; c < p->columns->count; c++) { /* in the order of the table */
        bool used = false;
        for (size_t q = 0; q < p->partition->count; q++)
            if (asked[q] && p->partition->questions[q].column == c) {
                p->feature_of[q] = made->feature_count;
                used = true;
            }
        if (used && !publish_column(p, asked, c)) return eqp_fail_memory(error);
    }
    return eqp_encoding_number_slots(made, error);
}

/* ---- the rule ------------------------------------------------------------------------------------------ */

/* The code of the full column that a published code stands for. */
static uint32_t full_code(const eqp_feature *full, const eqp_feature *made, uint32_t code)
{
    if (code == EQP_MISSING(made)) return EQP_MISSING(full);
    if (code == EQP_OTHER(made)) return EQP_OTHER(full);
    if (made->kind == EQP_FEATURE_LEVELS)
        return eqp_feature_level(full, made->levels[code], strlen(made->levels[code]));
    uint32_t bin = 0; /* the first bin of the stretch: a cut is the low end of a bin */
    if (code > 0)
        while (full->cuts[bin] < made->cuts[code - 1]) bin++;
    return code == 0 ? 0 : bin + 1;
}

/* yes is -1, below the threshold of -½; no is 0. */
static bool publish_question(publishing *p, size_t q)
{
    const eqp_question *question = &p->partition->questions[q];
    const eqp_feature *full = p->columns->columns[question->column].feature;
    const eqp_feature *made = &p->encoding->features[p->feature_of[q]];
    eqp_score *score = &p->rule->scores[p->score_of[q] = p->rule->score_count++];
    score->terms = eqp_alloc_zero(p->encoding->width, sizeof *score->terms);
    if (score->terms == NULL) return false;
    for (uint32_t code = 0; code < made->level_count + 2; code++)
        if (eqp_says_yes(question, full_code(full, made, code))) score->terms[made->slot + code] = -1;
    return true;
}

static int32_t publish_leaf(publishing *p, below here)
{
    size_t leaf = p->rule->leaf_count++;
    p->rule->accept[leaf] = here.accept;
    p->rule->share[leaf] = eqp_share_rounded(fmin(1, here.share));
    return ~(int32_t)leaf;
}

static int32_t publish_node(publishing *p, size_t cell, size_t depth)
{
    below here = look_below(p, cell, depth);
    assert(here.anybody);
    if (here.alike) return publish_leaf(p, here);
    size_t question = p->order[depth], bit = (size_t)1 << question;
    bool no = look_below(p, cell & ~bit, depth + 1).anybody,
         yes = look_below(p, cell | bit, depth + 1).anybody;
    if (!no || !yes) return publish_node(p, yes ? cell | bit : cell & ~bit, depth + 1);
    eqp_rule *rule = p->rule;
    size_t own = rule->node_count++;
    rule->components[own] = (eqp_component){1, (uint32_t)p->score_of[question], -0.5};
    rule->component_count = rule->node_count;
    rule->nodes[own] = (eqp_node){.first_component = (uint32_t)own, .component_count = 1};
    int32_t yes_child = publish_node(p, cell | bit, depth + 1);
    int32_t no_child = publish_node(p, cell & ~bit, depth + 1);
    rule->nodes[own].child[1] = yes_child;
    rule->nodes[own].child[0] = no_child;
    return (int32_t)own;
}

static eqp_status publish_rule(publishing *p, const bool *asked, size_t leaves, eqp_error *error)
{
    eqp_rule_size size = {
        .scores = EQP_MOST_QUESTIONS, .components = leaves, .nodes = leaves, .leaves = leaves};
    eqp_status status = eqp_rule_new(EQP_ROUTE_TREE, &size, &p->rule, error);
    if (status != EQP_OK) return status;
    for (size_t q = 0; q < p->partition->count; q++)
        if (asked[q] && !publish_question(p, q)) return eqp_fail_memory(error);
    p->rule->leaf_count = 0;
    publish_node(p, 0, 0);
    assert(p->rule->leaf_count == leaves && p->rule->node_count + 1 == leaves);
    return EQP_OK;
}

/* What nobody learned from had, a missing cell or an unknown level, is answered as most people answer. */
static void answer_unknown(const eqp_asked_column *column, eqp_question *question)
{
    const eqp_feature *feature = column->feature;
    const uint32_t unknown[] = {EQP_OTHER(feature), EQP_MISSING(feature)};
    double yes = 0, no = 0;
    for (uint32_t code = 0; code < column->codes; code++)
        *(eqp_says_yes(question, code) ? &yes : &no) += feature->shares[code];
    for (size_t i = 0; i < 2; i++) {
        uint64_t bit = UINT64_C(1) << unknown[i] % 64, *word = &question->yes[unknown[i] / 64];
        if (!column->used[unknown[i]]) *word = yes > no ? *word | bit : *word & ~bit;
    }
}

eqp_status eqp_partition_publish(const eqp_asked_columns *columns, const eqp_partition *found,
                                 const double *accept, const double *share, eqp_encoding **encoding,
                                 eqp_rule **rule, eqp_error *error)
{
    eqp_partition partition = *found;
    for (size_t q = 0; q < partition.count; q++)
        answer_unknown(&columns->columns[partition.questions[q].column], &partition.questions[q]);
    publishing p = {.columns = columns, .partition = &partition, .accept = accept, .share = share};
    bool asked[EQP_MOST_QUESTIONS] = {false};
    size_t leaves = choose_order(&p);
    *encoding = NULL;
    *rule = NULL;
    find_asked(&p, 0, 0, asked);
    eqp_status status = publish_encoding(&p, asked, error);
    if (status == EQP_OK) status = publish_rule(&p, asked, leaves, error);
    if (status != EQP_OK) {
        eqp_encoding_free(p.encoding);
        eqp_rule_free(p.rule);
        return status;
    }
    *encoding = p.encoding;
    *rule = p.rule;
    return EQP_OK;
}
