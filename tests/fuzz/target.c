/* Any bytes as a table of target shares, for two attributes: refused, or shares that sum to 1. */
#include "../unit/encode/groups_of.h"
#include "encode/groups.h"
#include "fuzz.h"

#include <math.h>

static eqp_table *population(void)
{
    static const char text[] = "group,sex,x\na,f,1\na,m,2\nb,f,3\nb,m,4\n\"c, or d\",f,5\n\"c, or d\",m,6\n";
    char path[32];
    eqp_table *table = NULL;
    int file = fuzz_file(text, sizeof text - 1, path);
    must_hold(eqp_table_read(path, NULL, NULL, &table, NULL) == EQP_OK, "the population can be read");
    close(file);
    return table;
}

static void shares_sum_to_one(const eqp_groups *groups)
{
    double sum[2] = {0, 0};
    for (size_t k = 0; k < groups->group_count; k++) {
        must_hold(groups->groups[k].target >= 0 && groups->groups[k].target <= 1, "a share is a share");
        sum[groups->groups[k].attribute] += groups->groups[k].target;
    }
    must_hold(fabs(sum[0] - 1) < 1e-9 && fabs(sum[1] - 1) < 1e-9, "shares sum to 1");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const sensitive[] = {"group", "sex"};
    eqp_table *table = population();
    eqp_groups *groups = NULL;
    eqp_error error = {0};
    char path[32];
    must_hold(groups_of(table, sensitive, 2, false, &groups, &error) == EQP_OK, "groups are found");
    int file = fuzz_file(bytes, length, path);
    eqp_status status = eqp_groups_set_target(groups, path, &error);
    if (status == EQP_OK) shares_sum_to_one(groups);
    must_hold(status == EQP_OK || error.message[0] != '\0', "shares or a message");
    close(file);
    eqp_groups_free(groups);
    eqp_table_free(table);
    return 0;
}
