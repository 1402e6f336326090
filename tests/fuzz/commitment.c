/* Any bytes as a commitment: refused, or one whose canonical text can be written. */
#include "fuzz.h"
#include "verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    eqp_commitment commitment = {0};
    eqp_error error = {0};
    char path[32];
    int file = fuzz_file(bytes, length, path);
    eqp_status status = eqp_commitment_read(path, &commitment, &error);
    close(file);
    must_hold(status == EQP_OK || error.message[0] != '\0', "a commitment or a message");
    if (status == EQP_OK) {
        char *text = eqp_commitment_canonical(&commitment);
        must_hold(text != NULL, "a commitment can be written");
        free(text);
    }
    eqp_commitment_clear(&commitment);
    return 0;
}
