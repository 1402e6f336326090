/* What does `filter` spend on parsing?  Reads a file as it does, cuts it into records and fields, and reads
 * the numbers and the ids that the model uses; levels are not looked up, nothing is put into bins, scored,
 * drawn or written.  Prints the least processor time of several runs in seconds: what is left of `filter` is
 * what it does to records that are already in memory.
 *
 *     bench-parse MODEL FILE ID [RUNS]        default 5 */
#include "filter/decider.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The same model without what stands for levels and bins; slots stay as they are, nothing looks at them. */
static void keep_numbers(eqp_encoding *encoding)
{
    size_t kept = 0;
    for (size_t f = 0; f < encoding->feature_count; f++)
        if (encoding->features[f].kind == EQP_FEATURE_NUMBER) {
            eqp_feature number = encoding->features[f];
            encoding->features[f] = encoding->features[kept];
            encoding->features[kept++] = number;
        }
    encoding->feature_count = kept;
}

static eqp_status parse_chunk(const eqp_decider *decider, eqp_worker *worker, eqp_error *error)
{
    eqp_status status = eqp_worker_index(decider, worker, error);
    for (size_t first = 0; status == EQP_OK && first < worker->index.records; first += EQP_BATCH_ROWS)
        status = eqp_worker_decode(decider, worker, first, error);
    return status;
}

static eqp_status parse(const eqp_model *model, const char *path, const char *id, eqp_error *error)
{
    static const eqp_key key = {.hex = "0000000000000000000000000000000000000000000000000000000000000000"};
    const eqp_filter_options options = {.id = id, .threads = 1};
    eqp_decider *decider;
    eqp_worker worker;
    eqp_chunk *chunk = &worker.turn.chunk;
    eqp_status status = eqp_decider_open(model, &key, NULL, path, &options, &decider, error);
    if (status != EQP_OK) return status;
    status = eqp_worker_open(decider, &worker, error);
    while (status == EQP_OK && (status = eqp_reader_next(decider->reader, chunk, error)) == EQP_OK &&
           chunk->length > 0)
        status = parse_chunk(decider, &worker, error);
    eqp_worker_close(&worker);
    eqp_decider_close(decider);
    return status;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **arguments)
{
    eqp_error error = {0};
    eqp_model *model = NULL;
    if (count < 4) return fprintf(stderr, "usage: bench-parse MODEL FILE ID [RUNS]\n"), 2;
    double best = INFINITY;
    eqp_status status = eqp_model_load(arguments[1], &model, &error);
    size_t features = status == EQP_OK ? model->encoding->feature_count : 0;
    if (status == EQP_OK) keep_numbers(model->encoding);
    for (int run = count > 4 ? atoi(arguments[4]) : 5; status == EQP_OK && run > 0; run--) {
        double begin = processor_seconds();
        status = parse(model, arguments[2], arguments[3], &error);
        best = fmin(best, processor_seconds() - begin);
    }
    if (status == EQP_OK)
        printf("%.4f\n", best);
    else
        fprintf(stderr, "%s\n", error.message);
    if (model != NULL) model->encoding->feature_count = features;
    eqp_model_free(model);
    return status != EQP_OK;
}
