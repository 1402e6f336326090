/* How long until the library stops when it is asked to?  The longest processor time between two looks at the
 * watch, on one thread, while a CSV file is read and a rule learned from it.
 *
 *     bench-stops FILE SENSITIVE [METHOD [ORACLE]]
 */
#include "equipoise.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

typedef struct stretch {
    double last, longest;
} stretch;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool look(void *context, const char *stage, double done)
{
    stretch *s = context;
    double now = cpu_seconds();
    (void)stage;
    (void)done;
    s->longest = fmax(s->longest, now - s->last);
    s->last = now;
    return true;
}

static void begin(stretch *s, double *begun)
{
    *s = (stretch){.last = cpu_seconds()};
    *begun = s->last;
}

static void show(stretch *s, const char *what, double begun)
{
    look(s, NULL, 1);
    printf("%-6s %7.2f s, at most %.2f s between two looks\n", what, s->last - begun, s->longest);
}

static eqp_status measure(const char *path, const eqp_learn_options *options, eqp_error *error)
{
    stretch s;
    double begun;
    eqp_watch watch = {look, &s};
    eqp_read_options read = {.text_columns = options->sensitive, .text_column_count = 1};
    eqp_table *table = NULL;
    eqp_model *model = NULL;
    eqp_report *report = NULL;
    begin(&s, &begun);
    eqp_status status = eqp_table_read(path, &read, &watch, &table, error);
    show(&s, "read", begun);
    begin(&s, &begun);
    if (status == EQP_OK) status = eqp_learn(table, options, &watch, &model, &report, error);
    show(&s, "learn", begun);
    eqp_report_free(report);
    eqp_model_free(model);
    eqp_table_free(table);
    return status;
}

int main(int count, char **words)
{
    if (count < 3) return fprintf(stderr, "usage: bench-stops FILE SENSITIVE [METHOD [ORACLE]]\n"), 2;
    eqp_error error = {0};
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.sensitive = (const char *const[]){words[2]};
    options.sensitive_count = 1;
    options.threads = 1;
    if (count > 3) options.method = words[3];
    if (count > 4) options.oracle = words[4];
    if (measure(words[1], &options, &error) == EQP_OK) return 0;
    fprintf(stderr, "bench-stops: %s\n", error.message);
    return 1;
}
