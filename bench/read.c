/* How fast are files read?  Makes an Adult-like table (six numbers, nine texts, some cells missing), then
 * prints for each way of reading the best of several runs, by processor time of all threads together:
 *
 *     fields      bytes from the page cache, cut into records, every field found
 *     columns     the same and every cell typed: numbers as doubles, texts as codes, SHA-256 of the bytes
 *
 *     bench-read [MEGABYTES [RUNS [DIRECTORY]]]        default 256, 5, /dev/shm */
#include "base/output.h"
#include "base/random.h"
#include "table/reader.h"
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef eqp_status (*way_of_reading)(const char *path, uint64_t *bytes, eqp_error *error);

static const char *pick(eqp_random *random, const char *const *texts, size_t count)
{
    size_t index = eqp_random_below(random, count * 3) % count; /* some levels are frequent */
    return eqp_random_below(random, 40) == 0 ? "?" : texts[eqp_random_below(random, index + 1)];
}

#define PICK(random, ...)                                                                                    \
    pick(random, (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

static void add_person(eqp_buffer *text, eqp_random *random)
{
    eqp_buffer_printf(text, "%zu,%s,%zu,%s,%zu,", 17 + eqp_random_below(random, 74),
                      PICK(random, "Private", "Self-emp-not-inc", "Local-gov", "State-gov", "Federal-gov"),
                      12285 + eqp_random_below(random, 400000),
                      PICK(random, "HS-grad", "Some-college", "Bachelors", "Masters", "Assoc-voc", "11th"),
                      1 + eqp_random_below(random, 16));
    eqp_buffer_printf(
        text, "%s,%s,%s,%s,%s,", PICK(random, "Married-civ-spouse", "Never-married", "Divorced", "Separated"),
        PICK(random, "Prof-specialty", "Craft-repair", "Exec-managerial", "Adm-clerical", "Sales"),
        PICK(random, "Husband", "Not-in-family", "Own-child", "Unmarried", "Wife"),
        PICK(random, "White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"),
        PICK(random, "Male", "Female"));
    eqp_buffer_printf(
        text, "%zu,%zu,%zu,%s,%s\n", eqp_random_below(random, 12) ? 0 : eqp_random_below(random, 99999),
        eqp_random_below(random, 20) ? 0 : eqp_random_below(random, 4356), 1 + eqp_random_below(random, 99),
        PICK(random, "United-States", "Mexico", "Philippines"), PICK(random, "<=50K", ">50K"));
}

static eqp_status write_people(const char *path, size_t bytes, eqp_error *error)
{
    eqp_random random = eqp_random_from(1, 0);
    eqp_buffer text = {0};
    eqp_output *output;
    eqp_status status = eqp_output_open(path, &output, error);
    if (status != EQP_OK) return status;
    eqp_buffer_text(
        &text, "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,"
               "sex,capital-gain,capital-loss,hours-per-week,native-country,income\n");
    for (size_t written = 0; written < bytes && status == EQP_OK; written += text.length, text.length = 0) {
        for (int i = 0; i < 1000; i++) add_person(&text, &random);
        status =
            text.failed ? eqp_fail_memory(error) : eqp_output_write(output, text.bytes, text.length, error);
    }
    eqp_buffer_free(&text);
    if (status == EQP_OK) return eqp_output_finish(output, error);
    eqp_output_abandon(output);
    return status;
}

static eqp_status find_fields(const char *path, uint64_t *bytes, eqp_error *error)
{
    eqp_reader *reader;
    eqp_chunk chunk = {0};
    eqp_index index = {0};
    eqp_reader_options options = {0};
    eqp_status status = eqp_reader_open(path, &options, &reader, error);
    while (status == EQP_OK && (status = eqp_reader_next(reader, &chunk, error)) == EQP_OK &&
           chunk.length > 0)
        status = eqp_index_build(&index, &reader->layout, &chunk, error);
    if (reader != NULL) *bytes = reader->bytes;
    eqp_index_free(&index);
    eqp_chunk_free(&chunk);
    eqp_reader_close(reader);
    return status;
}

static eqp_status type_columns(const char *path, uint64_t *bytes, eqp_error *error)
{
    eqp_table *table;
    eqp_status status = eqp_table_read(path, NULL, NULL, &table, error);
    if (status == EQP_OK) *bytes = table->bytes;
    eqp_table_free(table);
    return status;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static eqp_status time_reading(const char *name, way_of_reading read, const char *path, int runs,
                               eqp_error *error)
{
    double best = INFINITY;
    uint64_t bytes = 0;
    for (int run = 0; run < runs; run++) {
        double begin = processor_seconds();
        eqp_status status = read(path, &bytes, error);
        if (status != EQP_OK) return status;
        best = fmin(best, processor_seconds() - begin);
    }
    printf("%-8s %6.0f MB/s per core\n", name, 1e-6 * (double)bytes / best);
    return EQP_OK;
}

int main(int count, char **arguments)
{
    size_t megabytes = count > 1 ? (size_t)atol(arguments[1]) : 256;
    int runs = count > 2 ? atoi(arguments[2]) : 5;
    eqp_error error = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/equipoise-bench-%ld.csv", count > 3 ? arguments[3] : "/dev/shm",
             (long)getpid());
    eqp_status status = write_people(path, megabytes * 1000000, &error);
    if (status == EQP_OK) status = time_reading("fields", find_fields, path, runs, &error);
    if (status == EQP_OK) status = time_reading("columns", type_columns, path, runs, &error);
    unlink(path);
    if (status != EQP_OK) fprintf(stderr, "bench-read: %s\n", error.message);
    return eqp_exit_code(status);
}
