/* Triage of numbers: how many differ, and whether they number people instead of measuring something.
 *
 * An identifier would let a rule remember people instead of describing them.  Whole numbers are taken for one
 *
 * - when all differ although they lie so close together that chance would have repeated several,
 * - when they repeat more evenly than chance could: a register in which everybody stands twice,
 * - when the column's name says so and most values are held by one or two rows. */
#include "base/memory.h"
#include "base/order.h"
#include "triage/triage.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { FEWEST_ROWS = 20, FEWEST_FOR_EVENNESS = 200, SLOTS = 1024 };
static const double EXPECTED_REPEATS = 10;   /* by chance, before their absence says something */
static const double NEAR_KEY_SHARE = 0.3;    /* distinct values for each row that has one */
static const double EVENNESS_DEVIATIONS = 6; /* above what chance gives at most */

static uint64_t spread(uint64_t key)
{
    key ^= key >> 32;
    return key * UINT64_C(0x9E3779B97F4A7C15);
}

/* ---- few values ------------------------------------------------------------------------------------------
 */

typedef struct value_set { /* open addressing; NaN: free */
    double slots[SLOTS];
    size_t count;
} value_set;

/* False when there is no place left. */
static bool add_value(value_set *set, double value)
{
    size_t at = (size_t)(spread(eqp_number_key(value)) >> 54);
    while (!isnan(set->slots[at])) {
        if (set->slots[at] == value) return true;
        at = (at + 1) % SLOTS;
    }
    if (set->count == EQP_FEW_NUMBERS) return false;
    set->slots[at] = value;
    set->count++;
    return true;
}

size_t eqp_numbers_few(const double *numbers, size_t rows, double *values)
{
    value_set set = {.count = 0};
    for (size_t i = 0; i < SLOTS; i++) set.slots[i] = NAN;
    for (size_t row = 0; row < rows; row++)
        if (!isnan(numbers[row]) && !add_value(&set, numbers[row])) return 0;
    size_t count = 0;
    for (size_t i = 0; i < SLOTS; i++)
        if (!isnan(set.slots[i])) values[count++] = set.slots[i];
    eqp_sort_numbers(values, count);
    return count;
}

/* ---- many values -----------------------------------------------------------------------------------------
 */

/* A table of keys of twice as many places as rows; 0 is free, and no key is 0. */
static eqp_status count_many(const double *numbers, size_t rows, size_t present, size_t *distinct,
                             eqp_error *error)
{
    size_t bits = 10;
    while ((size_t)1 << bits < 2 * present) bits++;
    uint64_t *keys = eqp_alloc_zero((size_t)1 << bits, sizeof *keys);
    if (keys == NULL) return eqp_fail_memory(error);
    *distinct = 0;
    for (size_t row = 0; row < rows; row++) {
        if (isnan(numbers[row])) continue;
        uint64_t key = eqp_number_key(numbers[row]) | (uint64_t)(eqp_number_key(numbers[row]) == 0);
        size_t at = (size_t)(spread(key) >> (64 - bits));
        while (keys[at] != 0 && keys[at] != key) at = (at + 1) & (((size_t)1 << bits) - 1);
        *distinct += keys[at] == 0;
        keys[at] = key;
    }
    free(keys);
    return EQP_OK;
}

static void scan_numbers(const double *numbers, size_t rows, eqp_number_facts *facts)
{
    double low = INFINITY, high = -INFINITY;
    size_t present = 0, parts = 0;
    for (size_t row = 0; row < rows; row++) {
        double value = numbers[row];
        if (isnan(value)) continue;
        present++;
        parts += value != floor(value);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *facts = (eqp_number_facts){.present = present, .low = low, .high = high, .whole = parts == 0};
}

eqp_status eqp_numbers_describe(const double *numbers, size_t rows, eqp_number_facts *facts, eqp_error *error)
{
    scan_numbers(numbers, rows, facts);
    facts->few = facts->distinct = eqp_numbers_few(numbers, rows, facts->values);
    if (facts->few > 0 || facts->present == 0) return EQP_OK;
    return count_many(numbers, rows, facts->present, &facts->distinct, error);
}

/* ---- identifiers -----------------------------------------------------------------------------------------
 */

/* Whether one of the words of a name is among `words`; words are parted by anything but letters, or by a
 * capital after a small letter. */
static bool has_word(const char *name, const char *const *words)
{
    for (const char *at = name; *at != '\0';) {
        size_t length = 0;
        while ((at[length] | 32) >= 'a' && (at[length] | 32) <= 'z') {
            bool capital = length > 0 && at[length] < 'a' && at[length - 1] >= 'a';
            if (capital) break;
            length++;
        }
        for (size_t i = 0; words[i] != NULL; i++)
            if (length == strlen(words[i]) && strncasecmp(at, words[i], length) == 0) return true;
        at += length > 0 ? length : 1;
    }
    return false;
}

bool eqp_name_says_identifier(const char *name)
{
    static const char *const WORDS[] = {
        "id",   "ids",    "nbr",    "nr",      "no",      "num",     "number",   "nummer", "key",
        "ref",  "record", "uuid",   "guid",    "serial",  "index",   "ssn",      "mrn",    "person",
        "case", "rowid",  "docket", "account", "patient", "student", "customer", "client", NULL};
    return has_word(name, WORDS);
}

bool eqp_name_says_names(const char *name)
{
    static const char *const NAMES[] = {"surname", "lastname", "firstname", "forename",     "nachname",
                                        "vorname", "fullname", "givenname", "familienname", NULL};
    static const char *const PARTS[] = {"first", "last", "middle", "full", "given", "family", "maiden", NULL};
    static const char *const NAME[] = {"name", NULL};
    return has_word(name, NAMES) || strcasecmp(name, "name") == 0 ||
           (has_word(name, NAME) && has_word(name, PARTS));
}

bool eqp_numbers_identify(const eqp_number_facts *facts, const char *name)
{
    double n = (double)facts->present, distinct = (double)facts->distinct;
    double range = facts->high - facts->low + 1;
    if (!facts->whole || facts->present < FEWEST_ROWS) return false;
    if (facts->distinct == facts->present && n * n / 2 / range >= EXPECTED_REPEATS) return true;
    if (facts->present < FEWEST_FOR_EVENNESS || distinct < NEAR_KEY_SHARE * n) return false;
    double by_chance = range * -expm1(-n / range); /* distinct ones; any other distribution gives fewer */
    if (distinct - by_chance > EVENNESS_DEVIATIONS * sqrt(by_chance)) return true;
    return eqp_name_says_identifier(name);
}
