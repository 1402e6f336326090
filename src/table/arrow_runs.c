/* Run-end encoded columns: the same value many times, and the row at which each run ends.
 *
 * They become what dictionaries are, an index per row, so that nothing else needs to know of runs. */
#include "table/arrow_value.h"

#include "base/memory.h"

#include <string.h>

typedef struct expanded_runs {
    struct ArrowArray array; /* first, so that one is the other */
    const void *buffers[2];
    int32_t *indices;
} expanded_runs;

/* Which of the widths the ends have is told by the schema; the array does not know it. */
bool eqp_arrow_runs_fit(const struct ArrowArray *array)
{
    if (array == NULL || array->n_children != 2 || array->children == NULL) return false;
    const struct ArrowArray *ends = array->children[0];
    return ends != NULL && array->children[1] != NULL && ends->offset >= 0 && ends->length >= 0 &&
           ends->length <= INT32_MAX && array->children[1]->length >= ends->length && ends->n_buffers == 2 &&
           ends->buffers != NULL && (ends->length == 0 || ends->buffers[1] != NULL);
}

static int64_t end_at(const struct ArrowArray *ends, unsigned width, int64_t run)
{
    const void *values = ends->buffers[1];
    int64_t place = ends->offset + run;
    if (width == 2) return ((const int16_t *)values)[place];
    return width == 4 ? ((const int32_t *)values)[place] : ((const int64_t *)values)[place];
}

/* Row i lies in the first run that ends behind it; ends must rise, and the last reach beyond the rows. */
static bool fill_indices(const struct ArrowArray *array, unsigned width, int64_t rows, int32_t *indices)
{
    const struct ArrowArray *ends = array->children[0];
    int64_t row = 0, before = 0;
    for (int64_t run = 0; run < ends->length && row < rows; run++) {
        int64_t end = end_at(ends, width, run);
        if (end <= before) return false;
        before = end;
        for (int64_t last = end - array->offset; row < rows && row < last; row++) indices[row] = (int32_t)run;
    }
    return row == rows;
}

struct ArrowArray *eqp_arrow_runs_expand(const struct ArrowArray *array, unsigned width, int64_t rows,
                                         bool *damaged)
{
    expanded_runs *made = eqp_alloc_zero(1, sizeof *made);
    *damaged = false;
    if (made == NULL) return NULL;
    made->indices = eqp_alloc((size_t)rows, sizeof *made->indices);
    if (made->indices == NULL) {
        free(made);
        return NULL;
    }
    *damaged = !fill_indices(array, width, rows, made->indices);
    made->buffers[1] = made->indices;
    made->array = (struct ArrowArray){
        .length = rows, .n_buffers = 2, .buffers = made->buffers, .dictionary = array->children[1]};
    return &made->array;
}

void eqp_arrow_runs_free(struct ArrowArray *made)
{
    expanded_runs *runs = (expanded_runs *)(void *)made;
    if (runs == NULL) return;
    free(runs->indices);
    free(runs);
}
