/* Any bytes as a log of draws: refused, or read to its end. */
#include "fuzz.h"
#include "verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char digits[] = "00112233445566778899aabbccddeeff0123456789abcdef0fedcba987654321";
    eqp_log_story story = {0};
    eqp_error error = {0};
    eqp_key key;
    char path[32];
    must_hold(eqp_key_parse(digits, &key, NULL) == EQP_OK, "the key is one");
    int file = fuzz_file(bytes, length, path);
    eqp_status status = eqp_log_read(path, &key, NULL, &story, &error);
    close(file);
    must_hold(status == EQP_OK || error.message[0] != '\0', "a story or a message");
    eqp_log_story_clear(&story);
    return 0;
}
