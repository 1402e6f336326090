/* The test of four counts: its level at the boundary, its power, and the bounds that hold at every look. */
#include "audit/certificate.h"
#include "audit/difference.h"
#include "base/random.h"
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A population at A - r = shift exactly. */
typedef struct boundary {
    double m, base, shift;
    size_t rows;
} boundary;

static eqp_fourfold draw(const boundary *of, eqp_random *random)
{
    double inside = of->base + of->shift, outside = (of->base - of->m * inside) / (1 - of->m);
    eqp_fourfold table = {.rows = (double)of->rows};
    for (size_t i = 0; i < of->rows; i++) {
        bool leaf = eqp_random_unit(random) < of->m;
        bool hit = eqp_random_unit(random) < (leaf ? inside : outside);
        table.leaf += leaf;
        table.hits += leaf && hit;
        table.rest_hits += !leaf && hit;
    }
    return table;
}

static const boundary CASES[] = {{0.3, 0.4, 0.1, 600},   {0.5, 0.5, 0.1, 300},   {0.05, 0.2, 0.2, 800},
                                 {0.5, 0.05, 0.04, 400}, {0.9, 0.32, 0.03, 500}, {0.03, 0.02, 0.2, 1000}};

static void test_level_at_the_boundary(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        eqp_random random = eqp_random_from(11, c);
        size_t passed = 0;
        for (size_t s = 0; s < 400; s++) {
            eqp_fourfold table = draw(&CASES[c], &random);
            passed += eqp_shift_refuted(&table, CASES[c].shift, 0.05);
        }
        assert_true(passed <= 20 + 17); /* four standard errors above 5 % */
    }
}

/* Fewer labels than two bounds apart: the distance above the truth is smaller on average. */
static void test_sharper_than_two_bounds(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        eqp_random random = eqp_random_from(12, c);
        double together = 0, apart = 0;
        for (size_t s = 0; s < 8; s++) {
            eqp_fourfold t = draw(&CASES[c], &random);
            together += eqp_shift_upper(&t, 0, 0.025) - CASES[c].shift;
            apart += eqp_share_upper(t.hits, t.leaf, 0.0225) -
                     eqp_share_lower(t.hits + t.rest_hits, t.rows, 0.0025) - CASES[c].shift;
        }
        assert_true(together < 1.02 * apart);
        if (c < 2) assert_true(together < 0.75 * apart);
    }
}

static void test_sides_and_edges(void **state)
{
    (void)state;
    eqp_fourfold table = {1000, 300, 200, 100}, others = eqp_fourfold_others(table);
    assert_near(others.hits, 100, 0);
    assert_near(others.rest_hits, 600, 0);
    double estimate = 0.7 * (200 / 300.0 - 100 / 700.0);
    assert_true(eqp_shift_upper(&table, 0, 0.05) > estimate);
    assert_true(eqp_shift_upper(&table, 0, 0.01) > eqp_shift_upper(&table, 0, 0.05));
    assert_true(eqp_shift_upper(&others, 0, 0.05) < 0.01); /* the other side is far off */
    assert_false(
        eqp_shift_refuted(&(eqp_fourfold){1000, 0, 0, 100}, 0.9, 0.05)); /* nothing known of the leaf */
    assert_false(eqp_shift_refuted(&(eqp_fourfold){1000, 20, 20, 0}, 0.5, 0.05));
    assert_true(eqp_shift_refuted(&(eqp_fourfold){1000, 500, 0, 0}, 0.1, 0.05));
    for (double shift = 0.1, last = 0; shift < 0.6; shift += 0.01) { /* what is refuted stays so further up */
        bool refuted = eqp_shift_refuted(&(eqp_fourfold){1000, 500, 300, 200}, shift, 0.025);
        assert_true(refuted >= last);
        last = refuted;
    }
}

/* Looking after every tenth row, a bound fails once in twenty series at most. */
static void test_bounds_at_every_look(void **state)
{
    (void)state;
    for (double share = 0.05; share < 1; share += 0.3) {
        eqp_random random = eqp_random_from(13, (uint64_t)(share * 100));
        size_t failed = 0, never = 0;
        for (size_t s = 0; s < 200; s++) {
            double hits = 0;
            bool missed = false, fixed = false;
            for (size_t i = 1; i <= 600; i++) {
                hits += eqp_random_unit(&random) < share;
                if (i % 10 != 0) continue;
                missed |= eqp_share_upper_always(hits, (double)i, 0.05) < share;
                fixed |= eqp_share_upper(hits, (double)i, 0.05) < share;
            }
            failed += missed;
            never += fixed;
        }
        assert_true(failed <= 10 + 12);
        assert_true(never > failed + 10); /* the bound for one look does not survive many */
    }
    assert_near(eqp_share_upper_always(0, 0, 0.05), 1, 0);
    assert_near(eqp_share_lower_always(30, 30, 0.05), 1 - eqp_share_upper_always(0, 30, 0.05), 1e-12);
}

/* The same of the difference: looking at every tenth of the rows, a true shift is refuted in one series of
 * twenty at most; and fewer rows are needed than with bounds of leaf and base rate apart. */
static void test_differences_at_every_look(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        eqp_random random = eqp_random_from(14, c);
        size_t failed = 0;
        double together = 0, apart = 0;
        for (size_t s = 0; s < 200; s++) {
            eqp_fourfold so_far = {0, 0, 0, 0};
            boundary batch = CASES[c];
            bool refuted = false;
            batch.rows /= 10;
            for (int look = 0; look < 10; look++) {
                eqp_fourfold more = draw(&batch, &random);
                so_far = (eqp_fourfold){so_far.rows + more.rows, so_far.leaf + more.leaf,
                                        so_far.hits + more.hits, so_far.rest_hits + more.rest_hits};
                refuted |= eqp_shift_refuted_always(&so_far, CASES[c].shift, 0.05);
            }
            failed += refuted;
            if (s >= 20) continue;
            together += eqp_shift_upper_always(&so_far, 0, 0.05);
            apart += eqp_share_upper_always(so_far.hits, so_far.leaf, 0.045) -
                     eqp_share_lower_always(so_far.hits + so_far.rest_hits, so_far.rows, 0.005);
        }
        assert_true(failed <= 10 + 12);
        if (c < 2) assert_true(together < 0.9 * apart);
    }
    assert_false(eqp_shift_refuted_always(&(eqp_fourfold){1000, 0, 0, 100}, 0.9, 0.05));
    assert_true(eqp_shift_refuted_always(&(eqp_fourfold){1000, 500, 0, 0}, 0.1, 0.05));
    for (double shift = 0.1, last = 0; shift < 0.9; shift += 0.01) {
        bool refuted = eqp_shift_refuted_always(&(eqp_fourfold){1000, 500, 300, 200}, shift, 0.025);
        assert_true(refuted >= last);
        last = refuted;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level_at_the_boundary),     cmocka_unit_test(test_sharper_than_two_bounds),
        cmocka_unit_test(test_sides_and_edges),           cmocka_unit_test(test_bounds_at_every_look),
        cmocka_unit_test(test_differences_at_every_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
