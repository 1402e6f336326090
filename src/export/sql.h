/* The rule as SQL, written once for all dialects:
 *
 *     sql_uses.c    what the rule reads: columns, scores that are worth a name, blocks of draws
 *     sql_values.c  columns -> numbers and codes, cleaned as the filter cleans cells
 *     sql_dates.c   dates -> days, months, weekdays
 *     sql_guard.c   which records can be decided: the filter's grammar of numbers and ids
 *     sql_score.c   scores as sums in a fixed order (M13)
 *     sql_pick.c    the sum of the component that the draw picks
 *     sql_router.c  key, model and id -> draws (M12); scores and draws -> leaf; leaf -> acceptance
 *     statement.c   the query around it
 *     sql_counts.c  a query beside it, that counts the cells that the model does not know
 *
 * In a query values, digests and shared scores are worked out once in inner queries and known by short names.
 * A predicate has no inner query, so there every name is replaced by what it stands for. */
#ifndef EQP_EXPORT_SQL_H
#define EQP_EXPORT_SQL_H

#include "export/dialect.h"
#include "model/rule.h"
#include "table/missing.h"

#define EQP_DRAW_BLOCKS_MAX 20 /* a tree of 64 levels with noise needs 17 */
/* The draw that ranks for exact sizes, which has a digest of its own: the last, that no tree reaches. */
#define EQP_DRAW_RANK ((EQP_DRAW_BLOCKS_MAX - 1) * EQP_DRAWS_PER_BLOCK)

/* What a rule reads. */
typedef struct eqp_uses {
    eqp_arena arena; /* of the arrays below and those of the search */
    bool *feature;   /* [feature] some score asks for it */
    bool *named;     /* [score] asked for more than once */
    bool draw[EQP_DRAW_BLOCKS_MAX * EQP_DRAWS_PER_BLOCK];
    size_t depth; /* of the deepest expression, about */
} eqp_uses;

/* Its arena is freed by the caller, also on failure. */
eqp_status eqp_uses_find(const eqp_model *model, eqp_uses *uses, eqp_error *error);

typedef struct eqp_sql {
    const eqp_model *model;
    const eqp_dialect *dialect;
    const eqp_export_options *options;
    eqp_form form;
    bool bare;   /* without the final semicolon */
    bool counts; /* of the cells that the model does not know, instead of the rule */
    eqp_uses uses;
    eqp_missing missing;
    bool inlined; /* a predicate: no names */
    bool picks;   /* the component first, then one sum (sql_pick.c) */
    eqp_buffer out;
} eqp_sql;

static inline bool eqp_sql_has_arrays(const eqp_sql *sql)
{
    return sql->dialect->array.before != NULL;
}

/* Longer than the dialect takes: whatever is written now is wasted. */
static inline bool eqp_sql_is_full(const eqp_sql *sql)
{
    return sql->out.length > sql->dialect->max_bytes;
}

/* ---- sql_values.c ---- */

/* The feature that holds the numbers of a number, bins or date feature: the first of its column. */
size_t eqp_sql_holder(const eqp_sql *sql, size_t feature);
/* What stands for a feature's number (NULL when missing) or code, by name or in full. */
void eqp_sql_number(eqp_sql *sql, size_t feature);
void eqp_sql_code(eqp_sql *sql, size_t feature);
bool eqp_sql_names_code(const eqp_sql *sql, size_t feature);
/* The same always in full, for the inner query that gives them their names. */
void eqp_sql_clean_number(eqp_sql *sql, size_t feature);
void eqp_sql_clean_code(eqp_sql *sql, size_t feature);
void eqp_sql_trimmed_text(eqp_sql *sql, size_t feature); /* of a number; NULL when missing */
void eqp_sql_named_text(eqp_sql *sql, size_t feature);   /* the same by name, where it has one */
void eqp_sql_as_text(eqp_sql *sql, const char *name);
void eqp_sql_known_text(eqp_sql *sql, size_t feature); /* of a column, with its blanks; NULL when missing */
void eqp_sql_column_between(eqp_sql *sql, const char *before, const char *name, const char *after);

/* ---- sql_dates.c ---- */

/* Whether the column's numbers are read from the texts of numbers, which may not be such. */
static inline bool eqp_sql_reads_numbers(const eqp_sql *sql, size_t feature)
{
    return !eqp_feature_reads_text(&sql->model->encoding->features[feature]);
}
/* yyyymmdd, NULL where it cannot be one; an inner query calls it eqp_x and the number of the feature. */
void eqp_sql_date_text(eqp_sql *sql, size_t feature);
void eqp_sql_days(eqp_sql *sql, size_t feature); /* since 1970-01-01; NULL when missing */
void eqp_sql_part_code(eqp_sql *sql, size_t feature);

/* ---- sql_guard.c ---- */

void eqp_sql_is_number(eqp_sql *sql, size_t feature); /* NULL when missing */
/* A number can be read, or is missing. */
void eqp_sql_number_is_readable(eqp_sql *sql, size_t feature);
/* The id and every number of the record can be read; else it is not decided. */
void eqp_sql_is_readable(eqp_sql *sql);

/* ---- sql_router.c: draws ---- */

void eqp_sql_digest(eqp_sql *sql, unsigned block);
/* draw < T(probability) */
void eqp_sql_draw_below(eqp_sql *sql, size_t number, double probability);
void eqp_sql_draw_in_full(eqp_sql *sql, size_t number);
void eqp_sql_draw_whole(eqp_sql *sql, size_t number); /* a whole number below 2^52 */

/* ---- sql_score.c ---- */

void eqp_sql_literal(eqp_sql *sql, double value);
/* CASE subject WHEN 0 THEN … ELSE … END; the commonest value is the ELSE. */
typedef void eqp_sql_writer(eqp_sql *sql, double value);
void eqp_sql_lookup(eqp_sql *sql, void (*subject)(eqp_sql *sql, size_t which), size_t which,
                    const double *values, size_t count, eqp_sql_writer *write);
void eqp_sql_score(eqp_sql *sql, uint32_t score); /* by name or in full */
void eqp_sql_score_in_full(eqp_sql *sql, uint32_t score);

/* ---- sql_pick.c ---- */

bool eqp_sql_can_pick(const eqp_sql *sql);
void eqp_sql_pick(eqp_sql *sql);     /* the number of the component */
void eqp_sql_says_yes(eqp_sql *sql); /* its answer */

/* ---- sql_router.c ---- */

void eqp_sql_accepted(eqp_sql *sql);   /* the condition */
void eqp_sql_acceptance(eqp_sql *sql); /* the acceptance probability of the record's leaf */

/* ---- sql_counts.c ---- */

void eqp_sql_write_counts(eqp_sql *sql);

/* ---- statement.c ---- */

eqp_status eqp_sql_write(eqp_sql *sql, eqp_error *error);

#endif
