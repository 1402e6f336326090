/* Loading a file into typed columns: eqp_table_read.  The stages are described in load.h. */
#include "table/load.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "table/utf8.h"

#define SLOTS_PER_THREAD 4
#define MANY_COLUMNS     1000 /* beyond, dictionaries cost more than a second thread saves */

/* ---- reading and surveying --------------------------------------------------------------------------- */

static eqp_status read_chunk(eqp_load *load, bool *at_end, eqp_error *error)
{
    eqp_chunk chunk = {0};
    eqp_chunk *chunks =
        eqp_reserve(load->chunks, &load->chunk_capacity, load->chunk_count + 1, sizeof *chunks);
    if (chunks == NULL) return eqp_fail_memory(error);
    load->chunks = chunks;
    size_t *rows =
        eqp_reserve(load->first_rows, &load->first_row_capacity, load->chunk_count + 1, sizeof *rows);
    if (rows == NULL) return eqp_fail_memory(error);
    load->first_rows = rows;
    eqp_status status = eqp_reader_next(load->reader, &chunk, error);
    *at_end = chunk.length == 0;
    if (status == EQP_OK && !*at_end)
        load->chunks[load->chunk_count++] = chunk;
    else
        eqp_chunk_free(&chunk);
    return status;
}

/* A column with plenty of text needs no further look for now: it will be text, unless many more rows come. */
static void choose_columns(eqp_load *load)
{
    for (size_t i = 0; i < load->table->column_count; i++) {
        uint64_t others = load->surveys[i].others; /* while 0, the place of the first is wanted */
        load->skipped[i] = others > 0 && (load->forced_text[i] || others > load->table->rows / 8);
    }
}

static void survey_value(const eqp_load *load, const eqp_load_slot *slot, eqp_cell value, eqp_cell field,
                         eqp_survey *survey)
{
    if (eqp_is_missing(&load->missing, value.bytes, value.length)) return;
    if (eqp_slot_has_padding(slot, value) && eqp_is_short_whole(value.bytes, value.length))
        survey->numbers++;
    else
        eqp_survey_add(survey, value, field, load->table->decimal);
}

static eqp_status survey_column(const eqp_load *load, eqp_load_slot *slot, const eqp_chunk *chunk,
                                size_t column, eqp_error *error)
{
    eqp_survey *survey = &slot->surveys[column];
    *survey = (eqp_survey){.unseen = load->skipped[column] ? slot->index.records : 0};
    if (load->skipped[column]) return EQP_OK;
    for (size_t row = 0; row < slot->index.records; row++) {
        eqp_cell field = eqp_index_field(chunk, &slot->index, row, column), value;
        if (!eqp_cell_value(field, &slot->scratch, &value)) return eqp_fail_memory(error);
        survey_value(load, slot, value, field, survey);
    }
    return EQP_OK;
}

static eqp_status survey_chunk(void *context, size_t task, eqp_error *error)
{
    eqp_load *load = context;
    eqp_load_slot *slot = &load->slots[task];
    const eqp_chunk *chunk = &load->chunks[load->wave + task];
    eqp_status status = eqp_index_build(&slot->index, &load->reader->layout, chunk, error);
    for (size_t column = 0; column < load->table->column_count && status == EQP_OK; column++)
        status = survey_column(load, slot, chunk, column, error);
    return status;
}

static eqp_status survey_wave(eqp_load *load, eqp_error *error)
{
    eqp_status status = eqp_parallel(load->wave_end - load->wave, 0, survey_chunk, load, error);
    for (size_t chunk = load->wave; chunk < load->wave_end && status == EQP_OK; chunk++)
        for (size_t column = 0; column < load->table->column_count; column++)
            eqp_survey_merge(&load->surveys[column], &load->slots[chunk - load->wave].surveys[column], chunk);
    return status;
}

static void count_rows(eqp_load *load)
{
    for (size_t chunk = load->wave; chunk < load->wave_end; chunk++) {
        load->first_rows[chunk] = load->table->rows;
        load->table->rows += load->slots[chunk - load->wave].index.records;
    }
}

static eqp_status read_and_survey(eqp_load *load, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (bool at_end = false; !at_end && status == EQP_OK;) {
        load->wave = load->chunk_count;
        while (!at_end && status == EQP_OK && load->chunk_count - load->wave < load->slot_count)
            status = read_chunk(load, &at_end, error);
        if (status != EQP_OK) break;
        load->wave_end = load->chunk_count;
        choose_columns(load);
        status = survey_wave(load, error);
        if (status != EQP_OK) break;
        count_rows(load);
        status =
            eqp_watch_step(load->watch, "reading", 0.5 * eqp_source_progress(load->reader->source), error);
    }
    return status;
}

