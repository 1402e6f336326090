/* Populations whose truth is known (populations.h). */
#include "populations.h"

#include "base/memory.h"
#include "base/random.h"
#include "equipoise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COLUMNS = 5, NUMBERS = 3, MOST_LEVELS = 12, MOST_GROUPS = 20, CLUSTERS = 6 };
enum { MOST_CLASSES = 2 * MOST_GROUPS };

const population POPULATIONS[] = {
    {SIGNAL_NONE, RATES_EVEN, 2, 0, 1000, false},         {SIGNAL_NONE, RATES_FALLING, 5, 0, 5000, false},
    {SIGNAL_NONE, RATES_RARE, 4, 0, 2500, false},         {SIGNAL_NONE, RATES_FALLING, 12, 0, 10000, false},
    {SIGNAL_WEAK, RATES_FALLING, 2, 0, 500, false},       {SIGNAL_WEAK, RATES_FALLING, 2, 0, 5000, false},
    {SIGNAL_WEAK, RATES_EVEN, 3, 0, 1000, false},         {SIGNAL_WEAK, RATES_FALLING, 4, 0, 2500, false},
    {SIGNAL_WEAK, RATES_RARE, 5, 0, 5000, false},         {SIGNAL_WEAK, RATES_RARE, 5, 0, 20000, false},
    {SIGNAL_WEAK, RATES_FALLING, 8, 0, 10000, false},     {SIGNAL_WEAK, RATES_FALLING, 20, 0, 20000, false},
    {SIGNAL_WEAK, RATES_FALLING, 3, 2, 5000, false},      {SIGNAL_WEAK, RATES_FALLING, 4, 0, 5000, true},
    {SIGNAL_STRONG, RATES_FALLING, 2, 0, 500, false},     {SIGNAL_STRONG, RATES_FALLING, 2, 0, 1000, false},
    {SIGNAL_STRONG, RATES_RARE, 2, 0, 5000, false},       {SIGNAL_STRONG, RATES_FALLING, 3, 0, 1000, false},
    {SIGNAL_STRONG, RATES_FALLING, 4, 0, 500, false},     {SIGNAL_STRONG, RATES_FALLING, 4, 0, 2500, false},
    {SIGNAL_STRONG, RATES_FALLING, 4, 0, 10000, false},   {SIGNAL_STRONG, RATES_FALLING, 4, 0, 100000, false},
    {SIGNAL_STRONG, RATES_RARE, 5, 0, 2500, false},       {SIGNAL_STRONG, RATES_RARE, 5, 0, 10000, false},
    {SIGNAL_STRONG, RATES_FALLING, 8, 0, 5000, false},    {SIGNAL_STRONG, RATES_FALLING, 20, 0, 10000, false},
    {SIGNAL_STRONG, RATES_FALLING, 3, 2, 2500, false},    {SIGNAL_STRONG, RATES_FALLING, 4, 3, 10000, false},
    {SIGNAL_STRONG, RATES_FALLING, 3, 0, 2500, true},     {SIGNAL_STRONG, RATES_RARE, 4, 0, 10000, true},
    {SIGNAL_CROSSED, RATES_FALLING, 2, 0, 1000, false},   {SIGNAL_CROSSED, RATES_FALLING, 3, 0, 5000, false},
    {SIGNAL_CROSSED, RATES_RARE, 4, 0, 10000, false},     {SIGNAL_CROSSED, RATES_FALLING, 5, 0, 2500, false},
    {SIGNAL_CROSSED, RATES_FALLING, 4, 0, 50000, false},  {SIGNAL_CROSSED, RATES_FALLING, 3, 2, 5000, false},
    {SIGNAL_CLUSTERS, RATES_FALLING, 2, 0, 1000, false},  {SIGNAL_CLUSTERS, RATES_FALLING, 4, 0, 2500, false},
    {SIGNAL_CLUSTERS, RATES_RARE, 5, 0, 5000, false},     {SIGNAL_CLUSTERS, RATES_FALLING, 6, 0, 1000, false},
    {SIGNAL_CLUSTERS, RATES_FALLING, 4, 0, 20000, false}, {SIGNAL_CLUSTERS, RATES_FALLING, 3, 2, 5000, true},
};
const size_t POPULATION_COUNT = sizeof POPULATIONS / sizeof *POPULATIONS;

const char *population_name(const population *p, char *text, size_t size)
{
    static const char *const SIGNALS[] = {"none", "weak", "strong", "crossed", "clusters"};
    static const char *const RATES[] = {"even", "falling", "down to 1 %"};
    snprintf(text, size, "%s | %s | %zu%s | %s", SIGNALS[p->signal], RATES[p->rates], p->groups,
             p->others == 0   ? ""
             : p->others == 2 ? " + 2"
                              : " + 3",
             p->weighted ? "yes" : "no");
    return text;
}

/* ---- latent classes ---------------------------------------------------------------------------------- */

typedef struct latent {
    size_t classes;
    size_t levels[COLUMNS];
    double share[MOST_CLASSES];
    double group[MOST_CLASSES][MOST_GROUPS]; /* P(group | class) */
    double value[MOST_CLASSES][COLUMNS][MOST_LEVELS];
} latent;

static void scale_to_one(double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    for (size_t i = 0; i < count; i++) values[i] /= sum;
}

