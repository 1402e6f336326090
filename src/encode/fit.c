/* Fitting the encoding on the training rows: typed columns -> features.
 *
 *     number   mean and scale; also, on request, bins by weighted quantiles
 *     text     levels, sorted bytewise; rare ones are pooled into "other"
 *     dates    the number of days, its bins at the first of a month; month and weekday as levels
 *
 * Everything is a function of the multiset of (value, weight): the order of the rows does not matter beyond
 * the rounding of sums. */
#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "encode/encoding.h"
#include "table/reader.h"
#include "table/utf8.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct fitting {
    const eqp_table *table;
    const eqp_encoding_options *options;
    eqp_encoding *encoding;
    const eqp_column *column; /* of the table, that is being fitted */
    eqp_date_order date;      /* how it is read */
    eqp_date_part part;       /* of a date, that is being fitted */
    double total;             /* weight of all rows */
    eqp_keyed *scratch;       /* twice as many as rows, where there will be bins */
} fitting;

static double weight_of(const fitting *fit, size_t row)
{
    return fit->options->weight != NULL ? fit->options->weight[row] : 1.0;
}

/* Shares go into the model for drift alone; rounding keeps counts out of it. */
static double rounded_share(const fitting *fit, double mass)
{
    return fit->total > 0 ? round(1000 * (mass / fit->total)) / 1000 : 0;
}

static eqp_feature *add_feature(fitting *fit, eqp_feature_kind kind)
{
    eqp_feature *feature = &fit->encoding->features[fit->encoding->feature_count];
    const eqp_column *column = fit->column;
    feature->kind = kind;
    feature->date = fit->date;
    feature->part = fit->part;
    eqp_buffer name = {0};
    eqp_buffer_text(&name, column->name);
    if (eqp_column_is_shared(fit->table, column))
        eqp_buffer_text(&name, ".1"); /* "age" alone means neither */
    if (eqp_buffer_take(&name, &feature->name, NULL) != EQP_OK) return NULL;
    fit->encoding->feature_count++;
    return feature;
}

static double missing_mass(const fitting *fit, const eqp_column *column)
{
    double mass = 0;
    if (column->missing == 0) return 0;
    for (size_t row = 0; row < fit->table->rows; row++) {
        bool missing =
            column->kind == EQP_NUMBER ? isnan(column->numbers[row]) != 0 : column->codes[row] == EQP_NO_CODE;
        if (missing) mass += weight_of(fit, row);
    }
    return mass;
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

static double largest_magnitude(const double *values, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(values[i]) > largest) largest = fabs(values[i]);
    return largest;
}

/* Mean and scale only centre the values; with more digits two models would tell what the one person held who
 * is in one of their samples alone. */
static double two_digits(double scale)
{
    double unit = pow(10, floor(log10(scale)) - 1);
    double rounded = round(scale / unit) * unit;
    return isnormal(unit) && isnormal(rounded) ? rounded : scale;
}

static double rounded_mean(double mean, double scale)
{
    double step = pow(10, floor(log10(scale))) / 10, rounded = round(mean / step) * step;
    return isnormal(step) && isfinite(rounded) ? rounded : mean;
}

/* Values are divided by the largest magnitude first: squares of 1e200 must not overflow, and a constant
 * column has a spread of exactly 0. */
static void fit_mean_and_scale(const fitting *fit, const double *values, eqp_feature *feature)
{
    size_t rows = fit->table->rows;
    double unit = largest_magnitude(values, rows), mass = 0, sum = 0, squares = 0;
    feature->mean = 0;
    feature->scale = 1;
    if (unit == 0) return;
    for (size_t row = 0; row < rows; row++) {
        if (isnan(values[row])) continue;
        mass += weight_of(fit, row);
        sum += weight_of(fit, row) * (values[row] / unit);
    }
    if (!(mass > 0)) return;
    double mean = sum / mass;
    for (size_t row = 0; row < rows; row++) {
        if (isnan(values[row])) continue;
        double distance = values[row] / unit - mean;
        squares += weight_of(fit, row) * distance * distance;
    }
    double scale = unit * sqrt(squares / mass);
    if (isnormal(scale)) feature->scale = two_digits(scale);
    feature->mean = isnormal(scale) ? rounded_mean(unit * mean, feature->scale) : unit * mean;
}

static eqp_status fit_number(fitting *fit, const eqp_column *column, eqp_error *error)
{
    eqp_feature *feature = add_feature(fit, EQP_FEATURE_NUMBER);
    if (feature == NULL) return eqp_fail_memory(error);
    fit_mean_and_scale(fit, column->numbers, feature);
    feature->missing_share = rounded_share(fit, missing_mass(fit, column));
    return EQP_OK;
}

