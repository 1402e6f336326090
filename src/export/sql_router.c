/* Scores and draws -> the leaf of a record, as model/outcome.c finds it -> its acceptance. */
#include "export/sql.h"

#include <inttypes.h>
#include <string.h>

/* ---- draws -------------------------------------------------------------------------------------------- */

#define DRAW_DIGITS 13

static const char *draws_name(const eqp_sql *sql)
{
    return sql->options->permanent ? EQP_PERMANENT : sql->model->id;
}

static void write_key(eqp_sql *sql)
{
    if (sql->options->key != NULL)
        eqp_buffer_printf(&sql->out, "'%s'", sql->options->key->hex);
    else
        eqp_buffer_text(&sql->out, sql->dialect->key[sql->form]);
}

/* A derived key is written out where the key is, and worked out by the engine where it is not. */
static void write_derived(eqp_sql *sql, const char *purpose)
{
    eqp_key derived;
    if (sql->options->key != NULL) {
        eqp_key_derive(sql->options->key, purpose, &derived);
        eqp_buffer_printf(&sql->out, "'%s'", derived.hex);
        explicit_bzero(&derived, sizeof derived);
        return;
    }
    eqp_buffer_text(&sql->out, sql->dialect->digest.before);
    write_key(sql);
    eqp_buffer_printf(&sql->out, " || '%s'%s", purpose, sql->dialect->digest.after);
}

/* The draw that ranks a record: of its ticket, which is a digest of its id (draw/draw.h). */
static void write_rank_digest(eqp_sql *sql)
{
    eqp_buffer_text(&sql->out, sql->dialect->digest.before);
    write_derived(sql, EQP_KEY_FOR_RANKS);
    eqp_buffer_printf(&sql->out, " || '%s:' || substr(%s", draws_name(sql), sql->dialect->digest.before);
    write_derived(sql, EQP_KEY_FOR_TICKETS);
    eqp_buffer_printf(&sql->out, " || '%s:' || ", draws_name(sql));
    eqp_sql_as_text(sql, sql->options->id);
    eqp_buffer_printf(&sql->out, " || ':0'%s, 1, %d) || ':0'%s", sql->dialect->digest.after,
                      EQP_TICKET_DIGITS, sql->dialect->digest.after);
}

static void digest_of_block(eqp_sql *sql, unsigned block)
{
    if (block == EQP_DRAW_RANK / EQP_DRAWS_PER_BLOCK) {
        write_rank_digest(sql);
        return;
    }
    eqp_buffer_text(&sql->out, sql->dialect->digest.before);
    write_key(sql);
    eqp_buffer_printf(&sql->out, " || '%s:' || ", draws_name(sql));
    eqp_sql_as_text(sql, sql->options->id);
    eqp_buffer_printf(&sql->out, " || ':%u'", block);
    eqp_buffer_text(&sql->out, sql->dialect->digest.after);
}

/* A record that cannot be read has no draw of acceptance and none of rank, hence no decision (sql_guard.c).
 */
void eqp_sql_digest(eqp_sql *sql, unsigned block)
{
    bool guards =
        block == EQP_DRAW_ACCEPT / EQP_DRAWS_PER_BLOCK || block == EQP_DRAW_RANK / EQP_DRAWS_PER_BLOCK;
    if (guards) {
        eqp_buffer_text(&sql->out, "CASE WHEN ");
        eqp_sql_is_readable(sql);
        eqp_buffer_text(&sql->out, " THEN ");
    }
    digest_of_block(sql, block);
    if (guards) eqp_buffer_text(&sql->out, " END");
}

static void digits(eqp_sql *sql, size_t number, size_t from, size_t count)
{
    unsigned block = (unsigned)(number / EQP_DRAWS_PER_BLOCK);
    size_t start = 1 + DRAW_DIGITS * (number % EQP_DRAWS_PER_BLOCK) + from;
    eqp_buffer_text(&sql->out, "substr(");
    if (sql->inlined)
        eqp_sql_digest(sql, block);
    else
        eqp_buffer_printf(&sql->out, "eqp_h%u", block);
    eqp_buffer_printf(&sql->out, ", %zu, %zu)", start, count);
}

static void write_draw(eqp_sql *sql, size_t number)
{
    if (sql->inlined)
        eqp_sql_draw_in_full(sql, number);
    else
        eqp_buffer_printf(&sql->out, "eqp_d%zu", number);
}

void eqp_sql_draw_in_full(eqp_sql *sql, size_t number)
{
    eqp_buffer_text(&sql->out, sql->dialect->draw.before);
    digits(sql, number, 0, DRAW_DIGITS);
    eqp_buffer_text(&sql->out, sql->dialect->draw.after);
}

/* Where there is no function for it: digit by digit. */
static void whole_by_digits(eqp_sql *sql, size_t number)
{
    eqp_buffer_text(&sql->out, "(");
    for (size_t i = 0; i < DRAW_DIGITS; i++) {
        eqp_buffer_text(&sql->out, i > 0 ? " + (instr('0123456789abcdef', " : "(instr('0123456789abcdef', ");
        digits(sql, number, i, 1);
        eqp_buffer_printf(&sql->out, ") - 1) * %" PRIu64, UINT64_C(1) << 4 * (DRAW_DIGITS - 1 - i));
    }
    eqp_buffer_text(&sql->out, ")");
}

void eqp_sql_draw_whole(eqp_sql *sql, size_t number)
{
    if (sql->dialect->whole.before == NULL) {
        whole_by_digits(sql, number);
        return;
    }
    eqp_buffer_text(&sql->out, sql->dialect->whole.before);
    write_draw(sql, number);
    eqp_buffer_text(&sql->out, sql->dialect->whole.after);
}

