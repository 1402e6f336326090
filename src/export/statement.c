/* The query around the rule.
 *
 *     table -> texts where they are needed often -> numbers, levels, digests -> bins, draws
 *           -> the picked component, scores that are asked for more than once -> condition, or rank
 *
 * Each arrow is an inner query (a layer) whose entries have short names; the record's own columns are carried
 * along in the way of the dialect, and only they reach the result. */
#include "export/sql.h"

#include "base/memory.h"

#include <string.h>

#define DRAWS_MAX (EQP_DRAW_BLOCKS_MAX * EQP_DRAWS_PER_BLOCK)

typedef enum query_layer { TEXTS, VALUES, CODES, SCORES, ACCEPTANCE, LAYERS } query_layer;
typedef enum entry_kind { TEXT, NUMBER, CODE, DIGEST, RECORD_ID, DRAW, PICK, SCORE, ACCEPT } entry_kind;

typedef struct query_entry {
    entry_kind kind;
    size_t index; /* of the feature, block or score */
} query_entry;

typedef struct sql_query {
    eqp_sql *sql;
    query_entry *entries; /* layer by layer */
    size_t first[LAYERS + 1];
} sql_query;

/* ---- entries ----------------------------------------------------------------------------------------- */

static bool is_plain_level(const eqp_sql *sql, size_t f)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    return feature->kind == EQP_FEATURE_LEVELS && feature->part == EQP_NO_PART;
}

static bool holds_numbers(const eqp_sql *sql, size_t f)
{
    const eqp_encoding *encoding = sql->model->encoding;
    bool used = false;
    if (is_plain_level(sql, f)) return false;
    for (size_t of = f; of < encoding->feature_count && eqp_sql_holder(sql, of) == f; of++)
        used = used || sql->uses.feature[of];
    return used;
}

static bool is_date(const eqp_sql *sql, size_t f)
{
    return sql->model->encoding->features[f].date != EQP_NO_DATE;
}

/* Where a number is made of its text by parts, that text is worth a name; every number must be readable, used
 * or not.  So is the text of a date, from which many parts are taken. */
static size_t list_texts(const eqp_sql *sql, query_entry *list)
{
    const eqp_encoding *encoding = sql->model->encoding;
    bool by_parts = sql->dialect->number.before == NULL;
    size_t count = 0;
    for (size_t f = 0; f < encoding->feature_count; f++)
        if (is_date(sql, f) ? holds_numbers(sql, f)
                            : by_parts && !is_plain_level(sql, f) && eqp_sql_holder(sql, f) == f)
            list[count++] = (query_entry){TEXT, f};
    return count;
}

static bool uses_block(const eqp_sql *sql, size_t block)
{
    const bool *draws = sql->uses.draw + block * EQP_DRAWS_PER_BLOCK;
    for (size_t i = 0; i < EQP_DRAWS_PER_BLOCK; i++)
        if (draws[i]) return true;
    return false;
}

static size_t list_values(const eqp_sql *sql, query_entry *list)
{
    const eqp_encoding *encoding = sql->model->encoding;
    size_t count = 0;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        if (holds_numbers(sql, f)) list[count++] = (query_entry){NUMBER, f};
        if (is_plain_level(sql, f) && sql->uses.feature[f]) list[count++] = (query_entry){CODE, f};
    }
    for (size_t block = 0; block < EQP_DRAW_BLOCKS_MAX; block++)
        if (uses_block(sql, block)) list[count++] = (query_entry){DIGEST, block};
    if (sql->options->size > 0) list[count++] = (query_entry){RECORD_ID, 0};
    return count;
}

/* What is worked out from numbers and digests. */
static size_t list_codes(const eqp_sql *sql, query_entry *list)
{
    const eqp_encoding *encoding = sql->model->encoding;
    size_t count = 0;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        bool bins = encoding->features[f].kind == EQP_FEATURE_BINS && eqp_sql_has_arrays(sql);
        if ((bins || encoding->features[f].part != EQP_NO_PART) && sql->uses.feature[f])
            list[count++] = (query_entry){CODE, f};
    }
    for (size_t draw = 0; draw < DRAWS_MAX; draw++)
        if (sql->uses.draw[draw]) list[count++] = (query_entry){DRAW, draw};
    return count;
}

