/* The search for partitions: of each size the best few are kept.  A size begins with those of the size
 * before, one more question added, about every column; then every question in turn is replaced by the best
 * one beside the others, until none gets better. */
#include "publishable/publishable.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

enum { KEPT = 24, IMPROVED = 6, MOST_ROUNDS = 4 };

typedef struct asking { /* the best question about every column, in parallel */
    eqp_step step;
    const eqp_question *now;
    eqp_question *questions;
    double *losses;
} asking;

static eqp_status ask_column(void *context, size_t column, eqp_error *error)
{
    asking *a = context;
    return eqp_best_set(&a->step, (uint32_t)column, a->now, &a->questions[column], &a->losses[column], error);
}

typedef struct search_memory {
    const eqp_partition_search *search; /* as asked for */
    eqp_partition_search own;           /* with the risk at hand */
    eqp_arena arena;
    uint8_t *cell;
    double *pull, *mass, *group_mass, *q, *scratch;
    asking asking;
} search_memory;

static eqp_status take_memory(const eqp_partition_search *search, search_memory *m, eqp_error *error)
{
    size_t K = search->judge.groups;
    *m = (search_memory){.search = search, .own = *search};
    m->cell = eqp_take(&m->arena, search->rows, 1);
    m->pull = eqp_take(&m->arena, K, sizeof *m->pull);
    m->mass = eqp_take(&m->arena, EQP_MOST_CELLS, sizeof *m->mass);
    m->group_mass = eqp_take(&m->arena, EQP_MOST_CELLS * K, sizeof *m->group_mass);
    m->q = eqp_take(&m->arena, EQP_MOST_CELLS, sizeof *m->q);
    m->scratch = eqp_take(&m->arena, (EQP_MOST_CELLS + 1) * K, sizeof *m->scratch);
    m->asking.questions = eqp_take(&m->arena, search->columns->count, sizeof *m->asking.questions);
    m->asking.losses = eqp_take(&m->arena, search->columns->count, sizeof *m->asking.losses);
    return m->arena.failed ? eqp_fail_memory(error) : EQP_OK;
}

/* The cells of the rows by all questions but one; `without` may be past the last. */
static void find_cells(const eqp_partition_search *search, const eqp_partition *partition, size_t without,
                       uint8_t *cell)
{
    memset(cell, 0, search->rows);
    size_t bit = 0;
    for (size_t q = 0; q < partition->count; q++) {
        if (q == without) continue;
        const eqp_question *question = &partition->questions[q];
        const uint8_t *code = search->columns->columns[question->column].code;
        for (size_t i = 0; i < search->rows; i++)
            cell[i] |= (uint8_t)(eqp_says_yes(question, code[search->row[i]]) << bit);
        bit++;
    }
}

void eqp_partition_masses(const eqp_partition_search *search, const eqp_partition *partition, uint8_t *cell,
                          double *mass, double *group_mass)
{
    size_t cells = (size_t)1 << partition->count;
    const eqp_sample *sample = search->columns->training->sample;
    const eqp_groups *groups = sample->groups;
    size_t K = groups->group_count;
    find_cells(search, partition, SIZE_MAX, cell);
    memset(mass, 0, cells * sizeof *mass);
    memset(group_mass, 0, cells * K * sizeof *group_mass);
    for (size_t i = 0; i < search->rows; i++) {
        size_t row = search->row[i];
        eqp_members of = eqp_members_of(groups, sample->cell[row]);
        mass[cell[i]] += search->weight[i];
        for (size_t m = 0; m < of.count; m++) group_mass[cell[i] * K + of.group[m]] += search->weight[i];
    }
}

/* What the cohort has too much of, under the best acceptance of the partition. */
static double find_pull(search_memory *m, const eqp_partition *partition)
{
    const eqp_judge *judge = &m->own.judge;
    size_t K = judge->groups, cells = (size_t)1 << partition->count;
    eqp_partition_masses(m->search, partition, m->cell, m->mass, m->group_mass);
    double loss = eqp_judge_cells(judge, cells, m->mass, m->group_mass, m->scratch, m->q);
    for (size_t k = 0; k < K; k++) {
        m->pull[k] = -judge->target[k];
        for (size_t c = 0; c < cells; c++)
            if (m->mass[c] > 0) m->pull[k] += m->q[c] * m->group_mass[c * K + k] / m->mass[c];
    }
    return loss;
}

