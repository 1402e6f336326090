/* Triage: the kind of one column, over all of its rows. */
#include "base/memory.h"
#include "base/number.h"
#include "triage/triage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEWEST_ROWS = 20, FEWEST_LEVELS = 20, SHAPES = 9, EXAMPLES = 3 };
static const double NEARLY_ALL = 0.95;    /* of the rows, to give a column its kind */
static const double DISTINCT_SHARE = 0.9; /* of the rows: each has a value of its own */
static const double NEAR_KEY_SHARE = 0.3; /* distinct values for each row, where most are scarce */
static const double FREE_TEXT_WORDS = 3, FREE_TEXT_BYTES = 30; /* on average */
/* Seconds since 1970 for the years 1990 to 2099. */
static const double FIRST_EPOCH = 631152000, LAST_EPOCH = 4102444800;

eqp_date_order eqp_finding_date(const eqp_column_finding *finding)
{
    bool date = finding->kind == EQP_COLUMN_DATE || finding->kind == EQP_COLUMN_TIME;
    return date && finding->column->kind == EQP_TEXT && !finding->open_order ? finding->order : EQP_NO_DATE;
}

eqp_date_use eqp_finding_date_use(const eqp_column_finding *finding)
{
    eqp_date_use use = {.order = eqp_finding_date(finding)};
    for (size_t part = 0; part < EQP_DATE_PARTS; part++) use.parts[part] = finding->helps[part];
    return use;
}

const char *eqp_column_kind_name(eqp_column_kind kind)
{
    static const char *const NAMES[] = {
        "number",         "truth value",   "date",       "time",     "levels", "free text", "names",
        "mail addresses", "phone numbers", "identifier", "constant", "empty",  "mixed"};
    return NAMES[kind];
}

/* ---- numbers ---------------------------------------------------------------------------------------------
 */

static bool is_epoch(const eqp_number_facts *facts)
{
    return facts->whole && facts->present >= FEWEST_ROWS && facts->low >= FIRST_EPOCH &&
           facts->high <= LAST_EPOCH && facts->high - facts->low >= 86400;
}

static void show_numbers(const eqp_column *column, size_t rows, const eqp_number_facts *facts, char *examples,
                         size_t size)
{
    size_t shown = 0, length = 0;
    for (size_t v = 0; v < facts->few && facts->few <= FEWEST_LEVELS && shown < EXAMPLES; v++) {
        size_t count = 0;
        for (size_t row = 0; row < rows; row++) count += column->numbers[row] == facts->values[v];
        if (count < EQP_FEWEST_PEOPLE) continue;
        char text[32];
        eqp_number_print(facts->values[v], text);
        length += (size_t)snprintf(examples + length, size - length, "%s%s", shown > 0 ? ", " : "", text);
        shown++;
    }
}

static eqp_status describe_numbers(const eqp_column *column, size_t rows, eqp_column_finding *finding,
                                   eqp_error *error)
{
    eqp_number_facts facts;
    eqp_status status = eqp_numbers_describe(column->numbers, rows, &facts, error);
    if (status != EQP_OK) return status;
    finding->missing = rows - facts.present;
    finding->distinct = facts.distinct;
    bool truth = facts.few == 2 && facts.values[0] == 0 && facts.values[1] == 1;
    finding->kind = facts.present == 0                             ? EQP_COLUMN_EMPTY
                    : facts.distinct == 1 && finding->missing == 0 ? EQP_COLUMN_CONSTANT
                    : truth                                        ? EQP_COLUMN_TRUTH
                    : is_epoch(&facts)                             ? EQP_COLUMN_TIME
                    : eqp_numbers_identify(&facts, column->name)   ? EQP_COLUMN_IDENTIFIER
                                                                   : EQP_COLUMN_NUMBER;
    if (finding->kind != EQP_COLUMN_IDENTIFIER)
        show_numbers(column, rows, &facts, finding->examples, sizeof finding->examples);
    return EQP_OK;
}

/* ---- texts -----------------------------------------------------------------------------------------------
 */

