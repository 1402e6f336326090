/* The best question about one column, the other questions given.
 *
 * Sums over (cell, code, group) hold all that is needed.  A number is asked whether it lies in an interval:
 * all of them are tried.  Of levels, all sets where there are few; else sets of levels that are alike:
 * beginnings of the order by the share of one group, or by what the cohort has too much of, then single
 * changes while they help. */
#include "publishable/publishable.h"

#include "base/order.h"

#include <math.h>
#include <string.h>

enum { MOST_CLIMBS = 4 };

typedef struct set_search {
    const eqp_step *step;
    const eqp_judge *judge;
    const eqp_asked_column *column;
    size_t groups, cells;
    eqp_arena arena;           /* of the arrays below */
    double *sums;              /* [cell][code][group] */
    double *code_mass;         /* [cell][code] */
    double *group_mass, *mass; /* of the 2 × cells cells of the set at hand: answer no, then answer yes */
    double *scratch;
    double *key;
    uint32_t code_count, code[EQP_MOST_CODES]; /* codes in use */
    uint8_t set[EQP_MOST_CODES];               /* at hand, by code */
    uint8_t best_set[EQP_MOST_CODES];
    double best;
} set_search;

static bool set_search_take(set_search *s)
{
    size_t codes = s->column->codes, K = s->groups;
    s->sums = eqp_take_zero(&s->arena, s->cells * codes * K, sizeof *s->sums);
    s->code_mass = eqp_take_zero(&s->arena, s->cells * codes, sizeof *s->code_mass);
    s->group_mass = eqp_take(&s->arena, 2 * s->cells * K, sizeof *s->group_mass);
    s->mass = eqp_take(&s->arena, 2 * s->cells, sizeof *s->mass);
    s->scratch = eqp_take(&s->arena, (2 * s->cells + 1) * K, sizeof *s->scratch);
    s->key = eqp_take(&s->arena, codes, sizeof *s->key);
    return !s->arena.failed;
}

static void add_rows(set_search *s)
{
    const eqp_partition_search *search = s->step->search;
    const eqp_sample *sample = search->columns->training->sample;
    const eqp_groups *groups = sample->groups;
    size_t codes = s->column->codes;
    for (size_t i = 0; i < search->rows; i++) {
        size_t row = search->row[i], at = s->step->cell[i] * codes + s->column->code[row];
        eqp_members of = eqp_members_of(groups, sample->cell[row]);
        s->code_mass[at] += search->weight[i];
        for (size_t m = 0; m < of.count; m++) s->sums[at * s->groups + of.group[m]] += search->weight[i];
    }
    for (uint32_t c = 0; c < codes; c++)
        if (s->column->used[c]) s->code[s->code_count++] = c;
}

/* ---- the set at hand ----------------------------------------------------------------------------------- */

/* Nobody says yes. */
static void clear_set(set_search *s)
{
    size_t codes = s->column->codes, K = s->groups;
    memset(s->set, 0, sizeof s->set);
    memset(s->mass, 0, 2 * s->cells * sizeof *s->mass);
    memset(s->group_mass, 0, 2 * s->cells * K * sizeof *s->group_mass);
    for (size_t p = 0; p < s->cells; p++)
        for (uint32_t i = 0; i < s->code_count; i++) {
            size_t at = p * codes + s->code[i];
            s->mass[p] += s->code_mass[at];
            for (size_t k = 0; k < K; k++) s->group_mass[p * K + k] += s->sums[at * K + k];
        }
}

static void flip(set_search *s, uint32_t code)
{
    size_t codes = s->column->codes, K = s->groups;
    double sign = s->set[code] ? -1 : 1;
    s->set[code] = !s->set[code];
    for (size_t p = 0; p < s->cells; p++) {
        size_t at = p * codes + code, no = p, yes = s->cells + p;
        s->mass[no] -= sign * s->code_mass[at];
        s->mass[yes] += sign * s->code_mass[at];
        for (size_t k = 0; k < K; k++) {
            s->group_mass[no * K + k] -= sign * s->sums[at * K + k];
            s->group_mass[yes * K + k] += sign * s->sums[at * K + k];
        }
    }
}

/* Judges the set at hand and keeps it where it is the best so far. */
static bool look(set_search *s)
{
    double loss = eqp_judge_cells(s->judge, 2 * s->cells, s->mass, s->group_mass, s->scratch, NULL);
    if (!(loss < s->best)) return false;
    s->best = loss;
    memcpy(s->best_set, s->set, sizeof s->set);
    return true;
}

static void take_set(set_search *s, const uint8_t *set)
{
    uint8_t wanted[EQP_MOST_CODES];
    memcpy(wanted, set, sizeof wanted); /* it may be the best one, which looking replaces */
    clear_set(s);
    for (uint32_t i = 0; i < s->code_count; i++)
        if (wanted[s->code[i]]) flip(s, s->code[i]);
}

