/* Columns of dates -> days, and the months and weekdays of days. */
#include "encode/encoding.h"

#include <math.h>
#include <string.h>

const char *const *eqp_part_names(eqp_date_part part, uint32_t *count)
{
    *count = part == EQP_PART_MONTH ? EQP_MONTHS : EQP_WEEKDAYS;
    return part == EQP_PART_MONTH ? eqp_month_names : eqp_weekday_names;
}

void eqp_feature_part_codes(const eqp_feature *feature, uint32_t codes[EQP_MOST_PARTS])
{
    uint32_t count;
    const char *const *names = eqp_part_names(feature->part, &count);
    for (uint32_t i = 0; i < count; i++) codes[i] = eqp_feature_level(feature, names[i], strlen(names[i]));
}

uint32_t eqp_feature_part(const eqp_feature *feature, const uint32_t codes[EQP_MOST_PARTS], double days)
{
    if (isnan(days)) return EQP_MISSING(feature);
    return codes[feature->part == EQP_PART_MONTH ? eqp_date_month(days) : eqp_date_weekday(days)];
}

/* Every distinct text is read once. */
bool eqp_column_days(const eqp_column *column, size_t rows, eqp_date_order order, double *days)
{
    uint32_t count = eqp_dictionary_size(column->levels);
    double *of_text = eqp_alloc(count, sizeof *of_text);
    if (of_text == NULL) return false;
    for (uint32_t code = 0; code < count; code++)
        of_text[code] = eqp_date_days(eqp_dictionary_text(column->levels, code),
                                      eqp_dictionary_length(column->levels, code), order);
    for (size_t row = 0; row < rows; row++)
        days[row] = column->codes[row] == EQP_NO_CODE ? NAN : of_text[column->codes[row]];
    free(of_text);
    return true;
}
