/* A boosted score made ready for many records. */
#ifndef EQP_MODEL_FOREST_H
#define EQP_MODEL_FOREST_H

#include "model/rule.h"

/* What the records answer about one column, as places of a table. */
typedef struct eqp_forest_column {
    uint32_t feature;
    uint32_t places;
    uint32_t cut_count; /* of a number: place = number of cuts <= value, the last one is for missing values */
    double *cuts;       /* rising; NULL for a coded feature */
    uint16_t *place;    /* of each code; 0 is for codes that no tree asks for */
    uint32_t *leaves;   /* [place][lane]: the leaves of each tree that the answers leave possible */
} eqp_forest_column;

typedef struct eqp_forest {
    double first;        /* what the sum begins with */
    size_t trees, lanes; /* lanes: trees, rounded up */
    size_t column_count;
    eqp_forest_column *columns;
    double *value; /* [tree][leaf] */
} eqp_forest;

/* NULL where a tree has too many leaves or the table would not fit a cache: walk the trees then.  The arrays
 * are the arena's, which says whether there was memory. */
eqp_forest *eqp_forest_new(const eqp_encoding *encoding, const eqp_score *score, eqp_arena *arena);
enum { EQP_FOREST_ROWS = 4 };
/* So many rows at once, each with a forest of its own; all have equally many trees.  The same as
 * eqp_score_row, to the bit. */
void eqp_forest_rows(const eqp_forest *const *forests, const eqp_block *block, const size_t *row,
                     double *score);

#endif
