/* UTF-8 as Unicode defines it (table 3-7): the second byte has its own range after E0, ED, F0 and F4. */
#include "table/utf8.h"

#include <stdint.h>
#include <string.h>

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Bytes of the character that begins here, 0 when it is none. */
static size_t character_length(const unsigned char *at, size_t left)
{
    if (at[0] < 0x80) return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
    size_t length = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (left < length) return 0;
    unsigned char low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high) return 0;
    for (size_t i = 2; i < length; i++)
        if (!is_continuation(at[i])) return 0;
    return length;
}

bool eqp_is_utf8(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        uint64_t word;
        if (end - at >= 8 && (memcpy(&word, at, 8), (word & UINT64_C(0x8080808080808080)) == 0)) {
            at += 8;
            continue;
        }
        size_t step = character_length(at, (size_t)(end - at));
        if (step == 0) return false;
        at += step;
    }
    return true;
}

size_t eqp_utf8_cut(const char *text, size_t length, size_t most)
{
    if (length <= most) return length;
    while (most > 0 && is_continuation((unsigned char)text[most])) most--;
    return most;
}
