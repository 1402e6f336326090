/* Drift on unlabelled records: leaf shares against the model's, feature by feature against the encoding.
 *
 *     PSI = sum_j (q_j - s_j) ln(q_j / s_j),   chi-square = n sum_j (q_j - s_j)² / s_j
 *
 * To first order PSI is chi-square / n, so on n records of the old population n PSI is about chi-square with
 * (leaves - 1) degrees; that is the critical value.  Shares in expectation over the draws vary less than
 * drawn leaves, so both tests err on the quiet side. */
#include "audit/audit.h"

#include "audit/certificate.h"
#include "base/json.h"
#include "base/memory.h"
#include "model/identity.h"

#include <math.h>

#define LEAST_EXPECTED 5.0
#define SIGNIFICANT    0.05
#define PSI_SMALL      0.1 /* the usual marks: below 0.1 stable, from 0.25 another population */
#define PSI_LARGE      0.25
#define SHIFT_LARGE    0.25 /* standard deviations */

/* What one record can change: nobody counts as farther from the mean than this, or as of a rarer level. */
#define FARTHEST 4.0 /* standard deviations */
#define RAREST   0.01
#define RECORDS_PER_SHIFT                                                                                    \
    2 /* 2 * base records' worth is more than one record changes: 8 or 10 over the rows */

typedef struct cell_sums {
    double psi, chi_square;
    double cells;
} cell_sums;

static void add_cell(cell_sums *sums, double found, double expected, double rows)
{
    double half_a_row = 0.5 / rows;
    double q = fmax(found, half_a_row), s = fmax(expected, half_a_row);
    sums->psi += (q - s) * log(q / s);
    sums->chi_square += rows * (found - s) * (found - s) / s;
    sums->cells += 1;
}

void eqp_drift_of_leaves(const double *share, const double *expected, size_t leaves, double rows,
                         eqp_drift *drift)
{
    cell_sums sums = {0};
    double total = 0, rare_found = 0, rare_expected = 0;
    for (size_t j = 0; j < leaves; j++) total += expected[j]; /* 1 but for rounding */
    for (size_t j = 0; j < leaves; j++) {
        double s = expected[j] / total;
        if (s * rows < LEAST_EXPECTED) {
            rare_found += share[j];
            rare_expected += s;
        } else {
            add_cell(&sums, share[j], s, rows);
        }
    }
    if (rare_found > 0 || rare_expected > 0) add_cell(&sums, rare_found, rare_expected, rows);
    drift->psi = sums.psi;
    drift->chi_square = sums.chi_square;
    drift->degrees = fmax(0, sums.cells - 1);
    drift->p_value = eqp_chi_square_tail(sums.chi_square, drift->degrees);
    drift->psi_critical =
        drift->degrees > 0 ? eqp_chi_square_critical(SIGNIFICANT, drift->degrees) / rows : 0;
    drift->effect = sqrt(sums.chi_square / rows);
}

/* Mean of the present values, in standard deviations of the training rows. */
static double number_shift(const eqp_feature *feature, const double *values, size_t rows)
{
    double sum = 0, present = 0;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(values[i])) continue;
        sum += fmin(fmax((values[i] - feature->mean) / feature->scale, -FARTHEST), FARTHEST);
        present += 1;
    }
    return present > 0 ? sum / present : NAN;
}

/* The level whose share moved most, in standard deviations of its indicator. */
static double code_shift(const eqp_feature *feature, const uint32_t *codes, size_t rows, double *counts)
{
    size_t codes_in_all = (size_t)feature->level_count + 2;
    double largest = 0;
    for (size_t c = 0; c < codes_in_all; c++) counts[c] = 0;
    for (size_t i = 0; i < rows; i++) counts[codes[i]] += 1;
    for (size_t c = 0; c < codes_in_all; c++) {
        double share = fmin(fmax(feature->shares[c], RAREST), 1 - RAREST);
        double shift = (counts[c] / (double)rows - feature->shares[c]) / sqrt(share * (1 - share));
        if (fabs(shift) > fabs(largest)) largest = shift;
    }
    return largest;
}