static eqp_status list_entries(sql_query *query, eqp_error *error)
{
    const eqp_sql *sql = query->sql;
    const eqp_rule *rule = sql->model->rule;
    size_t most =
        3 * sql->model->encoding->feature_count + EQP_DRAW_BLOCKS_MAX + DRAWS_MAX + rule->score_count + 3;
    query->entries = eqp_alloc(most, sizeof *query->entries);
    if (query->entries == NULL) return eqp_fail_memory(error);
    size_t count = list_texts(sql, query->entries);
    query->first[VALUES] = count;
    count += list_values(sql, query->entries + count);
    query->first[CODES] = count;
    count += list_codes(sql, query->entries + count);
    query->first[SCORES] = count;
    if (sql->picks) query->entries[count++] = (query_entry){PICK, 0};
    for (size_t s = 0; s < rule->score_count && !sql->picks; s++)
        if (sql->uses.named[s]) query->entries[count++] = (query_entry){SCORE, s};
    query->first[ACCEPTANCE] = count;
    if (sql->options->size > 0) query->entries[count++] = (query_entry){ACCEPT, 0};
    query->first[LAYERS] = count;
    return EQP_OK;
}

static void write_name(eqp_sql *sql, const query_entry *entry)
{
    static const char letters[] = {
        [TEXT] = 'x', [NUMBER] = 'n', [CODE] = 'c', [DIGEST] = 'h', [DRAW] = 'd', [SCORE] = 's'};
    if (entry->kind == RECORD_ID || entry->kind == ACCEPT)
        eqp_buffer_text(&sql->out, entry->kind == ACCEPT ? "eqp_accept" : "eqp_id");
    else if (entry->kind == PICK)
        eqp_buffer_text(&sql->out, "eqp_p");
    else
        eqp_buffer_printf(&sql->out, "eqp_%c%zu", letters[entry->kind], entry->index);
}

static void write_expression(eqp_sql *sql, const query_entry *entry)
{
    switch (entry->kind) {
    case TEXT:
        (is_date(sql, entry->index) ? eqp_sql_date_text : eqp_sql_trimmed_text)(sql, entry->index);
        break;
    case NUMBER:
        eqp_sql_clean_number(sql, entry->index);
        break;
    case CODE:
        eqp_sql_clean_code(sql, entry->index);
        break;
    case DIGEST:
        eqp_sql_digest(sql, (unsigned)entry->index);
        break;
    case RECORD_ID:
        eqp_sql_as_text(sql, sql->options->id);
        break;
    case DRAW:
        eqp_sql_draw_in_full(sql, entry->index);
        break;
    case PICK:
        eqp_sql_pick(sql);
        break;
    case SCORE:
        eqp_sql_score_in_full(sql, (uint32_t)entry->index);
        break;
    case ACCEPT:
        eqp_sql_acceptance(sql);
        break;
    }
}

static void write_entries(sql_query *query, query_layer layer)
{
    eqp_sql *sql = query->sql;
    for (size_t i = query->first[layer]; i < query->first[layer + 1]; i++) {
        eqp_buffer_text(&sql->out, i > query->first[layer] ? ",\n  " : "\n  ");
        write_expression(sql, &query->entries[i]);
        eqp_buffer_text(&sql->out, " AS ");
        write_name(sql, &query->entries[i]);
    }
}

/* ---- layers ------------------------------------------------------------------------------------------ */

static bool is_empty(const sql_query *query, query_layer layer)
{
    return query->first[layer] == query->first[layer + 1];
}

static void write_table(eqp_sql *sql)
{
    eqp_quote_table(sql->dialect, sql->options->table, &sql->out);
}

static void write_source(eqp_sql *sql)
{
    eqp_buffer_text(&sql->out, "FROM ");
    write_table(sql);
    eqp_buffer_text(&sql->out, " AS eqp");
}

static bool is_innermost(const sql_query *query, query_layer layer)
{
    return query->first[layer] == 0;
}

static void carry_columns(const sql_query *query, query_layer layer)
{
    eqp_sql *sql = query->sql;
    if (!is_innermost(query, layer))
        eqp_buffer_text(&sql->out, " *,");
    else if (sql->dialect->carry == EQP_CARRY_EXCEPT)
        eqp_buffer_text(&sql->out, " eqp.*,");
    else if (sql->dialect->carry == EQP_CARRY_STRUCT)
        eqp_buffer_printf(&sql->out, " %s AS eqp_row,%s", sql->dialect->record.before,
                          layer == TEXTS ? " eqp.*," : "");
    if (sql->dialect->fence != NULL)
        eqp_buffer_printf(&sql->out, " %s AS eqp_i%d,", sql->dialect->fence, (int)layer);
}

