/* Making a decoder of Arrow batches: the model's columns are looked up in the schema, and every entry of a
 * dictionary in the model. */
#include "decode/decoder.h"

#include "base/memory.h"
#include "base/number.h"
#include "table/utf8.h"

/* ---- dictionaries ------------------------------------------------------------------------------------ */

/* A dictionary whose values are texts of the feature's column; NULL when there is none. */
static const struct ArrowArray *dictionary_of(const eqp_arrow_decoder *arrow, size_t batch, size_t f)
{
    const eqp_reading *reading = &arrow->decoder->readings[f];
    const eqp_arrow_type *type = &arrow->batches->types[reading->column];
    if (reading->feature->kind != EQP_FEATURE_LEVELS || reading->feature->part != EQP_NO_PART ||
        !type->dictionary || !eqp_arrow_is_text(type))
        return NULL;
    return eqp_arrow_column(arrow->batches, batch, reading->column)->dictionary;
}

static eqp_status fail_entry(const eqp_arrow_decoder *arrow, size_t f, const char *what, eqp_error *error)
{
    return eqp_fail(error, EQP_DATA, "the dictionary of column \"%s\" %s",
                    arrow->names[arrow->decoder->readings[f].column], what);
}

/* The lexicon reads some bytes beyond a text, so each is copied first. */
static eqp_status look_up(const eqp_arrow_decoder *arrow, size_t f, eqp_cell text, eqp_buffer *space,
                          uint32_t *code, eqp_error *error)
{
    const eqp_lexicon *lexicon = &arrow->decoder->readings[f].lexicon;
    space->length = 0;
    eqp_buffer_add(space, text.bytes, text.length);
    eqp_buffer_add(space, eqp_lexicon_padding, EQP_LEXICON_PADDING);
    if (space->failed) return eqp_fail_memory(error);
    *code = eqp_lexicon_find(lexicon, space->bytes, text.length);
    if (*code != lexicon->other) return EQP_OK;
    if (!eqp_is_utf8(text.bytes, text.length)) return fail_entry(arrow, f, "is not valid UTF-8", error);
    return memchr(text.bytes, '\0', text.length) == NULL ? EQP_OK
                                                         : fail_entry(arrow, f, "holds a NUL byte", error);
}

static eqp_status look_up_entries(eqp_arrow_decoder *arrow, size_t batch, size_t f, eqp_buffer *space,
                                  eqp_error *error)
{
    const eqp_reading *reading = &arrow->decoder->readings[f];
    const struct ArrowArray *array = eqp_arrow_column(arrow->batches, batch, reading->column);
    size_t count = (size_t)array->dictionary->length;
    uint32_t *codes = count < UINT32_MAX ? eqp_take(&arrow->arena, count + 1, sizeof *codes) : NULL;
    arrow->entries[batch * arrow->decoder->encoding->feature_count + f] = codes;
    if (codes == NULL) return eqp_fail_memory(error);
    codes[count] = EQP_MISSING(reading->feature); /* of cells that name no entry */
    for (size_t i = 0; i < count; i++) {
        eqp_arrow_value value = eqp_arrow_entry_value(&arrow->batches->types[reading->column], array, i);
        if (value.found == EQP_FOUND_DAMAGE) return fail_entry(arrow, f, "is damaged", error);
        eqp_cell text = value.found == EQP_FOUND_TEXT ? value.text : (eqp_cell){"", 0};
        eqp_status status = look_up(arrow, f, text, space, &codes[i], error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

/* Batches often share one dictionary. */
static bool is_same(const struct ArrowArray *one, const struct ArrowArray *other)
{
    return one->length == other->length && one->offset == other->offset &&
           one->n_buffers == other->n_buffers && one->buffers[0] == other->buffers[0] &&
           one->buffers[1] == other->buffers[1] && one->buffers[2] == other->buffers[2];
}

static eqp_status look_up_dictionaries(eqp_arrow_decoder *arrow, eqp_error *error)
{
    size_t features = arrow->decoder->encoding->feature_count;
    eqp_buffer space = {0};
    eqp_status status = EQP_OK;
    arrow->entries = eqp_take_zero(&arrow->arena, arrow->batches->count * features, sizeof *arrow->entries);
    if (arrow->entries == NULL) return eqp_fail_memory(error);
    for (size_t batch = 0; batch < arrow->batches->count; batch++)
        for (size_t f = 0; f < features && status == EQP_OK; f++) {
            const struct ArrowArray *dictionary = dictionary_of(arrow, batch, f);
            if (dictionary == NULL) continue;
            if (batch > 0 && is_same(dictionary, dictionary_of(arrow, batch - 1, f)))
                arrow->entries[batch * features + f] = arrow->entries[(batch - 1) * features + f];
            else
                status = look_up_entries(arrow, batch, f, &space, error);
        }
    eqp_buffer_free(&space);
    return status;
}

/* ---- columns ----------------------------------------------------------------------------------------- */

static eqp_status name_columns(eqp_arrow_decoder *arrow, eqp_error *error)
{
    const eqp_arrow_batches *batches = arrow->batches;
    arrow->layout = (eqp_layout){.source = "arrow", .columns = batches->column_count};
    arrow->names = eqp_take(&arrow->arena, batches->column_count, sizeof *arrow->names);
    if (arrow->names == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < batches->column_count; i++)
        arrow->names[i] = (char *)eqp_arrow_column_name(batches, i);
    return EQP_OK;
}

static eqp_status check_types(const eqp_arrow_decoder *arrow, eqp_error *error)
{
    eqp_status status = EQP_OK;
    if (arrow->decoder->id != EQP_NO_COLUMN)
        status = eqp_arrow_require_type(arrow->batches, arrow->decoder->id, error);
    for (size_t f = 0; f < arrow->decoder->encoding->feature_count && status == EQP_OK; f++)
        status = eqp_arrow_require_type(arrow->batches, arrow->decoder->readings[f].column, error);
    return status;
}

static eqp_status note_marks(eqp_arrow_decoder *arrow, eqp_error *error)
{
    const eqp_missing *missing = &arrow->decoder->missing;
    arrow->marks = eqp_take(&arrow->arena, missing->count, sizeof *arrow->marks);
    if (arrow->marks == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < missing->count; i++)
        if (eqp_number_parse(missing->marks[i], missing->lengths[i], arrow->decoder->decimal,
                             &arrow->marks[arrow->mark_count]))
            arrow->mark_count++;
    return EQP_OK;
}

eqp_status eqp_arrow_decoder_new(const eqp_encoding *encoding, const eqp_arrow_batches *batches,
                                 const char *id, eqp_arrow_decoder **decoder, eqp_error *error)
{
    static const eqp_read_options as_learned = {0};
    *decoder = NULL;
    eqp_arrow_decoder *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->batches = batches;
    made->named = true;
    eqp_status status = name_columns(made, error);
    if (status == EQP_OK)
        status =
            eqp_decoder_new(encoding, &made->layout, made->names, &as_learned, id, &made->decoder, error);
    if (status == EQP_OK) status = check_types(made, error);
    if (status == EQP_OK) status = note_marks(made, error);
    if (status == EQP_OK) status = look_up_dictionaries(made, error);
    if (status == EQP_OK) *decoder = made;
    if (status != EQP_OK) eqp_arrow_decoder_free(made);
    return status;
}

void eqp_arrow_decoder_free(eqp_arrow_decoder *decoder)
{
    if (decoder == NULL) return;
    eqp_decoder_free(decoder->decoder);
    eqp_arena_free(&decoder->arena);
    free(decoder);
}
