/* Attacks on the model file with the rows that it was learned from. */
#include "audit/release.h"

#include "base/memory.h"

#include <math.h>

#define BATCH       256
#define MOST_SCORES 64   /* the first so many of the file, and the chance of acceptance */
#define FEWEST      30.0 /* people of a group; fewer give no honest figures */

/* ---- one set above another ----------------------------------------------------------------------------- */

static double auc_error(double auc, double marked, double rest)
{
    double q1 = auc / (2 - auc), q2 = 2 * auc * auc / (1 + auc);
    double variance = auc * (1 - auc) + (marked - 1) * (q1 - auc * auc) + (rest - 1) * (q2 - auc * auc);
    return sqrt(fmax(variance, 0.25 / fmax(marked, rest)) / (marked * rest));
}

eqp_auc eqp_auc_of(const double *value, const bool *marked, size_t count, eqp_keyed *items, eqp_keyed *spare)
{
    double set = 0, rest = 0, above = 0;
    for (size_t i = 0; i < count; i++) items[i] = (eqp_keyed){eqp_number_key(value[i]), i};
    const eqp_keyed *order = eqp_order_by_key(items, spare, count);
    for (size_t i = 0; i < count;) { /* equal values stand together */
        double tied_set = 0, tied_rest = 0;
        for (uint64_t key = order[i].key; i < count && order[i].key == key; i++) {
            tied_set += marked[order[i].item];
            tied_rest += !marked[order[i].item];
        }
        above += tied_set * (rest + tied_rest / 2);
        set += tied_set;
        rest += tied_rest;
    }
    if (!(set > 0 && rest > 0)) return (eqp_auc){NAN, NAN};
    double auc = above / (set * rest);
    return (eqp_auc){auc, auc_error(auc, set, rest)};
}

/* ---- what the file says -------------------------------------------------------------------------------- */

typedef struct attack {
    const eqp_model *model;
    const eqp_block *block;
    const eqp_sample *sample;
    const bool *member;
    size_t rows, groups, numbers; /* labelled rows, groups, numbers of the file for each row */
    eqp_arena arena;
    double *z;      /* numbers × rows */
    double *mean;   /* groups × numbers */
    double *fit;    /* rows */
    bool *marked;   /* rows */
    double *picked; /* rows */
    eqp_keyed *items, *spare;
    double *scratch, *leaf, *all; /* of a batch; of a batch; of every row of the block */
} attack;

static bool take_arrays(attack *a)
{
    const eqp_rule *rule = a->model->rule;
    size_t scores = rule->score_count < MOST_SCORES ? rule->score_count : MOST_SCORES;
    a->rows = a->sample->rows;
    a->groups = a->sample->groups->group_count;
    a->numbers = scores + 1;
    a->z = eqp_take(&a->arena, a->numbers, a->rows * sizeof(double));
    a->mean = eqp_take_zero(&a->arena, a->groups, a->numbers * sizeof(double));
    a->fit = eqp_take(&a->arena, a->rows, sizeof(double));
    a->picked = eqp_take(&a->arena, a->rows, sizeof(double));
    a->marked = eqp_take(&a->arena, a->rows, sizeof(bool));
    a->items = eqp_take(&a->arena, a->rows, sizeof *a->items);
    a->spare = eqp_take(&a->arena, a->rows, sizeof *a->spare);
    a->scratch = eqp_take(&a->arena, eqp_rule_scratch(rule, BATCH), sizeof(double));
    a->leaf = eqp_take(&a->arena, rule->leaf_count, BATCH * sizeof(double));
    a->all = eqp_take(&a->arena, a->block->rows, sizeof(double));
    return !a->arena.failed;
}

static void chances(attack *a)
{
    const eqp_rule *rule = a->model->rule;
    for (size_t first = 0; first < a->block->rows; first += BATCH) {
        size_t count = a->block->rows - first < BATCH ? a->block->rows - first : BATCH;
        eqp_rule_leaves(a->model->encoding, rule, a->block, first, count, a->leaf, a->scratch);
        for (size_t i = 0; i < count; i++) {
            double chance = 0;
            for (size_t j = 0; j < rule->leaf_count; j++)
                chance += a->leaf[i * rule->leaf_count + j] * rule->accept[j];
            a->all[first + i] = chance;
        }
    }
}

