/* Lotteries over panels that keep quotas, from standard input: for tests/python/test_quotas.py.
 *
 * A pool is, in words apart by white space: seats, features; per feature the number of its values; per quota
 * min and max; types; per type its people, its acceptance and its quota of each feature.  Its answer is a
 * line: "infeasible" or the least chance relative to acceptance, its proved bound, the number of compositions
 * and their probabilities and seats. */
#include "base/memory.h"
#include "select/quotas.h"

#include <stdio.h>

static double read_number(void)
{
    double number;
    if (scanf("%lf", &number) != 1) exit(2);
    return number;
}

static size_t read_count(void)
{
    return (size_t)read_number();
}

static void read_quotas(eqp_quotas *quotas, size_t features)
{
    size_t values[64];
    if (features > 64) exit(2);
    for (size_t f = 0; f < features; f++) values[f] = read_count();
    for (size_t f = 0; f < features; f++)
        for (size_t v = 0; v < values[f]; v++) {
            char feature[32], value[32];
            snprintf(feature, sizeof feature, "f%zu", f);
            snprintf(value, sizeof value, "v%zu", v);
            eqp_quota quota = {.value = value, .max_flex = 1000000};
            quota.min = read_count();
            quota.max = read_count();
            if (eqp_quotas_add(quotas, feature, &quota, NULL) != EQP_OK) exit(2);
        }
}

static void answer(const eqp_quota_lottery *lottery)
{
    printf("%a %a %zu", lottery->least_ratio, lottery->bound, lottery->compositions);
    for (size_t i = 0; i < lottery->compositions; i++) {
        printf(" %a", lottery->probability[i]);
        for (size_t t = 0; t < lottery->types; t++) printf(" %u", lottery->seats[i * lottery->types + t]);
    }
    putchar('\n');
}

int main(void)
{
    double number;
    while (scanf("%lf", &number) == 1) {
        size_t size = (size_t)number, features = read_count();
        eqp_quotas *quotas = eqp_alloc_zero(1, sizeof *quotas);
        eqp_quota_lottery *lottery;
        eqp_error error = {0};
        if (quotas == NULL) return EQP_MEMORY;
        read_quotas(quotas, features);
        size_t count = read_count();
        eqp_type *types = eqp_alloc(count, sizeof *types);
        uint32_t *quota = eqp_alloc(count, features * sizeof *quota);
        if (types == NULL || quota == NULL) return EQP_MEMORY;
        for (size_t t = 0; t < count; t++) {
            types[t] = (eqp_type){.quota = quota + t * features, .people = read_count()};
            types[t].accept = read_number();
            for (size_t f = 0; f < features; f++) types[t].quota[f] = (uint32_t)read_number();
        }
        eqp_status status = eqp_quota_lottery_new(quotas, types, count, size, &lottery, &error);
        if (status == EQP_OK)
            answer(lottery);
        else
            printf("%s\n", status == EQP_INFEASIBLE ? "infeasible" : error.message);
        eqp_quota_lottery_free(lottery);
        eqp_quotas_free(quotas);
        free(types);
        free(quota);
    }
    return 0;
}
