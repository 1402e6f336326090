/* What every method learns from: the table's labelled rows, encoded.
 *
 *     table --columns chosen--> encoding --> block, design      sensitive columns --> groups --> sample */
#ifndef EQP_LEARN_TRAINING_H
#define EQP_LEARN_TRAINING_H

#include "design/design.h"
#include "encode/encoding.h"
#include "encode/groups.h"

typedef struct eqp_notes { /* warnings and notices for people, in order of discovery */
    size_t count, capacity;
    char **texts;
} eqp_notes;

eqp_status eqp_note(eqp_notes *notes, eqp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
eqp_status eqp_notes_append(eqp_notes *notes, const eqp_notes *more, eqp_error *error);
void eqp_notes_free(eqp_notes *notes);

/* What a method wants in addition to the encoded rows. */
typedef struct eqp_training_needs {
    bool bins;                  /* of numbers, among the features */
    bool design;                /* the rows standardised, in the order of the sample */
    uint32_t most_coefficients; /* a wider encoding is refused; 0: any width */
} eqp_training_needs;

typedef struct eqp_training {
    const eqp_table *table; /* borrowed */
    eqp_table *labelled;    /* its labelled rows; NULL when all of them are */
    eqp_encoding *encoding;
    eqp_groups *groups;
    eqp_sample *sample; /* rows[i] of the sample is row i of block and design */
    eqp_block *block;   /* the labelled rows only */
    eqp_design *design; /* NULL where it is not needed */
    eqp_notes notes;
    size_t threads;
} eqp_training;

/* The groups of a table with their targets, and its labelled rows in them; the caller frees both, also after
 * a failure.  Rows left out are noted. */
eqp_status eqp_learn_groups(const eqp_table *table, const eqp_learn_options *options, eqp_groups **groups,
                            eqp_sample **sample, eqp_notes *notes, eqp_error *error);

/* Chooses the columns (identifier-like, constant, sensitive, weight and ignored ones left out with a note),
 * fits the encoding, finds groups and target.  `groups` are given for part of a table whose groups and target
 * are known, also where a group has no row in it; NULL finds them.  The options are checked ones. */
eqp_status eqp_training_new(const eqp_table *table, const eqp_groups *groups,
                            const eqp_learn_options *options, eqp_training_needs needs,
                            eqp_training **training, eqp_error *error);
void eqp_training_free(eqp_training *training);

#define EQP_FEATURES_MAX 10000 /* columns that one rule may look at */

typedef struct eqp_columns {
    size_t count;
    const char **names; /* views into the table's column names */
} eqp_columns;

/* `labelled` holds the rows to learn from.  The sensitive attributes, the weight and the ignored columns are
 * no features; columns without information and identifiers are left out with a note, unless `features` names
 * an identifier.  With a proxy column, that one alone.  EQP_USAGE when `features` names a sensitive
 * attribute, EQP_DATA when there are none or too many. */
eqp_status eqp_columns_choose(const eqp_table *labelled, const eqp_learn_options *options,
                              eqp_columns *columns, eqp_notes *notes, eqp_error *error);
void eqp_columns_free(eqp_columns *columns);

#endif
