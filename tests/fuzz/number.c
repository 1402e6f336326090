/* Numbers: what is taken for one has the value that the C library gives it, and survives printing. */
#include "base/number.h"
#include "fuzz.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static void agrees_with_the_c_library(const char *text, size_t length, double value)
{
    char copy[256], *end;
    if (length >= sizeof copy) return;
    memcpy(copy, text, length);
    copy[length] = '\0';
    double expected = strtod(copy, &end);
    while (isspace((unsigned char)*end)) end++;
    must_hold(*end == '\0' && expected == value, "the value is that of the C library");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    double value, again;
    char text[32];
    if (!eqp_number_parse((const char *)bytes, length, '.', &value)) return 0;
    must_hold(isfinite(value) && !(value == 0 && signbit(value)), "a number is finite, and zero has no sign");
    agrees_with_the_c_library((const char *)bytes, length, value);
    size_t printed = eqp_number_print(value, text);
    must_hold(eqp_number_read_back(text, printed, &again) && again == value, "the shortest text reads back");
    return 0;
}
