/* Ranking what moves a score. */
#include "model/influence.h"

#include "base/memory.h"
#include "model/paragraph.h"

#include <math.h>

static int by_rank(const void *left, const void *right)
{
    const eqp_influence *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? 1 : -1;
    if (a->feature != b->feature) return a->feature > b->feature ? 1 : -1;
    return (a->code > b->code) - (a->code < b->code);
}

static size_t add_influence(eqp_influence *list, size_t count, size_t feature, uint32_t code, double effect,
                            double share)
{
    double rank = fabs(effect) * sqrt(share);
    if (!(rank > 0) || !isfinite(rank)) return count;
    list[count] = (eqp_influence){feature, code, effect, rank};
    return count + 1;
}

/* A number moves the score by its slope times one standard deviation; a missing one against the mean. */
static size_t number_influences(const eqp_feature *feature, size_t f, const double *terms,
                                eqp_influence *list, size_t count)
{
    count = add_influence(list, count, f, 0, terms[0] * feature->scale, 1);
    return add_influence(list, count, f, 1, terms[1] - terms[0] * feature->mean, feature->missing_share);
}

static size_t code_influences(const eqp_feature *feature, size_t f, const double *terms, eqp_influence *list,
                              size_t count)
{
    double average = 0, total = 0;
    for (uint32_t code = 0; code < feature->slots; code++) {
        average += feature->shares[code] * terms[code];
        total += feature->shares[code];
    }
    if (total > 0) average /= total;
    for (uint32_t code = 0; code < feature->slots; code++)
        count = add_influence(list, count, f, code, terms[code] - average, feature->shares[code]);
    return count;
}

eqp_status eqp_influences(const eqp_encoding *encoding, const eqp_score *score, eqp_influence **list,
                          size_t *count, eqp_error *error)
{
    *count = 0;
    *list = eqp_alloc(encoding->width, sizeof **list);
    if (*list == NULL) return eqp_fail_memory(error);
    for (size_t f = 0; f < encoding->feature_count && score->tree_count == 0; f++) {
        const eqp_feature *feature = &encoding->features[f];
        const double *terms = score->terms + feature->slot;
        *count = feature->kind == EQP_FEATURE_NUMBER ? number_influences(feature, f, terms, *list, *count)
                                                     : code_influences(feature, f, terms, *list, *count);
    }
    qsort(*list, *count, sizeof **list, by_rank);
    return EQP_OK;
}

/* ---- of a whole rule ----------------------------------------------------------------------------------- */

typedef struct side {
    double people, accepted;
} side;

/* Who comes below a child.  Children stand behind their parents, so `nodes` is known from the back. */
static side side_of(const eqp_rule *rule, const side *nodes, int32_t child)
{
    if (child >= 0) return nodes[child];
    return (side){rule->share[~child], rule->share[~child] * rule->accept[~child]};
}

/* By how much more of everybody the side that says yes is accepted. */
static double gain_of(const eqp_rule *rule, side *nodes, size_t n)
{
    side no = side_of(rule, nodes, rule->nodes[n].child[0]),
         yes = side_of(rule, nodes, rule->nodes[n].child[1]);
    nodes[n] = (side){no.people + yes.people, no.accepted + yes.accepted};
    if (!(no.people > 0) || !(yes.people > 0)) return 0;
    return nodes[n].people * (yes.accepted / yes.people - no.accepted / no.people);
}

/* A small score says yes, so an influence that raises it speaks against. */
static eqp_status add_component(const eqp_encoding *encoding, const eqp_rule *rule,
                                const eqp_component *component, double gain, double *effects,
                                eqp_error *error)
{
    if (component->score >= rule->score_count) return EQP_OK;
    eqp_influence *list;
    size_t count;
    double total = 0;
    eqp_status status = eqp_influences(encoding, &rule->scores[component->score], &list, &count, error);
    if (status != EQP_OK) return status;
    for (size_t i = 0; i < count; i++) total += list[i].rank;
    for (size_t i = 0; i < count; i++) {
        double part = component->weight * gain * list[i].rank / total;
        effects[encoding->features[list[i].feature].slot + list[i].code] += list[i].effect > 0 ? -part : part;
    }
    free(list);
    return EQP_OK;
}

