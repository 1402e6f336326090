/* Runs a fuzz target over kept inputs, without a fuzzer:   replay FILE|DIRECTORY… */
#include "base/buffer.h"
#include "fuzz.h"

#include <ftw.h>
#include <sys/stat.h>

static size_t replayed;

static int replay(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)place;
    if (type != FTW_F) return 0;
    char piece[1 << 14];
    size_t got;
    eqp_buffer input = {0};
    FILE *file = fopen(path, "rb");
    must_hold(file != NULL, "an input can be opened");
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) eqp_buffer_add(&input, piece, got);
    fclose(file);
    must_hold(!input.failed, "an input fits into memory");
    LLVMFuzzerTestOneInput((const uint8_t *)(input.bytes ? input.bytes : ""), input.length);
    eqp_buffer_free(&input);
    replayed++;
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        must_hold(nftw(argv[i], replay, 8, FTW_PHYS) == 0, "a corpus can be walked");
    printf("%zu inputs\n", replayed);
    return replayed == 0;
}
