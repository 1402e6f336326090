/* A direct rule is one node: the draw picks a component, whose score answers.  Engines that work on many
 * records at once would pay for every component they find in a CASE.  Where there are arrays, the number of
 * the component comes first, and one sum looks all its terms up under that number:
 *
 *     [c0 of 0, c0 of 1, …][eqp_p] + [terms of 0, terms of 1, …][eqp_p * slots + code] + … <
 * [thresholds][eqp_p]
 *
 * The order of the sum is that of score.c (M13); a component that has no such term adds 0, which changes no
 * bit. */
#include "export/sql.h"

#include <float.h>

static const eqp_component *component_of(const eqp_sql *sql, uint32_t c)
{
    const eqp_rule *rule = sql->model->rule;
    return &rule->components[rule->nodes[0].first_component + c];
}

/* NULL for the components that say always the same. */
static const eqp_score *score_of(const eqp_sql *sql, uint32_t c)
{
    const eqp_rule *rule = sql->model->rule;
    uint32_t score = component_of(sql, c)->score;
    return score < rule->score_count ? &rule->scores[score] : NULL;
}

static uint32_t component_count(const eqp_sql *sql)
{
    return sql->model->rule->nodes[0].component_count;
}

bool eqp_sql_can_pick(const eqp_sql *sql)
{
    const eqp_rule *rule = sql->model->rule;
    if (sql->inlined || !eqp_sql_has_arrays(sql)) return false;
    if (rule->router != EQP_ROUTE_TREE || rule->node_count != 1 || component_count(sql) < 2) return false;
    for (uint32_t c = 0; c < component_count(sql); c++) {
        const eqp_score *score = score_of(sql, c);
        if (score != NULL && score->tree_count > 0) return false;
    }
    return true;
}

/* Components first … last, by halves.  The last takes what the others leave. */
static void pick_between(eqp_sql *sql, uint32_t first, uint32_t last)
{
    uint32_t middle = first + (last - first) / 2;
    double end = 0;
    if (first == last) {
        eqp_buffer_printf(&sql->out, "%u", first);
        return;
    }
    for (uint32_t c = 0; c <= middle; c++) end += component_of(sql, c)->weight;
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    eqp_sql_draw_below(sql, EQP_DRAW_ROUTE(0, sql->model->rule->noise), end);
    eqp_buffer_text(&sql->out, " THEN ");
    pick_between(sql, first, middle);
    eqp_buffer_text(&sql->out, " ELSE ");
    pick_between(sql, middle + 1, last);
    eqp_buffer_text(&sql->out, " END");
}

void eqp_sql_pick(eqp_sql *sql)
{
    pick_between(sql, 0, component_count(sql) - 1);
}

/* ---- one sum ----------------------------------------------------------------------------------------- */

static double term_of(const eqp_sql *sql, uint32_t c, uint32_t slot)
{
    const eqp_score *score = score_of(sql, c);
    return score != NULL ? score->terms[slot] : 0;
}

static bool moves_some(const eqp_sql *sql, uint32_t first, uint32_t count)
{
    for (uint32_t c = 0; c < component_count(sql); c++)
        for (uint32_t slot = first; slot < first + count; slot++)
            if (term_of(sql, c, slot) != 0) return true;
    return false;
}

/* Scores are finite, so these two answer always alike. */
static double threshold_of(const eqp_sql *sql, uint32_t c)
{
    const eqp_component *component = component_of(sql, c);
    if (component->score == EQP_SCORE_ALWAYS) return DBL_MAX;
    if (component->score == EQP_SCORE_NEVER) return -DBL_MAX;
    return component->threshold;
}

/* `count` slots of each component, and the place of the picked one's first. */
static void array_of_slots(eqp_sql *sql, uint32_t first, uint32_t count)
{
    const char *between = sql->dialect->array.before;
    for (uint32_t c = 0; c < component_count(sql); c++)
        for (uint32_t slot = first; slot < first + count; slot++) {
            eqp_buffer_text(&sql->out, between);
            eqp_sql_literal(sql, term_of(sql, c, slot));
            between = ", ";
        }
    eqp_buffer_printf(&sql->out, "%s%seqp_p", sql->dialect->array.after, sql->dialect->element.before);
}

static void picked_slot(eqp_sql *sql, uint32_t slot)
{
    array_of_slots(sql, slot, 1);
    eqp_buffer_text(&sql->out, sql->dialect->element.after);
}

static void picked_code(eqp_sql *sql, size_t f)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    array_of_slots(sql, feature->slot, feature->slots);
    eqp_buffer_printf(&sql->out, " * %u + ", feature->slots);
    eqp_sql_code(sql, f);
    eqp_buffer_text(&sql->out, sql->dialect->element.after);
}

static void picked_number(eqp_sql *sql, size_t f)
{
    uint32_t slot = sql->model->encoding->features[f].slot;
    eqp_buffer_text(&sql->out, "COALESCE(");
    picked_slot(sql, slot);
    eqp_buffer_text(&sql->out, " * ");
    eqp_sql_number(sql, f);
    eqp_buffer_text(&sql->out, ", ");
    picked_slot(sql, slot + 1);
    eqp_buffer_text(&sql->out, ")");
}

static void picked_threshold(eqp_sql *sql)
{
    const char *between = sql->dialect->array.before;
    for (uint32_t c = 0; c < component_count(sql); c++) {
        eqp_buffer_text(&sql->out, between);
        eqp_sql_literal(sql, threshold_of(sql, c));
        between = ", ";
    }
    eqp_buffer_printf(&sql->out, "%s%seqp_p%s", sql->dialect->array.after, sql->dialect->element.before,
                      sql->dialect->element.after);
}

void eqp_sql_says_yes(eqp_sql *sql)
{
    const eqp_encoding *encoding = sql->model->encoding;
    picked_slot(sql, 0);
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (!moves_some(sql, feature->slot, feature->slots)) continue;
        eqp_buffer_text(&sql->out, "\n    + ");
        if (feature->kind == EQP_FEATURE_NUMBER)
            picked_number(sql, f);
        else
            picked_code(sql, f);
    }
    eqp_buffer_text(&sql->out, "\n    < ");
    picked_threshold(sql);
}