/* The best question about every column in the place of question `slot`, which may be new. */
static eqp_status ask_all(search_memory *m, const eqp_partition *partition, size_t slot, eqp_error *error)
{
    const eqp_partition_search *search = &m->own;
    bool old = slot < partition->count;
    eqp_status status = eqp_watch_step(search->watch, "looking for questions", search->from, error);
    if (status != EQP_OK) return status;
    find_pull(m, partition);
    find_cells(search, partition, slot, m->cell);
    m->asking.step = (eqp_step){.search = search,
                                .cell = m->cell,
                                .cells = (size_t)1 << (old ? partition->count - 1 : partition->count),
                                .pull = m->pull};
    m->asking.now = old ? &partition->questions[slot] : NULL;
    return eqp_parallel(search->columns->count, search->threads, ask_column, &m->asking, error);
}

/* ---- improving ----------------------------------------------------------------------------------------- */

static eqp_status improve(search_memory *m, eqp_partition *partition, eqp_error *error)
{
    eqp_status status = EQP_OK;
    bool better = true;
    for (int round = 0; round < MOST_ROUNDS && better; round++) {
        better = false;
        for (size_t slot = 0; slot < partition->count && status == EQP_OK; slot++) {
            status = ask_all(m, partition, slot, error);
            if (status != EQP_OK) return status;
            for (size_t c = 0; c < m->search->columns->count; c++)
                if (m->asking.losses[c] < partition->loss * (1 - 1e-5)) {
                    partition->loss = m->asking.losses[c];
                    partition->questions[slot] = m->asking.questions[c];
                    better = true;
                }
        }
    }
    return status;
}

/* ---- the best few -------------------------------------------------------------------------------------- */

typedef struct shortlist {
    size_t count;
    eqp_partition list[KEPT];
} shortlist;

/* In the order of their losses; equal losses are taken for the same partition. */
static void enlist(shortlist *best, const eqp_partition *one)
{
    size_t at = 0;
    while (at < best->count && best->list[at].loss < one->loss) at++;
    if (at < best->count && best->list[at].loss <= one->loss * (1 + 1e-9)) return;
    if (at == KEPT) return;
    if (best->count < KEPT) best->count++;
    memmove(&best->list[at + 1], &best->list[at], (best->count - 1 - at) * sizeof *best->list);
    best->list[at] = *one;
}

static eqp_status extend(search_memory *m, const eqp_partition *partition, shortlist *next, eqp_error *error)
{
    eqp_status status = ask_all(m, partition, partition->count, error);
    for (size_t c = 0; c < m->search->columns->count && status == EQP_OK; c++) {
        eqp_partition more = *partition;
        if (!(m->asking.losses[c] < EQP_NOT_ALLOWED)) continue;
        more.questions[more.count++] = m->asking.questions[c];
        more.loss = m->asking.losses[c];
        enlist(next, &more);
    }
    return status;
}

/* ---- from loose to tight ------------------------------------------------------------------------------- */

/* A partition of several questions can seldom be reached through ones within the budget: each question alone
 * must not spend what all of them have together.  So sizes are grown under a looser limit too, a greater risk
 * or, in expectation, a larger budget, and what comes of it is tightened step by step. */

static const double LOOSER[] = {25, 5, 1};
enum { LEVELS = sizeof LOOSER / sizeof *LOOSER };

static void loosen(search_memory *m, double level)
{
    const eqp_judge *asked = &m->search->judge;
    m->own.judge.risk = asked->risk * level;
    if (!(asked->risk > 0)) m->own.judge.budget = asked->budget * (1 + (level - 1) / LOOSER[0]);
}

static eqp_status tighten(search_memory *m, double level, eqp_partition *partition, eqp_error *error)
{
    eqp_status status = EQP_OK;
    while (status == EQP_OK && level > 1) {
        level = level > 4 ? level / 3 : 1;
        loosen(m, level);
        partition->loss = find_pull(m, partition);
        status = improve(m, partition, error);
    }
    return status;
}

