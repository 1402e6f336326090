/* The last step: a rule leaves for where the data already is, as SQL, C or JSON, with the same decisions. */
#include "export/c_source.h"
#include "export/sql.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_TABLE "records"
#define DEFAULT_NAME  "equipoise_accepted"

void eqp_export_options_init(eqp_export_options *options)
{
    *options = (eqp_export_options){.table = DEFAULT_TABLE, .form = "statement", .name = DEFAULT_NAME};
}

/* ---- what can be asked for --------------------------------------------------------------------------- */

/* "select" is the statement without its semicolon, to stand within another. */
static eqp_status find_form(const char *name, eqp_sql *sql, eqp_error *error)
{
    static const char *const names[EQP_FORMS] = {"statement", "view", "function", "predicate", "part"};
    sql->bare = strcmp(name, "select") == 0;
    sql->counts = strcmp(name, "counts") == 0;
    sql->form = EQP_STATEMENT;
    if (sql->bare || sql->counts) return EQP_OK;
    for (; sql->form < EQP_FORMS; ++sql->form)
        if (strcmp(names[sql->form], name) == 0) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "no form \"%s\"", name);
    eqp_hint(error, "statement, select, view, function, predicate, part or counts");
    return EQP_USAGE;
}

static eqp_status check_form(const eqp_sql *sql, eqp_error *error)
{
    const eqp_dialect *dialect = sql->dialect;
    bool exists = (sql->form != EQP_VIEW || dialect->view.before != NULL) &&
                  (sql->form != EQP_FUNCTION || dialect->function.before != NULL);
    if (!exists) return eqp_fail(error, EQP_USAGE, "\"%s\" has no functions in SQL", dialect->name);
    if (sql->form == EQP_PREDICATE && sql->options->size > 0)
        return eqp_fail(error, EQP_USAGE, "an exact size needs a whole query, not a predicate");
    if (sql->form == EQP_PART && sql->options->size == 0) {
        eqp_fail(error, EQP_USAGE, "a part needs the size of the whole");
        eqp_hint(error, "give it with --size");
        return EQP_USAGE;
    }
    if (sql->options->key == NULL && dialect->key[sql->form] == NULL) {
        eqp_fail(error, EQP_USAGE, "a view of \"%s\" cannot be given a key", dialect->name);
        eqp_hint(error, "export a function, or write the key into the text");
        return EQP_USAGE;
    }
    return EQP_OK;
}

static eqp_status check_id(const eqp_export_options *options, eqp_error *error)
{
    if (options->id != NULL && options->id[0] != '\0') return EQP_OK;
    /* Engines spell numbers in their own ways, so that a name made of the model's columns would differ. */
    eqp_fail(error, EQP_USAGE, "SQL needs a column that names a record");
    eqp_hint(error, "name it with --id COL, here and in filter");
    return EQP_USAGE;
}

/* "${…}" would be replaced before the engine reads the name. */
static eqp_status check_name(const eqp_sql *sql, const char *name, eqp_error *error)
{
    if (name[0] == '\0') return eqp_fail(error, EQP_USAGE, "a table, view or column needs a name");
    if (!sql->dialect->substitutes || strstr(name, "${") == NULL) return EQP_OK;
    return eqp_fail(error, EQP_USAGE, "\"%s\" replaces \"${\" in names, as in \"%.80s\"", sql->dialect->name,
                    name);
}

static eqp_status check_names(const eqp_sql *sql, eqp_error *error)
{
    const eqp_encoding *encoding = sql->model->encoding;
    const char *names[] = {sql->options->table, sql->options->name, sql->options->id};
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < (sql->counts ? 1 : 3) && status == EQP_OK; i++)
        status = check_name(sql, names[i], error);
    for (size_t f = 0; f < encoding->feature_count && status == EQP_OK; f++)
        status = check_name(sql, encoding->features[f].name, error);
    return status;
}

static eqp_status check_depth(const eqp_sql *sql, eqp_error *error)
{
    if (sql->uses.depth <= sql->dialect->max_depth) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "the rule nests %zu expressions, and \"%s\" takes at most %zu",
             sql->uses.depth, sql->dialect->name, sql->dialect->max_depth);
    eqp_hint(error, "export it as C, or learn a smaller rule");
    return EQP_USAGE;
}

static eqp_status check_length(const eqp_sql *sql, eqp_error *error)
{
    if (!eqp_sql_is_full(sql)) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "the rule takes more than the %zu bytes that a statement of \"%s\" may have",
             sql->dialect->max_bytes, sql->dialect->name);
    eqp_hint(error, sql->inlined ? "a statement is shorter than a predicate"
                                 : "export it as C, or learn a smaller rule");
    return EQP_USAGE;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static eqp_status write_sql(eqp_sql *sql, char **text, eqp_error *error)
{
    eqp_status status = find_form(sql->options->form, sql, error);
    if (status == EQP_OK && !sql->counts) status = check_id(sql->options, error);
    if (status == EQP_OK && !sql->counts) status = check_form(sql, error);
    if (status == EQP_OK) status = check_names(sql, error);
    if (status == EQP_OK) status = eqp_uses_find(sql->model, &sql->uses, error);
    if (status == EQP_OK) status = check_depth(sql, error);
    if (status == EQP_OK)
        status = eqp_missing_init(&sql->missing, sql->model->encoding->missing_marks, error);
    if (status == EQP_OK && sql->counts)
        eqp_sql_write_counts(sql);
    else if (status == EQP_OK)
        status = eqp_sql_write(sql, error);
    if (status == EQP_OK) status = check_length(sql, error);
    if (status == EQP_OK) return eqp_buffer_take(&sql->out, text, error);
    return status;
}

static eqp_status export_sql(const eqp_model *model, const eqp_dialect *dialect,
                             const eqp_export_options *options, char **text, eqp_error *error)
{
    eqp_export_options filled = *options;
    if (filled.table == NULL) filled.table = DEFAULT_TABLE;
    if (filled.form == NULL) filled.form = "statement";
    if (filled.name == NULL) filled.name = DEFAULT_NAME;
    eqp_sql sql = {.model = model, .dialect = dialect, .options = &filled};
    eqp_status status = write_sql(&sql, text, error);
    eqp_arena_free(&sql.uses.arena);
    eqp_missing_free(&sql.missing);
    eqp_buffer_free(&sql.out);
    return status;
}

static eqp_status unknown_dialect(const char *name, eqp_error *error)
{
    char names[200] = "";
    const char *known, *unused;
    for (size_t i = 0; (known = eqp_dialect_name(i, &unused)) != NULL; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "", known);
    eqp_fail(error, EQP_USAGE, "no dialect \"%s\"", name);
    eqp_hint(error, "choose from %s", names);
    return EQP_USAGE;
}

eqp_status eqp_export(const eqp_model *model, const eqp_export_options *options, char **text,
                      eqp_error *error)
{
    *text = NULL;
    const char *name = options->dialect != NULL ? options->dialect : "";
    if (strcmp(name, "json") == 0) return eqp_model_text(model, text, error);
    if (strcmp(name, "c") == 0) return eqp_c_source(model, options->key, options->permanent, text, error);
    const eqp_dialect *dialect = eqp_dialect_find(name);
    if (dialect != NULL) return export_sql(model, dialect, options, text, error);
    return unknown_dialect(name, error);
}
