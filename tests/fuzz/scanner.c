/* Twins: what the kernels for this processor find in any bytes is what the portable ones find. */
#include "table/scanner.h"
#include "fuzz.h"

#include <string.h>

static eqp_scan scan_with(eqp_scanner scanner, const char *bytes, size_t length, char delimiter,
                          uint32_t *ends)
{
    eqp_scan scan = {.bytes = bytes, .delimiter = delimiter, .may_open = 1, .ends = ends};
    size_t half = length / 2 / 64 * 64; /* in two steps, so that state is carried over */
    scanner.scan(&scan, 0, half);
    scanner.scan(&scan, half, length);
    return scan;
}

static bool same(const eqp_scan *a, const eqp_scan *b)
{
    if (a->odd || b->odd) return a->odd == b->odd; /* the careful reader takes over */
    return a->count == b->count && a->records == b->records && a->inside == b->inside &&
           a->closed == b->closed && a->may_open == b->may_open &&
           memcmp(a->ends, b->ends, a->count * sizeof *a->ends) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char delimiters[] = {',', ';', '\t', '|'};
    if (length == 0) return 0;
    eqp_scanner scanners[EQP_SCANNERS], best = eqp_scanner_best();
    eqp_scanners(scanners);
    char delimiter = delimiters[bytes[0] % 4], *copy = calloc(length + EQP_SCAN_PADDING, 1);
    uint32_t *fast_ends = calloc(length + EQP_SCAN_SLACK, sizeof *fast_ends);
    uint32_t *plain_ends = calloc(length + EQP_SCAN_SLACK, sizeof *plain_ends);
    must_hold(copy != NULL && fast_ends != NULL && plain_ends != NULL, "memory");
    memcpy(copy, bytes, length);
    eqp_scan fast = scan_with(best, copy, length, delimiter, fast_ends);
    eqp_scan plain = scan_with(scanners[0], copy, length, delimiter, plain_ends);
    must_hold(same(&fast, &plain), "the scanners agree");
    eqp_tally one = best.tally(copy, length), two = scanners[0].tally(copy, length);
    must_hold(one.quotes == two.quotes && one.line_feeds == two.line_feeds, "the tallies agree");
    free(copy);
    free(fast_ends);
    free(plain_ends);
    return 0;
}
