/* What a column holds. */
#include "table/load.h"

#include "base/number.h"

#include <math.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Saves most text the attempt to read it as a number. */
static bool may_begin_number(char c, char decimal)
{
    return is_digit(c) || c == '-' || c == '+' || c == decimal || c == ' ' || c == '\t';
}

/* A zero before another digit; signs and blanks may come first. */
static bool leads_with_zero(eqp_cell value)
{
    size_t i = 0;
    while (i < value.length && !is_digit(value.bytes[i])) i++;
    return i + 1 < value.length && value.bytes[i] == '0' && is_digit(value.bytes[i + 1]);
}

/* A whole number, written without point or exponent. */
static bool is_whole(eqp_cell value, char decimal)
{
    return memchr(value.bytes, decimal, value.length) == NULL &&
           memchr(value.bytes, 'e', value.length) == NULL && memchr(value.bytes, 'E', value.length) == NULL;
}

void eqp_survey_add(eqp_survey *survey, eqp_cell value, eqp_cell field, char decimal)
{
    double number;
    if (!may_begin_number(*value.bytes, decimal) ||
        !eqp_number_parse(value.bytes, value.length, decimal, &number)) {
        if (survey->others++ == 0) survey->first_other = field;
        return;
    }
    survey->numbers++;
    if (leads_with_zero(value)) survey->zero_led = true;
    if (fabs(number) >= 0x1p53 && is_whole(value, decimal)) survey->beyond_double = true;
}

void eqp_survey_merge(eqp_survey *survey, const eqp_survey *later, size_t chunk)
{
    if (survey->others == 0 && later->others > 0) {
        survey->first_other = later->first_other;
        survey->other_chunk = chunk;
    }
    survey->numbers += later->numbers;
    survey->others += later->others;
    survey->unseen += later->unseen;
    survey->zero_led |= later->zero_led;
    survey->beyond_double |= later->beyond_double;
}

static bool are_most(uint64_t numbers, uint64_t others)
{
    bool one_of_few = others == 1 && numbers >= 8; /* the header of a second table, say */
    return one_of_few || (double)numbers / (double)(numbers + others) >= EQP_MOSTLY_NUMBERS;
}

bool eqp_survey_settles(const eqp_survey *survey)
{
    return survey->unseen == 0 || !are_most(survey->numbers + survey->unseen, survey->others);
}

eqp_verdict eqp_survey_decide(const eqp_survey *survey)
{
    if (survey->zero_led || survey->beyond_double) return EQP_VERDICT_TEXT;
    if (survey->others == 0) return EQP_VERDICT_NUMBER;
    return are_most(survey->numbers, survey->others) ? EQP_VERDICT_MISTAKE : EQP_VERDICT_TEXT;
}