static size_t most_codes(const eqp_encoding *encoding)
{
    size_t most = 0;
    for (size_t f = 0; f < encoding->feature_count; f++)
        if (encoding->features[f].level_count + 2u > most) most = encoding->features[f].level_count + 2u;
    return most;
}

eqp_status eqp_drift_of_features(const eqp_encoding *encoding, const eqp_block *block, eqp_drift *drift,
                                 eqp_error *error)
{
    double *counts = eqp_alloc(most_codes(encoding), sizeof *counts);
    drift->shift = eqp_alloc(encoding->feature_count, sizeof *drift->shift);
    if (counts == NULL || drift->shift == NULL) {
        free(counts);
        return eqp_fail_memory(error);
    }
    drift->feature_count = encoding->feature_count;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        drift->shift[f] = eqp_feature_repeats(encoding, f) ? NAN
                          : feature->kind == EQP_FEATURE_NUMBER
                              ? number_shift(feature, block->numbers[f], block->rows)
                              : code_shift(feature, block->codes[f], block->rows, counts);
    }
    free(counts);
    return EQP_OK;
}

static double largest_shift(const eqp_drift *drift)
{
    double largest = 0;
    for (size_t f = 0; f < drift->feature_count; f++) largest = fmax(largest, fabs(drift->shift[f]));
    return largest;
}

/* Never withheld: a file of few records must not pass because nothing may be said of it. */
static double told(const eqp_sdc *sdc, uint64_t key, uint64_t what, double figure, double records)
{
    return eqp_sdc_neat(sdc, figure + eqp_sdc_offset(sdc, key, what, records), records) + 0.0; /* no -0 */
}

void eqp_drift_tell(eqp_drift *drift, const eqp_sdc *sdc, uint64_t key, double rows)
{
    if (!eqp_sdc_hides(sdc)) return;
    for (size_t f = 0; f < drift->feature_count; f++)
        drift->shift[f] = told(sdc, key, f + 1, drift->shift[f], rows / RECORDS_PER_SHIFT);
    drift->effect = fmax(0, told(sdc, key, 0, drift->effect, rows));
    drift->psi = eqp_sdc_neat(sdc, drift->psi, rows);
    drift->chi_square = rows * drift->effect * drift->effect;
    drift->p_value = eqp_chi_square_tail(drift->chi_square, drift->degrees);
}

/* Effect before significance: with many rows everything is significant, with few nothing is. */
void eqp_drift_advise(eqp_drift *drift)
{
    bool significant = drift->p_value < SIGNIFICANT;
    drift->moved = (significant && drift->psi >= PSI_SMALL) || largest_shift(drift) >= SHIFT_LARGE;
    if (significant && drift->psi >= PSI_LARGE)
        drift->advice = "the records differ strongly from those that the rule was learned from; learn again";
    else if (significant && drift->psi >= PSI_SMALL)
        drift->advice =
            "the records differ from those that the rule was learned from; certify again with labels";
    else if (largest_shift(drift) >= SHIFT_LARGE)
        drift->advice = "leaf shares are unchanged, but a column has shifted; certify again with labels";
    else if (significant)
        drift->advice = "a difference is visible but too small to matter";
    else
        drift->advice = "no sign of drift";
}

void eqp_drift_clear(eqp_drift *drift)
{
    free(drift->shift);
    *drift = (eqp_drift){0};
}

/* ---- as a document ------------------------------------------------------------------------------------- */

static double six_decimals(double figure)
{
    return round(figure * 1e6) / 1e6;
}

static json_t *columns_json(const eqp_drift *drift, const eqp_encoding *encoding, eqp_field name)
{
    json_t *list = json_array();
    for (size_t f = 0; f < encoding->feature_count; f++) {
        if (eqp_feature_repeats(encoding, f)) continue;
        json_t *object = json_object();
        eqp_json_set_text(&object, name, encoding->features[f].name);
        eqp_json_set_number(&object, FIELD_shift, six_decimals(drift->shift[f]));
        eqp_json_append(&list, object);
    }
    return list;
}