static void base_rates(const population *p, double *rate)
{
    for (size_t k = 0; k < p->groups; k++)
        rate[k] = p->rates == RATES_EVEN ? 1 : pow(p->groups > 6 ? 0.8 : 0.6, (double)k);
    scale_to_one(rate, p->groups);
    if (p->rates != RATES_RARE) return;
    for (size_t k = 1; k < p->groups; k++)
        rate[k] = k + 1 == p->groups ? 0.01 : 0.04 * (double)(p->groups - k);
    rate[0] = 1;
    for (size_t k = 1; k < p->groups; k++) rate[0] -= rate[k];
}

/* A column's values in a class: numbers around a mean, texts each by itself. */
static void lean(latent *l, size_t class, size_t column, double mean, double strength, eqp_random *random)
{
    double *value = l->value[class][column];
    for (size_t v = 0; v < l->levels[column]; v++) {
        double at = 4 * ((double)v + 0.5) / (double)l->levels[column] - 2;
        value[v] = column < NUMBERS ? exp(-0.5 * (at - mean) * (at - mean))
                                    : exp(strength * eqp_random_normal(random));
    }
    scale_to_one(value, l->levels[column]);
}

static void lean_all(latent *l, size_t class, double strength, eqp_random *random)
{
    for (size_t c = 0; c < COLUMNS; c++)
        lean(l, class, c, strength * eqp_random_normal(random), strength, random);
}

/* Each group is two classes, on one diagonal of the first two columns for even groups and on the other for
 * odd ones: neither column by itself knows anything. */
static void cross(latent *l, size_t group, size_t side, eqp_random *random)
{
    size_t class = 2 * group + side;
    double a = side ? 1 : -1, b = group % 2 ? -a : a;
    lean_all(l, class, 0.15, random);
    lean(l, class, 0, a, 0, random);
    lean(l, class, 1, b, 0, random);
}

static void make_clusters(const population *p, latent *l, const double *rate, eqp_random *random)
{
    l->classes = CLUSTERS;
    for (size_t z = 0; z < CLUSTERS; z++) {
        l->share[z] = 0.5 + eqp_random_unit(random);
        lean_all(l, z, 1, random);
        for (size_t k = 0; k < p->groups; k++) l->group[z][k] = rate[k] * exp(eqp_random_normal(random));
        scale_to_one(l->group[z], p->groups);
    }
    scale_to_one(l->share, CLUSTERS);
}

static void make_classes(const population *p, uint64_t number, latent *l)
{
    double rate[MOST_GROUPS];
    eqp_random random = eqp_random_from(number, 77);
    static const size_t LEVELS[COLUMNS] = {12, 10, 4, 6, 5}, FEW[COLUMNS] = {8, 6, 3, 5, 4};
    size_t sides = p->signal == SIGNAL_CROSSED ? 2 : 1;
    *l = (latent){.classes = sides * p->groups};
    for (size_t c = 0; c < COLUMNS; c++) l->levels[c] = p->groups > 8 || p->others > 0 ? FEW[c] : LEVELS[c];
    base_rates(p, rate);
    if (p->signal == SIGNAL_CLUSTERS) return make_clusters(p, l, rate, &random);
    for (size_t k = 0; k < p->groups; k++)
        for (size_t side = 0; side < sides; side++) {
            l->share[sides * k + side] = rate[k] / (double)sides;
            l->group[sides * k + side][k] = 1;
            if (p->signal == SIGNAL_CROSSED)
                cross(l, k, side, &random);
            else
                lean_all(l, k, p->signal == SIGNAL_NONE ? 0 : p->signal == SIGNAL_WEAK ? 0.35 : 1, &random);
        }
}

/* ---- as a table -------------------------------------------------------------------------------------- */

/* The second attribute leans on the first column. */
static double other_share(const population *p, const size_t *at, size_t other)
{
    if (p->others == 0) return 1;
    double first = 0.25 + 0.05 * (double)at[0];
    return other == 0 ? first : (1 - first) / (double)(p->others - 1);
}

static void write_people(const population *p, const latent *l, const size_t *at, FILE *out)
{
    double met = p->weighted ? 0.5 + 1.5 * (double)at[1] / (double)(l->levels[1] - 1) : 1;
    for (size_t k = 0; k < p->groups; k++) {
        double share = 0;
        for (size_t z = 0; z < l->classes; z++) {
            double product = l->share[z] * l->group[z][k];
            for (size_t c = 0; c < COLUMNS; c++) product *= l->value[z][c][at[c]];
            share += product;
        }
        for (size_t o = 0; o < (p->others ? p->others : 1); o++) {
            for (size_t c = 0; c < COLUMNS; c++) fprintf(out, c < NUMBERS ? "%zu," : "v%zu,", at[c]);
            fprintf(out, "g%zu,o%zu,%.17g,%.17g,%.17g\n", k, o, share * other_share(p, at, o), met, 1 / met);
        }
    }
}

static void write_table(const population *p, const latent *l, FILE *out)
{
    size_t at[COLUMNS] = {0}, c;
    fputs("a,b,c,d,e,group,other,probability,met,weight\n", out);
    do {
        write_people(p, l, at, out);
        for (c = 0; c < COLUMNS && ++at[c] == l->levels[c]; c++) at[c] = 0;
    } while (c < COLUMNS);
}

eqp_status population_table(const population *p, uint64_t number, eqp_table **table, eqp_error *error)
{
    char path[] = "/tmp/equipoise-population-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *out = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    latent *l = eqp_alloc(1, sizeof *l);
    if (out == NULL || l == NULL) return eqp_fail(error, EQP_IO, "no temporary file");
    make_classes(p, number, l);
    write_table(p, l, out);
    fclose(out);
    eqp_read_options read = {0};
    eqp_status status = eqp_table_read(path, &read, NULL, table, error);
    unlink(path);
    free(l);
    return status;
}
