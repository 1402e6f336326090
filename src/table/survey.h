/* What a column holds, cell by cell, before its kind is decided. */
#ifndef EQP_TABLE_SURVEY_H
#define EQP_TABLE_SURVEY_H

#include "table/index.h"
#include "table/missing.h"
#include "table/table.h"

/* So much of a column's cells being numbers makes the rest a mistake rather than the column text. */
#define EQP_MOSTLY_NUMBERS 0.95

typedef struct eqp_survey {
    uint64_t numbers, others; /* cells that are, and are not, numbers; missing ones count as neither */
    uint64_t unseen;          /* cells that were not looked at */
    bool zero_led;            /* "007": text although it looks like a number */
    bool beyond_double;       /* whole numbers of 2^53 and more, which a double does not keep apart */
    eqp_cell first_other;     /* the first cell that is not a number, as it stands in the file */
    size_t other_chunk;       /* the chunk that it stands in */
} eqp_survey;

/* Adds a value that is not missing; `field` is where it came from. */
void eqp_survey_add(eqp_survey *survey, eqp_cell value, eqp_cell field, char decimal);
/* Adds what a later chunk holds. */
void eqp_survey_merge(eqp_survey *survey, const eqp_survey *later, size_t chunk);

typedef enum eqp_verdict { EQP_VERDICT_NUMBER, EQP_VERDICT_TEXT, EQP_VERDICT_MISTAKE } eqp_verdict;
/* Whether the unseen cells cannot turn the verdict. */
bool eqp_survey_settles(const eqp_survey *survey);
eqp_verdict eqp_survey_decide(const eqp_survey *survey);

#endif