/* Looks at every cell of the columns where cells that were left out could turn the verdict. */
static eqp_status survey_doubtful(eqp_load *load, eqp_error *error)
{
    bool doubts = false;
    for (size_t i = 0; i < load->table->column_count; i++) {
        load->skipped[i] = load->forced_text[i] || eqp_survey_settles(&load->surveys[i]);
        if (!load->skipped[i]) load->surveys[i] = (eqp_survey){0};
        doubts |= !load->skipped[i];
    }
    eqp_status status = EQP_OK;
    for (load->wave = 0; doubts && load->wave < load->chunk_count && status == EQP_OK;
         load->wave = load->wave_end) {
        load->wave_end = eqp_load_wave_end(load);
        status = survey_wave(load, error);
    }
    return status;
}

/* ---- deciding kinds ---------------------------------------------------------------------------------- */

static uint64_t line_of_first_other(const eqp_load *load, const eqp_survey *survey)
{
    if (survey->others == 0) return 0;
    const eqp_chunk *chunk = &load->chunks[survey->other_chunk];
    return eqp_chunk_line(chunk, (size_t)(survey->first_other.bytes - chunk->bytes));
}

static eqp_status make_column(eqp_load *load, size_t index, eqp_kind kind, eqp_error *error)
{
    eqp_column *column = &load->table->columns[index];
    column->kind = kind;
    if (kind == EQP_NUMBER) {
        column->numbers = eqp_alloc(load->table->rows, sizeof *column->numbers);
        return column->numbers != NULL ? EQP_OK : eqp_fail_memory(error);
    }
    column->codes = eqp_alloc(load->table->rows, sizeof *column->codes);
    column->levels = eqp_dictionary_new();
    column->first_text_line = line_of_first_other(load, &load->surveys[index]);
    return column->codes != NULL && column->levels != NULL ? EQP_OK : eqp_fail_memory(error);
}

static eqp_status decide_kinds(eqp_load *load, eqp_error *error)
{
    for (size_t i = 0; i < load->table->column_count; i++) {
        eqp_verdict verdict = load->forced_text[i] ? EQP_VERDICT_TEXT : eqp_survey_decide(&load->surveys[i]);
        eqp_status status =
            make_column(load, i, verdict == EQP_VERDICT_NUMBER ? EQP_NUMBER : EQP_TEXT, error);
        if (status != EQP_OK) return status;
        if (verdict == EQP_VERDICT_MISTAKE) load->table->columns[i].odd_cells = load->surveys[i].others;
    }
    return EQP_OK;
}

/* ---- beginning and ending ---------------------------------------------------------------------------- */

static bool is_forced_text(const eqp_read_options *options, const char *name)
{
    for (size_t i = 0; i < options->text_column_count; i++)
        if (strcmp(options->text_columns[i], name) == 0) return true;
    return false;
}

static eqp_status check_name(const eqp_load *load, size_t column, eqp_error *error)
{
    const char *name = load->reader->names[column];
    if (eqp_is_utf8(name, strlen(name))) return EQP_OK;
    eqp_fail_at(error, EQP_DATA, load->table->source, 1, column + 1,
                "the name of the column is not valid UTF-8");
    eqp_hint(error, "save the file as UTF-8");
    return EQP_DATA;
}

/* The second column of a name is called "name.2", the third "name.3". */
static eqp_status name_column(eqp_load *load, size_t column, eqp_dictionary *names, size_t *met,
                              eqp_error *error)
{
    const char *name = load->reader->names[column];
    eqp_buffer text = {0};
    uint32_t code = eqp_dictionary_add(names, name, strlen(name));
    if (code == EQP_NO_CODE) return eqp_fail_memory(error);
    size_t before = met[code]++;
    load->table->columns[column].renamed = before > 0 && *name != '\0';
    eqp_buffer_text(&text, name);
    if (load->table->columns[column].renamed) eqp_buffer_printf(&text, ".%zu", before + 1);
    return eqp_buffer_take(&text, &load->table->columns[column].name, error);
}

static eqp_status take_names(eqp_load *load, const eqp_read_options *options, eqp_error *error)
{
    size_t columns = load->table->column_count;
    eqp_dictionary *names = eqp_dictionary_new();
    size_t *met = eqp_alloc_zero(columns, sizeof *met); /* how often each name came before */
    eqp_status status = names != NULL && met != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t i = 0; i < columns && status == EQP_OK; i++) {
        load->forced_text[i] = is_forced_text(options, load->reader->names[i]);
        status = check_name(load, i, error);
        if (status == EQP_OK) status = name_column(load, i, names, met, error);
    }
    eqp_dictionary_free(names);
    free(met);
    return status;
}

