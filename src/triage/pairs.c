/* Triage: pairs of columns that determine a group only together.  Looked for among the strongest, whose
 * halves of the secret show; a pair that tells nothing one by one is not found. */
#include "triage/triage.h"

enum { STRONGEST = 6, CODES = 30 };

/* The used columns that disclose most, beyond the budget. */
static size_t find_strongest(const eqp_triage *triage, size_t strongest[STRONGEST])
{
    size_t count = 0;
    for (; count < STRONGEST; count++) {
        size_t best = SIZE_MAX;
        for (size_t c = 0; c < triage->column_count; c++) {
            const eqp_column_finding *finding = &triage->columns[c];
            bool taken = false;
            for (size_t i = 0; i < count; i++) taken = taken || strongest[i] == c;
            if (taken || !finding->strong) continue;
            if (best == SIZE_MAX || finding->disclosure > triage->columns[best].disclosure) best = c;
        }
        if (best == SIZE_MAX) break;
        strongest[count] = best;
    }
    return count;
}

static eqp_status measure_pair(const eqp_sample *sample, const eqp_coder *first, const eqp_coder *second,
                               double *determination, eqp_error *error)
{
    eqp_stand_in_counts counts;
    eqp_status status = eqp_stand_in_count(sample, first, second, &counts, error);
    if (status == EQP_OK) *determination = eqp_stand_in_determination(&counts);
    eqp_stand_in_free(&counts);
    return status;
}

static void leave_out(eqp_column_finding *finding, size_t partner, double determination)
{
    if (finding->asked) return;
    finding->reason = EQP_REASON_PAIR;
    finding->strong = false;
    finding->partner = partner;
    finding->determination = determination;
}

static eqp_status try_pairs(eqp_triage *triage, const eqp_sample *sample, const size_t *strongest,
                            const eqp_coder *coders, size_t count, eqp_error *error)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            double determination;
            eqp_status status = measure_pair(sample, &coders[i], &coders[j], &determination, error);
            if (status != EQP_OK) return status;
            if (determination < EQP_DETERMINES) continue;
            leave_out(&triage->columns[strongest[i]], strongest[j], determination);
            leave_out(&triage->columns[strongest[j]], strongest[i], determination);
        }
    return EQP_OK;
}

eqp_status eqp_triage_pairs(eqp_triage *triage, const eqp_sample *sample, eqp_error *error)
{
    size_t strongest[STRONGEST], count = find_strongest(triage, strongest);
    eqp_coder coders[STRONGEST] = {0};
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < count && status == EQP_OK; i++)
        status = eqp_coder_new(&triage->columns[strongest[i]], sample->rows, CODES, &coders[i], error);
    if (status == EQP_OK) status = try_pairs(triage, sample, strongest, coders, count, error);
    for (size_t i = 0; i < count; i++) eqp_coder_free(&coders[i]);
    return status;
}
