/* The synthetic population: the same bytes for a seed, the group column alone left out on request, every row
 * whole, groups of the sizes that the demonstration promises. */
#include "equipoise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 20000 };

static char *population(size_t rows, uint64_t seed, bool with_group, size_t *length)
{
    char path[] = "population-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(eqp_population_write(path, rows, seed, with_group, NULL), EQP_OK);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    *length = (size_t)ftell(stream);
    rewind(stream);
    char *text = calloc(*length + 1, 1);
    assert_int_equal(fread(text, 1, *length, stream), *length);
    fclose(stream);
    unlink(path);
    return text;
}

static uint64_t fnv(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

/* The hash was taken once; another compiler, optimisation level or platform must find the same bytes. */
static void same_bytes_for_a_seed(void **state)
{
    (void)state;
    size_t length;
    char *text = population(ROWS, 7, true, &length);
    assert_int_equal(fnv(text, length), UINT64_C(0x9cee1e9d1ec319e9));
    free(text);
}

static size_t count_fields(const char *line, size_t length)
{
    size_t fields = 1;
    for (size_t i = 0; i < length; i++) fields += line[i] == ',';
    return fields;
}

static void rows_are_whole(void **state)
{
    (void)state;
    size_t length, rows = 0;
    char *text = population(1000, 1, true, &length);
    for (char *line = text; *line; line += strcspn(line, "\n") + 1, rows++)
        assert_int_equal(count_fields(line, strcspn(line, "\n")), 14);
    assert_int_equal(rows, 1001);
    free(text);
}

/* Cuts the thirteenth field out of every line. */
static void drop_group(char *text)
{
    char *to = text;
    size_t field = 1;
    for (const char *from = text; *from; from++) {
        if (field != 13) *to++ = *from;
        if (*from == ',') field++;
        if (*from == '\n') field = 1;
    }
    *to = '\0';
}

static void without_group_the_rest_is_the_same(void **state)
{
    (void)state;
    size_t length;
    char *with = population(3000, 5, true, &length), *without = population(3000, 5, false, &length);
    drop_group(with);
    assert_string_equal(with, without);
    free(with);
    free(without);
}

static size_t count_rows_with(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part)) != NULL) count++, text++;
    return count;
}

static void groups_have_their_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *cell;
        double share;
    } expected[] = {{",Amber,", 0.72}, {",Birch,", 0.16}, {",Cedar,", 0.08}, {",Dune,", 0.04}};
    size_t length;
    char *text = population(ROWS, 3, true, &length);
    for (size_t k = 0; k < 4; k++) {
        double share = (double)count_rows_with(text, expected[k].cell) / ROWS;
        /* five standard errors at the most variable share */
        assert_true(share > expected[k].share - 0.016 && share < expected[k].share + 0.016);
    }
    free(text);
}

static void a_folder_is_no_target(void **state)
{
    (void)state;
    eqp_error error = {0};
    assert_int_equal(eqp_population_write("no-such-folder/p.csv", 1, 1, true, &error), EQP_IO);
    assert_true(error.message[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_for_a_seed), cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(without_group_the_rest_is_the_same), cmocka_unit_test(groups_have_their_sizes),
        cmocka_unit_test(a_folder_is_no_target)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
