/* Within-group distortion, feature by feature in parallel: weighted moments of all rows and of the accepted
 * ones, in expectation over the draws. */
#include "audit/distortion.h"

#include "audit/audit.h"
#include "base/memory.h"
#include "base/threads.h"

#include <math.h>

#define FEWEST_ROWS 10 /* for a difference that says anything */

struct task {
    const eqp_encoding *encoding;
    const eqp_block *block;
    const eqp_sample *sample;
    const double *chance;
    eqp_distortion *distortion;
};

/* Weights and values of some rows. */
struct moments {
    double rows; /* how many, unweighted; of the accepted: expected */
    double weight, sum, squares;
};

static void add_row(struct moments *moments, double rows, double weight, double value)
{
    moments->rows += rows;
    moments->weight += weight;
    moments->sum += weight * value;
    moments->squares += weight * value * value;
}

static bool enough(double all, double accepted)
{
    return all >= FEWEST_ROWS && accepted >= FEWEST_ROWS;
}

static double mean_difference(const struct moments *all, const struct moments *accepted)
{
    if (!enough(all->rows, accepted->rows)) return NAN;
    double mean = all->sum / all->weight;
    double variance = all->squares / all->weight - mean * mean;
    if (!(variance > 1e-12 * (mean * mean + 1e-300))) return 0; /* the same value everywhere */
    return (accepted->sum / accepted->weight - mean) / sqrt(variance);
}

/* Group k of row i of each attribute, and one more place for "overall". */
static void add_everywhere(const struct task *task, size_t i, double value, struct moments *all,
                           struct moments *accepted, size_t stride)
{
    const eqp_groups *groups = task->sample->groups;
    double weight = task->sample->weight[i], chance = task->chance[i];
    eqp_members of = eqp_members_of(groups, task->sample->cell[i]);
    for (size_t m = 0; m <= of.count; m++) {
        size_t k = m == of.count ? groups->group_count : of.group[m];
        add_row(&all[k * stride], 1, weight, value);
        add_row(&accepted[k * stride], chance, chance * weight, value);
    }
}

/* Shifting by the training mean keeps the variance accurate where values are large. */
static void number_differences(const struct task *task, const eqp_feature *feature, const double *values,
                               struct moments *all, struct moments *accepted, double *difference,
                               double *rows)
{
    for (size_t i = 0; i < task->sample->rows; i++) {
        double value = values[task->sample->row[i]];
        if (!isnan(value)) add_everywhere(task, i, value - feature->mean, all, accepted, 1);
    }
    for (size_t k = 0; k <= task->distortion->groups; k++) {
        difference[k] = mean_difference(&all[k], &accepted[k]);
        rows[k] = accepted[k].rows;
    }
}

/* The level that differs most among those with enough rows; all[0 … codes-1] are the levels of one group. */
static double level_difference(const struct moments *all, const struct moments *accepted, size_t codes)
{
    double rows = 0, accepted_rows = 0, weight = 0, accepted_weight = 0, largest = 0;
    for (size_t c = 0; c < codes; c++) {
        rows += all[c].rows;
        accepted_rows += accepted[c].rows;
        weight += all[c].weight;
        accepted_weight += accepted[c].weight;
    }
    if (!enough(rows, accepted_rows)) return NAN;
    for (size_t c = 0; c < codes; c++) {
        double share = all[c].weight / weight;
        if (all[c].rows < FEWEST_ROWS || share >= 1) continue;
        double difference = (accepted[c].weight / accepted_weight - share) / sqrt(share * (1 - share));
        if (fabs(difference) > fabs(largest)) largest = difference;
    }
    return largest;
}

static void code_differences(const struct task *task, const uint32_t *codes, size_t code_count,
                             struct moments *all, struct moments *accepted, double *difference, double *rows)
{
    for (size_t i = 0; i < task->sample->rows; i++) {
        uint32_t code = codes[task->sample->row[i]];
        add_everywhere(task, i, 1, all + code, accepted + code, code_count);
    }
    for (size_t k = 0; k <= task->distortion->groups; k++) {
        difference[k] = level_difference(all + k * code_count, accepted + k * code_count, code_count);
        rows[k] = 0;
        for (size_t c = 0; c < code_count; c++) rows[k] += accepted[k * code_count + c].rows;
    }
}

static eqp_status distortion_of_feature(void *context, size_t f, eqp_error *error)
{
    const struct task *task = context;
    const eqp_feature *feature = &task->encoding->features[f];
    size_t places = task->distortion->groups + 1;
    size_t codes = feature->kind == EQP_FEATURE_NUMBER ? 1 : (size_t)feature->level_count + 2;
    struct moments *all = eqp_alloc_zero(places, codes * sizeof *all);
    struct moments *accepted = eqp_alloc_zero(places, codes * sizeof *accepted);
    bool complete = all != NULL && accepted != NULL;
    double *difference = task->distortion->difference + f * places,
           *rows = task->distortion->rows + f * places;
    if (complete && feature->kind == EQP_FEATURE_NUMBER)
        number_differences(task, feature, task->block->numbers[f], all, accepted, difference, rows);
    else if (complete)
        code_differences(task, task->block->codes[f], codes, all, accepted, difference, rows);
    free(all);
    free(accepted);
    return complete ? EQP_OK : eqp_fail_memory(error);
}

eqp_status eqp_distortion_from(const eqp_encoding *encoding, const eqp_block *block, const eqp_sample *sample,
                               const double *chance, size_t threads, eqp_distortion **distortion,
                               eqp_error *error)
{
    *distortion = NULL;
    eqp_distortion *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->features = encoding->feature_count;
    made->groups = sample->groups->group_count;
    made->difference = eqp_alloc(made->features, (made->groups + 1) * sizeof(double));
    made->rows = eqp_alloc(made->features, (made->groups + 1) * sizeof(double));
    struct task task = {encoding, block, sample, chance, made};
    eqp_status status = made->difference == NULL || made->rows == NULL
                            ? eqp_fail_memory(error)
                            : eqp_parallel(made->features, threads, distortion_of_feature, &task, error);
    if (status == EQP_OK) *distortion = made;
    if (status != EQP_OK) eqp_distortion_free(made);
    return status;
}

void eqp_distortion_free(eqp_distortion *distortion)
{
    if (distortion == NULL) return;
    free(distortion->difference);
    free(distortion->rows);
    free(distortion);
}