static void keep_best(const eqp_partition *found, size_t size, size_t most, eqp_partition *best)
{
    for (size_t s = size; s <= most; s++)
        if (found->loss < best[s].loss) best[s] = *found;
}

/* The next size: of all partitions with one more question the most promising, improved. */
static eqp_status grow(search_memory *m, shortlist *now, eqp_error *error)
{
    shortlist next = {0}, improved = {0};
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < now->count && status == EQP_OK; i++)
        status = extend(m, &now->list[i], &next, error);
    for (size_t i = 0; i < next.count && i < IMPROVED && status == EQP_OK; i++) {
        status = improve(m, &next.list[i], error);
        enlist(&improved, &next.list[i]);
    }
    *now = improved;
    return status;
}

/* All sizes under one limit, each tightened to the one asked for. */
static eqp_status grow_all(search_memory *m, double level, eqp_partition *best, eqp_error *error)
{
    size_t most = m->search->most_questions;
    shortlist now = {.count = 1};
    eqp_status status = EQP_OK;
    for (size_t size = 1; size <= most && status == EQP_OK; size++) {
        loosen(m, level);
        if (size == 1) now.list[0].loss = find_pull(m, &now.list[0]);
        status = grow(m, &now, error);
        for (size_t i = 0; i < now.count && status == EQP_OK; i++) {
            eqp_partition tight = now.list[i];
            loosen(m, level);
            status = tighten(m, level, &tight, error);
            keep_best(&tight, size, most, best);
        }
    }
    return status;
}

/* ---- two questions, exactly ---------------------------------------------------------------------------- */

/* Where there are few questions in all, every first one is tried, with the best second one beside it. */

static size_t first_questions(const eqp_asked_column *column, uint32_t *codes)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < column->codes; c++)
        if (column->used[c]) codes[count++] = c;
    bool every_set = column->feature->kind == EQP_FEATURE_LEVELS && count <= EQP_FEW_CODES;
    return !every_set ? SIZE_MAX : count < 2 ? 0 : ((size_t)1 << (count - 1)) - 1;
}

static bool are_few(const eqp_asked_columns *columns)
{
    enum { FEW = 64 };
    uint32_t codes[EQP_MOST_CODES];
    size_t all = 0;
    for (size_t c = 0; c < columns->count && all <= FEW; c++) {
        size_t own = first_questions(&columns->columns[c], codes);
        all = own > FEW ? own : all + own;
    }
    return all <= FEW;
}

static eqp_status try_pairs(search_memory *m, eqp_partition *best, eqp_error *error)
{
    const eqp_asked_columns *columns = m->search->columns;
    eqp_status status = EQP_OK;
    if (m->search->most_questions < 2 || !are_few(columns)) return EQP_OK;
    loosen(m, 1);
    for (uint32_t c = 0; c < columns->count; c++) {
        uint32_t codes[EQP_MOST_CODES];
        size_t sets = first_questions(&columns->columns[c], codes);
        for (size_t set = 1; set <= sets && status == EQP_OK; set++) {
            eqp_partition first = {.count = 1, .questions[0].column = c};
            for (size_t i = 0; set >> i; i++)
                first.questions[0].yes[codes[i] / 64] |= (uint64_t)(set >> i & 1) << codes[i] % 64;
            shortlist second = {0};
            status = extend(m, &first, &second, error);
            if (second.count > 0) keep_best(&second.list[0], 2, m->search->most_questions, best);
        }
    }
    return status;
}

static eqp_status search_all(search_memory *m, eqp_partition *best, eqp_error *error)
{
    eqp_status status = EQP_OK;
    eqp_partition everybody = {.loss = find_pull(m, &(eqp_partition){0})};
    for (size_t s = 0; s <= m->search->most_questions; s++) best[s] = everybody;
    for (size_t i = 0; i < LEVELS && status == EQP_OK; i++) status = grow_all(m, LOOSER[i], best, error);
    return status == EQP_OK ? try_pairs(m, best, error) : status;
}

eqp_status eqp_search_partitions(const eqp_partition_search *search, eqp_partition *best, eqp_error *error)
{
    search_memory memory;
    eqp_status status = take_memory(search, &memory, error);
    if (status == EQP_OK) status = search_all(&memory, best, error);
    eqp_arena_free(&memory.arena);
    return status;
}
