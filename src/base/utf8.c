/* UTF-8 by its definition (Unicode, table 3-7). */
#include "base/utf8.h"

static bool continues(unsigned char byte, unsigned char low, unsigned char high)
{
    return byte >= low && byte <= high;
}

/* Length of the character at `byte`, 0 when there is none.  The second byte carries all the restrictions. */
static size_t character(const unsigned char *byte, size_t left)
{
    unsigned char first = byte[0], low = 0x80, high = 0xBF;
    if (first < 0x80) return first != 0;
    size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                    : (first & 0xF0) == 0xE0         ? 3
                    : first >= 0xF0 && first <= 0xF4 ? 4
                                                     : 0;
    if (length == 0 || left < length) return 0;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
    if (!continues(byte[1], low, high)) return 0;
    for (size_t i = 2; i < length; i++)
        if (!continues(byte[i], 0x80, 0xBF)) return 0;
    return length;
}

bool eqp_utf8_valid(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t step = character((const unsigned char *)text + at, length - at);
        if (step == 0) return false;
        at += step;
    }
    return true;
}
