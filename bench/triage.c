/* What does triage cost beside reading?  Reads a file and looks at its columns, several times, and prints the
 * least processor time of all threads together for each of the two.
 *
 *     bench-triage FILE SENSITIVE [RUNS]        default 5 */
#include "triage/triage.h"
#include "encode/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static eqp_status look(const eqp_table *table, const char *const *sensitive, eqp_error *error)
{
    eqp_learn_options options = {.sensitive = sensitive, .sensitive_count = 1, .max_disclosure = 0.2};
    eqp_labels *labels = NULL;
    eqp_groups *groups = NULL;
    eqp_sample *sample = NULL;
    eqp_triage *triage = NULL;
    eqp_status status = eqp_labels_read(table, sensitive, 1, &labels, error);
    if (status == EQP_OK) status = eqp_groups_find(labels, false, &groups, error);
    if (status == EQP_OK) status = eqp_sample_new(groups, labels, NULL, &sample, error);
    if (status == EQP_OK) status = eqp_triage_new(table, sample, &options, NULL, &triage, error);
    eqp_triage_free(triage);
    eqp_sample_free(sample);
    eqp_groups_free(groups);
    eqp_labels_free(labels);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 3) return fprintf(stderr, "bench-triage FILE SENSITIVE [RUNS]\n"), 2;
    const char *const sensitive[] = {arguments[2]};
    eqp_read_options reading = {.text_columns = sensitive, .text_column_count = 1};
    int runs = count > 3 ? atoi(arguments[3]) : 5;
    double read = 1e9, looked = 1e9;
    for (int run = 0; run < runs; run++) {
        eqp_table *table;
        eqp_error error = {0};
        double begun = processor_seconds();
        eqp_status status = eqp_table_read(arguments[1], &reading, NULL, &table, &error);
        double between = processor_seconds();
        if (status == EQP_OK) status = look(table, sensitive, &error);
        double ended = processor_seconds();
        eqp_table_free(table);
        if (status != EQP_OK) return fprintf(stderr, "%s\n", error.message), 1;
        if (between - begun < read) read = between - begun;
        if (ended - between < looked) looked = ended - between;
    }
    printf("%s: reading %.4f s, triage %.4f s, ratio %.2f\n", arguments[1], read, looked, looked / read);
    return 0;
}
