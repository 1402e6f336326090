/* All batches of an Arrow C stream, kept until what they hold has been used: no cell is copied here.
 *
 *     eqp_arrow_batches   the stream with its schema and everything that it gave
 *     eqp_arrow_part      one column of one batch, from some row on */
#ifndef EQP_TABLE_ARROW_BATCHES_H
#define EQP_TABLE_ARROW_BATCHES_H

#include "base/status.h"
#include "table/arrow_value.h"

typedef struct eqp_arrow_batches {
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    size_t column_count, rows;
    eqp_arrow_type *types; /* one per column */
    struct ArrowArray *items;
    size_t count, capacity;
    struct ArrowArray **columns; /* [batch × columns + column]: children of the batches, or made of runs */
    size_t column_capacity, listed;
} eqp_arrow_batches;

static inline const struct ArrowArray *eqp_arrow_column(const eqp_arrow_batches *batches, size_t batch,
                                                        size_t column)
{
    return batches->columns[batch * batches->column_count + column];
}

/* Takes over the stream.  To be released, also after a failure. */
eqp_status eqp_arrow_batches_take(eqp_arrow_batches *batches, struct ArrowArrayStream *stream,
                                  eqp_error *error);
void eqp_arrow_batches_release(eqp_arrow_batches *batches);

const char *eqp_arrow_column_name(const eqp_arrow_batches *batches, size_t column);
/* Fails when cells of that type cannot be read. */
eqp_status eqp_arrow_require_type(const eqp_arrow_batches *batches, size_t column, eqp_error *error);

typedef struct eqp_arrow_part {
    const eqp_arrow_type *type;
    const struct ArrowArray *array;
    int64_t first; /* row of the array */
    size_t rows;
} eqp_arrow_part;

/* Rows first … first+rows-1 of a batch. */
static inline eqp_arrow_part eqp_arrow_part_of(const eqp_arrow_batches *batches, size_t batch, size_t column,
                                               size_t first, size_t rows)
{
    return (eqp_arrow_part){&batches->types[column], eqp_arrow_column(batches, batch, column),
                            batches->items[batch].offset + (int64_t)first, rows};
}

static inline eqp_arrow_value eqp_arrow_part_value(const eqp_arrow_part *part, size_t i)
{
    return eqp_arrow_value_at(part->type, part->array, part->first + (int64_t)i);
}

/* The first value in a buffer with this many bytes per value. */
static inline const void *eqp_arrow_part_values(const eqp_arrow_part *part, size_t width)
{
    return (const char *)part->array->buffers[1] + (size_t)(part->array->offset + part->first) * width;
}

/* One bit per row, the first at `*place`; NULL when all are there.  For types that have such a buffer. */
static inline const uint8_t *eqp_arrow_part_validity(const eqp_arrow_part *part, size_t *place)
{
    *place = (size_t)(part->array->offset + part->first);
    return part->array->null_count != 0 ? part->array->buffers[0] : NULL;
}

static inline bool eqp_arrow_is_valid(const uint8_t *validity, size_t place)
{
    return validity == NULL || (validity[place / 8] >> place % 8 & 1) != 0;
}

/* Cells of a number type as doubles, NaN where missing; −0.0 becomes 0.0.  False, with the row of the part,
 * when a dictionary index is out of range. */
bool eqp_arrow_part_numbers(const eqp_arrow_part *part, double *numbers, size_t *damaged);

/* The first null from row i on; part->rows when there is none. */
size_t eqp_arrow_next_null(const eqp_arrow_part *part, size_t i);

/* The entries of a dictionary that cells name: its length where they are null, UINT32_MAX where they are out
 * of range.  For dictionaries of fewer than UINT32_MAX entries. */
void eqp_arrow_part_entries(const eqp_arrow_part *part, uint32_t *entries);

#endif