/* To mean 0 and variance 1; a number that is the same for everybody says nothing. */
static void standardise(double *z, size_t rows)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < rows; i++) mean += z[i] / (double)rows;
    for (size_t i = 0; i < rows; i++) squares += (z[i] - mean) * (z[i] - mean) / (double)rows;
    double scale = squares > 1e-18 ? 1 / sqrt(squares) : 0;
    for (size_t i = 0; i < rows; i++) z[i] = (z[i] - mean) * scale;
}

static void read_file(attack *a)
{
    for (size_t n = 0; n < a->numbers; n++) {
        double *z = a->z + n * a->rows;
        if (n + 1 < a->numbers)
            eqp_score_rows(a->model->encoding, &a->model->rule->scores[n], a->block, 0, a->block->rows,
                           a->all);
        else
            chances(a);
        for (size_t i = 0; i < a->rows; i++) z[i] = a->all[a->sample->row[i]];
        standardise(z, a->rows);
    }
}

/* ---- groups -------------------------------------------------------------------------------------------- */

static bool is_of(const attack *a, size_t i, size_t group)
{
    return eqp_is_member(a->sample->groups, a->sample->cell[i], group);
}

static void take_means(attack *a)
{
    for (size_t k = 0; k < a->groups; k++) {
        double people = 0, *mean = a->mean + k * a->numbers;
        for (size_t i = 0; i < a->rows; i++) {
            if (!is_of(a, i, k)) continue;
            people += 1;
            for (size_t n = 0; n < a->numbers; n++) mean[n] += a->z[n * a->rows + i];
        }
        for (size_t n = 0; n < a->numbers && people > 0; n++) mean[n] /= people;
    }
}

static double fit(const attack *a, size_t i, size_t group)
{
    const double *mean = a->mean + group * a->numbers;
    double sum = 0;
    for (size_t n = 0; n < a->numbers; n++) sum += mean[n] * (a->z[n * a->rows + i] - mean[n] / 2);
    return sum;
}

/* ---- the attacks --------------------------------------------------------------------------------------- */

static eqp_auc attack_membership(attack *a)
{
    for (size_t i = 0; i < a->rows; i++) {
        a->fit[i] = 0;
        for (size_t k = 0; k < a->groups; k++)
            if (is_of(a, i, k)) a->fit[i] += fit(a, i, k);
    }
    return eqp_auc_of(a->fit, a->member, a->rows, a->items, a->spare);
}

/* One group on one side; NaN where it has few people there. */
static eqp_auc attack_group(attack *a, size_t group, bool members, double *fewest)
{
    double people = 0;
    size_t count = 0;
    for (size_t i = 0; i < a->rows; i++) {
        if (a->member[i] != members) continue;
        a->picked[count] = fit(a, i, group);
        a->marked[count] = is_of(a, i, group);
        people += a->marked[count++];
    }
    if (people < FEWEST) return (eqp_auc){NAN, NAN};
    *fewest = fmin(*fewest, people);
    return eqp_auc_of(a->picked, a->marked, count, a->items, a->spare);
}

/* Means over the groups; so is the error, as if all groups erred together. */
static void attack_attribute(attack *a, eqp_release *found)
{
    double groups = 0;
    found->members = found->others = (eqp_auc){0, 0};
    for (size_t k = 0; k < a->groups; k++) {
        eqp_auc in = attack_group(a, k, true, &found->fewest),
                out = attack_group(a, k, false, &found->fewest);
        if (isnan(in.value) || isnan(out.value)) continue;
        groups += 1;
        found->members = (eqp_auc){found->members.value + in.value, found->members.error + in.error};
        found->others = (eqp_auc){found->others.value + out.value, found->others.error + out.error};
    }
    found->members = (eqp_auc){found->members.value / groups, found->members.error / groups};
    found->others = (eqp_auc){found->others.value / groups, found->others.error / groups};
}

eqp_status eqp_release_attack(const eqp_model *model, const eqp_block *block, const eqp_sample *sample,
                              const bool *member, eqp_release *found, eqp_error *error)
{
    attack a = {.model = model, .block = block, .sample = sample, .member = member};
    bool complete = take_arrays(&a);
    if (complete) {
        read_file(&a);
        take_means(&a);
        found->fewest = INFINITY;
        found->membership = attack_membership(&a);
        attack_attribute(&a, found);
    }
    eqp_arena_free(&a.arena);
    return complete ? EQP_OK : eqp_fail_memory(error);
}
