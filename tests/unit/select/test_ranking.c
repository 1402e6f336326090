/* The best records of a stream against sorting all of them: by rank, then name, then place. */
#include "select/select.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS = 400, KEPT = 60 };

typedef struct candidate {
    double rank;
    char name[8];
    uint64_t position;
} candidate;

static int in_order(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    int names = strcmp(a->name, b->name);
    return names != 0 ? names : (a->position > b->position) - (a->position < b->position);
}

/* Few ranks and few names, so that most records tie with others. */
static void make_candidates(candidate *candidates, uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, 0);
    for (size_t i = 0; i < RECORDS; i++) {
        candidates[i] =
            (candidate){.rank = (double)eqp_random_below(&random, 1 + seed * seed), .position = i};
        snprintf(candidates[i].name, sizeof candidates[i].name, "%zu", eqp_random_below(&random, 30));
    }
}

static void assert_best(eqp_ranking *ranking, candidate *candidates)
{
    qsort(candidates, RECORDS, sizeof *candidates, in_order);
    eqp_ranking_sort(ranking);
    assert_int_equal(ranking->count, KEPT);
    for (size_t i = 0; i < KEPT; i++) {
        assert_true(ranking->entries[i].rank == candidates[i].rank);
        assert_int_equal(ranking->entries[i].position, candidates[i].position);
        eqp_cell name = eqp_ranked_name(&ranking->entries[i]);
        assert_int_equal(name.length, strlen(candidates[i].name));
        assert_memory_equal(name.bytes, candidates[i].name, name.length);
    }
}

static void test_best_of_a_stream(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        candidate candidates[RECORDS];
        eqp_ranking ranking = {.most = KEPT};
        make_candidates(candidates, seed);
        for (size_t i = 0; i < RECORDS; i++) {
            eqp_cell name = {candidates[i].name, strlen(candidates[i].name)}, record = {"r\n", 2};
            assert_int_equal(eqp_ranking_enter(&ranking,
                                               &(eqp_ranked){.rank = candidates[i].rank, .position = i}, name,
                                               record, NULL),
                             EQP_OK);
        }
        assert_best(&ranking, candidates);
        eqp_ranking_free(&ranking);
    }
}

/* "a" before "ab" before "b", whatever came first. */
static void test_equal_ranks_go_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"b", "ab", "a"};
    eqp_ranking ranking = {.most = 3};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(eqp_ranking_enter(&ranking, &(eqp_ranked){.rank = 0.5, .position = i},
                                           (eqp_cell){names[i], strlen(names[i])}, (eqp_cell){"", 0}, NULL),
                         EQP_OK);
    eqp_ranking_sort(&ranking);
    for (size_t i = 0; i < 3; i++) assert_int_equal(ranking.entries[i].position, 2 - i);
    eqp_ranking_free(&ranking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_of_a_stream),
        cmocka_unit_test(test_equal_ranks_go_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
