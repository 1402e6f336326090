/* Ranking what moves a score. */
#include "model/influence.h"

#include "base/memory.h"
#include "model/paragraph.h"

#include <math.h>

static int by_rank(const void *left, const void *right)
{
    const eqp_influence *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? 1 : -1;
    if (a->feature != b->feature) return a->feature > b->feature ? 1 : -1;
    return (a->code > b->code) - (a->code < b->code);
}

static size_t add_influence(eqp_influence *list, size_t count, size_t feature, uint32_t code, double effect,
                            double share)
{
    double rank = fabs(effect) * sqrt(share);
    if (!(rank > 0) || !isfinite(rank)) return count;
    list[count] = (eqp_influence){feature, code, effect, rank};
    return count + 1;
}

/* A number moves the score by its slope times one standard deviation; a missing one against the mean. */
static size_t number_influences(const eqp_feature *feature, size_t f, const double *terms,
                                eqp_influence *list, size_t count)
{
    count = add_influence(list, count, f, 0, terms[0] * feature->scale, 1);
    return add_influence(list, count, f, 1, terms[1] - terms[0] * feature->mean, feature->missing_share);
}

static size_t code_influences(const eqp_feature *feature, size_t f, const double *terms, eqp_influence *list,
                              size_t count)
{
    double average = 0, total = 0;
    for (uint32_t code = 0; code < feature->slots; code++) {
        average += feature->shares[code] * terms[code];
        total += feature->shares[code];
    }
    if (total > 0) average /= total;
    for (uint32_t code = 0; code < feature->slots; code++)
        count = add_influence(list, count, f, code, terms[code] - average, feature->shares[code]);
    return count;
}

eqp_status eqp_influences(const eqp_encoding *encoding, const eqp_score *score, eqp_influence **list,
                          size_t *count, eqp_error *error)
{
    *count = 0;
    *list = eqp_alloc(encoding->width, sizeof **list);
    if (*list == NULL) return eqp_fail_memory(error);
    for (size_t f = 0; f < encoding->feature_count && score->tree_count == 0; f++) {
        const eqp_feature *feature = &encoding->features[f];
        const double *terms = score->terms + feature->slot;
        *count = feature->kind == EQP_FEATURE_NUMBER ? number_influences(feature, f, terms, *list, *count)
                                                     : code_influences(feature, f, terms, *list, *count);
    }
    qsort(*list, *count, sizeof **list, by_rank);
    return EQP_OK;
}

void eqp_score_uses(const eqp_score *score, size_t *uses)
{
    for (uint32_t i = 0; score->tree_count > 0 && i < score->tree_start[score->tree_count]; i++)
        if (score->branches[i].feature >= 0) uses[score->branches[i].feature]++;
}

static void show_range(eqp_buffer *text, const eqp_feature *feature, uint32_t bin)
{
    if (feature->level_count == 1)
        eqp_buffer_text(text, "known");
    else if (bin == 0)
        eqp_buffer_printf(text, "below %.6g", feature->cuts[0]);
    else if (bin + 1 == feature->level_count)
        eqp_buffer_printf(text, "from %.6g", feature->cuts[bin - 1]);
    else
        eqp_buffer_printf(text, "%.6g to %.6g", feature->cuts[bin - 1], feature->cuts[bin]);
}

void eqp_value_show(eqp_buffer *text, const eqp_feature *feature, uint32_t code, size_t columns)
{
    if (code == EQP_MISSING(feature)) {
        eqp_buffer_text(text, "missing");
    } else if (code == EQP_OTHER(feature)) {
        eqp_buffer_text(text, "other");
    } else if (feature->kind == EQP_FEATURE_BINS) {
        show_range(text, feature, code);
    } else {
        eqp_buffer_text(text, "\"");
        eqp_name_show(text, feature->levels[code], columns);
        eqp_buffer_text(text, "\"");
    }
}