typedef struct text_facts {
    size_t present, distinct, scarce;
    size_t shaped[SHAPES]; /* rows of each shape */
    double words, bytes;   /* of all rows */
} text_facts;

static void add_level(text_facts *facts, const eqp_dictionary *levels, uint32_t level, size_t rows)
{
    size_t words, length = eqp_dictionary_length(levels, level);
    unsigned shapes = eqp_text_shapes(eqp_dictionary_text(levels, level), length, &words);
    for (size_t s = 0; s < SHAPES; s++) facts->shaped[s] += shapes >> s & 1 ? rows : 0;
    facts->distinct++;
    facts->present += rows;
    facts->words += (double)(words * rows);
    facts->bytes += (double)(length * rows);
    if (rows < EQP_FEWEST_PEOPLE) facts->scarce += rows;
}

static size_t shaped(const text_facts *facts, eqp_text_shape shape)
{
    return facts->shaped[__builtin_ctz(shape)];
}

static bool mostly(const text_facts *facts, size_t rows)
{
    return (double)rows >= NEARLY_ALL * (double)facts->present;
}

/* Day-first and month-first are told apart by the cells that only one of them can read. */
static bool is_date(const text_facts *facts, eqp_column_finding *finding)
{
    size_t year = shaped(facts, EQP_SHAPE_YEAR_FIRST), day = shaped(facts, EQP_SHAPE_DAY_FIRST),
           month = shaped(facts, EQP_SHAPE_MONTH_FIRST);
    finding->order = year + day + month == 0        ? EQP_NO_DATE
                     : year >= day && year >= month ? EQP_YEAR_FIRST
                     : month > day                  ? EQP_MONTH_FIRST
                                                    : EQP_DAY_FIRST;
    finding->open_order = finding->order == EQP_DAY_FIRST && day == month;
    size_t best = year > day ? year : day;
    return finding->order != EQP_NO_DATE && mostly(facts, best > month ? best : month);
}

/* Values that hardly anybody shares. */
static eqp_column_kind kind_of_scarce(const text_facts *facts, const char *name)
{
    double present = (double)facts->present;
    if (facts->words >= FREE_TEXT_WORDS * present || facts->bytes >= FREE_TEXT_BYTES * present)
        return EQP_COLUMN_TEXT;
    bool letters = mostly(facts, shaped(facts, EQP_SHAPE_LETTERS));
    return letters && !eqp_name_says_identifier(name) ? EQP_COLUMN_NAMES : EQP_COLUMN_IDENTIFIER;
}

static eqp_column_kind kind_of_texts(const text_facts *facts, const eqp_column *column,
                                     eqp_column_finding *finding)
{
    double present = (double)facts->present, distinct = (double)facts->distinct;
    bool date = is_date(facts, finding); /* its order, also where the user says that they are dates */
    if (facts->present == 0) return EQP_COLUMN_EMPTY;
    if (facts->distinct == 1 && finding->missing == 0) return EQP_COLUMN_CONSTANT;
    if (column->odd_cells > 0) return EQP_COLUMN_MIXED;
    if (facts->distinct == 2 && shaped(facts, EQP_SHAPE_TRUTH) == facts->present) return EQP_COLUMN_TRUTH;
    if (date) return mostly(facts, shaped(facts, EQP_SHAPE_TIME)) ? EQP_COLUMN_TIME : EQP_COLUMN_DATE;
    bool numbers = shaped(facts, EQP_SHAPE_COMMA_NUMBER) == facts->present;
    if (numbers && finding->commas) return EQP_COLUMN_NUMBER;
    if (facts->distinct >= FEWEST_LEVELS) {
        if (mostly(facts, shaped(facts, EQP_SHAPE_MAIL))) return EQP_COLUMN_MAIL;
        if (mostly(facts, shaped(facts, EQP_SHAPE_PHONE))) return EQP_COLUMN_PHONE;
        if (eqp_name_says_names(column->name)) return EQP_COLUMN_NAMES;
    }
    bool each_its_own = facts->present >= FEWEST_ROWS && distinct > DISTINCT_SHARE * present;
    bool near_key = finding->scarce && distinct > NEAR_KEY_SHARE * present;
    return each_its_own || near_key ? kind_of_scarce(facts, column->name) : EQP_COLUMN_LEVELS;
}

