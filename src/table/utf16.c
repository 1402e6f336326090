/* UTF-16 with a byte-order mark, as UTF-8. */
#include "table/format.h"

#include "base/memory.h"

#include <string.h>

#define MARK    0xfeffU
#define LONGEST 4 /* bytes of a character */

typedef struct utf16_state {
    bool big;    /* the high byte first */
    bool begun;  /* the mark is behind us */
    bool halved; /* `half` is the first byte of a unit */
    unsigned char half;
    unsigned high;      /* of a pair whose second unit is still to come, or 0 */
    char text[LONGEST]; /* a character that was not handed out, from `start` on */
    size_t start, end;
} utf16_state;

/* Text does not begin with U+0000; bytes that do are UTF-32. */
static bool is_utf16(const char *bytes, size_t length)
{
    bool marked = length >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
    return marked && !(length >= 4 && bytes[2] == '\0' && bytes[3] == '\0');
}

static void *open_utf16(void)
{
    return eqp_alloc_zero(1, sizeof(utf16_state));
}

static size_t write_utf8(unsigned code, char *bytes)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(lead[length] | code);
    return length;
}

/* One unit of 16 bits; false when it cannot stand here. */
static bool take_unit(utf16_state *state, unsigned unit)
{
    bool first = (unit & 0xfc00) == 0xd800, second = (unit & 0xfc00) == 0xdc00;
    if (!state->begun) {
        state->begun = true;
        return unit == MARK;
    }
    if ((state->high != 0) != second) return false;
    unsigned code = second ? 0x10000 + ((state->high & 0x3ff) << 10) + (unit & 0x3ff) : unit;
    state->start = 0;
    state->end = first ? 0 : write_utf8(code, state->text);
    state->high = first ? unit : 0;
    return true;
}

static eqp_status unpack_utf16(void *context, eqp_packed *packed, bool last, char *bytes, size_t capacity,
                               size_t *length, bool *inside, eqp_error *error)
{
    utf16_state *state = context;
    (void)last;
    if (!state->begun) state->big = packed->bytes[0] == '\xfe';
    for (;;) {
        while (state->start < state->end && *length < capacity)
            bytes[(*length)++] = state->text[state->start++];
        if (packed->start == packed->end || *length == capacity) break;
        unsigned char byte = (unsigned char)packed->bytes[packed->start++];
        state->halved = !state->halved;
        if (state->halved) {
            state->half = byte;
            continue;
        }
        unsigned unit = state->big ? state->half * 256U + byte : byte * 256U + state->half;
        if (!take_unit(state, unit)) return eqp_format_damaged("UTF-16", packed, error);
    }
    *inside = state->halved || state->high != 0;
    return EQP_OK;
}

const eqp_format eqp_format_utf16 = {"UTF-16", is_utf16, open_utf16, free, unpack_utf16};
