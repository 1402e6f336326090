/* Triage: what each column is, what it tells about the groups by itself, and whether a rule may use it;
 * looked at over all rows, before anything is learned.
 *
 *     column --numbers.c, text_shape.c, column_kind.c--> kind
 *            --stand_in.c--> what it discloses, whether it determines a group     --pairs.c--> with another
 *     all of it, and what the options say --triage.c--> used or not, and why      --triage_notices.c--> words
 */
#ifndef EQP_TRIAGE_TRIAGE_H
#define EQP_TRIAGE_TRIAGE_H

#include "base/date.h"
#include "base/notes.h"
#include "encode/encoding.h"
#include "encode/groups.h"

/* A value that fewer people hold never enters a model or a report. */
#define EQP_FEWEST_PEOPLE 11

typedef enum eqp_column_kind {
    EQP_COLUMN_NUMBER,
    EQP_COLUMN_TRUTH,
    EQP_COLUMN_DATE,
    EQP_COLUMN_TIME,
    EQP_COLUMN_LEVELS,
    EQP_COLUMN_TEXT, /* free text */
    EQP_COLUMN_NAMES,
    EQP_COLUMN_MAIL,
    EQP_COLUMN_PHONE,
    EQP_COLUMN_IDENTIFIER,
    EQP_COLUMN_CONSTANT,
    EQP_COLUMN_EMPTY,
    EQP_COLUMN_MIXED,
} eqp_column_kind;

/* As reports print it, and as --as takes it. */
const char *eqp_column_kind_name(eqp_column_kind kind);

/* Why a column is not a feature. */
typedef enum eqp_reason {
    EQP_REASON_NONE, /* it is one */
    EQP_REASON_SENSITIVE,
    EQP_REASON_WEIGHT,
    EQP_REASON_IGNORED,
    EQP_REASON_NOT_NAMED, /* in --features */
    EQP_REASON_EMPTY,
    EQP_REASON_CONSTANT,
    EQP_REASON_PERSONAL,   /* identifier, names, mail, phone, free text */
    EQP_REASON_SCARCE,     /* most rows have a value that fewer than 11 people hold */
    EQP_REASON_DETERMINES, /* a group, or is a function of the attribute */
    EQP_REASON_PAIR,       /* determines a group together with another column */
    EQP_REASON_MIXED,
    EQP_REASON_COMMAS, /* numbers with decimal commas or thousands marks, read as text */
    EQP_REASON_DATE,   /* dates in which day and month cannot be told apart */
    EQP_REASON_UNITS,  /* numbers with a unit behind them, read as text */
} eqp_reason;

const char *eqp_reason_text(eqp_reason reason);

typedef struct eqp_column_finding {
    const eqp_column *column;
    eqp_column_kind kind;
    size_t missing, distinct;
    bool scarce;                /* text of many levels: most rows have one that fewer than 11 people hold */
    eqp_date_order order;       /* of a text: in which most of it can be read as dates */
    bool open_order;            /* which may be day-first or month-first */
    bool helps[EQP_DATE_PARTS]; /* of a date: whether a part of it tells something about the groups */
    bool commas;                /* texts that are numbers with decimal commas or thousands marks */
    bool units;                 /* texts that are many numbers with one unit, as "58 kg" */
    bool asked;                 /* named in --features, --keep or --as: used whatever it looks like */
    double disclosure;          /* by itself, cross-validated; NaN: not measured */
    uint32_t group;             /* that it tells most about */
    double determination; /* how nearly it determines a group or follows from the attribute: 1 exactly */
    size_t partner;       /* EQP_REASON_PAIR: the other column */
    eqp_reason reason;
    bool strong;       /* used, and discloses more than the budget */
    char examples[96]; /* the most frequent values, none of fewer than 11 people */
} eqp_column_finding;

typedef struct eqp_triage {
    const eqp_table *table; /* borrowed, as are the groups */
    const eqp_groups *groups;
    size_t *group_rows; /* of each group; NULL without groups */
    size_t column_count;
    eqp_column_finding *columns; /* as in the table */
} eqp_triage;

/* `sample` is that of the table's rows, row by row, or NULL without sensitive columns. */
eqp_status eqp_triage_new(const eqp_table *table, const eqp_sample *sample, const eqp_learn_options *options,
                          const eqp_watch *watch, eqp_triage **triage, eqp_error *error);
void eqp_triage_free(eqp_triage *triage);

/* What a person should know, the gravest first; at most `most` lines, 0: all. */
eqp_status eqp_triage_notices(const eqp_triage *triage, size_t most, eqp_notes *notices, eqp_error *error);

/* How a rule reads the column as dates; EQP_NO_DATE where it does not. */
eqp_date_order eqp_finding_date(const eqp_column_finding *finding);
eqp_date_use eqp_finding_date_use(const eqp_column_finding *finding);

/* ---- steps ----------------------------------------------------------------------------------------------
 */

