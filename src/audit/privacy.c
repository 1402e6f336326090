/* Which counts a report withholds: those of the outcome × group and leaf × group tables of each attribute. */
#include "audit/audit.h"

#include "base/memory.h"

#include <math.h>

static bool is_small(double count)
{
    return count > 1e-9 && count < EQP_SMALL_COUNT - 1e-9;
}

/* ---- withholding --------------------------------------------------------------------------------------- */

/* Counts of one attribute: accepted above rejected.  Without acceptance every row is "rejected". */
static void outcome_table(const eqp_counts *counts, size_t first, size_t groups, double *table)
{
    for (size_t k = 0; k < groups; k++) {
        double all = counts->base[first + k] * (double)counts->rows;
        double accepted = isnan(counts->yield) ? 0 : counts->accepted[first + k] * (double)counts->rows;
        table[k] = accepted < 1e-9 ? 0 : accepted;
        table[groups + k] = all - accepted < 1e-9 ? 0 : all - accepted;
    }
}

/* The yield is always printed, so the row totals are known. */
static eqp_status hide_outcomes(const eqp_counts *counts, size_t first, size_t groups, double *table,
                                eqp_privacy *privacy, eqp_error *error)
{
    eqp_suppression *suppression;
    outcome_table(counts, first, groups, table);
    eqp_status status = eqp_suppress(table, 2, groups, true, &suppression, error);
    if (status != EQP_OK) return status;
    for (size_t k = 0; k < groups; k++) {
        privacy->group_hidden[first + k] = suppression->column[k];
        privacy->outcome_hidden[first + k] = suppression->cell[k] || suppression->cell[groups + k];
        privacy->anything_hidden |= privacy->group_hidden[first + k] || privacy->outcome_hidden[first + k];
    }
    eqp_suppression_free(suppression);
    return EQP_OK;
}

static void leaf_table(const eqp_counts *counts, size_t first, size_t groups, double *table)
{
    for (size_t j = 0; j < counts->leaves; j++)
        for (size_t k = 0; k < groups; k++) {
            double count = counts->joint[j * counts->groups + first + k] * (double)counts->rows;
            table[j * groups + k] = count < 1e-9 ? 0 : count;
        }
}

/* What the outcome table withholds stays withheld here: with leaves that are accepted or rejected for certain
 * the two tables are one. */
static void take_leaf_flags(const eqp_suppression *suppression, size_t first, size_t groups,
                            size_t all_groups, eqp_privacy *privacy)
{
    for (size_t j = 0; j < suppression->rows; j++) {
        privacy->leaf_hidden[j] |= suppression->row[j];
        privacy->anything_hidden |= suppression->row[j];
        for (size_t k = 0; k < groups; k++)
            privacy->cell_hidden[j * all_groups + first + k] =
                suppression->cell[j * groups + k] || privacy->outcome_hidden[first + k];
    }
    for (size_t k = 0; k < groups; k++) privacy->group_hidden[first + k] |= suppression->column[k];
}

/* Leaf × group counts are not printed as such, but the largest disclosure of a leaf gives one away. */
static eqp_status hide_leaves(const eqp_counts *counts, size_t first, size_t groups, double *table,
                              eqp_privacy *privacy, eqp_error *error)
{
    eqp_suppression *suppression;
    leaf_table(counts, first, groups, table);
    eqp_status status = eqp_suppress(table, counts->leaves, groups, false, &suppression, error);
    if (status != EQP_OK) return status;
    take_leaf_flags(suppression, first, groups, counts->groups, privacy);
    eqp_suppression_free(suppression);
    return EQP_OK;
}

/* Groups lie attribute by attribute: hide in each run. */
static eqp_status hide_counts(const eqp_counts *counts, const eqp_groups *groups, double *table,
                              eqp_privacy *privacy, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t first = 0, next; first < counts->groups && status == EQP_OK; first = next) {
        for (next = first + 1; next < counts->groups; next++)
            if (groups->groups[next].attribute != groups->groups[first].attribute) break;
        status = hide_outcomes(counts, first, next - first, table, privacy, error);
        if (status == EQP_OK) status = hide_leaves(counts, first, next - first, table, privacy, error);
    }
    return status;
}

