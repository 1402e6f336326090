/* Typed columns in memory: what learning, auditing and comparing work on.
 *
 *     bytes --source.c--> chunks --index.c--> fields --load.c--> eqp_table
 *     Arrow C stream --arrow_batches.c--> columns --arrow.c----> eqp_table */
#ifndef EQP_TABLE_TABLE_H
#define EQP_TABLE_TABLE_H

#include "base/dictionary.h"
#include "base/status.h"
#include "table/habits.h"

typedef enum eqp_kind { EQP_NUMBER, EQP_TEXT } eqp_kind;

typedef struct eqp_column {
    char *name;
    eqp_kind kind;
    double *numbers;          /* kind number: one per row, NaN where missing; else NULL */
    uint32_t *codes;          /* kind text: one per row, EQP_NO_CODE where missing; else NULL */
    eqp_dictionary *levels;   /* kind text: the texts behind the codes; else NULL */
    size_t missing;           /* rows without a value */
    uint64_t first_text_line; /* kind text: of the first cell that is not a number; 0: none, or Arrow */
    size_t odd_cells;    /* kind text: cells that are not numbers among many that are; 0: no such column */
    bool renamed;        /* another column before it has its name in the file: "age.2" */
    bool borrows_levels; /* the dictionary belongs to the table that this one was taken from */
} eqp_column;

struct eqp_table {
    char *source; /* file name for messages, "-" or "arrow" */
    size_t rows;
    size_t column_count;
    eqp_column *columns;
    char digest[65];     /* of the bytes read; empty for Arrow until asked for: eqp_table_digest */
    uint64_t bytes;      /* read, decompressed */
    double seconds;      /* that reading took */
    char *missing_marks; /* as given, comma-separated */
    char decimal;
    char delimiter;    /* as given or detected */
    eqp_habits habits; /* of the file it was read from */
};

/* SHA-256 of the bytes read (decompressed); for Arrow of names, numbers, levels and codes, so that batches
 * and string types make no difference.  Owned by the table; may be called from several threads. */
const char *eqp_table_digest(const eqp_table *table);

/* NULL when there is no such column. */
const eqp_column *eqp_table_find(const eqp_table *table, const char *name);

/* The same, or EQP_DATA: no column "Race"; did you mean "race"?  Fails too for two such columns. */
eqp_status eqp_table_require(const eqp_table *table, const char *name, const eqp_column **column,
                             eqp_error *error);

/* The nearest of `count` names by edit distance, or NULL when none is near. */
const char *eqp_nearest_name(const char *name, const char *const *names, size_t count);

/* The rows `rows[0 … count-1]` as a table that borrows the dictionaries of `table`, which must outlive it. */
eqp_status eqp_table_take(const eqp_table *table, const size_t *rows, size_t count, eqp_table **taken,
                          eqp_error *error);

#endif
