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
    EQP_ARROW_TEXT_VIEW,
    EQP_ARROW_DECIMAL,  /* a number */
    EQP_ARROW_DURATION, /* a number of seconds */
    EQP_ARROW_DATE,     /* what follows is text, spelled as ISO 8601 does (arrow_spelling.c) */
    EQP_ARROW_TIME,
    EQP_ARROW_MOMENT,
    EQP_ARROW_INTERVAL,
    EQP_ARROW_UUID
} eqp_arrow_kind;

typedef struct eqp_arrow_type {
    eqp_arrow_kind kind; /* of the values: behind the dictionary when there is one */
    unsigned width;      /* bytes of a value: a number, a text's offset or view, what is spelled out */
    int scale;           /* of a decimal: digits behind the point */
    char unit;           /* of times: D, s, m, u, n; of intervals M, D, n */
    bool zoned;          /* of moments: they are of UTC */
    unsigned run_width;  /* bytes of a run's end, of which a dictionary is made (arrow_runs.c); 0: no runs */
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
    EQP_FOUND_SPELLED, /* bytes that have to be spelled out */
    EQP_FOUND_DAMAGE
} eqp_arrow_found;

typedef struct eqp_arrow_value {
    eqp_arrow_found found;
    union {
        int64_t integer;
        uint64_t natural;
        double real;
        eqp_cell text;
        struct {
            const eqp_arrow_type *type;
            const void *at;
        };
    };
} eqp_arrow_value;

/* Of the values: whether they are numbers.  Columns without any value are too. */
bool eqp_arrow_is_number(const eqp_arrow_type *type);
bool eqp_arrow_is_text(const eqp_arrow_type *type);

eqp_arrow_type eqp_arrow_type_of(const struct ArrowSchema *schema);
/* What a column of a type that cannot be used holds: "lists", "bytes", … */
const char *eqp_arrow_unusable(const struct ArrowSchema *schema);
/* Whether the array can hold `rows` cells of the type: lengths, offsets, buffers. */
bool eqp_arrow_array_fits(const eqp_arrow_type *type, const struct ArrowArray *array, int64_t rows);
/* Cell `row` of an array that fits. */
eqp_arrow_value eqp_arrow_value_at(const eqp_arrow_type *type, const struct ArrowArray *array, int64_t row);

/* Behind a dictionary: the entry that cell `row` names, UINT64_MAX when it is null; and what an entry is. */
uint64_t eqp_arrow_entry_at(const eqp_arrow_type *type, const struct ArrowArray *array, int64_t row);
eqp_arrow_value eqp_arrow_entry_value(const eqp_arrow_type *type, const struct ArrowArray *array,
                                      uint64_t entry);

/* The text of a value as a file would have it.  Numbers and times are written out into `text`.  NaN and
 * missing cells have none: false. */
#define EQP_ARROW_TEXT_BYTES 352 /* a decimal of 256 bits with the largest scale */
bool eqp_arrow_value_text(const eqp_arrow_value *value, char text[EQP_ARROW_TEXT_BYTES], eqp_cell *cell);
/* As a double; NaN for missing cells and for what is not a number. */
double eqp_arrow_value_number(const eqp_arrow_value *value);

/* ---- arrow_spelling.c --------------------------------------------------------------------------------- */

/* The bytes of one value, spelled out; how many. */
size_t eqp_arrow_spell(const eqp_arrow_type *type, const void *at, char text[EQP_ARROW_TEXT_BYTES]);

/* ---- arrow_runs.c -------------------------------------------------------------------------------------- */

/* Whether the array has runs and values at all. */
bool eqp_arrow_runs_fit(const struct ArrowArray *array);
/* Runs whose ends have `width` bytes as a dictionary: an index per row into the values.  NULL when memory is
 * short.  Borrows what the array holds; to be freed with eqp_arrow_runs_free, also when it is damaged. */
struct ArrowArray *eqp_arrow_runs_expand(const struct ArrowArray *array, unsigned width, int64_t rows,
                                         bool *damaged);
void eqp_arrow_runs_free(struct ArrowArray *made);

#endif