json_t *eqp_drift_json(const eqp_drift *drift, const eqp_encoding *encoding)
{
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_psi, six_decimals(drift->psi));
    eqp_json_set_number(&object, FIELD_psi_critical, six_decimals(drift->psi_critical));
    eqp_json_set_number(&object, FIELD_p_value, round(drift->p_value * 1e3) / 1e3);
    eqp_json_set_number(&object, FIELD_chi_square, round(drift->chi_square * 10) / 10);
    eqp_json_set_number(&object, FIELD_degrees, drift->degrees);
    eqp_json_set_number(&object, FIELD_effect, six_decimals(drift->effect));
    eqp_json_set_bool(&object, FIELD_moved, drift->moved);
    eqp_json_set(&object, FIELD_features, columns_json(drift, encoding, FIELD_feature));
    eqp_json_set_text(&object, FIELD_advice, drift->advice);
    return object;
}

static eqp_status find_drift(const eqp_model *model, const eqp_table *table, const eqp_block *block,
                             const eqp_sdc *sdc, size_t threads, eqp_drift *drift, eqp_error *error)
{
    eqp_counts *counts;
    uint64_t key = 0;
    eqp_routing routing = {.rows = table->rows,
                           .model = model,
                           .block = block,
                           .leaf_count = model->rule->leaf_count,
                           .accept = model->rule->accept};
    eqp_status status = eqp_counts_new(&routing, NULL, threads, &counts, error);
    if (status != EQP_OK) return status;
    eqp_drift_of_leaves(counts->share, model->rule->share, counts->leaves, (double)table->rows, drift);
    status = eqp_drift_of_features(model->encoding, block, drift, error);
    if (status == EQP_OK) status = eqp_rounding_key(table, NULL, 0, &key, error);
    if (status == EQP_OK) eqp_drift_tell(drift, sdc, key, (double)table->rows);
    if (status == EQP_OK) eqp_drift_advise(drift);
    eqp_counts_free(counts);
    return status;
}

static json_t *describe_drift(const eqp_model *model, const eqp_table *table, const eqp_drift *drift)
{
    json_t *document = json_object(), *figures = eqp_drift_json(drift, model->encoding);
    eqp_json_set_text(&document, FIELD_command, "drift");
    eqp_json_set_text(&document, FIELD_version, EQP_VERSION);
    eqp_json_set_text(&document, FIELD_model_id, model->id);
    eqp_json_set_text(&document, FIELD_source, table->source);
    eqp_json_set_count(&document, FIELD_rows, table->rows);
    eqp_json_set(&document, FIELD_psi, json_incref(eqp_field_value(figures, FIELD_psi)));
    eqp_json_set(&document, FIELD_p_value, json_incref(eqp_field_value(figures, FIELD_p_value)));
    eqp_json_set_bool(&document, FIELD_moved, drift->moved);
    eqp_json_set(&document, FIELD_columns, columns_json(drift, model->encoding, FIELD_name));
    eqp_json_set(&document, FIELD_drift, figures);
    eqp_json_set(&document, FIELD_warnings, json_array());
    eqp_json_set_bool(&document, FIELD_pass, !drift->moved);
    return document;
}

eqp_status eqp_drift_document(const eqp_model *model, const eqp_table *table, const eqp_sdc *sdc,
                              size_t threads, json_t **document, eqp_error *error)
{
    eqp_block *block = NULL;
    eqp_drift drift = {0};
    *document = NULL;
    if (table->rows == 0) return eqp_fail_at(error, EQP_DATA, table->source, 0, 0, "no records to look at");
    eqp_status status = eqp_block_from_table(model->encoding, table, &block, error);
    if (status == EQP_OK) status = find_drift(model, table, block, sdc, threads, &drift, error);
    if (status == EQP_OK) *document = describe_drift(model, table, &drift);
    if (status == EQP_OK && *document == NULL) status = eqp_fail_memory(error);
    eqp_drift_clear(&drift);
    eqp_block_free(block);
    return status;
}