/* FROM (SELECT *, … FROM (SELECT *, … FROM table AS eqp) AS v0) AS v1; within a subquery about a row the
 * innermost one needs no table.  The layer of texts stands for the table: values are made of columns too. */
static void nest_layers(sql_query *query, query_layer outermost)
{
    eqp_sql *sql = query->sql;
    while (is_empty(query, outermost)) outermost--;
    eqp_buffer_text(&sql->out, "FROM (SELECT");
    carry_columns(query, outermost);
    write_entries(query, outermost);
    eqp_buffer_text(&sql->out, "\n");
    if (!is_innermost(query, outermost))
        nest_layers(query, outermost - 1);
    else if (sql->dialect->carry != EQP_CARRY_CORRELATE)
        write_source(sql);
    if (outermost == TEXTS && sql->dialect->carry != EQP_CARRY_CORRELATE)
        eqp_buffer_printf(&sql->out, "%s) AS eqp", sql->dialect->barrier);
    else
        eqp_buffer_printf(&sql->out, "%s) AS v%d", sql->dialect->barrier, (int)outermost);
}

/* ---- the outermost query ----------------------------------------------------------------------------- */

/* As in select: the rank draw / acceptance, the lowest first (M12). */
static void write_rank(eqp_sql *sql)
{
    eqp_sql_draw_whole(sql, EQP_DRAW_RANK);
    eqp_buffer_text(&sql->out, " / eqp_accept");
}

static void write_condition(eqp_sql *sql)
{
    if (sql->options->size == 0) {
        eqp_sql_accepted(sql);
        return;
    }
    eqp_buffer_text(&sql->out, "eqp_accept > ");
    eqp_sql_literal(sql, 0);
    /* The record can be read; some rules make no draw but this one. */
    eqp_buffer_printf(&sql->out, " AND eqp_h%d IS NOT NULL", EQP_DRAW_RANK / EQP_DRAWS_PER_BLOCK);
}

static void write_limit(eqp_sql *sql)
{
    eqp_buffer_printf(&sql->out, "\nLIMIT %zu", sql->options->size);
}

static void ask_fences(const sql_query *query)
{
    for (query_layer layer = TEXTS; layer < LAYERS && query->sql->dialect->fence != NULL; layer++)
        if (!is_empty(query, layer)) eqp_buffer_printf(&query->sql->out, "eqp_i%d >= 0 AND ", (int)layer);
}

static void write_ending(const sql_query *query)
{
    eqp_sql *sql = query->sql;
    eqp_buffer_text(&sql->out, "\nWHERE ");
    ask_fences(query);
    write_condition(sql);
    if (sql->options->size == 0) return;
    eqp_buffer_text(&sql->out, "\nORDER BY ");
    write_rank(sql);
    eqp_buffer_text(&sql->out, ", eqp_id");
    write_limit(sql);
}

/* Of the best of each part the best are the best of the whole: a part hands its ranks on. */
static bool shows_rank(const eqp_sql *sql)
{
    return sql->form == EQP_PART;
}

static void write_about_row(sql_query *query, void (*what)(eqp_sql *sql))
{
    eqp_buffer_text(&query->sql->out, "(SELECT ");
    what(query->sql);
    eqp_buffer_text(&query->sql->out, "\n");
    nest_layers(query, ACCEPTANCE);
    eqp_buffer_text(&query->sql->out, ")");
}

static void order_about_row(sql_query *query)
{
    eqp_sql *sql = query->sql;
    eqp_buffer_text(&sql->out, "\nORDER BY ");
    if (shows_rank(sql)) {
        eqp_buffer_text(&sql->out, "eqp_rank, eqp_id");
    } else {
        write_about_row(query, write_rank);
        eqp_buffer_text(&sql->out, ", ");
        eqp_sql_as_text(sql, sql->options->id);
    }
    write_limit(sql);
}

static void write_correlated(sql_query *query)
{
    eqp_sql *sql = query->sql;
    eqp_buffer_text(&sql->out, "SELECT eqp.*");
    if (shows_rank(sql)) {
        eqp_buffer_text(&sql->out, ",\n");
        write_about_row(query, write_rank);
        eqp_buffer_text(&sql->out, " AS eqp_rank, ");
        eqp_sql_as_text(sql, sql->options->id);
        eqp_buffer_text(&sql->out, " AS eqp_id");
    }
    eqp_buffer_text(&sql->out, "\n");
    write_source(sql);
    eqp_buffer_text(&sql->out, "\nWHERE ");
    write_about_row(query, write_condition);
    if (sql->options->size > 0) order_about_row(query);
}

