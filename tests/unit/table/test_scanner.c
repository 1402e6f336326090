/* The scanner: the kernels that this processor can run against the portable one and against a plain loop. */
#include "base/memory.h"
#include "base/random.h"
#include "table/scanner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_BYTES 1000

typedef struct scanned {
    uint32_t ends[MAX_BYTES + EQP_SCAN_SLACK];
    eqp_scan scan;
} scanned;

static void run(eqp_scanner scanner, const char *bytes, size_t length, size_t window, scanned *result)
{
    result->scan = (eqp_scan){.bytes = bytes, .delimiter = ',', .may_open = 1, .ends = result->ends};
    for (size_t from = 0; from < length; from += window)
        scanner.scan(&result->scan, from, length - from < window ? length : from + window);
}

/* Quotes and NULs everywhere, nowhere, or one in hundreds of bytes. */
static size_t random_text(eqp_random *random, char *bytes)
{
    static const char alphabet[] = "ab,\n\"\r\0";
    size_t letters = 3 + eqp_random_below(random, 5), length = eqp_random_below(random, MAX_BYTES);
    bool seldom = eqp_random_below(random, 2) == 0;
    for (size_t i = 0; i < length; i++) {
        bool common = seldom && eqp_random_below(random, 300) > 0;
        bytes[i] = alphabet[eqp_random_below(random, common && letters > 4 ? 4 : letters)];
    }
    memset(bytes + length, '\n', EQP_SCAN_PADDING);
    return length;
}

static void assert_same(const scanned *found, const scanned *expected)
{
    assert_int_equal(found->scan.count, expected->scan.count);
    assert_int_equal(found->scan.records, expected->scan.records);
    assert_int_equal(found->scan.odd, expected->scan.odd);
    assert_int_equal(found->scan.inside, expected->scan.inside);
    assert_memory_equal(found->ends, expected->ends, found->scan.count * sizeof *found->ends);
}

static void the_kernels_agree(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    eqp_scanner scanners[EQP_SCANNERS];
    size_t count = eqp_scanners(scanners);
    char bytes[MAX_BYTES + EQP_SCAN_PADDING];
    assert_true(scanners[count - 1].scan == eqp_scanner_best().scan);
    for (int trial = 0; trial < 20000; trial++) {
        scanned found, portable;
        size_t length = random_text(&random, bytes);
        run(scanners[0], bytes, length, 64 * (1 + eqp_random_below(&random, 4)), &portable);
        for (size_t k = 0; k < count; k++) {
            run(scanners[k], bytes, length, MAX_BYTES * 64, &found);
            assert_same(&found, &portable);
        }
    }
}

static void ends_are_where_a_plain_loop_finds_them(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(4, 0);
    char bytes[MAX_BYTES + EQP_SCAN_PADDING];
    for (int trial = 0; trial < 5000; trial++) {
        scanned result;
        bool inside = false;
        size_t length = random_text(&random, bytes), count = 0;
        run(eqp_scanner_best(), bytes, length, MAX_BYTES * 64, &result);
        for (size_t i = 0; i < length; i++) {
            inside ^= bytes[i] == '"';
            if (inside || (bytes[i] != ',' && bytes[i] != '\n')) continue;
            assert_true(count < result.scan.count);
            assert_int_equal(result.ends[count++], i);
        }
        assert_int_equal(count, result.scan.count);
    }
}

static void tallies_agree(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(5, 0);
    eqp_scanner scanners[EQP_SCANNERS];
    eqp_scanners(scanners);
    char bytes[MAX_BYTES + EQP_SCAN_PADDING];
    for (int trial = 0; trial < 5000; trial++) {
        size_t length = random_text(&random, bytes), quotes = 0, line_feeds = 0;
        eqp_tally best = eqp_scanner_best().tally(bytes, length), portable = scanners[0].tally(bytes, length);
        for (size_t i = 0; i < length; i++) {
            quotes += bytes[i] == '"';
            line_feeds += bytes[i] == '\n';
        }
        assert_int_equal(best.quotes, quotes);
        assert_int_equal(portable.quotes, quotes);
        assert_int_equal(best.line_feeds, line_feeds);
        assert_int_equal(portable.line_feeds, line_feeds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernels_agree),
        cmocka_unit_test(ends_are_where_a_plain_loop_finds_them),
        cmocka_unit_test(tallies_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
