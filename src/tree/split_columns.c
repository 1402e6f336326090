/* The splitting functions found for a leaf: the columns of its master program. */
#include "base/memory.h"
#include "tree/split_solver.h"

#include <string.h>

static size_t find_equal(const eqp_split_columns *columns, const eqp_splitter *splitter, size_t cells)
{
    size_t j = 0;
    while (j < columns->count &&
           memcmp(columns->splitters[j]->mass, splitter->mass, cells * sizeof *splitter->mass) != 0)
        j++;
    return j;
}

eqp_status eqp_split_columns_add(eqp_split_columns *columns, eqp_splitter *splitter, size_t cells, size_t *at,
                                 eqp_error *error)
{
    *at = find_equal(columns, splitter, cells);
    if (*at < columns->count) {
        eqp_splitter_free(splitter);
        return EQP_OK;
    }
    eqp_splitter **grown =
        eqp_reserve(columns->splitters, &columns->capacity, columns->count + 1, sizeof *columns->splitters);
    if (grown == NULL) {
        eqp_splitter_free(splitter);
        return eqp_fail_memory(error);
    }
    columns->splitters = grown;
    free(splitter->chosen);
    splitter->chosen = NULL;
    columns->splitters[columns->count++] = splitter;
    return EQP_OK;
}

void eqp_split_columns_changed(eqp_split_columns *columns)
{
    eqp_master_free(columns->master);
    columns->master = NULL;
}

void eqp_split_columns_clear(eqp_split_columns *columns)
{
    eqp_split_columns_changed(columns);
    for (size_t j = 0; j < columns->count; j++) eqp_splitter_free(columns->splitters[j]);
    free(columns->splitters);
    *columns = (eqp_split_columns){0};
}
