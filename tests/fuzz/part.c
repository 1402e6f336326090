/* Any bytes as a part of a selection: refused, or read.  The MAC is made here, so that the fuzzer reaches
 * what stands behind it. */
#include "base/buffer.h"
#include "draw/draw.h"
#include "fuzz.h"
#include "select/select.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char digits[] = "00112233445566778899aabbccddeeff0123456789abcdef0fedcba987654321";
    eqp_cohort cohort = {0};
    eqp_buffer text = {0};
    eqp_error error = {0};
    eqp_key key;
    char path[32], mac[65];
    must_hold(eqp_key_parse(digits, &key, NULL) == EQP_OK, "the key is one");
    eqp_key_mac(&key, (const char *)bytes, length, mac);
    eqp_buffer_add(&text, (const char *)bytes, length);
    eqp_buffer_printf(&text, "mac %s\n", mac);
    must_hold(!text.failed, "an input fits into memory");
    int file = fuzz_file(text.bytes, text.length, path);
    eqp_status status = eqp_cohort_read_part(path, &key, 0, &cohort, &error);
    close(file);
    must_hold(status == EQP_OK || error.message[0] != '\0', "a part or a message");
    eqp_cohort_clear(&cohort);
    eqp_buffer_free(&text);
    return 0;
}
