/* Texts of Arrow columns as runs of cells. */
#include "decode/decoder.h"

#include "base/memory.h"

/* ---- texts side by side, with offsets ------------------------------------------------------------------ */

static inline int64_t offset_at(const eqp_arrow_part *part, int64_t row)
{
    size_t place = (size_t)(part->array->offset + row);
    const void *offsets = part->array->buffers[1];
    return part->type->kind == EQP_ARROW_LONG_TEXT ? ((const int64_t *)offsets)[place]
                                                   : ((const int32_t *)offsets)[place];
}

/* Offsets of 32 bits as they lie, those of 64 bits counted from the first; NULL when they are too far apart.
 */
static const uint32_t *take_offsets(const eqp_arrow_part *part, uint32_t *space)
{
    if (part->type->kind == EQP_ARROW_TEXT) return eqp_arrow_part_values(part, sizeof *space);
    const uint64_t *offsets = eqp_arrow_part_values(part, sizeof *offsets), first = offsets[0];
    uint64_t all = 0;
    for (size_t i = 0; i <= part->rows; i++) {
        all |= offsets[i] - first;
        space[i] = (uint32_t)(offsets[i] - first);
    }
    return all <= INT32_MAX ? space : NULL;
}

/* None is below the one before it.  With all of them below 2³¹ the highest bit of a difference tells. */
static bool are_ascending(const uint32_t *offsets, size_t rows)
{
    uint32_t all = offsets[rows];
    for (size_t i = 0; i < rows; i++) all |= offsets[i] | (offsets[i + 1] - offsets[i]);
    return all <= INT32_MAX;
}

static void empty_nulls(const eqp_arrow_part *part, const uint32_t *starts, uint32_t *ends)
{
    for (size_t i = 0; (i = eqp_arrow_next_null(part, i)) < part->rows; i++) ends[i] = starts[i];
}

/* Texts side by side; false when they must be gathered. */
static bool lie_adjacent(const eqp_arrow_part *part, eqp_arrow_texts *texts)
{
    const eqp_arrow_type *type = part->type;
    bool is_long = type->kind == EQP_ARROW_LONG_TEXT;
    if (type->dictionary || (type->kind != EQP_ARROW_TEXT && !is_long)) return false;
    int64_t first = offset_at(part, part->first), end = offset_at(part, part->first + (int64_t)part->rows),
            last = offset_at(part, part->array->length);
    const char *bytes = part->array->buffers[2];
    if (bytes == NULL || first < 0 || end < first || last < EQP_LEXICON_PADDING ||
        end > last - EQP_LEXICON_PADDING || memchr(bytes + first, '\0', (size_t)(end - first)) != NULL)
        return false;
    const uint32_t *offsets = take_offsets(part, texts->starts);
    if (offsets == NULL || !are_ascending(offsets, part->rows)) return false;
    texts->cells.bytes = is_long ? bytes + first : bytes;
    texts->cells.before = offsets;
    texts->cells.ends = offsets + 1;
    if (eqp_arrow_next_null(part, 0) < part->rows) {
        memcpy(texts->ends, offsets + 1, part->rows * sizeof *texts->ends);
        texts->cells.ends = texts->ends;
        empty_nulls(part, offsets, texts->ends);
    }
    return true;
}

/* ---- views: twelve bytes in place, longer texts elsewhere --------------------------------------------- */

static inline uint32_t view_length(const char *view)
{
    uint32_t length;
    memcpy(&length, view, sizeof length);
    return length;
}

static inline const char *view_text(const char *view)
{
    return view + sizeof(uint32_t);
}

typedef uint8_t sixteen __attribute__((vector_size(16)));

