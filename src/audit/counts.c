/* The audit's one walk over the rows.  Rows are cut into a fixed number of slices, each with sums of its own
 * that are added in order, so that the figures do not depend on the number of threads. */
#include "audit/counts.h"

#include "base/memory.h"
#include "base/threads.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define SLICES 32
#define BATCH  256
#define NO_ROW SIZE_MAX

/* ---- the sums ------------------------------------------------------------------------------------------ */

/* White box: the bits that anyone with the model file can compute for a record.  For a tree they are its
 * components' h; for the other routers, the values of the prediction before noise, one bit per leaf. */
static size_t bits_of(const eqp_routing *routing)
{
    if (routing->model == NULL) return 0;
    const eqp_rule *rule = routing->model->rule;
    return rule->router == EQP_ROUTE_TREE ? rule->component_count : rule->leaf_count;
}

static double *carve(double **next, size_t count)
{
    double *part = *next;
    *next += count;
    return part;
}

/* Scalars lie in the arrays too while slices are added up; publish_scalars copies them out at the end. */
static void lay_out(eqp_counts *counts)
{
    size_t cells = counts->leaves * counts->groups;
    double *mass = counts->masses + 2, *draw = counts->draws + 2;
    counts->joint = carve(&mass, cells);
    counts->leaf = carve(&mass, counts->leaves);
    counts->base = carve(&mass, counts->groups);
    counts->accepted = carve(&mass, counts->groups);
    counts->bit_joint = carve(&mass, counts->bits * counts->groups);
    counts->bit = carve(&mass, counts->bits);
    counts->share = carve(&mass, counts->leaves);
    counts->drawn = carve(&draw, cells);
    counts->drawn_leaf = carve(&draw, counts->leaves);
    counts->drawn_group = carve(&draw, counts->groups);
    counts->drawn_accepted = carve(&draw, counts->groups);
    assert(mass == counts->masses + counts->mass_count && draw == counts->draws + counts->draw_count);
}

static void publish_scalars(eqp_counts *counts, bool accepts)
{
    counts->yield = accepts ? counts->masses[0] : NAN;
    counts->squares = accepts ? counts->masses[1] : NAN;
    counts->drawn_rows = counts->draws[0];
    counts->drawn_accepted_rows = accepts ? counts->draws[1] : NAN;
}

static eqp_counts *counts_alloc(size_t leaves, size_t groups, size_t bits)
{
    eqp_counts *counts = eqp_alloc_zero(1, sizeof *counts);
    if (counts == NULL) return NULL;
    *counts = (eqp_counts){.leaves = leaves, .groups = groups, .bits = bits};
    counts->mass_count = 2 + leaves * groups + 2 * leaves + 2 * groups + bits * groups + bits;
    counts->draw_count = 2 + leaves * groups + leaves + 2 * groups;
    counts->masses = eqp_alloc_zero(counts->mass_count, sizeof(double));
    counts->draws = eqp_alloc_zero(counts->draw_count, sizeof(double));
    if (counts->masses == NULL || counts->draws == NULL) {
        eqp_counts_free(counts);
        return NULL;
    }
    lay_out(counts);
    return counts;
}

void eqp_counts_free(eqp_counts *counts)
{
    if (counts == NULL) return;
    free(counts->masses);
    free(counts->draws);
    free(counts->chance);
    free(counts);
}

eqp_counts *eqp_counts_copy(const eqp_counts *counts)
{
    eqp_counts *copy = counts_alloc(counts->leaves, counts->groups, counts->bits);
    if (copy == NULL) return NULL;
    copy->rows = counts->rows;
    memcpy(copy->masses, counts->masses, counts->mass_count * sizeof *counts->masses);
    memcpy(copy->draws, counts->draws, counts->draw_count * sizeof *counts->draws);
    copy->yield = counts->yield;
    copy->squares = counts->squares;
    copy->drawn_rows = counts->drawn_rows;
    copy->drawn_accepted_rows = counts->drawn_accepted_rows;
    return copy;
}

