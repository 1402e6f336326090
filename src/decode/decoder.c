/* Making a decoder: the model's columns are looked up in the file's header. */
#include "decode/decoder.h"

#include "base/memory.h"
#include "encode/known_cells.h"
#include "table/reader.h"

static eqp_status find_column(const eqp_decoder *decoder, const char *name, size_t *column, eqp_error *error)
{
    return eqp_column_require(decoder->layout, (const char *const *)decoder->names, name, column, error);
}

static eqp_status plan_feature(eqp_decoder *decoder, size_t f, eqp_error *error)
{
    const eqp_encoding *encoding = decoder->encoding;
    eqp_reading *reading = &decoder->readings[f];
    reading->feature = &encoding->features[f];
    reading->repeats = eqp_feature_repeats(encoding, f);
    reading->first = eqp_feature_first(encoding, f);
    reading->shares_numbers =
        reading->repeats && encoding->features[reading->first].kind == EQP_FEATURE_NUMBER;
    eqp_status status = find_column(decoder, reading->feature->name, &reading->column, error);
    if (status != EQP_OK || reading->feature->kind == EQP_FEATURE_NUMBER) return status;
    if (reading->feature->kind == EQP_FEATURE_BINS)
        return eqp_bin_map_init(&reading->bins, reading->feature, &decoder->arena, error);
    if (reading->feature->part != EQP_NO_PART) {
        eqp_feature_part_codes(reading->feature, reading->parts);
        return EQP_OK;
    }
    return eqp_lexicon_init(&reading->lexicon, reading->feature, &decoder->missing, &decoder->arena, error);
}

/* A mark such as "-9" or "99" is read as missing, not as that number. */
static bool looks_like_number(const eqp_missing *missing)
{
    for (size_t i = 0; i < missing->count; i++)
        if (strpbrk(missing->marks[i], "0123456789") != NULL) return true;
    return false;
}

static eqp_status plan(eqp_decoder *decoder, const eqp_read_options *read, const char *id, eqp_error *error)
{
    const eqp_encoding *encoding = decoder->encoding;
    eqp_status status =
        eqp_missing_init(&decoder->missing, read->missing ? read->missing : encoding->missing_marks, error);
    if (status != EQP_OK) return status;
    decoder->marks_look_like_numbers = looks_like_number(&decoder->missing);
    decoder->decimal = read->decimal ? read->decimal : encoding->decimal ? encoding->decimal : '.';
    decoder->readings = eqp_take_zero(&decoder->arena, encoding->feature_count, sizeof *decoder->readings);
    if (decoder->readings == NULL) return eqp_fail_memory(error);
    status = eqp_encoding_check_names(encoding, (const char *const *)decoder->names, decoder->layout->columns,
                                      decoder->layout->source, error);
    for (size_t f = 0; f < encoding->feature_count && status == EQP_OK; f++)
        status = plan_feature(decoder, f, error);
    if (status != EQP_OK || id == NULL) return status;
    return find_column(decoder, id, &decoder->id, error);
}

eqp_status eqp_decoder_new(const eqp_encoding *encoding, const eqp_layout *layout, char **names,
                           const eqp_read_options *read, const char *id, eqp_decoder **decoder,
                           eqp_error *error)
{
    *decoder = NULL;
    eqp_decoder *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->encoding = encoding;
    made->layout = layout;
    made->names = names;
    made->quick = eqp_quick_best();
    made->id = EQP_NO_COLUMN;
    eqp_status status = plan(made, read, id, error);
    if (status == EQP_OK) *decoder = made;
    if (status != EQP_OK) eqp_decoder_free(made);
    return status;
}

void eqp_decoder_free(eqp_decoder *decoder)
{
    if (decoder == NULL) return;
    for (size_t f = 0; decoder->readings != NULL && f < decoder->encoding->feature_count; f++)
        eqp_lexicon_clear(&decoder->readings[f].lexicon);
    eqp_missing_free(&decoder->missing);
    eqp_arena_free(&decoder->arena);
    free(decoder);
}

/* ---- batches ----------------------------------------------------------------------------------------- */

eqp_status eqp_batch_new(const eqp_encoding *encoding, eqp_batch **batch, eqp_error *error)
{
    *batch = NULL;
    eqp_batch *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    eqp_arena *arena = &made->block.arena;
    eqp_block_allocate(&made->block, encoding, EQP_BATCH_ROWS);
    made->spare = eqp_take(arena, EQP_BATCH_ROWS, sizeof *made->spare);
    made->whole = eqp_take(arena, EQP_BATCH_ROWS, sizeof *made->whole);
    if (!arena->failed) *batch = made;
    if (arena->failed) eqp_batch_free(made);
    return *batch != NULL ? EQP_OK : eqp_fail_memory(error);
}

void eqp_batch_free(eqp_batch *batch)
{
    if (batch == NULL) return;
    eqp_arena_free(&batch->block.arena);
    eqp_buffer_free(&batch->gathered);
    eqp_buffer_free(&batch->scratch);
    free(batch);
}
