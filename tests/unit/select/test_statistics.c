/* What the draw promises: acceptance by the leaf's probability, independent of everything else about a
 * record; inclusion in proportion to it; one answer however often one asks. */
#include "../filter/people_file.h"
#include "base/random.h"
#include "decode/quick.h"
#include "filter/decider.h"
#include "select/select.h"

enum { RECORDS = 120000 };

/* Records 0 … RECORDS-1 as the hand-made model sees them. */
static void decide_records(const eqp_model *model, size_t (*counts)[2], size_t (*by_town)[2])
{
    eqp_block *block;
    eqp_runner *runner;
    assert_int_equal(eqp_block_from_table(model->encoding, people, &block, NULL), EQP_OK);
    assert_int_equal(eqp_runner_new(model, &test_key, &runner, NULL), EQP_OK);
    for (size_t i = 0; i < RECORDS; i++) {
        char id[16];
        size_t start = 0, row = i % HAND_ROWS;
        uint32_t length = (uint32_t)snprintf(id, sizeof id, "%zu", i);
        eqp_outcome outcome;
        eqp_runner_outcomes(runner, block, row, 1, id, &start, &length, &outcome);
        bool accepted = eqp_runner_accepts(runner, outcome);
        uint32_t town = people->columns[1].codes[row];
        counts[outcome.leaf][accepted]++;
        if (town < 4 && outcome.leaf == 0) by_town[town][accepted]++;
    }
    eqp_runner_free(runner);
    eqp_block_free(block);
}

/* One degree of freedom a line; 5 standard deviations. */
static double deviation(const size_t counts[2], double chance)
{
    double all = (double)(counts[0] + counts[1]), hits = (double)counts[1];
    return (hits - all * chance) / sqrt(all * chance * (1 - chance));
}

static void acceptance_has_the_chance_of_the_leaf(void **state)
{
    (void)state;
    size_t counts[3][2] = {{0}}, by_town[4][2] = {{0}};
    eqp_model *model = read_model(people, 0);
    decide_records(model, counts, by_town);
    double chi_square = 0;
    for (size_t leaf = 0; leaf < 2; leaf++) {
        assert_true(counts[leaf][0] + counts[leaf][1] > 1000);
        chi_square += pow(deviation(counts[leaf], model->rule->accept[leaf]), 2);
    }
    assert_true(chi_square < 25);
    assert_int_equal(counts[2][0], 0);      /* accepted always */
    for (size_t town = 0; town < 4; town++) /* whatever the record holds */
        assert_true(fabs(deviation(by_town[town], model->rule->accept[0])) < 5);
    eqp_model_free(model);
}

/* ---- inclusion ---------------------------------------------------------------------------------------- */

enum { POOL = 400, COHORT = 40, KEYS = 400 };

static void select_from_pool(const eqp_model *model, const eqp_key *key, size_t *included)
{
    eqp_select_options options = {
        .filter = {.id = "id", .threads = 1}, .size = COHORT, .selected = output_name};
    eqp_cohort cohort;
    assert_int_equal(
        eqp_select_run(&(eqp_selection){.model = model, .key = key, .input = input_name, .options = &options},
                       NULL, &cohort, NULL),
        EQP_OK);
    assert_int_equal(cohort.ranking.count, COHORT);
    for (size_t i = 0; i < COHORT; i++) included[cohort.ranking.entries[i].position % 2]++;
    eqp_cohort_clear(&cohort);
}

/* Half of the pool is in a leaf that is accepted three times as often as the other. */
static void inclusion_is_in_proportion_to_acceptance(void **state)
{
    (void)state;
    eqp_model *model = read_model(people, 2); /* the town is the leaf */
    size_t included[2] = {0};
    eqp_buffer text = {0};
    for (size_t leaf = 0; leaf < model->rule->leaf_count; leaf++) model->rule->accept[leaf] = 0.2;
    uint32_t york = eqp_feature_level(&model->encoding->features[0], "York", 4);
    model->rule->accept[york] = 0.6;
    eqp_buffer_text(&text, "id,age,town\n");
    for (int i = 0; i < POOL; i++) eqp_buffer_printf(&text, "r%d,40,%s\n", i, i % 2 ? "York" : "Bath");
    write_text(input_name, text.bytes, text.length);
    for (int k = 0; k < KEYS; k++) {
        eqp_key key = test_key;
        snprintf(key.hex, sizeof key.hex, "%064x", k + 1);
        select_from_pool(model, &key, included);
    }
    assert_int_equal(included[0] + included[1], COHORT * KEYS);
    assert_true(fabs(deviation(included, 0.75)) < 5);
    eqp_buffer_free(&text);
    eqp_model_free(model);
}

