/* Disclosure of continuous scores: rows in the order of a score, cut where a tenth of their weight is
 * reached. */
#include "audit/measures.h"

#include "base/memory.h"
#include "base/threads.h"

struct scores_task {
    const eqp_model *model;
    const eqp_block *block;
    const eqp_sample *sample;
    const double *base;
    double *disclosure;
};

struct scored_row {
    double score;
    size_t place; /* in the sample; ties are broken by it, so that sums do not depend on the sort */
};

static int compare_scored(const void *left, const void *right)
{
    const struct scored_row *a = left, *b = right;
    if (a->score != b->score) return a->score < b->score ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void order_rows(const struct scores_task *task, size_t s, double *score, struct scored_row *rows)
{
    const eqp_sample *sample = task->sample;
    eqp_score_rows(task->model->encoding, &task->model->rule->scores[s], task->block, 0, task->block->rows,
                   score);
    for (size_t i = 0; i < sample->rows; i++) rows[i] = (struct scored_row){score[sample->row[i]], i};
    qsort(rows, sample->rows, sizeof *rows, compare_scored);
}

/* Sums of weights may fall short of a cut by rounding. */
static size_t tenth_at(double passed)
{
    size_t tenth = (size_t)(passed * EQP_SCORE_TENTHS + 1e-9);
    return tenth < EQP_SCORE_TENTHS ? tenth : EQP_SCORE_TENTHS - 1;
}

/* Tenth × group masses; a new tenth begins only where the score changes. */
static void fill_tenths(const struct scores_task *task, const struct scored_row *rows, double *joint,
                        double *mass)
{
    const eqp_sample *sample = task->sample;
    const eqp_groups *groups = sample->groups;
    double passed = 0;
    for (size_t i = 0, tenth = 0; i < sample->rows; i++) {
        bool new_score = i == 0 || rows[i].score != rows[i - 1].score;
        if (new_score) tenth = tenth_at(passed);
        const uint32_t *member = groups->membership + sample->cell[rows[i].place] * groups->attribute_count;
        double weight = sample->weight[rows[i].place];
        for (size_t a = 0; a < groups->attribute_count; a++)
            joint[tenth * groups->group_count + member[a]] += weight;
        mass[tenth] += weight;
        passed += weight;
    }
}

static eqp_status disclose_score(void *context, size_t s, eqp_error *error)
{
    const struct scores_task *task = context;
    const eqp_groups *groups = task->sample->groups;
    eqp_arena arena = {0};
    double *score = eqp_take(&arena, task->block->rows, sizeof *score), mass[EQP_SCORE_TENTHS] = {0};
    struct scored_row *rows = eqp_take(&arena, task->sample->rows, sizeof *rows);
    double *joint = eqp_take_zero(&arena, EQP_SCORE_TENTHS, groups->group_count * sizeof *joint);
    eqp_status status = arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) {
        eqp_disclosed disclosed;
        order_rows(task, s, score, rows);
        fill_tenths(task, rows, joint, mass);
        eqp_disclosed_by(joint, mass, EQP_SCORE_TENTHS, task->base, groups, task->sample->rows, &disclosed);
        task->disclosure[s] = disclosed.disclosure;
    }
    eqp_arena_free(&arena);
    return status;
}

eqp_status eqp_score_disclosures(const eqp_model *model, const eqp_block *block, const eqp_sample *sample,
                                 const double *base, size_t threads, double *disclosure, eqp_error *error)
{
    struct scores_task task = {model, block, sample, base, disclosure};
    return eqp_parallel(model->rule->score_count, threads, disclose_score, &task, error);
}