eqp_status eqp_privacy_from(const eqp_counts *counts, const eqp_groups *groups, eqp_privacy **privacy,
                            eqp_error *error)
{
    *privacy = NULL;
    eqp_privacy *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->group_hidden = eqp_take_zero(&made->arena, counts->groups, sizeof(bool));
    made->outcome_hidden = eqp_take_zero(&made->arena, counts->groups, sizeof(bool));
    made->leaf_hidden = eqp_take_zero(&made->arena, counts->leaves, sizeof(bool));
    made->cell_hidden = eqp_take_zero(&made->arena, counts->leaves, counts->groups * sizeof(bool));
    double *table = eqp_alloc(counts->leaves + 2, counts->groups * sizeof *table);
    bool complete = table != NULL && !made->arena.failed;
    eqp_status status = complete ? hide_counts(counts, groups, table, made, error) : eqp_fail_memory(error);
    free(table);
    if (status == EQP_OK) *privacy = made;
    if (status != EQP_OK) eqp_privacy_free(made);
    return status;
}

void eqp_privacy_free(eqp_privacy *privacy)
{
    if (privacy == NULL) return;
    eqp_arena_free(&privacy->arena);
    free(privacy);
}

/* ---- coarseness ---------------------------------------------------------------------------------------- */

double eqp_privacy_cell_record(const eqp_privacy *privacy, const eqp_counts *counts, size_t leaf,
                               size_t group)
{
    bool hidden = privacy->cell_hidden[leaf * counts->groups + group] || privacy->group_hidden[group];
    return hidden && counts->leaf[leaf] > 0 ? 1 / (counts->leaf[leaf] * (double)counts->rows) : 0;
}

double eqp_privacy_leaf_record(const eqp_privacy *privacy, const eqp_counts *counts, size_t leaf)
{
    double record = 0;
    for (size_t k = 0; k < counts->groups; k++)
        record = fmax(record, eqp_privacy_cell_record(privacy, counts, leaf, k));
    return record;
}

double eqp_privacy_outcome_record(const eqp_privacy *privacy, const eqp_counts *counts, bool accepted,
                                  size_t group)
{
    double rows = (accepted ? counts->yield : 1 - counts->yield) * (double)counts->rows;
    bool hidden = privacy->outcome_hidden[group] || privacy->group_hidden[group];
    return hidden && rows > 0 ? 1 / rows : 0;
}

/* The rarer value of the bit decides its disclosure. */
double eqp_privacy_bit_record(const eqp_counts *counts, size_t bit)
{
    double all = (double)counts->rows, rows = fmin(counts->bit[bit], 1 - counts->bit[bit]) * all;
    for (size_t k = 0; k < counts->groups; k++) {
        double one = counts->bit_joint[bit * counts->groups + k];
        if (is_small(one * all) || is_small((counts->base[k] - one) * all)) return 1 / fmax(rows, 1);
    }
    return 0;
}

double eqp_privacy_imbalance_record(const eqp_privacy *privacy, const eqp_counts *counts,
                                    const eqp_groups *groups, const eqp_measures *measures)
{
    double low = INFINITY, high = -INFINITY, accepted = counts->yield * (double)counts->rows;
    for (size_t k = 0; k < counts->groups; k++) {
        if (!privacy->outcome_hidden[k]) continue;
        double distance = measures->composition[k] - groups->groups[k].target;
        low = fmin(low, distance);
        high = fmax(high, distance);
    }
    if (!(high >= low) || !(accepted > 0)) return 0;
    /* the derivative of the norm, and at least the curvature near the target */
    return fmax((high - low) / (fmax(measures->imbalance, 1e-3) * accepted), 1 / (accepted * accepted));
}