/* ---- bins ------------------------------------------------------------------------------------------- */

/* The rows with a value, by rising value; how many they are. */
static size_t order_values(const fitting *fit, const double *values, const eqp_keyed **order)
{
    size_t rows = fit->table->rows, count = 0;
    for (size_t row = 0; row < rows; row++)
        if (!isnan(values[row])) fit->scratch[count++] = (eqp_keyed){eqp_number_key(values[row]), row};
    *order = eqp_order_by_key(fit->scratch, fit->scratch + rows, count);
    return count;
}

static double value_mass(const fitting *fit, const double *values)
{
    double mass = 0;
    for (size_t row = 0; row < fit->table->rows; row++)
        if (!isnan(values[row])) mass += weight_of(fit, row);
    return mass;
}

/* The roundest number above `below` and not above `value`: it separates the training rows as `value` does,
 * reads better, and does not tell what some row held. */
static double round_cut(double below, double value)
{
    for (int digits = -15; digits <= 15; digits++) {
        double power = pow(10, abs(digits));
        double cut = digits < 0 ? floor(value / power) * power : floor(value * power) / power;
        if (cut > below && cut <= value) return cut;
    }
    return value;
}

/* A cut separates the first value with at least b/bins of the mass below it from the one before; heavy values
 * give fewer, distinct cuts.  The slack keeps 0.1 + 0.2 from missing 0.3 by a rounding error.  Also
 * finds the mass of each bin. */
static uint32_t choose_cuts(const fitting *fit, const double *values, double mass, double *cuts,
                            double *bin_mass)
{
    const eqp_keyed *order;
    size_t count = order_values(fit, values, &order);
    uint32_t bins = fit->options->bins, chosen = 0, next = 1;
    double below = 0;
    for (size_t i = 0; i < count; i++) {
        bool starts = i > 0 && order[i].key != order[i - 1].key;
        if (starts && next < bins && below >= mass * next / bins * (1 - 1e-12)) {
            double value = values[order[i].item]; /* of dates the first of a month */
            cuts[chosen++] = fit->date ? value : round_cut(values[order[i - 1].item], value);
            assert(chosen < bins && (chosen < 2 || cuts[chosen - 2] < cuts[chosen - 1]));
            while (next < bins && below >= mass * next / bins * (1 - 1e-12)) next++;
        }
        double weight = weight_of(fit, order[i].item);
        bin_mass[chosen] += weight;
        below += weight;
    }
    return chosen;
}

static eqp_status add_bins(fitting *fit, const eqp_column *column, double *cuts, uint32_t cut_count,
                           double *shares, eqp_error *error)
{
    eqp_feature *feature = add_feature(fit, EQP_FEATURE_BINS);
    if (feature == NULL) {
        free(cuts);
        free(shares);
        return eqp_fail_memory(error);
    }
    feature->cuts = cuts;
    feature->level_count = cut_count + 1;
    feature->shares = shares;
    for (uint32_t bin = 0; bin <= cut_count; bin++) shares[bin] = rounded_share(fit, shares[bin]);
    feature->missing_share = rounded_share(fit, missing_mass(fit, column));
    shares[EQP_MISSING(feature)] = feature->missing_share;
    return EQP_OK;
}

static eqp_status fit_bins(fitting *fit, const eqp_column *column, eqp_error *error)
{
    uint32_t bins = fit->options->bins;
    double *cuts = eqp_alloc(bins, sizeof *cuts);
    double *shares = eqp_alloc_zero((size_t)bins + 2, sizeof *shares);
    bool has_memory = cuts != NULL && shares != NULL;
    uint32_t cut_count =
        has_memory ? choose_cuts(fit, column->numbers, value_mass(fit, column->numbers), cuts, shares) : 0;
    if (cut_count > 0) return add_bins(fit, column, cuts, cut_count, shares, error);
    free(cuts);
    free(shares);
    return has_memory ? EQP_OK : eqp_fail_memory(error);
}

/* ---- levels ----------------------------------------------------------------------------------------- */

typedef struct level {
    const char *text;
    double mass;
    size_t rows;
} level;

static int by_text(const void *left, const void *right)
{
    return strcmp(((const level *)left)->text, ((const level *)right)->text);
}

/* Those of few rows last. */
static int by_falling_mass(const void *left, const void *right)
{
    bool few = ((const level *)left)->rows == 0, other_few = ((const level *)right)->rows == 0;
    if (few != other_few) return few ? 1 : -1;
    double a = ((const level *)left)->mass, b = ((const level *)right)->mass;
    return a != b ? (a < b) - (a > b) : by_text(left, right);
}