/* The most frequent values that enough people hold. */
static void show_levels(const eqp_column *column, const size_t *rows, char *examples, size_t size)
{
    uint32_t shown[EXAMPLES], count = 0;
    for (; count < EXAMPLES; count++) {
        uint32_t best = EQP_NO_CODE;
        for (uint32_t level = 0; level < eqp_dictionary_size(column->levels); level++) {
            bool taken = false;
            for (uint32_t i = 0; i < count; i++) taken = taken || shown[i] == level;
            if (taken || rows[level] < EQP_FEWEST_PEOPLE) continue;
            if (best == EQP_NO_CODE || rows[level] > rows[best]) best = level;
        }
        if (best == EQP_NO_CODE) break;
        shown[count] = best;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(examples), left = size - length;
        const char *text = eqp_dictionary_text(column->levels, shown[i]);
        if (strlen(text) + 3 > left) return; /* whole values or none: a cut one could end within a letter */
        snprintf(examples + length, left, "%s%s", i > 0 ? ", " : "", text);
    }
}

/* Whether some level needs a comma as its point, or has thousands marks: else plain numbers are text because
 * somebody asked for it, or because of leading zeros. */
static bool needs_commas(const eqp_column *column, const size_t *rows)
{
    for (uint32_t level = 0; level < eqp_dictionary_size(column->levels); level++) {
        double number;
        if (rows[level] > 0 && !eqp_number_parse(eqp_dictionary_text(column->levels, level),
                                                 eqp_dictionary_length(column->levels, level), '.', &number))
            return true;
    }
    return false;
}

/* Many numbers, all with the same unit: "58 kg".  A few such values are levels as good as others. */
static bool have_units(const eqp_column *column, const size_t *rows, size_t distinct)
{
    const char *first = NULL;
    for (uint32_t level = 0; distinct >= FEWEST_LEVELS && level < eqp_dictionary_size(column->levels);
         level++) {
        if (rows[level] == 0) continue;
        const char *unit = eqp_text_unit(eqp_dictionary_text(column->levels, level),
                                         eqp_dictionary_length(column->levels, level));
        if (unit == NULL || (first != NULL && strcmp(unit, first) != 0)) return false;
        first = unit;
    }
    return first != NULL;
}

static eqp_status describe_texts(const eqp_column *column, size_t rows, eqp_column_finding *finding,
                                 eqp_error *error)
{
    text_facts facts = {0};
    uint32_t levels = eqp_dictionary_size(column->levels);
    size_t *count = eqp_alloc_zero(levels, sizeof *count);
    if (count == NULL) return eqp_fail_memory(error);
    for (size_t row = 0; row < rows; row++)
        if (column->codes[row] != EQP_NO_CODE) count[column->codes[row]]++;
    for (uint32_t level = 0; level < levels; level++)
        if (count[level] > 0) add_level(&facts, column->levels, level, count[level]);
    finding->missing = rows - facts.present;
    finding->distinct = facts.distinct;
    finding->scarce = facts.distinct >= FEWEST_LEVELS && 2 * facts.scarce > facts.present;
    finding->commas = shaped(&facts, EQP_SHAPE_COMMA_NUMBER) == facts.present && needs_commas(column, count);
    finding->units = have_units(column, count, facts.distinct);
    finding->kind = finding->units ? EQP_COLUMN_NUMBER : kind_of_texts(&facts, column, finding);
    show_levels(column, count, finding->examples, sizeof finding->examples);
    free(count);
    return EQP_OK;
}

eqp_status eqp_column_describe(const eqp_column *column, size_t rows, eqp_column_finding *finding,
                               eqp_error *error)
{
    *finding =
        (eqp_column_finding){.column = column, .disclosure = NAN, .determination = NAN, .partner = SIZE_MAX};
    return column->kind == EQP_NUMBER ? describe_numbers(column, rows, finding, error)
                                      : describe_texts(column, rows, finding, error);
}