static eqp_status add_nodes(const eqp_encoding *encoding, const eqp_rule *rule, double *effects,
                            eqp_error *error)
{
    side *nodes = eqp_alloc_zero(rule->node_count, sizeof *nodes);
    eqp_status status = nodes == NULL ? eqp_fail_memory(error) : EQP_OK;
    for (size_t n = rule->node_count; n-- > 0 && status == EQP_OK;) {
        double gain = gain_of(rule, nodes, n);
        for (uint32_t c = 0; c < rule->nodes[n].component_count && status == EQP_OK; c++)
            status = add_component(encoding, rule, &rule->components[rule->nodes[n].first_component + c],
                                   gain, effects, error);
    }
    free(nodes);
    return status;
}

static size_t list_effects(const eqp_encoding *encoding, const double *effects, eqp_influence *list)
{
    size_t count = 0;
    for (size_t f = 0; f < encoding->feature_count; f++)
        for (uint32_t code = 0; code < encoding->features[f].slots; code++)
            count = add_influence(list, count, f, code, effects[encoding->features[f].slot + code], 1);
    qsort(list, count, sizeof *list, by_rank);
    return count;
}

eqp_status eqp_rule_reasons(const eqp_encoding *encoding, const eqp_rule *rule, eqp_influence **list,
                            size_t *count, eqp_error *error)
{
    *count = 0;
    *list = eqp_alloc(encoding->width, sizeof **list);
    double *effects = eqp_alloc_zero(encoding->width, sizeof *effects);
    bool linear = rule->router == EQP_ROUTE_TREE;
    for (size_t s = 0; s < rule->score_count; s++) linear &= rule->scores[s].tree_count == 0;
    eqp_status status = *list == NULL || effects == NULL ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK && linear) status = add_nodes(encoding, rule, effects, error);
    if (status == EQP_OK && linear) *count = list_effects(encoding, effects, *list);
    free(effects);
    if (status == EQP_OK) return EQP_OK;
    free(*list);
    *list = NULL;
    return status;
}

void eqp_score_uses(const eqp_score *score, size_t *uses)
{
    for (uint32_t i = 0; score->tree_count > 0 && i < score->tree_start[score->tree_count]; i++)
        if (score->branches[i].feature >= 0) uses[score->branches[i].feature]++;
}

void eqp_number_show(eqp_buffer *text, const eqp_feature *feature, double number, int digits)
{
    char month[EQP_DATE_TEXT];
    if (feature->date == EQP_NO_DATE) {
        eqp_buffer_printf(text, "%.*g", digits, number);
        return;
    }
    eqp_date_show_month(number, month);
    eqp_buffer_text(text, month);
}

#define DAYS_OF_YEAR 365.25

void eqp_date_feature_show(eqp_buffer *text, const eqp_feature *feature)
{
    bool years = feature->scale >= 2 * DAYS_OF_YEAR;
    if (feature->kind == EQP_FEATURE_NUMBER) {
        eqp_buffer_text(text, "about ");
        eqp_number_show(text, feature, feature->mean, 4);
        eqp_buffer_printf(text, " ± %.3g %s", years ? feature->scale / DAYS_OF_YEAR : feature->scale,
                          years ? "years" : "days");
    } else if (feature->kind == EQP_FEATURE_BINS) {
        eqp_buffer_printf(text, "%u ranges", feature->level_count);
    } else {
        eqp_buffer_text(text, feature->part == EQP_PART_MONTH ? "month" : "weekday");
    }
}

static void show_range(eqp_buffer *text, const eqp_feature *feature, uint32_t bin)
{
    bool low = bin > 0, high = bin + 1 < feature->level_count;
    if (feature->level_count == 1) eqp_buffer_text(text, "known");
    if (high && !low) eqp_buffer_text(text, "below ");
    if (low && !high) eqp_buffer_text(text, "from ");
    if (low) eqp_number_show(text, feature, feature->cuts[bin - 1], 6);
    if (low && high) eqp_buffer_text(text, " to ");
    if (high) eqp_number_show(text, feature, feature->cuts[bin], 6);
}

void eqp_value_show(eqp_buffer *text, const eqp_feature *feature, uint32_t code, size_t columns)
{
    if (code == EQP_MISSING(feature)) {
        eqp_buffer_text(text, "missing");
    } else if (code == EQP_OTHER(feature)) {
        eqp_buffer_text(text, "other");
    } else if (feature->kind == EQP_FEATURE_BINS) {
        show_range(text, feature, code);
    } else {
        eqp_buffer_text(text, "\"");
        eqp_name_show(text, feature->levels[code], columns);
        eqp_buffer_text(text, "\"");
    }
}
