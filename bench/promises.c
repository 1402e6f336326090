/* Does what learning prints hold in the population that the sample came from?
 *
 *     bench-promises [OPTION]…                            populations whose truth is known (populations.h)
 *     bench-promises [OPTION]… FILE SENSITIVE IGNORE ROWS  learn from so many rows, measure on all others
 *
 *     --samples N       of every population; 100 unless given
 *     --only FIRST-LAST populations by number, from 1
 *     --budgets LIST    0.05,0.1,0.2,0.4 unless given
 *     --confidence X    that of the program unless given; "off": expectations
 *     --yield X         least yield; chosen unless given
 *     --method NAME     direct unless given
 *     --oracle NAME     linear unless given, for the direct method
 *     --ratio R         to be kept as well; two more columns: runs that use most of it, and how many keep it
 *     --chance X        least chance of everybody as a share of the yield; one more column: how many keep it
 *     --runs FILE       one line per rule, as CSV
 *
 * A run is binding when the rule uses more than half of its budget; only then can it break it. */
#include "populations.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "encode/encoding.h"
#include "learn/method.h"
#include "method/methods.h"
#include "model/measure.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BUDGETS = 12 };

typedef struct promise_settings {
    size_t samples, first, last, budgets;
    double budget[MOST_BUDGETS];
    double confidence, yield, ratio, chance;
    const char *method, *oracle;
    FILE *runs;
} promise_settings;

/* Where samples come from and truth is measured. */
typedef struct source {
    const promise_settings *settings;
    const char *name;
    eqp_table *table;
    eqp_groups *groups;
    eqp_learn_options options;
    const double *probability; /* of each row; NULL: a file, and what is not learned from is the population */
    const double *met;
    double *up_to;    /* sums of the chances of being drawn */
    size_t rows;      /* of a sample */
    struct run *runs; /* [sample][budget] */
} source;

typedef struct run {
    bool done;
    double disclosure, imbalance, yield; /* in the population */
    double ratio, least;                 /* largest ratio of a share, least chance */
    eqp_figures seen, unseen;            /* as learning says; compositions are not kept */
    double bound;
} run;

/* ---- one sample -------------------------------------------------------------------------------------- */

