/* Order by keys: a stable permutation, for random keys, few keys, keys that differ in one digit, numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/order.h"
#include "base/random.h"

#include <math.h>

enum { COUNT = 3000 };

static void assert_ordered(uint64_t mask)
{
    eqp_random random = eqp_random_from(mask, 1);
    eqp_keyed items[COUNT], spare[COUNT];
    uint64_t key[COUNT];
    uint8_t seen[COUNT] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        key[i] = eqp_random_bits(&random) & mask;
        items[i] = (eqp_keyed){key[i], i};
    }
    const eqp_keyed *sorted = eqp_order_by_key(items, spare, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_false(seen[sorted[i].item]);
        seen[sorted[i].item] = 1;
        assert_true(sorted[i].key == key[sorted[i].item]);
        if (i == 0) continue;
        assert_true(sorted[i - 1].key <= sorted[i].key);
        if (sorted[i - 1].key == sorted[i].key) assert_true(sorted[i - 1].item < sorted[i].item);
    }
}

static void keys_rise_and_equal_ones_stay_in_order(void **state)
{
    (void)state;
    assert_ordered(UINT64_MAX);
    assert_ordered(0);
    assert_ordered(7);
    assert_ordered(UINT64_C(0xff) << 40);
    assert_ordered(UINT64_C(3) << 62);
    eqp_keyed *nothing = NULL;
    assert_null(eqp_order_by_key(nothing, nothing, 0));
}

static void numbers_keep_their_order(void **state)
{
    (void)state;
    static const double rising[] = {-INFINITY, -1e300, -2, -1,  -5e-324, 0,
                                    5e-324,    0.5,    1,  1.5, 1e300,   INFINITY};
    for (size_t i = 1; i < sizeof rising / sizeof *rising; i++)
        assert_true(eqp_number_key(rising[i - 1]) < eqp_number_key(rising[i]));
    assert_true(eqp_number_key(0.0) == eqp_number_key(-0.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_rise_and_equal_ones_stay_in_order),
        cmocka_unit_test(numbers_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
