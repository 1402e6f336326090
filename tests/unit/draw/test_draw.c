/* Keyed draws (M12) and digests against answers computed with another implementation of SHA-256 (Python's
 * hashlib), and the integers that stand for probabilities. */
#include "draw/digest.h"
#include "draw/draw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const eqp_key key = {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};

static void assert_draws(const char *id, unsigned block, const uint64_t expected[4])
{
    eqp_drawer drawer;
    eqp_draws draws;
    eqp_drawer_init(&drawer, &key, "model-1");
    eqp_draw_block(&drawer, id, strlen(id), block, &draws);
    for (size_t i = 0; i < 4; i++) assert_int_equal(draws.draw[i], expected[i]);
}

static void draws_are_digits_of_the_digest(void **state)
{
    (void)state;
    char long_id[201];
    memset(long_id, 'x', 200);
    long_id[200] = '\0';
    assert_draws("record 7", 0,
                 (uint64_t[]){0x06ddc5a7b6bdf, 0x38072d2fb2b4a, 0x8614e3df5e583, 0x49f9c1e4ce033});
    assert_draws("record 7", 12,
                 (uint64_t[]){0x3049415876a43, 0x9d7504c16f2a8, 0x1569168d398ea, 0x443c9c8262418});
    assert_draws("", 0, (uint64_t[]){0x216dba80520e8, 0x223ed3bc58c33, 0xf2bc555c5fde7, 0x391d873c162ba});
    assert_draws(long_id, 3,
                 (uint64_t[]){0x31afed064d1dd, 0xd83d22b8ccdbd, 0xff23684c6cb01, 0x291148dc7261e});
}

/* The mean of n uniform draws has a standard error of 1/sqrt(12 n); five of them are never seen. */
static void draws_are_spread_evenly(void **state)
{
    (void)state;
    enum { RECORDS = 20000 };
    eqp_drawer drawer;
    double sum = 0;
    eqp_drawer_init(&drawer, &key, "model-1");
    for (unsigned record = 0; record < RECORDS; record++) {
        eqp_draws draws;
        eqp_draw_block(&drawer, (const char *)&record, sizeof record, 0, &draws);
        assert_true(draws.draw[0] < UINT64_C(1) << EQP_DRAW_BITS);
        sum += ldexp((double)draws.draw[0], -EQP_DRAW_BITS);
    }
    assert_true(fabs(sum / RECORDS - 0.5) < 5 / sqrt(12.0 * RECORDS));
}

static void thresholds_count_draws(void **state)
{
    (void)state;
    assert_int_equal(eqp_draw_threshold(0), 0);
    assert_int_equal(eqp_draw_threshold(-1), 0);
    assert_int_equal(eqp_draw_threshold(NAN), 0);
    assert_int_equal(eqp_draw_threshold(1), UINT64_C(1) << 52);
    assert_int_equal(eqp_draw_threshold(2), UINT64_C(1) << 52);
    assert_int_equal(eqp_draw_threshold(0.5), UINT64_C(1) << 51);
    assert_int_equal(eqp_draw_threshold(0x1p-52), 1);
    assert_int_equal(eqp_draw_threshold(0.1), 450359962737050); /* nearest to 2^52 / 10 */
}

static void digests_are_those_of_the_standard(void **state)
{
    (void)state;
    char hex[65], in_parts[65];
    eqp_digest digest;
    eqp_digest_of("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    eqp_digest_begin(&digest);
    eqp_digest_add(&digest, "a", 1);
    eqp_digest_add(&digest, "bc", 2);
    eqp_digest_end(&digest, in_parts);
    assert_string_equal(in_parts, hex);
    eqp_digest_of("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/* The side-by-side kernels and their plain twin, over ids of every length, in every order of short and
 * long. */
static void many_draws_are_the_single_ones(void **state)
{
    (void)state;
    enum { COUNT = 400, BRIEF = 250 };
    char ids[4096];
    size_t start[COUNT];
    uint32_t length[COUNT];
    for (size_t i = 0; i < sizeof ids; i++) ids[i] = (char)(i * 131 + i / 7);
    for (size_t i = 0; i < COUNT; i++) {
        start[i] = i * 37 % 3900;
        length[i] = (uint32_t)(i < 150 ? i % 50 : i < BRIEF ? i * i % 131 : i * 5 % 13);
    }
    const char *models[] = {"", "0e69b1fbdec38fd4", "a model whose name leaves no room in its block, none"};
    for (size_t m = 0; m < 3; m++) {
        eqp_drawer drawer;
        eqp_draws many[COUNT], one;
        eqp_drawer_init(&drawer, &key, models[m]);
        bool paired = drawer.paired, lanes = drawer.lanes;
        for (unsigned block = 0; block < 12; block++) { /* beyond one digit */
            drawer.paired = paired && block % 2 == 0;
            drawer.lanes = lanes && block % 3 != 2;
            eqp_draw_blocks(&drawer, block, ids, start, length, COUNT, many);
            for (size_t i = 0; i < COUNT; i++) {
                eqp_draw_block(&drawer, ids + start[i], length[i], block, &one);
                assert_memory_equal(&many[i], &one, sizeof one);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_digits_of_the_digest),    cmocka_unit_test(many_draws_are_the_single_ones),
        cmocka_unit_test(draws_are_spread_evenly),           cmocka_unit_test(thresholds_count_draws),
        cmocka_unit_test(digests_are_those_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