static bool make_table(eqp_load *load, const eqp_read_options *options)
{
    const char *marks = options->missing != NULL ? options->missing : EQP_DEFAULT_MARKS;
    const eqp_layout *layout = &load->reader->layout;
    load->table = eqp_alloc_zero(1, sizeof *load->table);
    if (load->table == NULL) return false;
    load->table->decimal = options->decimal != '\0' ? options->decimal : '.';
    load->table->delimiter = layout->delimiter;
    load->table->habits = load->reader->habits;
    load->table->source = eqp_copy_text(layout->source, strlen(layout->source));
    load->table->missing_marks = eqp_copy_text(marks, strlen(marks));
    load->table->columns = eqp_alloc_zero(layout->columns, sizeof *load->table->columns);
    if (load->table->columns != NULL) load->table->column_count = layout->columns;
    return load->table->source != NULL && load->table->missing_marks != NULL && load->table->columns != NULL;
}

static bool make_slots(eqp_load *load)
{
    size_t columns = load->reader->layout.columns;
    eqp_arena *arena = &load->arena;
    load->slot_count = columns > MANY_COLUMNS ? 1 : SLOTS_PER_THREAD * eqp_threads_available();
    load->slots = eqp_take_zero(arena, load->slot_count, sizeof *load->slots);
    load->surveys = eqp_take_zero(arena, columns, sizeof *load->surveys);
    load->forced_text = eqp_take_zero(arena, columns, sizeof *load->forced_text);
    load->skipped = eqp_take_zero(arena, columns, sizeof *load->skipped);
    for (size_t i = 0; i < load->slot_count && !arena->failed; i++) {
        eqp_load_slot *slot = &load->slots[i];
        slot->surveys = eqp_take_zero(arena, columns, sizeof *slot->surveys);
        slot->maps = eqp_take_zero(arena, columns, sizeof *slot->maps);
        slot->missing = eqp_take_zero(arena, columns, sizeof *slot->missing);
    }
    return !arena->failed;
}

static void free_slot(eqp_load_slot *slot, size_t columns)
{
    for (size_t i = 0; slot->maps != NULL && i < columns; i++) eqp_level_map_free(&slot->maps[i]);
    eqp_index_free(&slot->index);
    eqp_buffer_free(&slot->scratch);
}

static void end_load(eqp_load *load)
{
    for (size_t i = 0; load->slots != NULL && i < load->slot_count; i++)
        free_slot(&load->slots[i], load->reader->layout.columns);
    for (size_t i = 0; i < load->chunk_count; i++) eqp_chunk_free(&load->chunks[i]);
    eqp_arena_free(&load->arena);
    free(load->chunks);
    free(load->first_rows);
    eqp_missing_free(&load->missing);
    eqp_reader_close(load->reader);
    eqp_table_free(load->table);
}

static eqp_status begin_load(eqp_load *load, const char *path, const eqp_read_options *options,
                             eqp_error *error)
{
    eqp_reader_options reading = {
        .delimiter = options->delimiter, .chunk_bytes = EQP_LOAD_CHUNK_BYTES, .hashed = true};
    if (options->decimal != '\0' && options->decimal != '.' && options->decimal != ',')
        return eqp_fail(error, EQP_USAGE, "the decimal sign is \".\" or \",\"");
    eqp_status status = eqp_reader_open(path, &reading, &load->reader, error);
    if (status != EQP_OK) return status;
    if (!make_table(load, options) || !make_slots(load)) return eqp_fail_memory(error);
    if (load->table->decimal == load->table->delimiter && load->table->column_count > 1)
        return eqp_fail_at(error, EQP_USAGE, load->table->source, 0, 0,
                           "the decimal sign is also the delimiter");
    status = eqp_missing_init(&load->missing, options->missing, error);
    return status == EQP_OK ? take_names(load, options, error) : status;
}

eqp_status eqp_table_read(const char *path, const eqp_read_options *options, const eqp_watch *watch,
                          eqp_table **table, eqp_error *error)
{
    static const eqp_read_options defaults = {0};
    eqp_load load = {.watch = watch};
    double begun = eqp_clock_seconds();
    *table = NULL;
    eqp_status status = begin_load(&load, path, options != NULL ? options : &defaults, error);
    if (status == EQP_OK) status = read_and_survey(&load, error);
    if (status == EQP_OK) status = survey_doubtful(&load, error);
    if (status == EQP_OK) status = decide_kinds(&load, error);
    if (status == EQP_OK) status = eqp_load_fill(&load, error);
    if (status == EQP_OK) {
        load.table->bytes = load.reader->bytes;
        load.table->seconds = eqp_clock_seconds() - begun;
        eqp_source_digest(load.reader->source, load.table->digest);
        *table = load.table;
        load.table = NULL;
    }
    end_load(&load);
    return status;
}
