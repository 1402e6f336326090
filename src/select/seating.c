/* From ranks to seats.
 *
 *     households   the best-ranked member stands for each; the others are out, also when that one declines
 *     seats        the first of those who stand; with quotas the first of each type, as many as the lottery
 * says declines     round after round: who declines leaves, the next in rank with whom the quotas can still
 * be kept takes the seat; nobody else moves alternates   the next of those who stand
 *
 * Everything follows from ranks, conditions and the order of the declines, so that anybody who has them finds
 * the same seats. */
#include "base/memory.h"
#include "select/select.h"

#include <assert.h>
#include <string.h>

/* ---- households ---------------------------------------------------------------------------------------- */

static eqp_status thin_households(eqp_cohort *cohort, eqp_error *error)
{
    if (cohort->conditions.one_per_count == 0) return EQP_OK;
    size_t count = eqp_dictionary_size(cohort->conditions.households);
    bool *stands = eqp_alloc_zero(count, sizeof *stands);
    if (stands == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < cohort->ranking.count; i++) {
        eqp_ranked *entry = &cohort->ranking.entries[i];
        if (entry->household == EQP_NOBODY) continue;
        if (stands[entry->household]) entry->seat = EQP_HOUSEHOLD;
        stands[entry->household] = true;
        cohort->stats.households += entry->seat == EQP_HOUSEHOLD;
    }
    free(stands);
    return EQP_OK;
}

/* ---- quotas -------------------------------------------------------------------------------------------- */

typedef struct placed_type {
    eqp_type type;
    size_t features;
    uint32_t before;
} placed_type;

static int compare_types(const void *left, const void *right)
{
    const placed_type *a = left, *b = right;
    for (size_t f = 0; f < a->features; f++)
        if (a->type.quota[f] != b->type.quota[f]) return a->type.quota[f] < b->type.quota[f] ? -1 : 1;
    return (a->type.leaf > b->type.leaf) - (a->type.leaf < b->type.leaf);
}

/* Types nobody stands for are dropped, so that each has people; the others stand in an order of their own, so
 * that the order of the pool makes no difference. */
static eqp_status count_types(eqp_cohort *cohort, eqp_error *error)
{
    eqp_type_list *list = &cohort->conditions.types;
    uint32_t *place = eqp_alloc(list->count, sizeof *place);
    placed_type *placed = eqp_alloc(list->count, sizeof *placed);
    size_t kept = 0, count = list->count;
    eqp_status status = place == NULL || placed == NULL ? eqp_fail_memory(error) : EQP_OK;
    for (size_t t = 0; t < count; t++) list->types[t].people = 0;
    for (size_t i = 0; i < cohort->ranking.count; i++)
        if (cohort->ranking.entries[i].seat == EQP_STANDS)
            list->types[cohort->ranking.entries[i].type].people++;
    for (size_t t = 0; t < count && status == EQP_OK; t++) {
        place[t] = EQP_NOBODY;
        if (list->types[t].people > 0)
            placed[kept++] =
                (placed_type){list->types[t], cohort->conditions.quotas->feature_count, (uint32_t)t};
    }
    if (status == EQP_OK && kept > 0) qsort(placed, kept, sizeof *placed, compare_types);
    for (size_t t = 0; t < kept && status == EQP_OK; t++) {
        place[placed[t].before] = (uint32_t)t;
        list->types[t] = placed[t].type;
    }
    for (size_t i = 0; i < cohort->ranking.count && status == EQP_OK; i++)
        cohort->ranking.entries[i].type = place[cohort->ranking.entries[i].type];
    list->count = status == EQP_OK ? kept : count;
    free(place);
    free(placed);
    return status;
}

static eqp_status seat_by_quotas(eqp_cohort *cohort, eqp_error *error)
{
    const eqp_conditions *conditions = &cohort->conditions;
    eqp_draws draws;
    eqp_status status = eqp_quotas_check(conditions->quotas, cohort->size, error);
    if (status == EQP_OK) status = count_types(cohort, error);
    if (status == EQP_OK)
        status = eqp_quota_lottery_new(conditions->quotas, conditions->types.types, conditions->types.count,
                                       cohort->size, &cohort->quota_lottery, error);
    if (status != EQP_OK) return status;
    eqp_draw_block(&cohort->lottery.ranks, "composition", strlen("composition"), 0, &draws);
    cohort->composition = eqp_quota_lottery_pick(cohort->quota_lottery, draws.draw[0]);
    uint32_t *left = eqp_alloc(conditions->types.count, sizeof *left);
    if (left == NULL) return eqp_fail_memory(error);
    memcpy(left, cohort->quota_lottery->seats + cohort->composition * conditions->types.count,
           conditions->types.count * sizeof *left);
    for (size_t i = 0; i < cohort->ranking.count; i++) {
        eqp_ranked *entry = &cohort->ranking.entries[i];
        if (entry->seat != EQP_STANDS || left[entry->type] == 0) continue;
        left[entry->type]--;
        entry->seat = EQP_SEATED;
    }
    free(left);
    return EQP_OK;
}

