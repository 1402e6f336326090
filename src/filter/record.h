/* Accepted records on their way out: unchanged, or with a column more, or safe for spreadsheets.
 *
 * A spreadsheet runs a cell that begins with = + - @, a tab, a carriage return or a line feed as a formula.
 * Such cells, unless they are numbers, are suspicious: they are counted, and with `excel_safe` written in
 * quotes behind an apostrophe ("'=1+1"), which a spreadsheet takes for text.  All other bytes stay as they
 * are. */
#ifndef EQP_FILTER_RECORD_H
#define EQP_FILTER_RECORD_H

#include "decode/decoder.h"
#include "model/rule.h"
#include "table/habits.h"
#include "table/index.h"

#define EQP_PROBABILITY_COLUMN "equipoise_probability"

typedef struct eqp_record_style {
    char delimiter;
    char decimal;
    bool excel_safe;
    eqp_habits habits; /* of the file, for reading it once more */
} eqp_record_style;

/* Appends one record.  `last_cell` (NULL: none) becomes one more cell before the line end. */
void eqp_record_pass(const eqp_record_style *style, const eqp_chunk *chunk, const eqp_index *index,
                     size_t record, const char *last_cell, eqp_buffer *out);

/* Suspicious cells of one record. */
size_t eqp_record_formulas(const eqp_record_style *style, const eqp_chunk *chunk, const eqp_index *index,
                           size_t record);

/* A quick look over whole records: false when no cell is suspicious, true when some may be. */
bool eqp_records_may_hold_formulas(const char *bytes, size_t length, char delimiter);

/* Its loop: does a cell begin like a formula at one of bytes[1 … length-1]?  Those that this processor can
 * run, the best last; the first is the portable one. */
typedef bool (*eqp_formula_search)(const char *bytes, size_t length, char delimiter);
#define EQP_FORMULA_SEARCHES 3
size_t eqp_formula_searches(eqp_formula_search searches[EQP_FORMULA_SEARCHES]);

/* ---- chances as text ---------------------------------------------------------------------------------- */

/* The chance with which each record of a batch is accepted, as text, for --append. */
typedef struct eqp_chances eqp_chances;

/* Borrows the model. */
eqp_status eqp_chances_new(const eqp_model *model, const eqp_record_style *style, eqp_chances **chances,
                           eqp_error *error);
void eqp_chances_free(eqp_chances *chances);
void eqp_chances_find(eqp_chances *chances, const eqp_block *block);
/* Of row i of the block: the shortest decimal that reads back as the same double; until the next call. */
const char *eqp_chances_text(eqp_chances *chances, size_t i);

#endif