static level *level_masses(const fitting *fit, const eqp_column *column)
{
    uint32_t count = eqp_dictionary_size(column->levels);
    level *levels = eqp_alloc_zero(count, sizeof *levels);
    if (levels == NULL) return NULL;
    for (uint32_t code = 0; code < count; code++)
        levels[code].text = eqp_dictionary_text(column->levels, code);
    for (size_t row = 0; row < fit->table->rows; row++)
        if (column->codes[row] != EQP_NO_CODE) {
            levels[column->codes[row]].mass += weight_of(fit, row);
            levels[column->codes[row]].rows++;
        }
    return levels;
}

/* A level of few people stays out of the model however heavy they are: it would tell who was in the sample.
 */
static void drop_levels_of_few(const fitting *fit, level *levels, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (levels[i].rows < fit->options->least_rows) levels[i].rows = 0;
}

/* The frequent ones to the front, in bytewise order; how many they are.  A level without mass (a borrowed
 * dictionary holds levels of other rows) is never kept. */
static uint32_t keep_frequent(const fitting *fit, level *levels, uint32_t count)
{
    uint32_t kept = 0;
    drop_levels_of_few(fit, levels, count);
    qsort(levels, count, sizeof *levels, by_falling_mass);
    while (kept < count && kept < fit->options->max_levels && levels[kept].rows > 0 &&
           levels[kept].mass > 0 && levels[kept].mass >= fit->options->rare_share * fit->total)
        kept++;
    qsort(levels, kept, sizeof *levels, by_text);
    return kept;
}

static eqp_status store_levels(const fitting *fit, const level *levels, uint32_t kept, uint32_t count,
                               eqp_feature *feature, eqp_error *error)
{
    double pooled = 0;
    feature->levels = eqp_alloc_zero(kept, sizeof *feature->levels);
    feature->shares = eqp_alloc_zero((size_t)kept + 2, sizeof *feature->shares);
    if (feature->levels == NULL || feature->shares == NULL) return eqp_fail_memory(error);
    for (uint32_t i = 0; i < kept; i++) {
        size_t length = strlen(levels[i].text);
        if (!eqp_is_utf8(levels[i].text, length))
            return eqp_fail_at(error, EQP_DATA, fit->table->source, 0, 0,
                               "column \"%s\" holds a text that is not UTF-8", feature->name);
        feature->levels[i] = eqp_copy_text(levels[i].text, length);
        if (feature->levels[i] == NULL) return eqp_fail_memory(error);
        feature->level_count = i + 1;
        feature->shares[i] = rounded_share(fit, levels[i].mass);
    }
    for (uint32_t i = kept; i < count; i++) pooled += levels[i].mass;
    feature->shares[EQP_OTHER(feature)] = rounded_share(fit, pooled);
    return EQP_OK;
}

static eqp_status fit_levels(fitting *fit, const eqp_column *column, eqp_error *error)
{
    eqp_feature *feature = add_feature(fit, EQP_FEATURE_LEVELS);
    level *levels = level_masses(fit, column);
    if (feature == NULL || levels == NULL) {
        free(levels);
        return eqp_fail_memory(error);
    }
    uint32_t count = eqp_dictionary_size(column->levels), kept = keep_frequent(fit, levels, count);
    eqp_status status = store_levels(fit, levels, kept, count, feature, error);
    free(levels);
    if (status != EQP_OK) return status;
    feature->missing_share = rounded_share(fit, missing_mass(fit, column));
    feature->shares[EQP_MISSING(feature)] = feature->missing_share;
    return EQP_OK;
}

/* ---- dates ------------------------------------------------------------------------------------------ */

/* As a text column of the parts' names. */
static bool name_parts(const fitting *fit, const double *days, eqp_column *named)
{
    uint32_t count;
    const char *const *names = eqp_part_names(fit->part, &count);
    named->kind = EQP_TEXT;
    named->levels = eqp_dictionary_new();
    named->codes = eqp_alloc(fit->table->rows, sizeof *named->codes);
    if (named->levels == NULL || named->codes == NULL) return false;
    for (uint32_t i = 0; i < count; i++)
        if (eqp_dictionary_add(named->levels, names[i], strlen(names[i])) == EQP_NO_CODE) return false;
    for (size_t row = 0; row < fit->table->rows; row++)
        named->codes[row] = isnan(days[row])              ? EQP_NO_CODE
                            : fit->part == EQP_PART_MONTH ? (uint32_t)eqp_date_month(days[row])
                                                          : (uint32_t)eqp_date_weekday(days[row]);
    return true;
}