/* Kind, counts and examples of one column. */
eqp_status eqp_column_describe(const eqp_column *column, size_t rows, eqp_column_finding *finding,
                               eqp_error *error);

#define EQP_FEW_NUMBERS 256

/* Numbers: how many differ, and whether they look like those of people. */
typedef struct eqp_number_facts {
    size_t present, distinct;
    double low, high;
    bool whole; /* all of them */
    size_t few; /* the distinct values, rising, where they are at most EQP_FEW_NUMBERS; else 0 */
    double values[EQP_FEW_NUMBERS];
} eqp_number_facts;

/* The distinct values, rising; 0 when there are more than EQP_FEW_NUMBERS, or none. */
size_t eqp_numbers_few(const double *numbers, size_t rows, double *values);

eqp_status eqp_numbers_describe(const double *numbers, size_t rows, eqp_number_facts *facts,
                                eqp_error *error);
bool eqp_numbers_identify(const eqp_number_facts *facts, const char *name);
/* Whether a column's name says that it numbers people or records; that it holds names of people. */
bool eqp_name_says_identifier(const char *name);
bool eqp_name_says_names(const char *name);

/* Texts: what one looks like, bit by bit. */
typedef enum eqp_text_shape {
    EQP_SHAPE_YEAR_FIRST = 1,
    EQP_SHAPE_DAY_FIRST = 2,
    EQP_SHAPE_MONTH_FIRST = 4,
    EQP_SHAPE_TIME = 8,
    EQP_SHAPE_MAIL = 16,
    EQP_SHAPE_PHONE = 32,
    EQP_SHAPE_COMMA_NUMBER = 64, /* with decimal comma or thousands marks, or a plain number */
    EQP_SHAPE_TRUTH = 128,
    EQP_SHAPE_LETTERS = 256, /* letters, blanks, hyphens and apostrophes alone */
} eqp_text_shape;
unsigned eqp_text_shapes(const char *text, size_t length, size_t *words);

/* What stands behind the number that a text begins with, as "kg" in "58 kg"; NULL where it is no such text.
 */
const char *eqp_text_unit(const char *text, size_t length);

/* The sign that parts several groups in the cells of a text column, as "|" in "Black|Hispanic"; 0: none.  The
 * parts must be fewer than the texts and recur: "Asian/Pacific Islander" alone is one group. */
char eqp_column_separator(const eqp_column *column);
/* The same for a sensitive column whose cells are not read as sets of groups already; 0 for any other. */
char eqp_triage_separator(const eqp_triage *triage, const eqp_column_finding *finding);

/* What a column says about the groups: codes of its values, counted by group in two halves of the rows. */
typedef struct eqp_coder {
    const eqp_column *column;
    uint32_t codes;        /* the last two: other values, missing */
    uint32_t *map;         /* text: level -> code; else NULL */
    double *cuts;          /* numbers: code = number of cuts <= value */
    const double *numbers; /* of the column, or its days */
    double *days;          /* of a column of dates; else NULL */
} eqp_coder;

eqp_status eqp_coder_new(const eqp_column_finding *finding, size_t rows, uint32_t most_codes,
                         eqp_coder *coder, eqp_error *error);
/* The months or weekdays of a column of dates. */
eqp_status eqp_coder_of_part(const eqp_column *column, eqp_date_order date, eqp_date_part part,
                             eqp_coder *coder, eqp_error *error);
/* Codes of rows first … first + count - 1. */
void eqp_coder_run(const eqp_coder *coder, size_t first, size_t count, uint32_t *codes);
void eqp_coder_free(eqp_coder *coder);

/* Counts [half][code][group] and [half][code], of rows dealt to halves by a hash of their number. */
typedef struct eqp_stand_in_counts {
    const eqp_groups *groups;
    const size_t *group_rows;
    uint32_t codes;
    uint32_t *hits[2], *rows[2];
} eqp_stand_in_counts;

eqp_status eqp_stand_in_count(const eqp_sample *sample, const eqp_coder *coder, const eqp_coder *second,
                              eqp_stand_in_counts *counts, eqp_error *error);
void eqp_stand_in_free(eqp_stand_in_counts *counts);
/* On rows that did not choose it: the largest shift of a group's share, and of which group. */
double eqp_stand_in_disclosure(const eqp_stand_in_counts *counts, uint32_t *group);
/* 1: a set of its values is exactly a group, or the groups say its value; 0: no better than guessing. */
double eqp_stand_in_determination(const eqp_stand_in_counts *counts);

/* Whether the same values hold more of a group in both halves, beyond chance. */
bool eqp_stand_in_repeats(const eqp_stand_in_counts *counts);

/* Above this a column is left out. */
#define EQP_DETERMINES 0.8

/* Pairs among the strongest columns that determine a group only together. */
eqp_status eqp_triage_pairs(eqp_triage *triage, const eqp_sample *sample, eqp_error *error);

#endif
