/* Applicants as CSV in many guises, a model for them, and the filter run from file to file. */
#ifndef EQP_TESTS_FILTER_PEOPLE_FILE_H
#define EQP_TESTS_FILTER_PEOPLE_FILE_H

#include "../model/hand_model.h"
#include "base/number.h"
#include "filter/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define TEST_KEY "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static char input_name[] = "/tmp/equipoise-filter-in-XXXXXX";
static char output_name[] = "/tmp/equipoise-filter-out-XXXXXX";
static const eqp_key test_key = {TEST_KEY};
static eqp_table *people; /* 3,000 rows: age, town, group */

static inline int make_files(void **state)
{
    (void)state;
    int input = mkstemp(input_name), output = mkstemp(output_name);
    people = hand_people(5);
    return input < 0 || output < 0 || close(input) != 0 || close(output) != 0;
}

static inline int remove_files(void **state)
{
    (void)state;
    eqp_table_free(people);
    return unlink(input_name) + unlink(output_name);
}

/* How the applicants are written. */
typedef struct guise {
    char delimiter;
    bool quoted;     /* every cell */
    bool town_first; /* columns in another order, with the sensitive one between */
    bool crlf;
    bool open_end;     /* no line feed at the end */
    uint64_t shuffled; /* order of the records; 0 as they are */
} guise;

static inline void add_cell(eqp_buffer *text, const guise *as, const char *value)
{
    eqp_buffer_printf(text, as->quoted ? "\"%s\"" : "%s", value);
}

static inline void age_text(size_t row, char text[32])
{
    double age = people->columns[0].numbers[row];
    text[0] = '\0';
    if (!isnan(age)) eqp_number_print(age, text);
}

static inline const char *town_text(size_t row)
{
    const eqp_column *town = &people->columns[1];
    return town->codes[row] == EQP_NO_CODE ? "?" : eqp_dictionary_text(town->levels, town->codes[row]);
}

static inline void add_person(eqp_buffer *text, const guise *as, size_t row)
{
    char age[32], id[32];
    const eqp_column *group = &people->columns[2];
    age_text(row, age);
    snprintf(id, sizeof id, "p%zu", row);
    const char *cells[4] = {id, age, town_text(row), eqp_dictionary_text(group->levels, group->codes[row])};
    const int orders[2][4] = {{0, 1, 2, 3}, {2, 3, 0, 1}};
    for (int i = 0; i < 4; i++) {
        if (i > 0) eqp_buffer_add(text, &as->delimiter, 1);
        add_cell(text, as, cells[orders[as->town_first][i]]);
    }
}

static inline void write_text(const char *name, const char *bytes, size_t length)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* The applicants `rows` as one text; the caller frees it. */
static inline char *people_text(const guise *as, const size_t *rows, size_t count)
{
    eqp_buffer text = {0};
    const char *end = as->crlf ? "\r\n" : "\n";
    const char *header = as->town_first ? "town%cgroup%cid%cage" : "id%cage%ctown%cgroup";
    eqp_buffer_printf(&text, header, as->delimiter, as->delimiter, as->delimiter);
    eqp_buffer_text(&text, end);
    for (size_t i = 0; i < count; i++) {
        add_person(&text, as, rows[i]);
        if (i + 1 < count || !as->open_end) eqp_buffer_text(&text, end);
    }
    return text.bytes;
}

static inline void write_people(const guise *as)
{
    size_t *rows = eqp_alloc(HAND_ROWS, sizeof *rows);
    for (size_t i = 0; i < HAND_ROWS; i++) rows[i] = i;
    eqp_random random = eqp_random_from(as->shuffled, 0);
    if (as->shuffled) eqp_random_permutation(&random, rows, HAND_ROWS);
    char *text = people_text(as, rows, HAND_ROWS);
    write_text(input_name, text, strlen(text));
    free(text);
    free(rows);
}

static inline char *read_text(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    eqp_buffer text = {0};
    char piece[4096];
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;) eqp_buffer_add(&text, piece, got);
    fclose(file);
    eqp_buffer_text(&text, "");
    *length = text.length;
    return text.bytes;
}

static inline eqp_filter_stats run_filter(const eqp_model *model, const eqp_filter_options *options)
{
    eqp_filter_stats stats;
    eqp_error error = {0};
    eqp_filter_options drawn = *options;
    drawn.by_content = drawn.id == NULL;
    if (eqp_filter_run(model, &test_key, input_name, output_name, &drawn, NULL, &stats, &error) != EQP_OK)
        fail_msg("%s:%lu:%lu: %s", error.file, error.line, error.column, error.message);
    return stats;
}

/* accepted[row] of the people whose ids are in the output. */
static inline void accepted_people(const guise *as, bool accepted[HAND_ROWS])
{
    size_t length;
    char *text = read_text(output_name, &length), *line = strchr(text, '\n');
    memset(accepted, 0, HAND_ROWS);
    for (; line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n')) {
        const char *id = line + 1;
        for (int skipped = 0; as->town_first && skipped < 2; id++) skipped += *id == as->delimiter;
        if (*id == '"') id++;
        assert_int_equal(*id, 'p');
        accepted[strtoul(id + 1, NULL, 10)] = true;
    }
    free(text);
}

/* What the library decides on the table of the same people. */
static inline void decided_people(const eqp_model *model, const char *id, bool accepted[HAND_ROWS])
{
    eqp_table *table;
    const char *text[] = {"id", "town", "group"};
    eqp_read_options read = {.text_columns = text, .text_column_count = 3};
    write_people(&(guise){.delimiter = ','});
    assert_int_equal(eqp_table_read(input_name, &read, NULL, &table, NULL), EQP_OK);
    assert_int_equal(eqp_model_decide(model, table, id, &test_key, 1, accepted, NULL), EQP_OK);
    eqp_table_free(table);
}

static inline eqp_model *read_model(const eqp_table *table, int kind)
{
    eqp_model *model = hand_model(table, kind);
    assert_non_null(model);
    /* Made rows hold towns and ages that no model has seen; that is not what these tests are about. */
    assert_int_equal(eqp_model_allow_shift(model, "age,town", NULL), EQP_OK);
    return model;
}

#endif