/* ---- which sets ---------------------------------------------------------------------------------------- */

static void try_intervals(set_search *s)
{
    uint32_t bins = s->column->feature->level_count, missing = EQP_MISSING(s->column->feature);
    for (uint32_t first = 0; first < bins; first++) {
        clear_set(s);
        for (uint32_t last = first; last + (first == 0) < bins; last++) {
            flip(s, last);
            look(s);
            if (!s->column->used[missing]) continue;
            flip(s, missing);
            look(s);
            flip(s, missing);
        }
    }
}

static void try_all(set_search *s)
{
    clear_set(s);
    for (uint32_t i = 1; i < 1u << (s->code_count - 1); i++) { /* the last code never: sets and complements */
        flip(s, s->code[(uint32_t)__builtin_ctz(i)]);          /* in the order of a Gray code */
        look(s);
    }
}

static void try_order(set_search *s)
{
    eqp_keyed items[EQP_MOST_CODES], spare[EQP_MOST_CODES];
    for (uint32_t i = 0; i < s->code_count; i++)
        items[i] = (eqp_keyed){eqp_number_key(s->key[s->code[i]]), s->code[i]};
    const eqp_keyed *order = eqp_order_by_key(items, spare, s->code_count);
    clear_set(s);
    for (uint32_t i = 0; i + 1 < s->code_count; i++) {
        flip(s, (uint32_t)order[i].item);
        look(s);
    }
}

/* What a code's people have of a direction, in one cell or (cell = cells) in all; codes of few people lean to
 * the average. */
static void set_keys(set_search *s, const double *direction, size_t cell)
{
    const double LEAN = 20; /* people */
    size_t codes = s->column->codes, K = s->groups, first = cell < s->cells ? cell : 0,
           end = cell < s->cells ? cell + 1 : s->cells;
    double all = 0, all_mass = 0, lean = LEAN / s->judge->rows;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < s->code_count; i++) {
            double sum = 0, mass = 0;
            for (size_t p = first; p < end; p++) {
                size_t at = p * codes + s->code[i];
                mass += s->code_mass[at];
                for (size_t k = 0; k < K; k++) sum += direction[k] * s->sums[at * K + k];
            }
            if (pass == 0) all += sum, all_mass += mass;
            if (pass == 1) s->key[s->code[i]] = (sum + lean * all / all_mass) / (mass + lean);
        }
}

static void try_orders(set_search *s)
{
    size_t K = s->groups;
    for (size_t cell = 0; cell <= s->cells; cell++) {
        set_keys(s, s->step->pull, cell);
        try_order(s);
    }
    double *one = eqp_take_zero(&s->arena, K, sizeof *one);
    if (one == NULL) return;
    for (size_t k = 0; k < K; k++) {
        one[k] = 1;
        set_keys(s, one, s->cells);
        try_order(s);
        one[k] = 0;
    }
}

/* Single changes of the best set while they help. */
static void climb(set_search *s)
{
    bool better = true;
    for (int i = 0; i < MOST_CLIMBS && better; i++) {
        better = false;
        take_set(s, s->best_set);
        for (uint32_t c = 0; c < s->code_count; c++) {
            flip(s, s->code[c]);
            if (look(s))
                better = true;
            else
                flip(s, s->code[c]);
        }
    }
}

static void try_sets(set_search *s)
{
    if (s->code_count < 2) return;
    if (s->column->feature->kind == EQP_FEATURE_BINS)
        try_intervals(s);
    else if (s->code_count <= EQP_FEW_CODES)
        try_all(s);
    else {
        try_orders(s);
        climb(s);
    }
}

eqp_status eqp_best_set(const eqp_step *step, uint32_t column, const eqp_question *now,
                        eqp_question *question, double *loss, eqp_error *error)
{
    const eqp_partition_search *search = step->search;
    set_search s = {.step = step,
                    .judge = &search->judge,
                    .column = &search->columns->columns[column],
                    .groups = search->judge.groups,
                    .cells = step->cells,
                    .best = INFINITY};
    bool complete = set_search_take(&s);
    if (complete) {
        add_rows(&s);
        if (now != NULL && now->column == column) { /* never worse than it was */
            uint8_t set[EQP_MOST_CODES];
            for (uint32_t c = 0; c < EQP_MOST_CODES; c++) set[c] = eqp_says_yes(now, c);
            take_set(&s, set);
            look(&s);
        }
        try_sets(&s);
        complete = !s.arena.failed;
    }
    *question = (eqp_question){.column = column};
    for (uint32_t c = 0; c < EQP_MOST_CODES; c++)
        if (s.best_set[c]) question->yes[c / 64] |= UINT64_C(1) << c % 64;
    *loss = s.best;
    eqp_arena_free(&s.arena);
    return complete ? EQP_OK : eqp_fail_memory(error);
}
