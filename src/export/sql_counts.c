/* The query beside the rule: for every column that it reads, how many cells are missing, never seen in
 * training, or no number where one is wanted.  A filter refuses a file whose cells are nearly all such; a
 * query that decides cannot stop, so this one is asked before it.
 *
 *     SELECT 'age' AS column_name, COUNT(*) AS records, SUM(…) AS missing_cells, … FROM table UNION ALL … */
#include "export/sql.h"

#include "encode/known_cells.h"
#include "model/identity.h"

static void count_where(eqp_sql *sql, void (*condition)(eqp_sql *sql, size_t feature), size_t f,
                        const char *name)
{
    if (condition == NULL) {
        eqp_buffer_printf(&sql->out, ", 0 AS %s", name);
        return;
    }
    eqp_buffer_text(&sql->out, ",\n  COALESCE(SUM(CASE WHEN ");
    condition(sql, f);
    eqp_buffer_printf(&sql->out, " THEN 1 ELSE 0 END), 0) AS %s", name);
}

static void level_is_missing(eqp_sql *sql, size_t f)
{
    eqp_sql_clean_code(sql, f);
    eqp_buffer_printf(&sql->out, " = %u", EQP_MISSING(&sql->model->encoding->features[f]));
}

static void level_is_unseen(eqp_sql *sql, size_t f)
{
    eqp_sql_clean_code(sql, f);
    eqp_buffer_printf(&sql->out, " = %u", EQP_OTHER(&sql->model->encoding->features[f]));
}

/* A text that is no date is missing, as in the filter. */
static void date_is_missing(eqp_sql *sql, size_t f)
{
    eqp_sql_clean_number(sql, f);
    eqp_buffer_text(&sql->out, " IS NULL");
}

static void number_is_unreadable(eqp_sql *sql, size_t f)
{
    eqp_buffer_text(&sql->out, "NOT (");
    eqp_sql_number_is_readable(sql, f);
    eqp_buffer_text(&sql->out, ")");
}

/* What cannot be read may be NULL too. */
static void number_is_missing(eqp_sql *sql, size_t f)
{
    eqp_buffer_text(&sql->out, "(");
    eqp_sql_clean_number(sql, f);
    eqp_buffer_text(&sql->out, ") IS NULL AND (");
    eqp_sql_number_is_readable(sql, f);
    eqp_buffer_text(&sql->out, ")");
}

static void count_column(eqp_sql *sql, size_t f)
{
    const eqp_feature *feature = &sql->model->encoding->features[f];
    bool date = feature->date != EQP_NO_DATE, levels = feature->kind == EQP_FEATURE_LEVELS && !date;
    eqp_buffer_text(&sql->out, "SELECT ");
    eqp_quote_text(sql->dialect, feature->name, &sql->out);
    eqp_buffer_text(&sql->out, " AS column_name, COUNT(*) AS records");
    count_where(sql,
                levels ? level_is_missing
                : date ? date_is_missing
                       : number_is_missing,
                f, "missing_cells");
    count_where(sql, levels ? level_is_unseen : NULL, f, "unseen_cells");
    count_where(sql, levels || date ? NULL : number_is_unreadable, f, "unreadable_cells");
    eqp_buffer_text(&sql->out, ",\n  ");
    eqp_sql_literal(sql, eqp_unknown_share(feature));
    eqp_buffer_text(&sql->out, " AS usual_share\nFROM ");
    if (date) {
        eqp_buffer_text(&sql->out, "(SELECT ");
        eqp_sql_date_text(sql, f);
        eqp_buffer_printf(&sql->out, " AS eqp_x%zu FROM ", f);
    }
    eqp_quote_table(sql->dialect, sql->options->table, &sql->out);
    if (date) eqp_buffer_text(&sql->out, ") AS x");
}

void eqp_sql_write_counts(eqp_sql *sql)
{
    const eqp_encoding *encoding = sql->model->encoding;
    const char *between = "";
    sql->inlined = true;
    eqp_buffer_printf(&sql->out, "-- equipoise %s, model %s, for %s%s\n", eqp_version(), sql->model->id,
                      sql->dialect->name, sql->dialect->verified ? "" : " (never run there: not verified)");
    eqp_buffer_text(&sql->out,
                    "-- cells that the model does not know; shifted: the filter would refuse the file\n");
    eqp_buffer_printf(&sql->out,
                      "SELECT eqp.*,\n  CASE WHEN records >= %d AND missing_cells + unseen_cells > "
                      "(usual_share + ",
                      EQP_SHIFT_ROWS);
    eqp_sql_literal(sql, EQP_SHIFT_MOST);
    eqp_buffer_text(&sql->out, ") * records THEN 1 ELSE 0 END AS shifted\nFROM (");
    for (size_t f = 0; f < encoding->feature_count && !eqp_sql_is_full(sql); f++) {
        if (eqp_feature_repeats(encoding, f)) continue;
        eqp_buffer_text(&sql->out, between);
        count_column(sql, f);
        between = "\nUNION ALL\n";
    }
    eqp_buffer_text(&sql->out, ") AS eqp");
    if (sql->dialect->settings != NULL) eqp_buffer_text(&sql->out, sql->dialect->settings);
    eqp_buffer_text(&sql->out, ";\n");
}
