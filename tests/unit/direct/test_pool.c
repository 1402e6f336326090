/* The direct learner's columns: every sum that the pool keeps against the same sum by its definition, and
 * blends of columns against doubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "direct/pool.h"

#include <math.h>

enum { COUNT = 203, HELD = 30, CELLS = 3, COLUMNS = 9 }; /* no multiple of a word */

/* Cells are groups: one attribute of three values. */
typedef struct made_rows {
    eqp_group group[CELLS];
    uint32_t membership[CELLS], cell[COUNT + HELD];
    double weight[COUNT + HELD], base_rate[CELLS];
    float chance[CELLS * COUNT];
    eqp_groups groups;
    eqp_direct_rows rows;
} made_rows;

static void make_rows(made_rows *made, bool weighted, bool chances, eqp_random *random)
{
    *made = (made_rows){.membership = {0, 1, 2}};
    for (size_t i = 0; i < COUNT + HELD; i++) {
        made->cell[i] = (uint32_t)eqp_random_below(random, CELLS);
        made->weight[i] = weighted ? eqp_random_unit(random) / COUNT : 1.0 / COUNT;
    }
    for (size_t i = 0; i < CELLS * COUNT; i++) made->chance[i] = (float)eqp_random_unit(random);
    made->groups = (eqp_groups){.attribute_count = 1,
                                .group_count = CELLS,
                                .groups = made->group,
                                .cell_count = CELLS,
                                .membership = made->membership};
    made->rows = (eqp_direct_rows){.groups = &made->groups,
                                   .count = COUNT,
                                   .held = HELD,
                                   .cell = made->cell,
                                   .weight = made->weight,
                                   .base_rate = made->base_rate,
                                   .equal = weighted ? 0 : 1.0 / COUNT,
                                   .chance = chances ? made->chance : NULL};
}

static void check_masses(const made_rows *made, const eqp_direct_pool *pool, size_t j)
{
    const uint8_t *chosen = pool->chosen + j * (COUNT + HELD);
    double total = 0;
    for (size_t k = 0; k < CELLS; k++) {
        double mass = 0, expected = 0;
        for (size_t i = 0; i < COUNT; i++) {
            double own = made->cell[i] == k, chance = (double)made->chance[k * COUNT + i];
            mass += chosen[i] * made->weight[i] * own;
            expected += chosen[i] * made->weight[i] * (made->rows.chance != NULL ? chance : own);
        }
        total += mass;
        assert_true(fabs(pool->mass[j * CELLS + k] - mass) < 1e-14);
        assert_true(fabs(pool->expected[j * CELLS + k] - expected) < 1e-14);
    }
    assert_true(fabs(pool->total[j] - total) < 1e-14);
}

static void check_overlaps(const made_rows *made, const eqp_direct_pool *pool, size_t j)
{
    for (size_t l = 0; l < pool->count; l++) {
        double overlap = 0;
        for (size_t i = 0; i < COUNT; i++) {
            bool both = pool->chosen[j * (COUNT + HELD) + i] && pool->chosen[l * (COUNT + HELD) + i];
            overlap += both ? made->weight[i] * made->weight[i] : 0;
        }
        assert_true(fabs(pool->overlap[j * pool->capacity + l] - overlap) < 1e-16);
    }
}

static void check_pool(const made_rows *made, const eqp_direct_pool *pool)
{
    for (size_t j = 0; j < pool->count; j++) {
        check_masses(made, pool, j);
        check_overlaps(made, pool, j);
    }
}

/* Columns that choose hardly anybody up to nearly everybody. */
static void add_columns(eqp_direct_pool *pool, size_t columns, eqp_random *random)
{
    for (size_t j = 0; j < columns; j++) {
        uint8_t *chosen = eqp_direct_pool_next(pool);
        double share = (double)j / (double)columns;
        for (size_t i = 0; i < COUNT + HELD; i++) chosen[i] = eqp_random_unit(random) < share;
        eqp_direct_pool_add(pool, &(eqp_direct_rule){.threshold = (double)j});
    }
}

static void sums_are_those_of_the_rows_chosen(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(21, 0);
    for (int kind = 0; kind < 4; kind++) {
        made_rows made;
        eqp_direct_pool *pool;
        make_rows(&made, kind % 2 == 1, kind / 2 == 1, &random);
        assert_int_equal(eqp_direct_pool_new(&made.rows, COLUMNS + 4, &pool, NULL), EQP_OK);
        add_columns(pool, COLUMNS, &random);
        check_pool(&made, pool);
        const uint8_t keep[COLUMNS + 1] = {0, 1, 0, 0, 1, 1, 0, 1};
        eqp_direct_pool_shrink(pool, keep);
        assert_int_equal(pool->count, 5);
        add_columns(pool, 3, &random);
        check_pool(&made, pool);
        eqp_direct_pool_free(pool);
    }
}

static void blends_are_sums_of_columns(void **state)
{
    (void)state;
    enum { ROWS = 77, STRIDE = 90, MOST = 10 };
    eqp_random random = eqp_random_from(22, 0);
    float columns[MOST * STRIDE], sum[ROWS];
    double factor[MOST];
    for (size_t i = 0; i < MOST * STRIDE; i++) columns[i] = (float)eqp_random_normal(&random);
    for (size_t c = 0; c < MOST; c++) factor[c] = eqp_random_normal(&random);
    for (size_t count = 0; count <= MOST; count++) {
        for (size_t i = 0; i < ROWS; i++) sum[i] = NAN;
        eqp_direct_blend(columns, STRIDE, count, factor, ROWS, sum);
        for (size_t i = 0; i < ROWS; i++) {
            double exact = 0, size = 0;
            for (size_t c = 0; c < count; c++) {
                exact += factor[c] * (double)columns[c * STRIDE + i];
                size += fabs(factor[c] * (double)columns[c * STRIDE + i]);
            }
            assert_true(fabs((double)sum[i] - exact) <= 16 * 0x1p-24 * size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_rows_chosen),
        cmocka_unit_test(blends_are_sums_of_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