static inline sixteen load_sixteen(const void *bytes)
{
    sixteen loaded;
    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

/* Ones where a short text holds a zero byte; those behind it do not count. */
static inline sixteen zeros_within(const char *text, uint32_t length)
{
    static const char window[EQP_ARROW_INLINE_BYTES + sizeof(sixteen)] =
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    return (sixteen)(load_sixteen(text) == 0) & load_sixteen(window + EQP_ARROW_INLINE_BYTES - length);
}

/* Short texts where they stand; false when some is longer. */
static bool lie_in_views(const eqp_arrow_part *part, const char *views, eqp_arrow_texts *texts)
{
    const size_t beyond = EQP_LEXICON_PADDING / EQP_ARROW_VIEW_BYTES; /* views that must follow */
    if ((size_t)(part->array->length - part->first) < part->rows + beyond) return false;
    sixteen zeros = {0}, none = {0};
    for (size_t i = 0; i < part->rows; i++) {
        const char *view = views + i * EQP_ARROW_VIEW_BYTES;
        uint32_t length = view_length(view);
        if (length > EQP_ARROW_INLINE_BYTES) return false;
        zeros |= zeros_within(view_text(view), length);
        texts->starts[i] = (uint32_t)(view_text(view) - views);
        texts->ends[i] = texts->starts[i] + length;
    }
    texts->cells.bytes = views;
    empty_nulls(part, texts->starts, texts->ends);
    return memcmp(&zeros, &none, sizeof zeros) == 0;
}

/* Short and long ones copied side by side; false when some is damaged, or memory is short. */
static bool join_views(const eqp_arrow_part *part, const char *views, eqp_buffer *space,
                       eqp_arrow_texts *texts)
{
    size_t needed = EQP_ARROW_INLINE_BYTES + EQP_LEXICON_PADDING, at = 0;
    for (size_t i = 0; i < part->rows; i++) needed += view_length(views + i * EQP_ARROW_VIEW_BYTES);
    if (needed >= INT32_MAX) return false;
    char *bytes = eqp_reserve(space->bytes, &space->capacity, needed, 1);
    if (bytes == NULL) return false;
    space->bytes = bytes;
    for (size_t i = 0; i < part->rows; i++) {
        const char *view = views + i * EQP_ARROW_VIEW_BYTES;
        uint32_t length = view_length(view);
        texts->starts[i] = (uint32_t)at;
        texts->ends[i] = (uint32_t)(at + length);
        if (length <= EQP_ARROW_INLINE_BYTES) {
            memcpy(bytes + at, view_text(view), EQP_ARROW_INLINE_BYTES);
        } else {
            eqp_arrow_value value = eqp_arrow_part_value(part, i);
            if (value.found != EQP_FOUND_TEXT) return false;
            memcpy(bytes + at, value.text.bytes, length);
        }
        at += length;
    }
    memset(bytes + at, 0, EQP_LEXICON_PADDING);
    texts->cells.bytes = bytes;
    empty_nulls(part, texts->starts, texts->ends);
    return memchr(bytes, '\0', at) == NULL;
}

/* ---- any ---------------------------------------------------------------------------------------------- */

static eqp_arrow_flaw gather(const eqp_arrow_part *part, eqp_buffer *space, eqp_arrow_texts *texts,
                             size_t *row)
{
    space->length = 0;
    for (size_t i = 0; i < part->rows; i++) {
        char written[EQP_ARROW_TEXT_BYTES];
        eqp_cell cell;
        eqp_arrow_value value = eqp_arrow_part_value(part, i);
        *row = i;
        if (value.found == EQP_FOUND_DAMAGE) return EQP_ARROW_DAMAGED;
        if (!eqp_arrow_value_text(&value, written, &cell)) cell = (eqp_cell){"", 0};
        if (cell.length > 0 && memchr(cell.bytes, '\0', cell.length) != NULL) return EQP_ARROW_NUL;
        if (cell.length >= INT32_MAX - space->length) return EQP_ARROW_NO_MEMORY;
        texts->starts[i] = (uint32_t)space->length;
        eqp_buffer_add(space, cell.bytes, cell.length);
        texts->ends[i] = (uint32_t)space->length;
    }
    eqp_buffer_add(space, eqp_lexicon_padding, EQP_LEXICON_PADDING);
    texts->cells.bytes = space->bytes;
    return space->failed ? EQP_ARROW_NO_MEMORY : EQP_ARROW_SOUND;
}

eqp_arrow_flaw eqp_arrow_lay_out(const eqp_arrow_part *part, eqp_buffer *space, eqp_arrow_texts *texts,
                                 size_t *row)
{
    texts->cells = (eqp_column_cells){
        .before = texts->starts, .ends = texts->ends, .before_stride = 1, .ends_stride = 1};
    if (part->rows == 0 || lie_adjacent(part, texts)) return EQP_ARROW_SOUND;
    if (!part->type->dictionary && part->type->kind == EQP_ARROW_TEXT_VIEW) {
        const char *views = eqp_arrow_part_values(part, EQP_ARROW_VIEW_BYTES);
        if (lie_in_views(part, views, texts) || join_views(part, views, space, texts)) return EQP_ARROW_SOUND;
    }
    return gather(part, space, texts, row);
}