/* ---- order --------------------------------------------------------------------------------------------- */

static size_t count_seats(const eqp_cohort *cohort, eqp_seat seat)
{
    size_t count = 0;
    for (size_t i = 0; i < cohort->ranking.count; i++) count += cohort->ranking.entries[i].seat == seat;
    return count;
}

/* Seated first, then alternates, then the others, each in rank order. */
static eqp_status order_seats(eqp_cohort *cohort, eqp_error *error)
{
    eqp_ranking *ranking = &cohort->ranking;
    eqp_ranked *ordered = eqp_alloc(ranking->count, sizeof *ordered);
    size_t count = 0;
    if (ordered == NULL) return eqp_fail_memory(error);
    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < ranking->count; i++) {
            eqp_seat seat = ranking->entries[i].seat;
            int of = seat == EQP_SEATED ? 0 : seat == EQP_ALTERNATE ? 1 : 2;
            if (of == turn) ordered[count++] = ranking->entries[i];
        }
    assert(count == ranking->count);
    free(ranking->entries);
    ranking->entries = ordered;
    ranking->capacity = ranking->count;
    return EQP_OK;
}

static eqp_status settle_seats(eqp_cohort *cohort, eqp_error *error)
{
    size_t alternates = 0;
    for (size_t i = 0; i < cohort->ranking.count && alternates < cohort->alternates; i++) {
        if (cohort->ranking.entries[i].seat != EQP_STANDS) continue;
        cohort->ranking.entries[i].seat = EQP_ALTERNATE;
        alternates++;
    }
    cohort->stats.selected = cohort->stats.records.accepted = count_seats(cohort, EQP_SEATED);
    cohort->stats.alternates = alternates;
    eqp_status status = order_seats(cohort, error);
    cohort->stats.records.suspicious_cells = 0;
    for (size_t i = 0; status == EQP_OK && i < cohort->stats.selected; i++)
        cohort->stats.records.suspicious_cells += cohort->ranking.entries[i].suspicious;
    return status;
}

/* ---- the draw ------------------------------------------------------------------------------------------ */

static eqp_status fail_short(const eqp_cohort *cohort, size_t found, eqp_error *error)
{
    unsigned long long read = (unsigned long long)cohort->stats.records.read;
    if (found < cohort->size) {
        eqp_fail(error, EQP_INFEASIBLE, "no cohort of %zu: only %zu of %llu records can be accepted at all",
                 cohort->size, found, read);
        eqp_hint(error, "ask for --size %zu at most, or for a larger pool", found);
    } else {
        eqp_fail(error, EQP_INFEASIBLE, "no %zu alternates: only %zu of %llu records are left for them",
                 cohort->alternates, found - cohort->size, read);
        eqp_hint(error, "ask for --alternates %zu at most, or for a larger pool", found - cohort->size);
    }
    return EQP_INFEASIBLE;
}

eqp_status eqp_cohort_seat(eqp_cohort *cohort, eqp_error *error)
{
    eqp_status status = thin_households(cohort, error);
    if (status != EQP_OK) return status;
    size_t found = count_seats(cohort, EQP_STANDS), left = cohort->size;
    if (found < cohort->size || found - cohort->size < cohort->alternates)
        return fail_short(cohort, found, error);
    if (cohort->conditions.quotas != NULL) status = seat_by_quotas(cohort, error);
    for (size_t i = 0; cohort->conditions.quotas == NULL && i < cohort->ranking.count && left > 0; i++) {
        if (cohort->ranking.entries[i].seat != EQP_STANDS) continue;
        cohort->ranking.entries[i].seat = EQP_SEATED;
        left--;
    }
    return status == EQP_OK ? settle_seats(cohort, error) : status;
}

/* ---- declines ------------------------------------------------------------------------------------------ */

