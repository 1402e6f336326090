/* Marks, row sums and fingerprints. */
#include "encode/fingerprint.h"

#include "draw/digest.h"

#include <math.h>
#include <nettle/pbkdf2.h>
#include <stdio.h>
#include <string.h>

#define STRETCHING 65536 /* rounds of HMAC: some ten milliseconds */

/* ---- marks --------------------------------------------------------------------------------------------- */

/* The finaliser of splitmix64: every bit of the result depends on every bit of the value. */
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static void add_cell(eqp_row_mark *mark, uint64_t cell)
{
    mark->low += mix(cell);
    mark->high += mix(cell ^ UINT64_C(0xD1B54A32D192ED03));
}

static uint64_t number_bits(double value)
{
    uint64_t bits;
    if (isnan(value)) return 1; /* missing; no number has these bits but a denormal */
    if (value == 0) value = 0;  /* -0.0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Texts by the first 64 bits of their digest, once per level. */
static uint64_t *level_bits(const eqp_column *column)
{
    uint32_t count = eqp_dictionary_size(column->levels);
    uint64_t *bits = eqp_alloc((size_t)count + 1, sizeof *bits);
    for (uint32_t code = 0; bits != NULL && code < count; code++) {
        uint8_t raw[SHA256_DIGEST_SIZE];
        struct sha256_ctx state;
        sha256_init(&state);
        sha256_update(&state, eqp_dictionary_length(column->levels, code),
                      (const uint8_t *)eqp_dictionary_text(column->levels, code));
        sha256_digest(&state, sizeof raw, raw);
        memcpy(&bits[code], raw, sizeof *bits);
    }
    return bits;
}

static bool mark_column(const eqp_column *column, size_t rows, eqp_row_mark *marks)
{
    if (column->kind == EQP_NUMBER) {
        for (size_t row = 0; row < rows; row++) add_cell(&marks[row], number_bits(column->numbers[row]));
        return true;
    }
    uint64_t *bits = level_bits(column);
    if (bits == NULL) return false;
    for (size_t row = 0; row < rows; row++) {
        uint32_t code = column->codes[row];
        add_cell(&marks[row], code == EQP_NO_CODE ? 1 : bits[code]);
    }
    free(bits);
    return true;
}

static bool is_named(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static bool mark_features(const eqp_table *table, const eqp_encoding *encoding, eqp_row_mark *marks)
{
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_column *column = eqp_table_find(table, encoding->features[f].name);
        if (column == NULL || eqp_feature_repeats(encoding, f)) continue;
        if (!mark_column(column, table->rows, marks)) return false;
    }
    return true;
}

static bool mark_all(const eqp_table *table, const char *const *except, size_t count, eqp_row_mark *marks)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (!is_named(table->columns[c].name, except, count) &&
            !mark_column(&table->columns[c], table->rows, marks))
            return false;
    return true;
}

eqp_status eqp_marks_new(const eqp_table *table, const eqp_encoding *encoding, const char *const *except,
                         size_t except_count, eqp_row_mark **marks, eqp_error *error)
{
    eqp_row_mark *made = eqp_alloc_zero(table->rows, sizeof *made);
    bool complete = made != NULL && (encoding != NULL ? mark_features(table, encoding, made)
                                                      : mark_all(table, except, except_count, made));
    *marks = complete ? made : NULL;
    if (!complete) free(made);
    return complete ? EQP_OK : eqp_fail_memory(error);
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

void eqp_row_sum_add(eqp_row_sum *sum, eqp_row_mark mark)
{
    uint8_t raw[SHA256_DIGEST_SIZE];
    struct sha256_ctx state;
    sha256_init(&state);
    sha256_update(&state, strlen("equipoise row"), (const uint8_t *)"equipoise row");
    sha256_update(&state, sizeof mark, (const uint8_t *)&mark);
    sha256_digest(&state, sizeof raw, raw);
    uint64_t carry = 0;
    for (size_t w = 0; w < 4; w++) {
        uint64_t word;
        memcpy(&word, raw + 8 * w, sizeof word);
        uint64_t with_carry = sum->words[w] + carry;
        carry = with_carry < carry;
        sum->words[w] = with_carry + word;
        carry += sum->words[w] < word;
    }
    sum->rows++;
}

eqp_row_sum eqp_row_sum_of(const eqp_row_mark *marks, const size_t *rows, size_t count)
{
    eqp_row_sum sum = {.rows = 0};
    for (size_t i = 0; i < count; i++) eqp_row_sum_add(&sum, marks[rows != NULL ? rows[i] : i]);
    return sum;
}

void eqp_fingerprint(const eqp_row_sum *sum, const char *salt, char hex[65])
{
    uint8_t raw[SHA256_DIGEST_SIZE];
    pbkdf2_hmac_sha256(sizeof *sum, (const uint8_t *)sum, STRETCHING, strlen(salt), (const uint8_t *)salt,
                       sizeof raw, raw);
    eqp_hex_print(raw, sizeof raw, hex);
    hex[64] = '\0';
}

/* ---- of a rule's training rows ------------------------------------------------------------------------- */

static void training_salt(const eqp_encoding *encoding, uint64_t seed, char salt[65])
{
    eqp_digest digest;
    char text[64];
    int length = snprintf(text, sizeof text, "equipoise training rows %llu", (unsigned long long)seed);
    eqp_digest_begin(&digest);
    eqp_digest_add(&digest, text, (size_t)length + 1);
    for (size_t f = 0; f < encoding->feature_count; f++)
        eqp_digest_add(&digest, encoding->features[f].name, strlen(encoding->features[f].name) + 1);
    eqp_digest_end(&digest, salt);
}

eqp_status eqp_training_fingerprint(const eqp_table *table, const eqp_encoding *encoding, const size_t *rows,
                                    size_t count, uint64_t seed, char hex[65], eqp_error *error)
{
    char salt[65];
    eqp_row_mark *marks;
    eqp_status status = eqp_marks_new(table, encoding, NULL, 0, &marks, error);
    if (status != EQP_OK) return status;
    training_salt(encoding, seed, salt);
    eqp_row_sum sum = eqp_row_sum_of(marks, rows, count);
    eqp_fingerprint(&sum, salt, hex);
    free(marks);
    return EQP_OK;
}

eqp_status eqp_rounding_key(const eqp_table *table, const char *const *sensitive, size_t sensitive_count,
                            uint64_t *key, eqp_error *error)
{
    eqp_row_mark *marks = NULL;
    eqp_status status = eqp_marks_new(table, NULL, sensitive, sensitive_count, &marks, error);
    if (status != EQP_OK) return status;
    *key = eqp_row_sum_of(marks, NULL, table->rows).words[0];
    free(marks);
    return EQP_OK;
}