static void write_threshold(eqp_sql *sql, double probability)
{
    uint64_t threshold = eqp_draw_threshold(probability);
    if (threshold >> EQP_DRAW_BITS != 0)
        eqp_buffer_text(&sql->out, "'g'");
    else
        eqp_buffer_printf(&sql->out, "'%013" PRIx64 "'", threshold);
}

void eqp_sql_draw_below(eqp_sql *sql, size_t number, double probability)
{
    write_draw(sql, number);
    eqp_buffer_text(&sql->out, " < ");
    write_threshold(sql, probability);
}

static void says_yes(eqp_sql *sql, const eqp_component *component)
{
    if (component->score >= sql->model->rule->score_count) {
        eqp_buffer_text(&sql->out, component->score == EQP_SCORE_ALWAYS ? "1 = 1" : "1 = 0");
        return;
    }
    eqp_sql_score(sql, component->score);
    eqp_buffer_text(&sql->out, " < ");
    eqp_sql_literal(sql, component->threshold);
}

/* The draw at this depth picks the component that answers; the last takes what the others leave. */
static void node_says_yes(eqp_sql *sql, const eqp_node *node, size_t depth)
{
    const eqp_rule *rule = sql->model->rule;
    const eqp_component *components = rule->components + node->first_component;
    double sum = 0;
    if (node->component_count == 1 || sql->picks) {
        if (sql->picks)
            eqp_sql_says_yes(sql);
        else
            says_yes(sql, components);
        return;
    }
    eqp_buffer_text(&sql->out, "CASE");
    for (uint32_t c = 0; c + 1 < node->component_count; c++) {
        sum += components[c].weight;
        eqp_buffer_text(&sql->out, "\n  WHEN ");
        eqp_sql_draw_below(sql, EQP_DRAW_ROUTE(depth, rule->noise), sum);
        eqp_buffer_text(&sql->out, " THEN ");
        says_yes(sql, &components[c]);
    }
    eqp_buffer_text(&sql->out, "\n  ELSE ");
    says_yes(sql, &components[node->component_count - 1]);
    eqp_buffer_text(&sql->out, " END");
}

static void walk(eqp_sql *sql, int32_t at, size_t depth)
{
    if (at < 0) {
        eqp_buffer_printf(&sql->out, "%d", ~at);
        return;
    }
    if (eqp_sql_is_full(sql)) return;
    const eqp_node *node = &sql->model->rule->nodes[at];
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    node_says_yes(sql, node, depth);
    eqp_buffer_text(&sql->out, "\n THEN ");
    walk(sql, node->child[1], depth + 1);
    eqp_buffer_text(&sql->out, "\n ELSE ");
    walk(sql, node->child[0], depth + 1);
    eqp_buffer_text(&sql->out, " END");
}

/* The first of the largest: leaf i, unless an earlier one took it, when no later score is larger. */
static void largest_score(eqp_sql *sql)
{
    uint32_t count = (uint32_t)sql->model->rule->leaf_count;
    if (count > 1) eqp_buffer_text(&sql->out, "CASE");
    for (uint32_t i = 0; i + 1 < count; i++) {
        for (uint32_t j = i + 1; j < count && !eqp_sql_is_full(sql); j++) {
            eqp_buffer_text(&sql->out, j == i + 1 ? "\n WHEN " : " AND ");
            eqp_sql_score(sql, i);
            eqp_buffer_text(&sql->out, " >= ");
            eqp_sql_score(sql, j);
        }
        eqp_buffer_printf(&sql->out, " THEN %u", i);
    }
    eqp_buffer_printf(&sql->out, count > 1 ? " ELSE %u END" : "%u", count - 1);
}

static void routed_leaf(eqp_sql *sql)
{
    const eqp_rule *rule = sql->model->rule;
    if (rule->router == EQP_ROUTE_TREE)
        walk(sql, rule->node_count > 0 ? 0 : ~0, 0);
    else if (rule->router == EQP_ROUTE_ARGMAX)
        largest_score(sql);
    else
        eqp_sql_code(sql, 0);
}

/* With noise, draw 1 may replace the leaf by draw 2 modulo their number (M10). */
static void leaf(eqp_sql *sql, size_t unused)
{
    const eqp_rule *rule = sql->model->rule;
    (void)unused;
    if (!(rule->noise > 0)) {
        routed_leaf(sql);
        return;
    }
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    eqp_sql_draw_below(sql, EQP_DRAW_NOISE, rule->noise);
    eqp_buffer_printf(&sql->out, " THEN %s", sql->dialect->remainder.before);
    eqp_sql_draw_whole(sql, EQP_DRAW_NOISE_LEAF);
    eqp_buffer_printf(&sql->out, "%s%zu%s ELSE ", sql->dialect->remainder.after, rule->leaf_count,
                      sql->dialect->remainder_end);
    routed_leaf(sql);
    eqp_buffer_text(&sql->out, " END");
}

void eqp_sql_accepted(eqp_sql *sql)
{
    const eqp_rule *rule = sql->model->rule;
    write_draw(sql, EQP_DRAW_ACCEPT);
    eqp_buffer_text(&sql->out, " < ");
    eqp_sql_lookup(sql, leaf, 0, rule->accept, rule->leaf_count, write_threshold);
}

void eqp_sql_acceptance(eqp_sql *sql)
{
    const eqp_rule *rule = sql->model->rule;
    eqp_sql_lookup(sql, leaf, 0, rule->accept, rule->leaf_count, eqp_sql_literal);
}