static void write_all_but_entries(sql_query *query)
{
    eqp_sql *sql = query->sql;
    const char *between = "";
    eqp_buffer_printf(&sql->out, "SELECT * %s (", sql->dialect->except);
    for (size_t i = 0; i < query->first[LAYERS]; i++) {
        eqp_buffer_text(&sql->out, between);
        write_name(sql, &query->entries[i]);
        between = ", ";
    }
    eqp_buffer_text(&sql->out, ")");
}

static void write_shown(sql_query *query)
{
    eqp_sql *sql = query->sql;
    if (sql->dialect->carry == EQP_CARRY_EXCEPT)
        write_all_but_entries(query);
    else
        eqp_buffer_printf(&sql->out, "SELECT %s", sql->dialect->record.after);
    if (shows_rank(sql)) {
        eqp_buffer_text(&sql->out, ", ");
        write_rank(sql);
        eqp_buffer_text(&sql->out, " AS eqp_rank, eqp_id AS eqp_id");
    }
    eqp_buffer_text(&sql->out, "\n");
}

static void write_query(sql_query *query)
{
    if (query->sql->dialect->carry == EQP_CARRY_CORRELATE) {
        write_correlated(query);
        return;
    }
    write_shown(query);
    nest_layers(query, ACCEPTANCE);
    write_ending(query);
}

/* ---- forms ------------------------------------------------------------------------------------------- */

/* Nothing that a user chose may stand in a comment: it could end it. */
static void write_comment(eqp_sql *sql)
{
    const char *key = sql->dialect->key[sql->form];
    eqp_buffer_printf(&sql->out, "-- equipoise %s, model %s, for %s%s\n", eqp_version(), sql->model->id,
                      sql->dialect->name, sql->dialect->verified ? "" : " (never run there: not verified)");
    if (sql->options->key == NULL)
        eqp_buffer_printf(&sql->out, "-- the key, 64 lower-case hexadecimal digits: %s\n", key);
    if (sql->dialect->needs != NULL) eqp_buffer_printf(&sql->out, "-- needs %s\n", sql->dialect->needs);
}

static void write_created(eqp_sql *sql, const eqp_wrap *words)
{
    eqp_buffer_text(&sql->out, words->before);
    eqp_quote_table(sql->dialect, sql->options->name, &sql->out);
    eqp_buffer_text(&sql->out, words->after);
}

static void write_form(sql_query *query)
{
    eqp_sql *sql = query->sql;
    const char *body = sql->form == EQP_FUNCTION ? sql->dialect->function_end : NULL;
    write_comment(sql);
    if (sql->form == EQP_VIEW) write_created(sql, &sql->dialect->view);
    if (sql->form == EQP_FUNCTION) write_created(sql, &sql->dialect->function);
    if (body != NULL) {
        write_table(sql);
        eqp_buffer_text(&sql->out, body);
    }
    write_query(query);
    if (sql->dialect->settings != NULL) eqp_buffer_text(&sql->out, sql->dialect->settings);
    eqp_buffer_text(&sql->out, body != NULL ? ";\nEND;\n" : sql->bare ? "\n" : ";\n");
}

/* A predicate has no inner query in which a date's text gets its name; without names it is millions of bytes
 * long. */
static eqp_status refuse_predicate(const eqp_sql *sql, size_t f, eqp_error *error)
{
    eqp_fail(error, EQP_USAGE, "a rule that reads dates cannot be a predicate (column \"%s\")",
             sql->model->encoding->features[f].name);
    eqp_hint(error, "export it as a statement, a view or a function");
    return EQP_USAGE;
}

eqp_status eqp_sql_write(eqp_sql *sql, eqp_error *error)
{
    sql_query query = {.sql = sql};
    if (sql->form == EQP_PREDICATE) {
        for (size_t f = 0; f < sql->model->encoding->feature_count; f++)
            if (is_date(sql, f)) return refuse_predicate(sql, f, error);
        sql->inlined = true;
        eqp_buffer_text(&sql->out, "(");
        eqp_sql_accepted(sql);
        eqp_buffer_text(&sql->out, ")\n");
        return EQP_OK;
    }
    sql->picks = eqp_sql_can_pick(sql);
    sql->uses.draw[EQP_DRAW_ACCEPT] = sql->options->size == 0;
    sql->uses.draw[EQP_DRAW_RANK] = sql->options->size > 0;
    eqp_status status = list_entries(&query, error);
    if (status == EQP_OK) write_form(&query);
    free(query.entries);
    return status;
}
