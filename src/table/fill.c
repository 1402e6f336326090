/* Loading, last part: cells into columns.
 *
 * Every slot codes text by a dictionary of its own; after each wave the new levels of all slots are entered
 * into the table's dictionary in the order of the chunks, so that a level's code is the order of its first
 * appearance in the file, however many threads there are. */
#include "table/load.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "table/utf8.h"

#include <endian.h>
#include <math.h>

#define MAX_SLOT_LEVELS                                                                                      \
    65536 /* a slot that met more forgets them after the wave: the column may be an id                       \
           */

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

static eqp_status fill_numbers(const eqp_load *load, eqp_load_slot *slot, const eqp_chunk *chunk,
                               size_t column, eqp_error *error)
{
    double *numbers = load->table->columns[column].numbers + load->first_rows[chunk->number];
    for (size_t row = 0; row < slot->index.records; row++) {
        eqp_cell value;
        if (!eqp_cell_value(eqp_index_field(chunk, &slot->index, row, column), &slot->scratch, &value))
            return eqp_fail_memory(error);
        bool missing = eqp_is_missing(&load->missing, value.bytes, value.length);
        if (missing || !eqp_number_parse(value.bytes, value.length, load->table->decimal, &numbers[row]))
            numbers[row] = NAN;
        slot->missing[column] += missing;
    }
    return EQP_OK;
}

static bool make_map(eqp_level_map *map)
{
    if (map->levels != NULL) return true;
    map->levels = eqp_dictionary_new();
    map->recent = eqp_alloc_zero(EQP_RECENT_LEVELS, sizeof *map->recent);
    return map->levels != NULL && map->recent != NULL;
}

void eqp_level_map_free(eqp_level_map *map)
{
    eqp_dictionary_free(map->levels);
    free(map->codes);
    free(map->recent);
    *map = (eqp_level_map){0};
}

/* Reads whole words: bytes beyond a short value are there (chunks are padded), and shifted out. */
static eqp_recent_level describe_level(eqp_cell value)
{
    eqp_recent_level level = {.length = (uint32_t)value.length};
    memcpy(&level.head, value.bytes, 8);
    if (value.length >= 8)
        memcpy(&level.tail, value.bytes + value.length - 8, 8);
    else
        level.head = le64toh(level.head) << 8 * (8 - value.length);
    return level;
}

static eqp_recent_level *recent_place(const eqp_level_map *map, const eqp_recent_level *level)
{
    uint64_t hash = (level->head ^ level->tail * 31 ^ level->length) * UINT64_C(0x9E3779B97F4A7C15);
    return &map->recent[hash >> 57];
}

/* The slot's code of a text by its dictionary; levels are checked when they are new. */
static eqp_status look_up(eqp_level_map *map, eqp_cell value, bool *valid, uint32_t *code, eqp_error *error)
{
    uint32_t known = eqp_dictionary_size(map->levels);
    *code = eqp_dictionary_add(map->levels, value.bytes, value.length);
    if (*code == EQP_NO_CODE) return eqp_fail_memory(error);
    *valid = *code < known || eqp_is_utf8(value.bytes, value.length);
    return EQP_OK;
}

/* The slot's code of a value that lies in a chunk. */
static eqp_status code_text(eqp_level_map *map, eqp_cell value, bool *valid, uint32_t *code, eqp_error *error)
{
    if (value.length > 16) return look_up(map, value, valid, code, error);
    eqp_recent_level level = describe_level(value), *recent = recent_place(map, &level);
    if (recent->head == level.head && recent->tail == level.tail && recent->length == level.length) {
        *code = recent->code;
        return EQP_OK;
    }
    eqp_status status = look_up(map, value, valid, &level.code, error);
    if (status == EQP_OK) *recent = level;
    *code = level.code;
    return status;
}

static eqp_status fill_text(const eqp_load *load, eqp_load_slot *slot, const eqp_chunk *chunk, size_t column,
                            eqp_error *error)
{
    uint32_t *codes = load->table->columns[column].codes + load->first_rows[chunk->number];
    eqp_level_map *map = &slot->maps[column];
    if (!make_map(map)) return eqp_fail_memory(error);
    for (size_t row = 0; row < slot->index.records; row++) {
        eqp_cell field = eqp_index_field(chunk, &slot->index, row, column), value;
        if (!eqp_cell_value(field, &slot->scratch, &value)) return eqp_fail_memory(error);
        codes[row] = EQP_NO_CODE;
        if (eqp_is_missing(&load->missing, value.bytes, value.length)) {
            slot->missing[column]++;
            continue;
        }
        bool valid = true;
        bool in_chunk = value.bytes != slot->scratch.bytes;
        eqp_status status = in_chunk ? code_text(map, value, &valid, &codes[row], error)
                                     : look_up(map, value, &valid, &codes[row], error);
        if (status != EQP_OK) return status;
        if (!valid) return fail_cell(load, chunk, field, column, error);
    }
    return EQP_OK;
}

static eqp_status fill_chunk(void *context, size_t task, eqp_error *error)
{
    eqp_load *load = context;
    eqp_load_slot *slot = &load->slots[task];
    const eqp_chunk *chunk = &load->chunks[load->wave + task];
    eqp_status status = eqp_index_build(&slot->index, &load->reader->layout, chunk, error);
    for (size_t column = 0; column < load->table->column_count && status == EQP_OK; column++) {
        slot->missing[column] = 0;
        status = load->table->columns[column].kind == EQP_NUMBER
                     ? fill_numbers(load, slot, chunk, column, error)
                     : fill_text(load, slot, chunk, column, error);
    }
    return status;
}

/* Enters the levels that the slot met for the first time. */
static eqp_status map_levels(eqp_level_map *map, eqp_dictionary *levels, eqp_error *error)
{
    size_t size = eqp_dictionary_size(map->levels);
    uint32_t *grown = eqp_reserve(map->codes, &map->capacity, size, sizeof *grown);
    if (grown == NULL) return eqp_fail_memory(error);
    map->codes = grown;
    for (; map->mapped < size; map->mapped++) {
        uint32_t level = (uint32_t)map->mapped;
        map->codes[level] = eqp_dictionary_add(levels, eqp_dictionary_text(map->levels, level),
                                               eqp_dictionary_length(map->levels, level));
        if (map->codes[level] == EQP_NO_CODE) return eqp_fail_memory(error);
    }
    return EQP_OK;
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
        eqp_status status = map_levels(map, column->levels, error);
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
        size_t left = load->chunk_count - load->wave;
        load->wave_end = load->wave + (left < load->slot_count ? left : load->slot_count);
        status = fill_wave(load, error);
        if (status != EQP_OK) break;
        double done = (double)load->wave_end / (double)load->chunk_count;
        status = eqp_watch_step(load->watch, "reading", 0.5 + 0.5 * done, error);
    }
    return status;
}
