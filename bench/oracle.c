/* Time of one oracle call, and of opening a leaf, on rows shaped like the training half of Adult: 24,421
 * rows, 5 cells, 6 numbers and 7 text columns.  Then ten times the rows: how the times grow.
 *
 *     bench-oracle [rounds]
 *
 * Least CPU time of all rounds; the oracles take turns within a round. */
#include "oracle/oracle.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define FEATURES 13
#define NUMBERS  6
#define CELLS    5
#define CALLS    20 /* calls of a round; 1 for boost */

static const uint32_t level_counts[FEATURES - NUMBERS] = {8, 16, 7, 14, 6, 2, 41};
static const double cell_shares[CELLS] = {0.855, 0.096, 0.031, 0.010, 0.008};

typedef struct bench_rows {
    eqp_feature features[FEATURES];
    eqp_encoding encoding;
    double *numbers[FEATURES];
    uint32_t *codes[FEATURES];
    eqp_block block;
    eqp_design *design;
    uint32_t *cell;
    double *weight;
} bench_rows;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void keep_least(double *least, double start)
{
    double seconds = cpu_seconds() - start;
    if (seconds < *least) *least = seconds;
}

static uint32_t draw_cell(eqp_random *random)
{
    double u = eqp_random_unit(random);
    uint32_t cell = 0;
    while (cell < CELLS - 1 && u >= cell_shares[cell]) u -= cell_shares[cell++];
    return cell;
}

/* Levels are skewed, as in the census, and both kinds of feature lean with the cell. */
static void fill_column(bench_rows *made, size_t f, eqp_random *random)
{
    for (size_t i = 0; i < made->block.rows; i++) {
        if (f < NUMBERS) {
            double z = eqp_random_normal(random) + 0.2 * made->cell[i];
            made->numbers[f][i] = f % 2 ? floor(10 * z) : z;
        } else {
            double u = eqp_random_unit(random);
            uint32_t levels = level_counts[f - NUMBERS];
            made->codes[f][i] = ((uint32_t)(u * u * levels) + (made->cell[i] > 0 && u < 0.2)) % levels;
        }
    }
}

static bool make_rows(bench_rows *made, size_t rows)
{
    eqp_random random = eqp_random_from(7, 1);
    *made = (bench_rows){.encoding = {.feature_count = FEATURES, .features = made->features, .width = 1}};
    made->block =
        (eqp_block){.rows = rows, .feature_count = FEATURES, .numbers = made->numbers, .codes = made->codes};
    made->cell = eqp_alloc(rows, sizeof *made->cell);
    made->weight = eqp_alloc(rows, sizeof *made->weight);
    if (made->cell == NULL || made->weight == NULL) return false;
    for (size_t i = 0; i < rows; i++) {
        made->cell[i] = draw_cell(&random);
        made->weight[i] = 1.0 / (double)rows;
    }
    for (size_t f = 0; f < FEATURES; f++) {
        bool number = f < NUMBERS;
        eqp_feature *feature = &made->features[f];
        *feature = (eqp_feature){.kind = number ? EQP_FEATURE_NUMBER : EQP_FEATURE_LEVELS, .scale = 1};
        feature->level_count = number ? 0 : level_counts[f - NUMBERS];
        feature->slot = made->encoding.width;
        feature->slots = feature->level_count + 2;
        made->encoding.width += feature->slots;
        if (number)
            made->numbers[f] = eqp_alloc(rows, sizeof(double));
        else
            made->codes[f] = eqp_alloc(rows, sizeof(uint32_t));
        if (made->numbers[f] == NULL && made->codes[f] == NULL) return false;
        fill_column(made, f, &random);
    }
    return eqp_design_new(&made->encoding, &made->block, NULL, 0, &made->design, NULL) == EQP_OK;
}

static void free_rows(bench_rows *made)
{
    eqp_design_free(made->design);
    for (size_t f = 0; f < FEATURES; f++) {
        free(made->numbers[f]);
        free(made->codes[f]);
    }
    free(made->cell);
    free(made->weight);
}

static const char *const kinds[] = {"prc", "linear", "stump", "boost"};
#define KINDS (sizeof kinds / sizeof *kinds)

typedef struct times {
    double open[KINDS], call[KINDS];
} times;

/* One leaf opened and priced; false when something failed. */
static bool time_kind(const bench_rows *made, size_t kind, size_t calls, eqp_random *random, times *least)
{
    eqp_leaf_rows leaf = {.design = made->design,
                          .block = &made->block,
                          .weight = made->weight,
                          .cell = made->cell,
                          .cells = CELLS};
    eqp_oracle_shared *shared;
    eqp_oracle *oracle = NULL;
    if (eqp_oracle_shared_new(kinds[kind], made->design, &made->block, made->weight, 1, &shared, NULL) !=
        EQP_OK)
        return false;
    double start = cpu_seconds();
    bool good = eqp_oracle_new(shared, &leaf, &oracle, NULL) == EQP_OK;
    keep_least(&least->open[kind], start);
    for (size_t c = 0; good && c < calls; c++) {
        double prices[CELLS];
        for (size_t e = 0; e < CELLS; e++) prices[e] = eqp_random_normal(random);
        eqp_splitter *splitter;
        start = cpu_seconds();
        good = eqp_oracle_best(oracle, prices, NULL, &splitter, NULL) == EQP_OK;
        keep_least(&least->call[kind], start);
        eqp_splitter_free(splitter);
    }
    eqp_oracle_free(oracle);
    eqp_oracle_shared_free(shared);
    return good;
}

static bool time_rows(size_t rows, size_t rounds, times *least)
{
    bench_rows made;
    bool good = make_rows(&made, rows);
    eqp_random random = eqp_random_from(8, 1);
    for (size_t k = 0; k < KINDS; k++) least->open[k] = least->call[k] = INFINITY;
    for (size_t round = 0; good && round < rounds; round++)
        for (size_t k = 0; good && k < KINDS; k++)
            good = time_kind(&made, k, k + 1 < KINDS ? CALLS : 1, &random, least);
    free_rows(&made);
    return good;
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
    times small, large;
    if (!time_rows(24421, rounds, &small) || !time_rows(244210, rounds / 4 + 1, &large)) {
        fputs("bench-oracle: a call failed\n", stderr);
        return 1;
    }
    printf("one leaf, 13 columns, %d cells, least CPU time\n", CELLS);
    printf("%-8s %14s %14s %14s %10s\n", "oracle", "open, 24421", "call, 24421", "call, 244210", "growth");
    for (size_t k = 0; k < KINDS; k++)
        printf("%-8s %11.3f ms %11.4f ms %11.4f ms %9.1fx\n", kinds[k], 1e3 * small.open[k],
               1e3 * small.call[k], 1e3 * large.call[k], large.call[k] / small.call[k]);
    return 0;
}