static eqp_status take_declines(eqp_cohort *cohort, const eqp_dictionary *declined, eqp_error *error)
{
    uint32_t found = 0, asked = eqp_dictionary_size(declined);
    for (size_t i = 0; i < cohort->ranking.count; i++) {
        eqp_ranked *entry = &cohort->ranking.entries[i];
        if (eqp_dictionary_find(declined, entry->bytes, entry->name_length) == EQP_NO_CODE &&
            eqp_dictionary_find(declined, entry->ticket.digits, EQP_TICKET_DIGITS) == EQP_NO_CODE)
            continue; /* named by id, or in a log by ticket */
        if (entry->seat != EQP_SEATED && entry->seat != EQP_ALTERNATE) {
            eqp_fail(error, EQP_DATA, "\"%.*s\" declines, but %s", (int)entry->name_length, entry->bytes,
                     entry->seat == EQP_DECLINED ? "has declined before"
                                                 : "has no seat and is not an alternate");
            eqp_hint(error, "a list of declines holds those who declined since the last one");
            return EQP_DATA;
        }
        entry->seat = EQP_DECLINED;
        entry->round = cohort->rounds;
        found++;
    }
    if (found == asked) return EQP_OK;
    return eqp_fail(error, EQP_DATA, "%u of those who decline are not among the selected or the alternates",
                    asked - found);
}

/* Whether the quotas can be kept with this one in a free seat. */
static eqp_status try_seat(eqp_cohort *cohort, eqp_ranked *entry, size_t *seated, size_t *standing,
                           eqp_error *error)
{
    const eqp_conditions *conditions = &cohort->conditions;
    bool can = true;
    eqp_status status = EQP_OK;
    if (conditions->quotas != NULL) {
        seated[entry->type]++;
        standing[entry->type]--;
        status = eqp_quotas_can_fill(conditions->quotas, conditions->types.types, conditions->types.count,
                                     cohort->size, seated, standing, &can, error);
        if (!can) seated[entry->type]--; /* nor will it stand later in this round */
    }
    if (status != EQP_OK || !can) return status;
    entry->seat = EQP_SEATED;
    entry->since = cohort->rounds;
    return EQP_OK;
}

static eqp_status fill_seats(eqp_cohort *cohort, eqp_error *error)
{
    size_t types = cohort->conditions.types.count, left = cohort->size - count_seats(cohort, EQP_SEATED);
    size_t *seated = eqp_alloc_zero(types, sizeof *seated);
    size_t *standing = eqp_alloc_zero(types, sizeof *standing);
    eqp_status status = seated == NULL || standing == NULL ? eqp_fail_memory(error) : EQP_OK;
    bool quotas = cohort->conditions.quotas != NULL;
    for (size_t i = 0; quotas && status == EQP_OK && i < cohort->ranking.count; i++) {
        const eqp_ranked *entry = &cohort->ranking.entries[i];
        if (entry->seat == EQP_SEATED) seated[entry->type]++;
        if (entry->seat == EQP_STANDS) standing[entry->type]++;
    }
    for (size_t i = 0; status == EQP_OK && left > 0 && i < cohort->ranking.count; i++) {
        eqp_ranked *entry = &cohort->ranking.entries[i];
        if (entry->seat != EQP_STANDS) continue;
        status = try_seat(cohort, entry, seated, standing, error);
        left -= status == EQP_OK && entry->seat == EQP_SEATED;
    }
    free(seated);
    free(standing);
    if (status != EQP_OK || left == 0) return status;
    eqp_fail(error, EQP_INFEASIBLE, "%zu seats cannot be filled: nobody is left%s", left,
             quotas ? " with whom the quotas can be kept" : "");
    eqp_hint(error, "accept a smaller panel, or draw again from a larger pool");
    return EQP_INFEASIBLE;
}

eqp_status eqp_cohort_decline(eqp_cohort *cohort, const eqp_dictionary *declined, eqp_error *error)
{
    cohort->rounds++;
    eqp_ranking_sort(&cohort->ranking);
    eqp_status status = take_declines(cohort, declined, error);
    for (size_t i = 0; i < cohort->ranking.count; i++)
        if (cohort->ranking.entries[i].seat == EQP_ALTERNATE) cohort->ranking.entries[i].seat = EQP_STANDS;
    if (status == EQP_OK) status = fill_seats(cohort, error);
    return status == EQP_OK ? settle_seats(cohort, error) : status;
}
