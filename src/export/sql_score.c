/* Scores as sums of doubles from left to right (M13), every literal to the last bit.
 *
 *     linear    intercept + COALESCE(slope * number, value when missing) + [value, …][code] + …
 *     boosted   intercept + CASE WHEN … END + CASE WHEN … END + … */
#include "export/sql.h"

#include "base/memory.h"
#include "base/order.h"

#include <string.h>

void eqp_sql_literal(eqp_sql *sql, double value)
{
    eqp_quote_number(sql->dialect, value, &sql->out);
}

static double commonest(eqp_buffer *out, const double *values, size_t count)
{
    double *sorted = eqp_alloc(count, sizeof *sorted), found = values[count - 1];
    if (sorted == NULL) {
        out->failed = true;
        return found;
    }
    memcpy(sorted, values, count * sizeof *sorted);
    eqp_sort_numbers(sorted, count);
    for (size_t i = 0, run = 0, longest = 0; i < count; i++) {
        run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
        if (run <= longest) continue;
        longest = run;
        found = sorted[i];
    }
    free(sorted);
    return found;
}

void eqp_sql_lookup(eqp_sql *sql, void (*subject)(eqp_sql *sql, size_t which), size_t which,
                    const double *values, size_t count, eqp_sql_writer *write)
{
    double rest = commonest(&sql->out, values, count);
    bool same = true;
    for (size_t i = 0; i < count; i++) same = same && values[i] == rest;
    if (same) {
        write(sql, rest);
        return;
    }
    eqp_buffer_text(&sql->out, "CASE ");
    subject(sql, which);
    for (size_t i = 0; i < count; i++) {
        if (values[i] == rest) continue;
        eqp_buffer_printf(&sql->out, " WHEN %zu THEN ", i);
        write(sql, values[i]);
    }
    eqp_buffer_text(&sql->out, " ELSE ");
    write(sql, rest);
    eqp_buffer_text(&sql->out, " END");
}

/* ---- linear ------------------------------------------------------------------------------------------ */

static void number_term(eqp_sql *sql, size_t f, const double *pair)
{
    eqp_buffer_text(&sql->out, "COALESCE(");
    eqp_sql_literal(sql, pair[0]);
    eqp_buffer_text(&sql->out, " * ");
    eqp_sql_number(sql, f);
    eqp_buffer_text(&sql->out, ", ");
    eqp_sql_literal(sql, pair[1]);
    eqp_buffer_text(&sql->out, ")");
}

/* Neighbouring bins of equal value need no cut between them. */
static void bin_term(eqp_sql *sql, size_t f, const double *terms)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    eqp_sql_number(sql, f);
    eqp_buffer_text(&sql->out, " IS NULL THEN ");
    eqp_sql_literal(sql, terms[EQP_MISSING(feature)]);
    for (uint32_t bin = 0; bin + 1 < feature->level_count; bin++) {
        if (terms[bin] == terms[bin + 1]) continue;
        eqp_buffer_text(&sql->out, " WHEN ");
        eqp_sql_number(sql, f);
        eqp_buffer_text(&sql->out, " < ");
        eqp_sql_literal(sql, feature->cuts[bin]);
        eqp_buffer_text(&sql->out, " THEN ");
        eqp_sql_literal(sql, terms[bin]);
    }
    eqp_buffer_text(&sql->out, " ELSE ");
    eqp_sql_literal(sql, terms[feature->level_count - 1]);
    eqp_buffer_text(&sql->out, " END");
}

static bool adds_nothing(const double *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (terms[i] != 0) return false;
    return true;
}

static void element_term(eqp_sql *sql, size_t f, const double *terms)
{
    const eqp_dialect *dialect = sql->dialect;
    eqp_buffer_text(&sql->out, dialect->array.before);
    for (uint32_t slot = 0; slot < sql->model->encoding->features[f].slots; slot++) {
        if (slot > 0) eqp_buffer_text(&sql->out, ", ");
        eqp_sql_literal(sql, terms[slot]);
    }
    eqp_buffer_printf(&sql->out, "%s%s", dialect->array.after, dialect->element.before);
    eqp_sql_code(sql, f);
    eqp_buffer_text(&sql->out, dialect->element.after);
}

static void coded_term(eqp_sql *sql, size_t f, const double *terms)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    if (eqp_sql_has_arrays(sql))
        element_term(sql, f, terms);
    else if (feature->kind == EQP_FEATURE_BINS)
        bin_term(sql, f, terms);
    else
        eqp_sql_lookup(sql, eqp_sql_code, f, terms, feature->slots, eqp_sql_literal);
}

