/* The encoding: how named columns become features.  Fitted once on the training table, kept in the model,
 * applied by column name from then on.
 *
 * A feature reads one column.  A number gives one value; a level or bin feature gives a code.  Every feature
 * owns a run of *slots* in the coefficient vector of a linear score, slot 0 being the intercept:
 *
 *     number   2 slots               coefficient of the value, value for a missing cell
 *     levels   level_count + 2       one per level, then "other" (never seen or rare), then missing
 *     bins     cut_count + 1 + 2     one per bin, then "other" (never used), then missing
 *
 * One-hot columns are never expanded: a coded cell is one table lookup.
 *
 * A column of dates is a number of days, and its bins; month and weekday are levels made from that number. */
#ifndef EQP_ENCODE_ENCODING_H
#define EQP_ENCODE_ENCODING_H

#include "base/date.h"
#include "base/memory.h"
#include "table/table.h"

typedef enum eqp_feature_kind { EQP_FEATURE_NUMBER, EQP_FEATURE_LEVELS, EQP_FEATURE_BINS } eqp_feature_kind;

/* Levels that are made from a day. */
typedef enum eqp_date_part { EQP_NO_PART, EQP_PART_MONTH, EQP_PART_WEEKDAY, EQP_DATE_PARTS } eqp_date_part;

typedef struct eqp_feature {
    char *name; /* of the column */
    eqp_feature_kind kind;
    eqp_date_order date; /* how the column's cells are read as dates; EQP_NO_DATE: they are not */
    eqp_date_part part;  /* levels of a date: which */
    double alone; /* of the column's first feature: what the column discloses by itself at least, where that
                     is more than the budget, to one digit, for show; else 0 */
    double mean, scale;   /* number: of the training rows with a value; scale > 0 */
    double missing_share; /* of the training rows, rounded to 0.001, for drift */
    uint32_t level_count; /* levels: how many are kept; bins: how many bins */
    char **levels;        /* levels: the texts, sorted bytewise */
    double *cuts;         /* bins: level_count - 1 rising cut points; bin = number of cuts <= value */
    double *shares; /* levels and bins: share of each code, level_count + 2, rounded to 0.001, for drift */
    uint32_t slot;  /* the first of its slots */
    uint32_t slots;
} eqp_feature;

typedef struct eqp_encoding {
    size_t feature_count;
    eqp_feature *features;
    uint32_t width;      /* slots in all, intercept included */
    char *missing_marks; /* comma-separated, as in eqp_read_options */
    char decimal;
} eqp_encoding;

#define EQP_OTHER(feature)   ((feature)->level_count)
#define EQP_MISSING(feature) ((feature)->level_count + 1)

/* How a column is read as dates, and whether its months and weekdays are told apart. */
typedef struct eqp_date_use {
    eqp_date_order order;
    bool parts[EQP_DATE_PARTS];
} eqp_date_use;

typedef struct eqp_encoding_options {
    const char *const *columns; /* the columns to use, in order */
    size_t column_count;
    const double *weight; /* design weight of each row, or NULL */
    double rare_share;    /* levels below this share of the weight are pooled into "other" */
    uint32_t max_levels;  /* keep at most this many levels of a column, the most frequent */
    uint32_t bins;        /* add a bin feature with this many bins (by quantiles) for each number; 0: none */
    uint32_t least_rows;  /* levels of fewer rows are pooled too, whatever their weight */
    const eqp_date_use *dates; /* how each is read as dates; NULL: none is */
} eqp_encoding_options;

/* Mean, scale and shares are weighted.  A constant number has scale 1; a bin feature stands right after its
 * number and is left out when there is nothing to cut.  Level texts must be valid UTF-8. */
eqp_status eqp_encoding_fit(const eqp_table *table, const eqp_encoding_options *options,
                            eqp_encoding **encoding, eqp_error *error);
eqp_status eqp_encoding_copy(const eqp_encoding *encoding, eqp_encoding **copy, eqp_error *error);
void eqp_encoding_free(eqp_encoding *encoding);
/* Frees what it holds. */
void eqp_feature_clear(eqp_feature *feature);

/* Gives every feature its slots and the encoding its width; EQP_DATA when they do not fit 32 bits. */
eqp_status eqp_encoding_number_slots(eqp_encoding *encoding, eqp_error *error);

/* Whether feature f reads the same column as the one before it: a number and its bins count once. */
bool eqp_feature_repeats(const eqp_encoding *encoding, size_t f);
/* The first feature of the column that f reads: where the column's numbers are, if it is a number. */
size_t eqp_feature_first(const eqp_encoding *encoding, size_t f);
/* Whether the number of feature f has bins beside it. */
bool eqp_feature_is_binned(const eqp_encoding *encoding, size_t f);
/* Whether the column is read as text: levels and dates. */
static inline bool eqp_feature_reads_text(const eqp_feature *feature)
{
    return feature->kind == EQP_FEATURE_LEVELS || feature->date != EQP_NO_DATE;
}

/* The code of a text (binary search; EQP_OTHER when it is not kept) or of a number (EQP_MISSING for NaN). */
uint32_t eqp_feature_level(const eqp_feature *feature, const char *text, size_t length);
uint32_t eqp_feature_bin(const eqp_feature *feature, double value);
/* The same for many values. */
void eqp_feature_bins(const eqp_feature *feature, const double *values, size_t rows, uint32_t *codes);
/* Levels of a date: the code of each month or weekday, in their order (encode/days.c). */
#define EQP_MOST_PARTS EQP_MONTHS
const char *const *eqp_part_names(eqp_date_part part, uint32_t *count);
void eqp_feature_part_codes(const eqp_feature *feature, uint32_t codes[EQP_MOST_PARTS]);
uint32_t eqp_feature_part(const eqp_feature *feature, const uint32_t codes[EQP_MOST_PARTS], double days);
/* The days of a text column, NaN where it holds no date; false without memory. */
bool eqp_column_days(const eqp_column *column, size_t rows, eqp_date_order order, double *days);

/* Encoded rows, feature by feature: raw numbers (NaN where missing) or codes, the inputs of rules. */
typedef struct eqp_block {
    size_t rows;
    size_t feature_count;
    double **numbers;       /* [feature][row]; NULL entry for coded features */
    uint32_t **codes;       /* [feature][row]; NULL entry for numbers */
    double *blank;          /* NaN in every row: stands for number columns of the table that hold nothing */
    eqp_arena arena;        /* of the block's own arrays: all but the numbers of a table */
    uint64_t missing_cells; /* each cell once, also where a number and a bin feature read it */
    uint64_t unseen_levels; /* cells whose level is not kept: rare in training or never seen */
} eqp_block;

/* Every row of the table.  A column that is absent, or text where the model wants a number, is EQP_DATA and
 * names the first offending line.  The block borrows number columns from the table. */
eqp_status eqp_block_from_table(const eqp_encoding *encoding, const eqp_table *table, eqp_block **block,
                                eqp_error *error);
/* Arrays of its own for this many rows; block->arena says whether there was memory for them. */
void eqp_block_allocate(eqp_block *block, const eqp_encoding *encoding, size_t rows);
void eqp_block_free(eqp_block *block);

#endif