static void asking_again_tells_nothing_new(void **state)
{
    (void)state;
    eqp_model *model = read_model(people, 0);
    write_text(input_name, "id,age,town\nx,41,Bath\n", 22);
    uint64_t first = run_filter(model, &(eqp_filter_options){.id = "id", .threads = 1}).accepted;
    eqp_block *block;
    eqp_drawer drawer;
    eqp_drawer_init(&drawer, &test_key, model->id);
    assert_int_equal(eqp_block_from_table(model->encoding, people, &block, NULL), EQP_OK);
    eqp_outcome before = eqp_rule_outcome(model->encoding, model->rule, &drawer, block, 7, "x", 1);
    for (int i = 0; i < 1000; i++) {
        eqp_outcome again = eqp_rule_outcome(model->encoding, model->rule, &drawer, block, 7, "x", 1);
        assert_true(again.leaf == before.leaf && again.draw == before.draw);
        if (i % 100 == 0)
            assert_int_equal(run_filter(model, &(eqp_filter_options){.id = "id", .threads = 1}).accepted,
                             first);
    }
    eqp_block_free(block);
    eqp_model_free(model);
}

/* ---- repeats, levels ---------------------------------------------------------------------------------- */

static void repeats_are_counted_exactly_then_from_below(void **state)
{
    (void)state;
    eqp_repeats repeats = {0};
    eqp_random random = eqp_random_from(1, 0);
    const size_t few = 100000, many = 4 * EQP_REPEATS_MOST;
    uint64_t *draws = eqp_alloc(many, sizeof *draws);
    for (size_t i = 0; i < many; i++) draws[i] = eqp_random_bits(&random) >> 12;
    assert_int_equal(eqp_repeats_add(&repeats, draws, few, NULL), EQP_OK);
    assert_int_equal(repeats.repeated, 0);
    assert_int_equal(eqp_repeats_add(&repeats, draws, 777, NULL), EQP_OK);
    assert_int_equal(repeats.repeated, 777);
    assert_true(eqp_repeats_exact(&repeats));
    assert_int_equal(eqp_repeats_add(&repeats, draws + few, many - few, NULL), EQP_OK);
    assert_int_equal(repeats.repeated, 777);
    assert_false(eqp_repeats_exact(&repeats));
    assert_int_equal(eqp_repeats_add(&repeats, draws, many, NULL), EQP_OK);
    assert_true(repeats.repeated > 777 + EQP_REPEATS_MOST / 4 && repeats.repeated <= 777 + many);
    assert_true(repeats.capacity <= 2 * EQP_REPEATS_MOST);
    eqp_repeats_free(&repeats);
    free(draws);
}

static void levels_are_found_as_by_search(void **state)
{
    (void)state;
    enum { LEVELS = 300 };
    char names[LEVELS][48], *levels[LEVELS];
    for (int i = 0; i < LEVELS; i++) { /* lengths 3 to 45, sorted, many with the same ends */
        snprintf(names[i], sizeof names[i], "%03d%.*s", i, i % 43,
                 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv");
        levels[i] = names[i];
    }
    eqp_feature feature = {.kind = EQP_FEATURE_LEVELS, .level_count = LEVELS, .levels = levels};
    eqp_missing missing;
    eqp_arena arena = {0};
    eqp_lexicon lexicon;
    assert_int_equal(eqp_missing_init(&missing, "?,NA,005abcde", NULL), EQP_OK);
    assert_int_equal(eqp_lexicon_init(&lexicon, &feature, &missing, &arena, NULL), EQP_OK);
    for (int i = 0; i < LEVELS; i++) {
        for (size_t cut = 0; cut <= strlen(names[i]); cut++) { /* every beginning, most of them unknown */
            char text[64] = {0};
            memcpy(text, names[i], cut);
            uint32_t expected = eqp_is_missing(&missing, text, cut) ? EQP_MISSING(&feature)
                                                                    : eqp_feature_level(&feature, text, cut);
            memset(text + cut, 'z', sizeof text - cut); /* what stands behind must not matter */
            assert_int_equal(eqp_lexicon_find(&lexicon, text, cut), expected);
        }
    }
    eqp_lexicon_clear(&lexicon);
    eqp_arena_free(&arena);
    eqp_missing_free(&missing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acceptance_has_the_chance_of_the_leaf),
        cmocka_unit_test(inclusion_is_in_proportion_to_acceptance),
        cmocka_unit_test(asking_again_tells_nothing_new),
        cmocka_unit_test(repeats_are_counted_exactly_then_from_below),
        cmocka_unit_test(levels_are_found_as_by_search),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
