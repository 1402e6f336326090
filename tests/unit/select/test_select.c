/* Selection: exact sizes, the ranking by brute force, parts that merge into the whole, and what remains. */
#include "../filter/people_file.h"
#include "draw/digest.h"
#include "select/select.h"

static char selected_name[] = "/tmp/equipoise-select-a-XXXXXX";
static char alternates_name[] = "/tmp/equipoise-select-b-XXXXXX";
static char remaining_name[] = "/tmp/equipoise-select-c-XXXXXX";
static char part_names[3][40] = {"/tmp/equipoise-select-p-XXXXXX", "/tmp/equipoise-select-q-XXXXXX",
                                 "/tmp/equipoise-select-r-XXXXXX"};

static int make_all(void **state)
{
    char *names[] = {selected_name, alternates_name, remaining_name,
                     part_names[0], part_names[1],   part_names[2]};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (close(mkstemp(names[i])) != 0) return 1;
    return make_files(state);
}

static int remove_all(void **state)
{
    unlink(selected_name);
    unlink(alternates_name);
    unlink(remaining_name);
    for (int i = 0; i < 3; i++) unlink(part_names[i]);
    return remove_files(state);
}

static eqp_select_options sizes(size_t size, size_t alternates)
{
    return (eqp_select_options){.filter = {.id = "id", .threads = 2, .chunk_bytes = 3000},
                                .size = size,
                                .alternates = alternates,
                                .selected = selected_name,
                                .alternates_file = alternates_name};
}

static eqp_select_stats run_select(const eqp_model *model, const eqp_key *key,
                                   const eqp_select_options *options)
{
    eqp_cohort cohort;
    eqp_error error = {0};
    if (eqp_select_run(&(eqp_selection){.model = model, .key = key, .input = input_name, .options = options},
                       NULL, &cohort, &error) != EQP_OK)
        fail_msg("%s:%lu: %s", error.file, error.line, error.message);
    eqp_select_stats stats = cohort.stats;
    eqp_cohort_clear(&cohort);
    return stats;
}