static void counts_add(eqp_counts *sum, const eqp_counts *part)
{
    for (size_t i = 0; i < sum->mass_count; i++) sum->masses[i] += part->masses[i];
    for (size_t i = 0; i < sum->draw_count; i++) sum->draws[i] += part->draws[i];
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

struct walk {
    const eqp_routing *routing;
    const eqp_sample *sample;   /* NULL: nothing is labelled */
    size_t *labelled;           /* of each table row: its place in the sample, or NO_ROW */
    eqp_rule noiseless;         /* the model's rule without its noise; borrows everything */
    const eqp_audited *audited; /* NULL with the sample */
    eqp_drawer drawer;
    double *chance; /* of each labelled row; NULL without acceptance */
    eqp_counts *slices[SLICES];
};

/* One batch of rows as the routing sees them. */
struct batch {
    size_t first, count;
    double *leaf; /* count × leaves: probability of each leaf */
    double *bit;  /* bits × count: probability that the bit is 1 */
    double *scratch;
};

static void add_to_groups(const eqp_groups *groups, uint32_t cell, double mass, double *sums)
{
    eqp_members of = eqp_members_of(groups, cell);
    for (size_t m = 0; m < of.count; m++) sums[of.group[m]] += mass;
}

static double acceptance(const struct walk *walk, const double *leaf, size_t labelled)
{
    if (walk->chance == NULL) return 0;
    double chance = 0;
    for (size_t j = 0; j < walk->routing->leaf_count; j++) chance += leaf[j] * walk->routing->accept[j];
    return walk->chance[labelled] = chance;
}

static void add_masses(const struct walk *walk, const struct batch *batch, size_t at, size_t labelled,
                       eqp_counts *counts)
{
    const eqp_sample *sample = walk->sample;
    const double *leaf = batch->leaf + at * counts->leaves;
    uint32_t cell = sample->cell[labelled];
    double weight = sample->weight[labelled];
    double accepted = weight * acceptance(walk, leaf, labelled);

    for (size_t j = 0; j < counts->leaves; j++) {
        if (!(leaf[j] > 0)) continue;
        counts->leaf[j] += weight * leaf[j];
        add_to_groups(sample->groups, cell, weight * leaf[j], counts->joint + j * counts->groups);
    }
    for (size_t b = 0; b < counts->bits; b++) {
        double mass = weight * batch->bit[b * batch->count + at];
        counts->bit[b] += mass;
        add_to_groups(sample->groups, cell, mass, counts->bit_joint + b * counts->groups);
    }
    add_to_groups(sample->groups, cell, weight, counts->base);
    add_to_groups(sample->groups, cell, accepted, counts->accepted);
    counts->masses[0] += accepted;
    counts->masses[1] += accepted * accepted;
}

static void add_draw(const struct walk *walk, size_t row, size_t labelled, eqp_counts *counts)
{
    const eqp_sample *sample = walk->sample;
    const eqp_routing *routing = walk->routing;
    const eqp_row_id *id = &walk->audited->id[labelled];
    if (!walk->audited->kept[labelled]) return;

    eqp_outcome outcome = {.leaf = routing->model == NULL ? routing->leaf[row] : 0};
    if (routing->model != NULL)
        outcome = eqp_rule_outcome(routing->model->encoding, routing->model->rule, &walk->drawer,
                                   routing->block, row, id->text, id->length);
    uint32_t cell = sample->cell[labelled];
    counts->draws[0] += 1;
    counts->drawn_leaf[outcome.leaf] += 1;
    add_to_groups(sample->groups, cell, 1, counts->drawn + outcome.leaf * counts->groups);
    add_to_groups(sample->groups, cell, 1, counts->drawn_group);
    if (routing->accept == NULL || outcome.draw >= eqp_draw_threshold(routing->accept[outcome.leaf])) return;
    counts->draws[1] += 1;
    add_to_groups(sample->groups, cell, 1, counts->drawn_accepted);
}

/* h of one component over the batch. */
static void component_bit(const eqp_model *model, const eqp_component *component, const eqp_block *block,
                          const struct batch *batch, double *bit)
{
    bool always = component->score == EQP_SCORE_ALWAYS, never = component->score == EQP_SCORE_NEVER;
    if (!always && !never)
        eqp_score_rows(model->encoding, &model->rule->scores[component->score], block, batch->first,
                       batch->count, bit);
    for (size_t i = 0; i < batch->count; i++) bit[i] = always || (!never && bit[i] < component->threshold);
}

/* Prediction before noise: the bit of leaf j is "the prediction is j". */
static void prediction_bits(const struct walk *walk, const struct batch *batch, size_t leaves)
{
    const eqp_model *model = walk->routing->model;
    double *leaf = batch->scratch + eqp_rule_scratch(model->rule, BATCH);
    eqp_rule_leaves(model->encoding, &walk->noiseless, walk->routing->block, batch->first, batch->count, leaf,
                    batch->scratch);
    for (size_t j = 0; j < leaves; j++)
        for (size_t i = 0; i < batch->count; i++) batch->bit[j * batch->count + i] = leaf[i * leaves + j];
}

static void route_batch(const struct walk *walk, const struct batch *batch)
{
    const eqp_routing *routing = walk->routing;
    size_t leaves = routing->leaf_count;
    if (routing->model == NULL) {
        memset(batch->leaf, 0, batch->count * leaves * sizeof(double));
        for (size_t i = 0; i < batch->count; i++)
            batch->leaf[i * leaves + routing->leaf[batch->first + i]] = 1;
        return;
    }
    const eqp_rule *rule = routing->model->rule;
    eqp_rule_leaves(routing->model->encoding, rule, routing->block, batch->first, batch->count, batch->leaf,
                    batch->scratch);
    if (walk->sample == NULL) return;
    if (rule->router != EQP_ROUTE_TREE) {
        prediction_bits(walk, batch, leaves);
        return;
    }
    for (size_t c = 0; c < rule->component_count; c++)
        component_bit(routing->model, &rule->components[c], routing->block, batch,
                      batch->bit + c * batch->count);
}

static void count_batch(const struct walk *walk, const struct batch *batch, eqp_counts *counts)
{
    route_batch(walk, batch);
    for (size_t i = 0; i < batch->count; i++) {
        for (size_t j = 0; j < counts->leaves; j++) counts->share[j] += batch->leaf[i * counts->leaves + j];
        size_t labelled = walk->sample == NULL ? NO_ROW : walk->labelled[batch->first + i];
        if (labelled == NO_ROW) continue;
        add_masses(walk, batch, i, labelled, counts);
        add_draw(walk, batch->first + i, labelled, counts);
    }
}

static eqp_status count_slice(void *context, size_t slice, eqp_error *error)
{
    struct walk *walk = context;
    const eqp_routing *routing = walk->routing;
    eqp_counts *counts = walk->slices[slice];
    size_t scratch = routing->model == NULL ? 0 : eqp_rule_scratch(routing->model->rule, BATCH);
    eqp_arena arena = {0};
    struct batch batch = {
        .leaf = eqp_take(&arena, counts->leaves, BATCH * sizeof(double)),
        .bit = eqp_take(&arena, counts->bits, BATCH * sizeof(double)),
        .scratch = eqp_take(&arena, scratch + BATCH * counts->leaves, sizeof(double)),
    };
    bool complete = !arena.failed;
    size_t end = routing->rows * (slice + 1) / SLICES;
    for (batch.first = routing->rows * slice / SLICES; complete && batch.first < end; batch.first += BATCH) {
        batch.count = end - batch.first < BATCH ? end - batch.first : BATCH;
        count_batch(walk, &batch, counts);
    }
    eqp_arena_free(&arena);
    return complete ? EQP_OK : eqp_fail_memory(error);
}

/* ---- before and after the walk ------------------------------------------------------------------------- */

static void init_draws(struct walk *walk)
{
    const eqp_model *model = walk->routing->model;
    if (walk->audited != NULL)
        eqp_drawer_init(&walk->drawer, &walk->audited->key, model == NULL ? "proxy" : model->id);
}

static bool index_labels(struct walk *walk)
{
    if (walk->sample == NULL) return true;
    if (walk->routing->accept != NULL) {
        walk->chance = eqp_alloc(walk->sample->rows, sizeof *walk->chance);
        if (walk->chance == NULL) return false;
    }
    walk->labelled = eqp_alloc(walk->routing->rows, sizeof *walk->labelled);
    if (walk->labelled == NULL) return false;
    for (size_t row = 0; row < walk->routing->rows; row++) walk->labelled[row] = NO_ROW;
    for (size_t i = 0; i < walk->sample->rows; i++) walk->labelled[walk->sample->row[i]] = i;
    return true;
}

static bool alloc_slices(struct walk *walk, size_t groups)
{
    for (size_t slice = 0; slice < SLICES; slice++) {
        walk->slices[slice] = counts_alloc(walk->routing->leaf_count, groups, bits_of(walk->routing));
        if (walk->slices[slice] == NULL) return false;
    }
    return true;
}

/* Leaf masses are those of their groups, for each attribute; every draw reached one leaf. */
static bool adds_up(const eqp_counts *counts)
{
    double leaves = 0, drawn = 0, shares = 0;
    for (size_t j = 0; j < counts->leaves; j++) {
        leaves += counts->leaf[j];
        drawn += counts->drawn_leaf[j];
        shares += counts->share[j];
    }
    return fabs(shares - 1) < 1e-6 && drawn == counts->drawn_rows &&
           (counts->rows == 0 || fabs(leaves - 1) < 1e-6);
}

/* The slices in order, into the first of them. */
static eqp_counts *join_slices(struct walk *walk)
{
    eqp_counts *sum = walk->slices[0];
    walk->slices[0] = NULL;
    for (size_t slice = 1; slice < SLICES; slice++) counts_add(sum, walk->slices[slice]);
    for (size_t j = 0; j < sum->leaves; j++) sum->share[j] /= (double)walk->routing->rows;
    sum->rows = walk->sample == NULL ? 0 : walk->sample->rows;
    publish_scalars(sum, walk->chance != NULL);
    sum->chance = walk->chance;
    walk->chance = NULL;
    assert(adds_up(sum));
    return sum;
}

eqp_status eqp_counts_new(const eqp_routing *routing, const eqp_audited *audited, size_t threads,
                          eqp_counts **counts, eqp_error *error)
{
    *counts = NULL;
    const eqp_sample *sample = audited != NULL ? audited->sample : NULL;
    struct walk walk = {.routing = routing, .sample = sample, .audited = audited};
    if (routing->model != NULL) {
        walk.noiseless = *routing->model->rule;
        walk.noiseless.noise = 0;
    }
    init_draws(&walk);
    eqp_status status = EQP_OK;
    if (!index_labels(&walk) || !alloc_slices(&walk, sample == NULL ? 0 : sample->groups->group_count))
        status = eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_parallel(SLICES, threads, count_slice, &walk, error);
    if (status == EQP_OK) *counts = join_slices(&walk);
    for (size_t slice = 0; slice < SLICES; slice++) eqp_counts_free(walk.slices[slice]);
    free(walk.labelled);
    free(walk.chance);
    return status;
}
