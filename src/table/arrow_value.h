/* One cell of an Arrow array, whatever its type.
 *
 * Arrow arrays carry no sizes for their buffers, so a hostile producer can point anywhere; what can be
 * checked is checked: negative lengths and offsets, missing buffers, text that ends before it begins,
 * dictionary indices. */
#ifndef EQP_TABLE_ARROW_VALUE_H
#define EQP_TABLE_ARROW_VALUE_H

#include "table/arrow_abi.h"
#include "table/index.h"

#define EQP_ARROW_VIEW_BYTES   16
#define EQP_ARROW_INLINE_BYTES 12 /* text of at most this many bytes stands in the view itself */

typedef enum eqp_arrow_kind {
    EQP_ARROW_UNSUPPORTED,
    EQP_ARROW_NULL,
    EQP_ARROW_BOOLEAN,
    EQP_ARROW_SIGNED,
    EQP_ARROW_UNSIGNED,
    EQP_ARROW_FLOAT,
    EQP_ARROW_TEXT,      /* 32-bit offsets */
    EQP_ARROW_LONG_TEXT, /* 64-bit offsets */
    EQP_ARROW_TEXT_VIEW
} eqp_arrow_kind;

typedef struct eqp_arrow_type {
    eqp_arrow_kind kind; /* of the values: behind the dictionary when there is one */
    unsigned width;      /* bytes of a number */
    bool dictionary;
    bool index_signed; /* of the dictionary's indices */
    unsigned index_width;
} eqp_arrow_type;

typedef enum eqp_arrow_found {
    EQP_FOUND_NOTHING, /* a missing cell */
    EQP_FOUND_SIGNED,
    EQP_FOUND_UNSIGNED,
    EQP_FOUND_REAL,
    EQP_FOUND_TEXT,
    EQP_FOUND_DAMAGE
} eqp_arrow_found;

typedef struct eqp_arrow_value {
    eqp_arrow_found found;
    union {
        int64_t integer;
        uint64_t natural;
        double real;
        eqp_cell text;
    };
} eqp_arrow_value;

eqp_arrow_type eqp_arrow_type_of(const struct ArrowSchema *schema);
/* Whether the array can hold `rows` cells of the type: lengths, offsets, buffers. */
bool eqp_arrow_array_fits(const eqp_arrow_type *type, const struct ArrowArray *array, int64_t rows);
/* Cell `row` of an array that fits. */
eqp_arrow_value eqp_arrow_value_at(const eqp_arrow_type *type, const struct ArrowArray *array, int64_t row);

/* Behind a dictionary: the entry that cell `row` names, UINT64_MAX when it is null; and what an entry is. */
uint64_t eqp_arrow_entry_at(const eqp_arrow_type *type, const struct ArrowArray *array, int64_t row);
eqp_arrow_value eqp_arrow_entry_value(const eqp_arrow_type *type, const struct ArrowArray *array,
                                      uint64_t entry);

/* The text of a value as a file would have it.  Numbers are written out into `text`.  NaN and missing cells
 * have none: false. */
bool eqp_arrow_value_text(const eqp_arrow_value *value, char text[32], eqp_cell *cell);

#endif