static size_t draw_row(const source *s, eqp_random *random)
{
    double u = eqp_random_unit(random) * s->up_to[s->table->rows - 1];
    size_t low = 0, high = s->table->rows - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->up_to[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* With replacement by probability; or the first rows of a permutation, whose rest is the population. */
static void draw_rows(const source *s, size_t sample, size_t *order)
{
    eqp_random random = eqp_random_from(sample, 78);
    if (s->probability == NULL)
        eqp_random_permutation(&random, order, s->table->rows);
    else
        for (size_t i = 0; i < s->rows; i++) order[i] = draw_row(s, &random);
}

static double largest_ratio(const eqp_measured *measured)
{
    double largest = 1;
    for (size_t k = 0; k < measured->groups; k++) {
        double shift = (measured->composition[k] - measured->base_rate[k]) * measured->yield;
        largest = fmax(largest, eqp_share_ratio(shift, measured->base_rate[k], measured->yield));
    }
    return largest;
}

static eqp_status find_least(const eqp_model *model, const eqp_table *people, double *least, eqp_error *error)
{
    double *chance = eqp_alloc(people->rows, sizeof *chance);
    if (chance == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_model_probabilities(model, people, chance, error);
    *least = 1;
    for (size_t i = 0; i < people->rows && status == EQP_OK; i++) *least = fmin(*least, chance[i]);
    free(chance);
    return status;
}

static eqp_status measure(const source *s, const eqp_table *people, const eqp_model *model, run *out,
                          eqp_error *error)
{
    eqp_block *block = NULL;
    eqp_sample *sample = NULL;
    eqp_measured *measured = NULL;
    eqp_status status = eqp_block_from_table(model->encoding, people, &block, error);
    if (status == EQP_OK)
        status =
            eqp_sample_from_table(s->groups, people, s->probability ? "probability" : NULL, &sample, error);
    if (status == EQP_OK)
        status = eqp_measure(model->encoding, model->rule, block, sample, 1, &measured, error);
    if (status == EQP_OK) status = find_least(model, people, &out->least, error);
    if (status == EQP_OK) {
        out->ratio = largest_ratio(measured);
        out->disclosure = measured->disclosure;
        out->imbalance = measured->imbalance;
        out->yield = measured->yield;
        out->done = true;
    }
    eqp_measured_free(measured);
    eqp_sample_free(sample);
    eqp_block_free(block);
    return status;
}

static eqp_status learn(const source *s, const eqp_table *table, const eqp_table *people, run *runs,
                        eqp_error *error)
{
    const eqp_method *method;
    eqp_training *training = NULL;
    eqp_learning *found[MOST_BUDGETS] = {0};
    eqp_sweep sweep = {.budgets = s->settings->budget, .budget_count = s->settings->budgets};
    eqp_status status = eqp_learn_options_method(&s->options, &method, error);
    if (status != EQP_OK) return status;
    eqp_learn_options own = eqp_learn_options_for(method, &s->options);
    status = eqp_training_new(table, s->groups, &own, method->needs(&own), NULL, &training, error);
    if (status == EQP_OK) status = eqp_method_sweep(method, training, &own, &sweep, NULL, found, error);
    for (size_t b = 0; b < sweep.budget_count && status == EQP_OK; b++) {
        eqp_learn_options at = eqp_sweep_options(&sweep, &own, b);
        if (!method->cross_fits) status = eqp_validate(method, training, &at, NULL, found[b], error);
        if (status != EQP_OK) break;
        runs[b].seen = found[b]->cross_fitted;
        runs[b].unseen = found[b]->cross_validated;
        runs[b].bound = found[b]->bound;
        status = measure(s, people, found[b]->model, &runs[b], error);
    }
    for (size_t b = 0; b < sweep.budget_count; b++) eqp_learning_free(found[b]);
    eqp_training_free(training);
    return status;
}

static eqp_status run_sample(void *context, size_t sample, eqp_error *error)
{
    const source *s = context;
    size_t *order = eqp_alloc(s->table->rows > s->rows ? s->table->rows : s->rows, sizeof *order);
    eqp_table *table = NULL, *rest = NULL;
    if (order == NULL) return eqp_fail_memory(error);
    draw_rows(s, sample, order);
    eqp_status status = eqp_table_take(s->table, order, s->rows, &table, error);
    if (status == EQP_OK && s->probability == NULL)
        status = eqp_table_take(s->table, order + s->rows, s->table->rows - s->rows, &rest, error);
    if (status == EQP_OK)
        status = learn(s, table, rest ? rest : s->table, s->runs + sample * s->settings->budgets, error);
    eqp_table_free(table);
    eqp_table_free(rest);
    free(order);
    return status;
}

/* ---- summary ----------------------------------------------------------------------------------------- */

static void write_runs(const source *s)
{
    for (size_t i = 0; i < s->settings->samples; i++)
        for (size_t b = 0; b < s->settings->budgets; b++) {
            const run *r = &s->runs[i * s->settings->budgets + b];
            fprintf(s->settings->runs, "%s,%zu,%g,%zu,%.6f,%.6f,%.6f", s->name, s->rows,
                    s->settings->budget[b], i, r->disclosure, r->imbalance, r->yield);
            for (const eqp_figures *f = &r->seen; f != NULL; f = f == &r->seen ? &r->unseen : NULL)
                fprintf(s->settings->runs, ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f", f->disclosure,
                        f->disclosure_error, f->imbalance, f->imbalance_error, f->yield, f->yield_error);
            fprintf(s->settings->runs, ",%.6f\n", r->bound);
        }
    fflush(s->settings->runs);
}

static void summarise(const source *s, size_t b)
{
    size_t n = s->settings->samples, binding = 0, kept = 0;
    double bias = 0, square = 0, error = 0, imbalance = 0, used = 0, yield = 0;
    double budget = s->settings->budget[b];
    for (size_t i = 0; i < n; i++) {
        const run *r = &s->runs[i * s->settings->budgets + b];
        double excess = r->unseen.imbalance - r->imbalance;
        binding += r->disclosure > budget / 2;
        kept += r->disclosure > budget / 2 && r->disclosure <= budget;
        used += r->disclosure / budget / (double)n;
        bias += excess / (double)n;
        square += excess * excess / (double)n;
        error += r->unseen.imbalance_error / (double)n;
        imbalance += r->imbalance / (double)n;
        yield += r->yield / (double)n;
    }
    printf("| %s | %zu | %g | %zu | ", s->name, s->rows, budget, binding);
    if (binding > 0)
        printf("%.0f %% | ", 100 * (double)kept / (double)binding);
    else
        printf("– | ");
    printf("%.0f %% | %.3f | %+.4f | %.4f | %.4f | %.1f %% |", 100 * used, imbalance, bias,
           sqrt(fmax(0, square - bias * bias)), error, 100 * yield);
}

/* Binding, as for the budget, when more than half of what the ratio allows is used. */
static void summarise_limits(const source *s, size_t b)
{
    size_t n = s->settings->samples, binding = 0, kept = 0, chances = 0;
    double ratio = s->settings->ratio;
    for (size_t i = 0; i < n; i++) {
        const run *r = &s->runs[i * s->settings->budgets + b];
        binding += r->ratio > (1 + ratio) / 2;
        kept += r->ratio > (1 + ratio) / 2 && r->ratio <= ratio;
        chances += r->least >= s->settings->chance * r->yield;
    }
    if (!isnan(ratio))
        printf(" %zu | %.0f %% |", binding, binding > 0 ? 100 * (double)kept / (double)binding : NAN);
    if (!isnan(s->settings->chance)) printf(" %.0f %% |", 100 * (double)chances / (double)n);
    printf("\n");
    fflush(stdout);
}

static eqp_status run_source(source *s, eqp_error *error)
{
    size_t count = s->settings->samples * s->settings->budgets;
    s->runs = eqp_alloc_zero(count, sizeof *s->runs);
    if (s->runs == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_parallel(s->settings->samples, 2, run_sample, s, error);
    if (status == EQP_OK && s->settings->runs != NULL) write_runs(s);
    for (size_t b = 0; b < s->settings->budgets && status == EQP_OK; b++) {
        summarise(s, b);
        summarise_limits(s, b);
    }
    free(s->runs);
    return status;
}

/* ---- sources ----------------------------------------------------------------------------------------- */

static eqp_status find_groups(source *s, eqp_error *error)
{
    eqp_sample *sample = NULL;
    eqp_notes notes = {0};
    eqp_status status = eqp_learn_groups(s->table, &s->options, &s->groups, &sample, &notes, error);
    eqp_sample_free(sample);
    eqp_notes_free(&notes);
    return status;
}

static eqp_status open_chances(source *s, eqp_error *error)
{
    double sum = 0;
    s->probability = eqp_table_find(s->table, "probability")->numbers;
    s->met = eqp_table_find(s->table, "met")->numbers;
    s->up_to = eqp_alloc(s->table->rows, sizeof *s->up_to);
    if (s->up_to == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < s->table->rows; i++) s->up_to[i] = sum += s->probability[i] * s->met[i];
    return EQP_OK;
}

static void set_options(source *s)
{
    eqp_learn_options_init(&s->options);
    s->options.threads = 1;
    if (s->settings->method == NULL)
        s->options.oracle = s->settings->oracle;
    else
        s->options.method = s->settings->method;
    s->options.min_yield = s->settings->yield;
    s->options.max_ratio = s->settings->ratio;
    s->options.min_chance = s->settings->chance;
    if (!isnan(s->settings->confidence)) s->options.confidence = s->settings->confidence;
}

static void close_source(source *s)
{
    eqp_groups_free(s->groups);
    eqp_table_free(s->table);
    free(s->up_to);
}

static eqp_status run_population(const promise_settings *settings, size_t number, eqp_error *error)
{
    static const char *const SENSITIVE[] = {"group", "other"};
    const population *p = &POPULATIONS[number];
    char name[80];
    source s = {.settings = settings, .name = population_name(p, name, sizeof name), .rows = p->rows};
    set_options(&s);
    s.options.sensitive = SENSITIVE;
    s.options.sensitive_count = p->others > 0 ? 2 : 1;
    s.options.ignore = p->others > 0 ? "probability,met,weight" : "probability,met,weight,other";
    s.options.weight = p->weighted ? "weight" : NULL;
    if (p->weighted) s.options.ignore = p->others > 0 ? "probability,met" : "probability,met,other";
    eqp_status status = population_table(p, number, &s.table, error);
    if (status == EQP_OK) status = open_chances(&s, error);
    if (status == EQP_OK) status = find_groups(&s, error);
    if (status == EQP_OK) status = run_source(&s, error);
    close_source(&s);
    return status;
}

static eqp_status run_file(const promise_settings *settings, char **words, eqp_error *error)
{
    const char *sensitive[] = {words[1]};
    eqp_read_options read = {.text_columns = sensitive, .text_column_count = 1};
    source s = {.settings = settings, .name = words[0], .rows = (size_t)atol(words[3])};
    set_options(&s);
    s.options.sensitive = sensitive;
    s.options.sensitive_count = 1;
    s.options.ignore = words[2];
    eqp_status status = eqp_table_read(words[0], &read, NULL, &s.table, error);
    if (status == EQP_OK) status = find_groups(&s, error);
    if (status == EQP_OK) status = run_source(&s, error);
    close_source(&s);
    return status;
}

/* ---- words ------------------------------------------------------------------------------------------- */

static void read_budgets(char *text, promise_settings *settings)
{
    settings->budgets = 0;
    for (char *word = strtok(text, ","); word != NULL && settings->budgets < MOST_BUDGETS;
         word = strtok(NULL, ","))
        settings->budget[settings->budgets++] = atof(word);
}

static bool read_word(int letter, char *word, promise_settings *settings)
{
    switch (letter) {
    case 's':
        settings->samples = (size_t)atol(word);
        break;
    case 'o':
        sscanf(word, "%zu-%zu", &settings->first, &settings->last);
        break;
    case 'b':
        read_budgets(word, settings);
        break;
    case 'y':
        settings->yield = atof(word);
        break;
    case 'c':
        settings->confidence = atof(word);
        break;
    case 'q':
        settings->ratio = atof(word);
        break;
    case 'l':
        settings->chance = atof(word);
        break;
    case 'm':
        settings->method = word;
        break;
    case 'a':
        settings->oracle = word;
        break;
    case 'r':
        settings->runs = fopen(word, "a");
        break;
    default:
        return false;
    }
    return true;
}

int main(int count, char **words)
{
    static const struct option OPTIONS[] = {{"samples", 1, 0, 's'},
                                            {"only", 1, 0, 'o'},
                                            {"budgets", 1, 0, 'b'},
                                            {"confidence", 1, 0, 'c'},
                                            {"oracle", 1, 0, 'a'},
                                            {"yield", 1, 0, 'y'},
                                            {"runs", 1, 0, 'r'},
                                            {"ratio", 1, 0, 'q'},
                                            {"chance", 1, 0, 'l'},
                                            {"method", 1, 0, 'm'},
                                            {0}};
    promise_settings settings = {.samples = 100,
                                 .first = 1,
                                 .last = POPULATION_COUNT,
                                 .budgets = 4,
                                 .budget = {0.05, 0.1, 0.2, 0.4},
                                 .confidence = NAN,
                                 .yield = NAN,
                                 .ratio = NAN,
                                 .chance = NAN,
                                 .oracle = "linear"};
    eqp_error error = {0};
    eqp_status status = EQP_OK;
    for (int letter; (letter = getopt_long(count, words, "", OPTIONS, NULL)) != -1;)
        if (!read_word(letter, optarg, &settings)) return 2;
    if (count - optind == 4)
        status = run_file(&settings, words + optind, &error);
    else
        for (size_t p = settings.first; p <= settings.last && status == EQP_OK; p++)
            status = run_population(&settings, p - 1, &error);
    if (status != EQP_OK) fprintf(stderr, "bench-promises: %s\n", error.message);
    return status != EQP_OK;
}
