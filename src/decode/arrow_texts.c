/* Texts of Arrow columns as runs of cells. */
#include "decode/decoder.h"

#include "base/memory.h"

/* ---- texts side by side, with offsets ------------------------------------------------------------------ */

static inline int64_t offset_at(const void *offsets, bool is_long, size_t i)
{
    return is_long ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
}

/* Starts and ends from offsets, counted from the first; false when some are damaged or too far apart. */
static inline bool measure(const void *offsets, bool is_long, size_t rows, eqp_arrow_texts *texts)
{
    const int64_t base = offset_at(offsets, is_long, 0), span = offset_at(offsets, is_long, rows) - base;
    if (base < 0 || span < 0 || span >= INT32_MAX) return false;
    int64_t wrong = 0;
    for (size_t i = 0; i < rows; i++) {
        int64_t start = offset_at(offsets, is_long, i) - base,
                end = offset_at(offsets, is_long, i + 1) - base;
        wrong |= (end - start) | (span - end); /* negative when either is */
        texts->starts[i] = (uint32_t)start;
        texts->ends[i] = (uint32_t)end;
    }
    return wrong >= 0;
}

static void empty_nulls(const eqp_arrow_part *part, eqp_arrow_texts *texts)
{
    size_t place;
    const uint8_t *validity = eqp_arrow_part_validity(part, &place);
    for (size_t i = 0; validity != NULL && i < part->rows; i++) {
        uint32_t there = eqp_arrow_is_valid(validity, place + i), length = texts->ends[i] - texts->starts[i];
        texts->ends[i] = texts->starts[i] + length * there;
    }
}

/* Texts side by side; false when they must be gathered. */
static bool lie_adjacent(const eqp_arrow_part *part, eqp_arrow_texts *texts)
{
    const eqp_arrow_type *type = part->type;
    bool is_long = type->kind == EQP_ARROW_LONG_TEXT;
    if (type->dictionary || (type->kind != EQP_ARROW_TEXT && !is_long)) return false;
    const struct ArrowArray *array = part->array;
    const void *offsets = eqp_arrow_part_values(part, is_long ? 8 : 4);
    int64_t first = offset_at(offsets, is_long, 0), end = offset_at(offsets, is_long, part->rows),
            last = offset_at(offsets, is_long, (size_t)(array->length - part->first));
    if (array->buffers[2] == NULL || end > last - EQP_LEXICON_PADDING) return false;
    bool sound =
        is_long ? measure(offsets, true, part->rows, texts) : measure(offsets, false, part->rows, texts);
    if (!sound) return false;
    empty_nulls(part, texts);
    texts->cells.bytes = (const char *)array->buffers[2] + first;
    return memchr(texts->cells.bytes, '\0', (size_t)(end - first)) == NULL;
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

/* Not 0 when some of the eight bytes is zero. */
static inline uint64_t zeros_in(uint64_t bytes)
{
    return (bytes - UINT64_C(0x0101010101010101)) & ~bytes & UINT64_C(0x8080808080808080);
}

/* Not 0 when a short text holds a zero byte; those behind it do not count. */
static inline uint64_t zeros_within(const char *text, uint32_t length)
{
    static const char behind[2 * EQP_ARROW_INLINE_BYTES + 4] =
        "\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    const char *mask = behind + EQP_ARROW_INLINE_BYTES - length;
    return zeros_in(eqp_load_word(text) | eqp_load_word(mask)) |
           zeros_in(eqp_load_word(text + 4) | eqp_load_word(mask + 4));
}

/* Short texts where they stand; false when some is longer. */
static bool lie_in_views(const eqp_arrow_part *part, const char *views, eqp_arrow_texts *texts)
{
    const size_t beyond = EQP_LEXICON_PADDING / EQP_ARROW_VIEW_BYTES; /* views that must follow */
    if ((size_t)(part->array->length - part->first) < part->rows + beyond) return false;
    uint64_t zeros = 0;
    for (size_t i = 0; i < part->rows; i++) {
        const char *view = views + i * EQP_ARROW_VIEW_BYTES;
        uint32_t length = view_length(view);
        if (length > EQP_ARROW_INLINE_BYTES) return false;
        zeros |= zeros_within(view_text(view), length);
        texts->starts[i] = (uint32_t)(view_text(view) - views);
        texts->ends[i] = texts->starts[i] + length;
    }
    texts->cells.bytes = views;
    empty_nulls(part, texts);
    return zeros == 0;
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
    empty_nulls(part, texts);
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
