/* What speaks for acceptance and against it: the chance of acceptance of people who have a value of a column,
 * against everybody's.  It is counted over the rows learned from, so it means the same for every kind of
 * rule. */
#include "base/memory.h"
#include "model/influence.h"
#include "report/documents.h"

#include <math.h>

#define LEAST_PEOPLE 30 /* values of fewer people are never shown */
#define SHOWN        6  /* reasons for, and as many against */
#define NAME_COLUMNS 28

typedef struct reason {
    size_t feature;
    uint32_t code; /* of a number: 0 below its mean, 1 above, 2 missing */
    double people, chance, rank;
} reason;

typedef struct reasons {
    const eqp_encoding *encoding;
    const eqp_block *block;
    const double *chance;
    const eqp_sdc *sdc;
    double average;
    reason *best; /* of each feature the strongest for (2f) and against (2f + 1); rank 0: none */
} reasons;

static uint32_t code_of(const reasons *all, size_t f, size_t row)
{
    if (all->block->codes[f] != NULL) return all->block->codes[f][row];
    double value = all->block->numbers[f][row];
    return isnan(value) ? 2 : value >= all->encoding->features[f].mean;
}

static void consider(reasons *all, reason found)
{
    double rows = (double)all->block->rows, gain = found.chance - all->average;
    reason *best = &all->best[2 * found.feature + (gain < 0)];
    found.rank = fabs(gain) * sqrt(found.people / rows);
    if (found.rank > best->rank) *best = found;
}

/* The values of a feature with their chances.  Pooled values have nothing in common that could be a reason.
 */
static bool weigh_feature(reasons *all, size_t f)
{
    const eqp_feature *feature = &all->encoding->features[f];
    bool is_number = all->block->codes[f] == NULL;
    uint32_t codes = is_number ? 3 : feature->slots;
    double *people = eqp_alloc_zero(2 * (size_t)codes, sizeof *people);
    if (people == NULL) return false;
    for (size_t row = 0; row < all->block->rows; row++) {
        uint32_t code = code_of(all, f, row);
        people[code] += 1;
        people[codes + code] += all->chance[row];
    }
    for (uint32_t code = 0; code < codes; code++) {
        if (people[code] < LEAST_PEOPLE || eqp_sdc_withholds(all->sdc, people[code])) continue;
        if (!is_number && code == EQP_OTHER(feature)) continue;
        double chance = eqp_sdc_neat(all->sdc, people[codes + code] / people[code], people[code]);
        consider(all, (reason){f, code, people[code], chance, 0});
    }
    free(people);
    return true;
}

static int by_rank(const void *left, const void *right)
{
    const reason *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? 1 : -1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

static int by_chance(const void *left, const void *right)
{
    const reason *a = left, *b = right;
    if (a->chance != b->chance) return a->chance < b->chance ? 1 : -1;
    return by_rank(left, right);
}

/* The strongest of both sides, those who are accepted most often first. */
static size_t choose(reasons *all, size_t count)
{
    size_t kept = 0, sides[2] = {0, 0};
    qsort(all->best, count, sizeof *all->best, by_rank);
    for (size_t i = 0; i < count && all->best[i].rank > 0; i++)
        if (sides[all->best[i].chance < all->average]++ < SHOWN) all->best[kept++] = all->best[i];
    qsort(all->best, kept, sizeof *all->best, by_chance);
    return kept;
}

static void show_value(eqp_buffer *text, const eqp_feature *feature, uint32_t code)
{
    if (feature->kind != EQP_FEATURE_NUMBER)
        eqp_value_show(text, feature, code, NAME_COLUMNS);
    else if (code == 2)
        eqp_buffer_text(text, "missing");
    else {
        eqp_buffer_text(text, code == 0 ? "below " : "from ");
        eqp_number_show(text, feature, feature->mean, 3);
    }
}

static json_t *reason_document(const reasons *all, const reason *found)
{
    const eqp_feature *feature = &all->encoding->features[found->feature];
    eqp_buffer text = {0};
    json_t *object = json_object();
    show_value(&text, feature, found->code);
    eqp_json_set_text(&object, FIELD_column, feature->name);
    eqp_json_set(&object, FIELD_value, text.failed ? NULL : eqp_json_text(text.bytes));
    double rows = (double)all->block->rows;
    eqp_json_set_number(&object, FIELD_share, eqp_sdc_neat(all->sdc, found->people / rows, rows));
    eqp_json_set_number(&object, FIELD_chance, found->chance);
    eqp_buffer_free(&text);
    return object;
}

json_t *eqp_reasons_document(const eqp_encoding *encoding, const eqp_block *block, const double *chance,
                             const eqp_sdc *sdc)
{
    size_t count = 2 * encoding->feature_count;
    reasons all = {encoding, block, chance, sdc, 0, eqp_alloc_zero(count, sizeof(reason))};
    bool done = all.best != NULL;
    for (size_t row = 0; row < block->rows; row++) all.average += chance[row] / (double)block->rows;
    for (size_t f = 0; f < encoding->feature_count && done; f++) {
        if (!eqp_feature_is_binned(encoding, f))
            done = weigh_feature(&all, f); /* ranges say more than above and below the mean */
    }
    json_t *list = done ? json_array() : NULL;
    size_t kept = done ? choose(&all, count) : 0;
    for (size_t i = 0; i < kept; i++) eqp_json_append(&list, reason_document(&all, &all.best[i]));
    free(all.best);
    return list;
}

json_t *eqp_bands_document(const double *chance, size_t rows, const eqp_sdc *sdc)
{
    static const double edge[] = {0, 0.01, 0.05, 0.2, 0.5, 1};
    json_t *list = json_array();
    for (size_t band = 0; band < 5; band++) {
        size_t people = 0;
        for (size_t row = 0; row < rows; row++)
            people += chance[row] >= edge[band] && (band == 4 || chance[row] < edge[band + 1]);
        json_t *object = json_object();
        eqp_json_set_number(&object, FIELD_low, edge[band]);
        eqp_json_set_number(&object, FIELD_high, edge[band + 1]);
        eqp_json_set_number(&object, FIELD_share,
                            eqp_sdc_neat(sdc, (double)people / (double)rows, (double)rows));
        eqp_json_append(&list, object);
    }
    return list;
}