/* The rows in a file, in its order. */
static size_t rows_of(const char *name, size_t rows[HAND_ROWS])
{
    size_t length, count = 0;
    char *text = read_text(name, &length), *line = strchr(text, '\n');
    for (; line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n'))
        rows[count++] = strtoul(line + 2 + (line[1] == '"'), NULL, 10);
    free(text);
    return count;
}

typedef struct expected_rank {
    double rank;
    size_t row;
} expected_rank;

static int compare_expected(const void *left, const void *right)
{
    const expected_rank *a = left, *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static void hex_of(const char *first, const char *second, const char *third, char hex[65])
{
    eqp_digest digest;
    eqp_digest_begin(&digest);
    eqp_digest_add(&digest, first, strlen(first));
    eqp_digest_add(&digest, second, strlen(second));
    eqp_digest_add(&digest, third, strlen(third));
    eqp_digest_end(&digest, hex);
}

/* The draw that ranks a record, by the words of docs/draws.md alone. */
static double rank_draw(const eqp_key *key, const char *model_id, const char *id)
{
    char tickets[65], ranks[65], text[128], digest[65];
    hex_of(key->hex, "ticket", "", tickets);
    hex_of(key->hex, "rank", "", ranks);
    snprintf(text, sizeof text, "%s:%s:0", model_id, id);
    hex_of(tickets, text, "", digest);
    snprintf(text, sizeof text, "%s:%.20s:0", model_id, digest);
    hex_of(ranks, text, "", digest);
    digest[13] = '\0';
    return (double)strtoull(digest, NULL, 16);
}

/* Every row by the plain definition. */
static size_t rank_all(const eqp_model *model, const eqp_key *key, expected_rank ranks[HAND_ROWS])
{
    eqp_block *block;
    eqp_drawer drawer;
    size_t count = 0;
    eqp_drawer_init(&drawer, key, model->id);
    assert_int_equal(eqp_block_from_table(model->encoding, people, &block, NULL), EQP_OK);
    for (size_t row = 0; row < HAND_ROWS; row++) {
        char id[32];
        size_t length = (size_t)snprintf(id, sizeof id, "p%zu", row);
        eqp_outcome outcome = eqp_rule_outcome(model->encoding, model->rule, &drawer, block, row, id, length);
        double accept = model->rule->accept[outcome.leaf];
        if (accept > 0) ranks[count++] = (expected_rank){rank_draw(key, model->id, id) / accept, row};
    }
    qsort(ranks, count, sizeof *ranks, compare_expected);
    eqp_block_free(block);
    return count;
}

static int compare_rows(const void *left, const void *right)
{
    const size_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void assert_best(const expected_rank *ranks, size_t size, size_t alternates)
{
    size_t rows[HAND_ROWS], expected[HAND_ROWS];
    for (size_t i = 0; i < size; i++) expected[i] = ranks[i].row;
    qsort(expected, size, sizeof *expected, compare_rows);
    assert_int_equal(rows_of(selected_name, rows), size);
    assert_memory_equal(rows, expected, size * sizeof *rows); /* in the order of the pool */
    assert_int_equal(rows_of(alternates_name, rows), alternates);
    for (size_t i = 0; i < alternates; i++) assert_int_equal(rows[i], ranks[size + i].row);
}

static void the_best_by_rank_are_selected(void **state)
{
    (void)state;
    static expected_rank ranks[HAND_ROWS];
    const size_t pairs[][2] = {{1, 0}, {200, 40}, {1000, 1}, {1, 999}};
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        eqp_model *model = read_model(people, kind);
        model->rule->accept[0] = kind < 3 ? 0 : 0.5;
        size_t reachable = rank_all(model, &test_key, ranks);
        write_people(&(guise){.delimiter = ',', .quoted = kind == 1, .crlf = kind == 2});
        for (size_t i = 0; i < 4; i++) {
            eqp_select_options options = sizes(pairs[i][0], pairs[i][1]);
            eqp_select_stats stats = run_select(model, &test_key, &options);
            assert_best(ranks, pairs[i][0], pairs[i][1]);
            assert_int_equal(stats.selected, pairs[i][0]);
            assert_int_equal(stats.alternates, pairs[i][1]);
            assert_int_equal(stats.reachable, reachable);
            assert_int_equal(stats.records.read, HAND_ROWS);
        }
        eqp_model_free(model);
    }
}

static void the_pool_may_be_too_small(void **state)
{
    (void)state;
    eqp_model *model = read_model(people, 0);
    eqp_cohort cohort;
    eqp_error error = {0};
    size_t length;
    write_text(input_name, "id,age,town\nx,1,Bath\ny,2,Ely\n", 29);
    write_text(selected_name, "old", 3);
    eqp_select_options options = sizes(3, 0);
    assert_int_equal(
        eqp_select_run(
            &(eqp_selection){.model = model, .key = &test_key, .input = input_name, .options = &options},
            NULL, &cohort, &error),
        EQP_INFEASIBLE);
    assert_non_null(strstr(error.message, "only 2 of 2"));
    eqp_cohort_clear(&cohort);
    char *old = read_text(selected_name, &length);
    assert_string_equal(old, "old");
    free(old);
    options = sizes(1, 5); /* fewer alternates than asked for */
    assert_int_equal(
        eqp_select_run(
            &(eqp_selection){.model = model, .key = &test_key, .input = input_name, .options = &options},
            NULL, &cohort, &error),
        EQP_INFEASIBLE);
    assert_non_null(strstr(error.message, "no 5 alternates: only 1 of 2"));
    eqp_cohort_clear(&cohort);
    eqp_model_free(model);
}

/* ---- parts ------------------------------------------------------------------------------------------- */

static void write_third(size_t third)
{
    size_t rows[HAND_ROWS], count = 0;
    for (size_t i = 0; i < HAND_ROWS; i++)
        if (i * 7 % 11 % 3 == third) rows[count++] = i;
    char *text = people_text(&(guise){.delimiter = ',', .open_end = third == 1}, rows, count);
    write_text(input_name, text, strlen(text));
    free(text);
}

static void make_parts(const eqp_model *model, size_t size, size_t alternates)
{
    for (size_t third = 0; third < 3; third++) {
        eqp_select_options options = {.filter = {.id = "id", .threads = 1 + third},
                                      .size = size,
                                      .alternates = alternates,
                                      .parts = part_names[third]};
        write_third(third);
        run_select(model, &test_key, &options);
    }
}

static eqp_status merge(const eqp_select_options *options, eqp_select_stats *stats, eqp_error *error)
{
    const char *parts[] = {part_names[0], part_names[1], part_names[2]};
    eqp_cohort cohort;
    eqp_status status = eqp_merge_run(parts, 3, &test_key, options, &cohort, error);
    *stats = cohort.stats;
    eqp_cohort_clear(&cohort);
    return status;
}

static void parts_merge_into_the_whole(void **state)
{
    (void)state;
    static expected_rank ranks[HAND_ROWS];
    size_t rows[HAND_ROWS], expected[HAND_ROWS];
    eqp_select_stats stats;
    eqp_error error = {0};
    eqp_model *model = read_model(people, 0);
    size_t reachable = rank_all(model, &test_key, ranks);
    make_parts(model, 150, 30);
    eqp_select_options options = sizes(0, 0); /* those of the parts */
    assert_int_equal(merge(&options, &stats, &error), EQP_OK);
    assert_int_equal(stats.records.read, HAND_ROWS);
    assert_int_equal(stats.reachable, reachable);
    assert_int_equal(rows_of(selected_name, rows), 150);
    for (size_t i = 0; i < 150; i++) expected[i] = ranks[i].row;
    qsort(rows, 150, sizeof *rows, compare_rows); /* parts come one after the other */
    qsort(expected, 150, sizeof *expected, compare_rows);
    assert_memory_equal(rows, expected, 150 * sizeof *rows);
    assert_int_equal(rows_of(alternates_name, rows), 30);
    for (size_t i = 0; i < 30; i++) assert_int_equal(rows[i], ranks[150 + i].row);
    options = sizes(100, 80);
    assert_int_equal(merge(&options, &stats, &error), EQP_OK);
    assert_int_equal(rows_of(alternates_name, rows), 80);
    options = sizes(150, 31);
    assert_int_equal(merge(&options, &stats, &error), EQP_USAGE);
    eqp_model_free(model);
}

static void foreign_and_damaged_parts_are_refused(void **state)
{
    (void)state;
    eqp_model *model = read_model(people, 0), *other = read_model(people, 1);
    eqp_select_options options = sizes(0, 0),
                       part = {.filter = {.id = "id"}, .size = 5, .parts = part_names[2]};
    eqp_select_stats stats;
    eqp_error error = {0};
    make_parts(model, 5, 0);
    write_third(2);
    run_select(other, &test_key, &part);
    assert_int_equal(merge(&options, &stats, &error), EQP_DATA);
    assert_non_null(strstr(error.message, "another model"));
    eqp_key other_key = test_key;
    other_key.hex[0] = 'f';
    run_select(model, &other_key, &part);
    assert_int_equal(merge(&options, &stats, &error), EQP_DATA);
    assert_non_null(strstr(error.message, "not a part of this key"));
    run_select(model, &test_key, &part);
    assert_int_equal(merge(&options, &stats, &error), EQP_OK);
    size_t length;
    char *text = read_text(part_names[2], &length);
    for (size_t at = 0; at < length; at += 1 + length / 200) { /* every kind of line is hit */
        text[at] ^= 1;
        write_text(part_names[2], text, length);
        assert_int_equal(merge(&options, &stats, &error), EQP_DATA);
        text[at] ^= 1;
        write_text(part_names[2], text, at);
        assert_int_equal(merge(&options, &stats, &error), EQP_DATA);
    }
    free(text);
    eqp_model_free(model);
    eqp_model_free(other);
}

/* ---- the remaining ----------------------------------------------------------------------------------- */

/* Of the selected alone, whether they come from one pool or from parts. */
static void formulas_of_the_selected_are_counted(void **state)
{
    (void)state;
    const char pool[] = "id,age,town\n1,30,=Bath\n2,40,+York\n3,-50,Ely\n4,20,@Leeds\n";
    eqp_model *model = read_model(people, 0);
    eqp_select_options whole = sizes(3, 1),
                       part = {.filter = {.id = "id"}, .size = 3, .parts = part_names[0]};
    whole.filter.id = "id";
    part.alternates = 1;
    write_text(input_name, pool, sizeof pool - 1);
    eqp_select_stats from_pool = run_select(model, &test_key, &whole);
    size_t expected = 0, length;
    char *selected = read_text(selected_name, &length);
    for (const char *at = selected; (at = strpbrk(at, "=+@")) != NULL; at++) expected++;
    assert_in_range(expected, 2, 3);
    assert_int_equal(from_pool.records.suspicious_cells, expected);
    free(selected);
    run_select(model, &test_key, &part);
    eqp_cohort merged;
    const char *parts[] = {part_names[0]};
    eqp_select_options as_made = sizes(0, 0);
    assert_int_equal(eqp_merge_run(parts, 1, &test_key, &as_made, &merged, NULL), EQP_OK);
    assert_int_equal(merged.stats.records.suspicious_cells, expected);
    eqp_cohort_clear(&merged);
    eqp_model_free(model);
}

static void nobody_is_lost(void **state)
{
    (void)state;
    size_t rows[HAND_ROWS];
    bool seen[HAND_ROWS] = {false};
    eqp_model *model = read_model(people, 0);
    write_people(&(guise){.delimiter = ',', .open_end = true});
    for (int piped = 0; piped < 2; piped++) {
        eqp_select_options options = sizes(100, 20);
        options.remaining = remaining_name;
        FILE *redirected = piped ? freopen(input_name, "rb", stdin) : NULL;
        eqp_cohort cohort;
        eqp_error error = {0};
        assert_int_equal(eqp_select_run(&(eqp_selection){.model = model,
                                                         .key = &test_key,
                                                         .input = redirected ? "-" : input_name,
                                                         .options = &options},
                                        NULL, &cohort, &error),
                         EQP_OK);
        assert_int_equal(cohort.spool != NULL, piped);
        eqp_cohort_clear(&cohort);
        memset(seen, 0, sizeof seen);
        const char *names[] = {selected_name, alternates_name, remaining_name};
        for (int i = 0; i < 3; i++) {
            size_t count = rows_of(names[i], rows);
            assert_int_equal(count, i == 0 ? 100 : i == 1 ? 20 : HAND_ROWS - 120);
            for (size_t r = 0; r < count; r++) {
                assert_false(seen[rows[r]]);
                seen[rows[r]] = true;
                assert_true(i == 1 || r == 0 || rows[r] > rows[r - 1]);
            }
        }
    }
    eqp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_by_rank_are_selected),
        cmocka_unit_test(the_pool_may_be_too_small),
        cmocka_unit_test(parts_merge_into_the_whole),
        cmocka_unit_test(foreign_and_damaged_parts_are_refused),
        cmocka_unit_test(formulas_of_the_selected_are_counted),
        cmocka_unit_test(nobody_is_lost),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
