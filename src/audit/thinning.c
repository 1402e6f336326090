/* Which rows of a weighted sample are kept. */
#include "audit/thinning.h"

#include "draw/digest.h"

#include <math.h>
#include <stdio.h>

void eqp_audit_key(uint64_t seed, eqp_key *key)
{
    char text[64];
    int length = snprintf(text, sizeof text, "equipoise audit %llu", (unsigned long long)seed);
    eqp_digest_of(text, (size_t)length, key->hex);
}

eqp_row_id eqp_row_id_of(size_t row)
{
    eqp_row_id id;
    id.length = (size_t)snprintf(id.text, sizeof id.text, "%zu", row + 1);
    return id;
}

void eqp_thinning_init(eqp_thinning *thinning, const eqp_sample *sample, uint64_t seed)
{
    eqp_key key;
    eqp_audit_key(seed, &key);
    eqp_drawer_init(&thinning->drawer, &key, "thinning");
    thinning->largest_weight = 0;
    for (size_t i = 0; i < sample->rows; i++)
        thinning->largest_weight = fmax(thinning->largest_weight, sample->weight[i]);
    /* equal weights differ in their last bits at most; no row is to be thinned for that */
    thinning->largest_weight *= 1 - 1e-12;
}

bool eqp_thinning_keeps(const eqp_thinning *thinning, double weight, const eqp_row_id *id)
{
    if (weight >= thinning->largest_weight) return true;
    eqp_draws draws;
    eqp_draw_block(&thinning->drawer, id->text, id->length, 0, &draws);
    return draws.draw[0] < eqp_draw_threshold(weight / thinning->largest_weight);
}
