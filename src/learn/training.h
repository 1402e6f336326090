/* What every method learns from: the table's labelled rows, encoded.
 *
 *     table --columns chosen--> encoding --> block, design      sensitive columns --> groups --> sample */
#ifndef EQP_LEARN_TRAINING_H
#define EQP_LEARN_TRAINING_H

#include "base/notes.h"
#include "base/sdc.h"
#include "design/design.h"
#include "encode/encoding.h"
#include "encode/groups.h"
#include "triage/triage.h"

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
    eqp_triage *triage; /* of the labelled rows; NULL with a proxy column */
    size_t threads;
    eqp_sdc sdc;          /* how figures about these rows are told */
    uint64_t sdc_key;     /* of its choices */
    double *told_rate;    /* base rates as a report may tell them */
    char fingerprint[65]; /* by which the rows are recognised later; zeros for a part of a table */
} eqp_training;

/* The groups of a table with their targets, and its labelled rows in them; the caller frees both, also after
 * a failure.  Rows left out are noted. */
eqp_status eqp_learn_groups(const eqp_table *table, const eqp_learn_options *options, eqp_groups **groups,
                            eqp_sample **sample, eqp_notes *notes, eqp_error *error);

/* The labelled rows of a table: `*taken` where some are not, else the table itself. */
eqp_status eqp_labelled_rows(const eqp_table *table, const eqp_sample *sample, eqp_table **taken,
                             const eqp_table **labelled, eqp_error *error);

#define EQP_NOTICES_SHOWN 5 /* lines about columns, beside a result */

/* Chooses the columns (those that triage leaves out are in `triage`), fits the encoding, finds groups and
 * target.  `groups` are given for part of a table whose groups and target are known, also where a group has
 * no row in it; NULL finds them.  The options are checked ones. */
eqp_status eqp_training_new(const eqp_table *table, const eqp_groups *groups,
                            const eqp_learn_options *options, eqp_training_needs needs,
                            const eqp_watch *watch, eqp_training **training, eqp_error *error);
void eqp_training_free(eqp_training *training);
/* The labelled rows as a table, and as another encoding reads them. */
const eqp_table *eqp_training_labelled(const eqp_training *training);
eqp_status eqp_training_block(const eqp_training *training, const eqp_encoding *encoding, eqp_block **block,
                              eqp_error *error);

#define EQP_FEATURES_MAX 10000 /* columns that one rule may look at */

typedef struct eqp_columns {
    size_t count;
    const char **names;  /* views into the table's column names */
    eqp_date_use *dates; /* how each is read as dates, if it is */
} eqp_columns;

/* The columns that triage lets pass; with `features` those named, in that order.  EQP_USAGE when `features`
 * names a sensitive attribute, EQP_DATA when there are none or too many, or a named one mixes numbers and
 * text. */
eqp_status eqp_columns_choose(const eqp_triage *triage, const eqp_learn_options *options,
                              eqp_columns *columns, eqp_error *error);
/* The proxy column alone. */
eqp_status eqp_columns_proxy(const eqp_table *labelled, const eqp_learn_options *options,
                             eqp_columns *columns, eqp_error *error);
void eqp_columns_free(eqp_columns *columns);

#endif
