/* The chance with which each record of a batch is accepted, as text, for --append. */
#ifndef EQP_FILTER_CHANCE_TEXT_H
#define EQP_FILTER_CHANCE_TEXT_H

#include "decode/decoder.h"
#include "filter/record.h"
#include "model/rule.h"

typedef struct eqp_chances eqp_chances;

/* Borrows the model. */
eqp_status eqp_chances_new(const eqp_model *model, const eqp_record_style *style, eqp_chances **chances,
                           eqp_error *error);
void eqp_chances_free(eqp_chances *chances);
void eqp_chances_find(eqp_chances *chances, const eqp_block *block);
/* Of row i of the block: the shortest decimal that reads back as the same double; until the next call. */
const char *eqp_chances_text(eqp_chances *chances, size_t i);

#endif
