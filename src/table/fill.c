/* Loading, last part: cells into columns.
 *
 * Every slot codes text by a dictionary of its own; after each wave the new levels of all slots are entered
 * into the table's dictionary in the order of the chunks, so that a level's code is the order of its first
 * appearance in the file, however many threads there are. */
#include "table/load.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"

#include <math.h>

/* A slot with more levels forgets them after the wave: the column may be an id. */
#define MAX_SLOT_LEVELS 65536

/* Where a cell stands, for messages. */
static eqp_status fail_cell(const eqp_load *load, const eqp_chunk *chunk, eqp_cell field, size_t column,
                            eqp_error *error)
{
    uint64_t line = eqp_chunk_line(chunk, (size_t)(field.bytes - chunk->bytes));
    eqp_fail_at(error, EQP_DATA, load->table->source, line, column + 1,
                "the cell is not valid UTF-8 (column \"%s\")", load->table->columns[column].name);
    eqp_hint(error, "save the file as UTF-8");
    return EQP_DATA;
}

static bool read_number(const eqp_load *load, const eqp_load_slot *slot, eqp_cell value, double *number)
{
    char decimal = load->table->decimal;
    return (eqp_slot_has_padding(slot, value) &&
            eqp_number_parse_short(value.bytes, value.length, decimal, number)) ||
           eqp_number_parse(value.bytes, value.length, decimal, number);
}

static eqp_status fill_numbers(const eqp_load *load, eqp_load_slot *slot, const eqp_chunk *chunk,
                               size_t column, eqp_error *error)
{
    double *numbers = load->table->columns[column].numbers + load->first_rows[chunk->number];
    size_t missing_cells = 0;
    for (size_t row = 0; row < slot->index.records; row++) {
        eqp_cell value;
        if (!eqp_cell_value(eqp_index_field(chunk, &slot->index, row, column), &slot->scratch, &value))
            return eqp_fail_memory(error);
        bool missing = eqp_is_missing(&load->missing, value.bytes, value.length);
        if (missing || !read_number(load, slot, value, &numbers[row])) numbers[row] = NAN;
        missing_cells += missing;
    }
    slot->missing[column] = missing_cells;
    return EQP_OK;
}

static eqp_status fill_text(const eqp_load *load, eqp_load_slot *slot, const eqp_chunk *chunk, size_t column,
                            eqp_error *error)
{
    uint32_t *codes = load->table->columns[column].codes + load->first_rows[chunk->number];
    eqp_level_map *map = &slot->maps[column];
    size_t missing_cells = 0;
    if (!eqp_level_map_begin(map)) return eqp_fail_memory(error);
    for (size_t row = 0; row < slot->index.records; row++) {
        eqp_cell field = eqp_index_field(chunk, &slot->index, row, column), value;
        if (!eqp_cell_value(field, &slot->scratch, &value)) return eqp_fail_memory(error);
        bool valid = true;
        eqp_status status = eqp_slot_has_padding(slot, value)
                                ? eqp_level_map_code(map, &load->missing, value, &valid, &codes[row], error)
                                : eqp_level_map_add(map, &load->missing, value, &valid, &codes[row], error);
        if (status != EQP_OK) return status;
        if (!valid) return fail_cell(load, chunk, field, column, error);
        missing_cells += codes[row] == EQP_NO_CODE;
    }
    slot->missing[column] = missing_cells;
    return EQP_OK;
}

static eqp_status fill_chunk(void *context, size_t task, eqp_error *error)
{
    eqp_load *load = context;
    eqp_load_slot *slot = &load->slots[task];
    const eqp_chunk *chunk = &load->chunks[load->wave + task];
    eqp_status status = eqp_index_build(&slot->index, &load->reader->layout, chunk, error);
    for (size_t column = 0; column < load->table->column_count && status == EQP_OK; column++) {
        status = load->table->columns[column].kind == EQP_NUMBER
                     ? fill_numbers(load, slot, chunk, column, error)
                     : fill_text(load, slot, chunk, column, error);
    }
    return status;
}

static size_t rows_before(const eqp_load *load, size_t chunk)
{
    return chunk < load->chunk_count ? load->first_rows[chunk] : load->table->rows;
}

/* One column after a wave: chunk by chunk, in order. */
static eqp_status merge_column(void *context, size_t index, eqp_error *error)
{
    eqp_load *load = context;
    eqp_column *column = &load->table->columns[index];
    for (size_t chunk = load->wave; chunk < load->wave_end; chunk++) {
        eqp_load_slot *slot = &load->slots[chunk - load->wave];
        column->missing += slot->missing[index];
        if (column->kind == EQP_NUMBER) continue;
        eqp_level_map *map = &slot->maps[index];
        eqp_status status = eqp_level_map_enter(map, column->levels, error);
        if (status != EQP_OK) return status;
        for (size_t row = load->first_rows[chunk]; row < rows_before(load, chunk + 1); row++)
            if (column->codes[row] != EQP_NO_CODE) column->codes[row] = map->codes[column->codes[row]];
        if (map->mapped > MAX_SLOT_LEVELS) eqp_level_map_free(map);
    }
    return EQP_OK;
}

static eqp_status fill_wave(eqp_load *load, eqp_error *error)
{
    eqp_status status = eqp_parallel(load->wave_end - load->wave, 0, fill_chunk, load, error);
    if (status == EQP_OK) status = eqp_parallel(load->table->column_count, 0, merge_column, load, error);
    for (size_t chunk = load->wave; chunk < load->wave_end; chunk++) eqp_chunk_free(&load->chunks[chunk]);
    return status;
}

eqp_status eqp_load_fill(eqp_load *load, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (load->wave = 0; load->wave < load->chunk_count && status == EQP_OK; load->wave = load->wave_end) {
        load->wave_end = eqp_load_wave_end(load);
        status = fill_wave(load, error);
        if (status != EQP_OK) break;
        double done = (double)load->wave_end / (double)load->chunk_count;
        status = eqp_watch_step(load->watch, "reading", 0.5 + 0.5 * done, error);
    }
    return status;
}