static void add_linear(eqp_sql *sql, const eqp_score *score)
{
    const eqp_encoding *encoding = sql->model->encoding;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        const double *terms = score->terms + feature->slot;
        if (adds_nothing(terms, feature->slots)) continue;
        eqp_buffer_text(&sql->out, "\n    + ");
        if (feature->kind == EQP_FEATURE_NUMBER)
            number_term(sql, f, terms);
        else
            coded_term(sql, f, terms);
    }
}

/* ---- boosted ----------------------------------------------------------------------------------------- */

static void ask_number(eqp_sql *sql, const eqp_branch *branch)
{
    eqp_sql_number(sql, (size_t)branch->feature);
    eqp_buffer_text(&sql->out, " < ");
    eqp_sql_literal(sql, branch->cut);
    if (!branch->missing_yes) return;
    eqp_buffer_text(&sql->out, " OR ");
    eqp_sql_number(sql, (size_t)branch->feature);
    eqp_buffer_text(&sql->out, " IS NULL");
}

static void compare_number(eqp_sql *sql, size_t f, const char *how, double cut)
{
    eqp_sql_number(sql, f);
    eqp_buffer_text(&sql->out, how);
    eqp_sql_literal(sql, cut);
}

/* A bin lies between two cuts; the first and the last have one.  The code between bins and missing is never
 * used. */
static void ask_bin(eqp_sql *sql, size_t f, uint32_t code)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    uint32_t last = feature->level_count - 1;
    if (code == EQP_MISSING(feature)) {
        eqp_sql_number(sql, f);
        eqp_buffer_text(&sql->out, " IS NULL");
    } else if (code > last) {
        eqp_buffer_text(&sql->out, "1 = 0");
    } else if (last == 0) {
        eqp_sql_number(sql, f);
        eqp_buffer_text(&sql->out, " IS NOT NULL");
    } else {
        if (code > 0) compare_number(sql, f, " >= ", feature->cuts[code - 1]);
        if (code > 0 && code < last) eqp_buffer_text(&sql->out, " AND ");
        if (code < last) compare_number(sql, f, " < ", feature->cuts[code]);
    }
}

static void ask_code(eqp_sql *sql, const eqp_branch *branch)
{
    eqp_sql_code(sql, (size_t)branch->feature);
    eqp_buffer_printf(&sql->out, " = %u", branch->code);
}

static void ask(eqp_sql *sql, const eqp_branch *branch)
{
    size_t f = (size_t)branch->feature;
    eqp_feature_kind kind = sql->model->encoding->features[f].kind;
    if (kind == EQP_FEATURE_NUMBER)
        ask_number(sql, branch);
    else if (kind == EQP_FEATURE_BINS && !eqp_sql_names_code(sql, f))
        ask_bin(sql, f, branch->code);
    else
        ask_code(sql, branch);
}

static void tree_value(eqp_sql *sql, const eqp_branch *tree, uint32_t at)
{
    const eqp_branch *branch = &tree[at];
    if (branch->feature < 0) {
        eqp_sql_literal(sql, branch->value);
        return;
    }
    eqp_buffer_text(&sql->out, "CASE WHEN ");
    ask(sql, branch);
    eqp_buffer_text(&sql->out, " THEN ");
    tree_value(sql, tree, branch->yes);
    eqp_buffer_text(&sql->out, " ELSE ");
    tree_value(sql, tree, branch->no);
    eqp_buffer_text(&sql->out, " END");
}

static void add_trees(eqp_sql *sql, const eqp_score *score)
{
    for (uint32_t tree = 0; tree < score->tree_count && !eqp_sql_is_full(sql); tree++) {
        eqp_buffer_text(&sql->out, "\n    + ");
        tree_value(sql, score->branches + score->tree_start[tree], 0);
    }
}

void eqp_sql_score_in_full(eqp_sql *sql, uint32_t s)
{
    const eqp_score *score = &sql->model->rule->scores[s];
    eqp_sql_literal(sql, score->terms[0]);
    if (score->tree_count > 0)
        add_trees(sql, score);
    else
        add_linear(sql, score);
}

void eqp_sql_score(eqp_sql *sql, uint32_t s)
{
    if (!sql->inlined && sql->uses.named[s])
        eqp_buffer_printf(&sql->out, "eqp_s%u", s);
    else
        eqp_sql_score_in_full(sql, s);
}