static eqp_status fit_part(fitting *fit, eqp_date_part part, const eqp_column *days, eqp_error *error)
{
    eqp_column named = {.missing = days->missing};
    fit->part = part;
    eqp_status status =
        name_parts(fit, days->numbers, &named) ? fit_levels(fit, &named, error) : eqp_fail_memory(error);
    fit->part = EQP_NO_PART;
    eqp_dictionary_free(named.levels);
    free(named.codes);
    eqp_feature *made = &fit->encoding->features[fit->encoding->feature_count - 1];
    if (status != EQP_OK || made->level_count > 1) return status;
    eqp_feature_clear(made); /* nothing to tell apart */
    fit->encoding->feature_count--;
    return EQP_OK;
}

/* Bins end with a month: a cut is not the day of some person. */
static eqp_status fit_month_bins(fitting *fit, const eqp_column *days, eqp_error *error)
{
    size_t rows = fit->table->rows;
    eqp_column starts = *days;
    starts.numbers = eqp_alloc(rows, sizeof *starts.numbers);
    if (starts.numbers == NULL) return eqp_fail_memory(error);
    for (size_t row = 0; row < rows; row++)
        starts.numbers[row] = isnan(days->numbers[row]) ? NAN : eqp_date_month_start(days->numbers[row]);
    eqp_status status = fit_bins(fit, &starts, error);
    free(starts.numbers);
    return status;
}

static eqp_status fit_date(fitting *fit, const eqp_date_use *use, eqp_error *error)
{
    size_t rows = fit->table->rows;
    eqp_column days = {.kind = EQP_NUMBER, .numbers = eqp_alloc(rows, sizeof *days.numbers)};
    if (days.numbers == NULL || !eqp_column_days(fit->column, rows, fit->date, days.numbers)) {
        free(days.numbers);
        return eqp_fail_memory(error);
    }
    days.missing = eqp_count_missing(days.numbers, rows);
    eqp_status status = fit_number(fit, &days, error);
    if (status == EQP_OK && fit->options->bins > 1) status = fit_month_bins(fit, &days, error);
    for (eqp_date_part part = EQP_PART_MONTH; part < EQP_DATE_PARTS && status == EQP_OK; part++)
        if (use->parts[part]) status = fit_part(fit, part, &days, error);
    free(days.numbers);
    return status;
}

/* ---- all columns ------------------------------------------------------------------------------------ */

static eqp_status fit_column(fitting *fit, size_t i, eqp_error *error)
{
    const char *name = fit->options->columns[i];
    const eqp_column *column =
        eqp_table_find(fit->table, name); /* by its name in the table, not in the file */
    eqp_status status = EQP_OK;
    if (column == NULL) status = eqp_table_require(fit->table, name, &column, error);
    if (status != EQP_OK) return status;
    fit->column = column;
    fit->date = fit->options->dates != NULL ? fit->options->dates[i].order : EQP_NO_DATE;
    if (fit->date != EQP_NO_DATE) return fit_date(fit, &fit->options->dates[i], error);
    if (column->kind == EQP_TEXT) return fit_levels(fit, column, error);
    status = fit_number(fit, column, error);
    return status != EQP_OK || fit->options->bins < 2 ? status : fit_bins(fit, column, error);
}

static eqp_status begin(fitting *fit, eqp_error *error)
{
    const char *marks = fit->table->missing_marks ? fit->table->missing_marks : "";
    eqp_encoding *encoding = fit->encoding;
    encoding->decimal = fit->table->decimal ? fit->table->decimal : '.';
    encoding->missing_marks = eqp_copy_text(marks, strlen(marks));
    encoding->features = eqp_alloc_zero(fit->options->column_count, 4 * sizeof *encoding->features);
    if (encoding->missing_marks == NULL || encoding->features == NULL) return eqp_fail_memory(error);
    if (fit->options->bins > 1) {
        fit->scratch = eqp_alloc(fit->table->rows, 2 * sizeof *fit->scratch);
        if (fit->scratch == NULL) return eqp_fail_memory(error);
    }
    for (size_t row = 0; row < fit->table->rows; row++) fit->total += weight_of(fit, row);
    return EQP_OK;
}

eqp_status eqp_encoding_fit(const eqp_table *table, const eqp_encoding_options *options,
                            eqp_encoding **encoding, eqp_error *error)
{
    *encoding = NULL;
    fitting fit = {.table = table, .options = options, .encoding = eqp_alloc_zero(1, sizeof *fit.encoding)};
    if (fit.encoding == NULL) return eqp_fail_memory(error);

    eqp_status status = begin(&fit, error);
    for (size_t i = 0; i < options->column_count && status == EQP_OK; i++)
        status = fit_column(&fit, i, error);
    if (status == EQP_OK) status = eqp_encoding_number_slots(fit.encoding, error);
    free(fit.scratch);
    if (status != EQP_OK) {
        eqp_encoding_free(fit.encoding);
        return status;
    }
    *encoding = fit.encoding;
    return EQP_OK;
}
