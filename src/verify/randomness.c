/* Public randomness in one form: who draws and who checks must not be able to choose how it is spelled. */
#include "base/memory.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

#define MOST_NUMBERS 256
#define MOST_DIGITS  18 /* of one number */
#define MOST_BYTES   4096

typedef struct randomness_form {
    bool hex;
    unsigned long count; /* of numbers or digits; 0: not stated */
} randomness_form;

static bool parse_form(const char *text, randomness_form *form)
{
    const char *rest = text;
    int used = 0;
    *form = (randomness_form){0};
    if (strncmp(text, "numbers", 7) == 0) rest = text + 7;
    if (strncmp(text, "hex", 3) == 0) rest = text + 3;
    form->hex = text[0] == 'h';
    if (rest == text) return false;
    if (*rest == '\0') return true;
    return rest[1] >= '1' && rest[1] <= '9' && sscanf(rest, ":%4lu%n", &form->count, &used) == 1 &&
           rest[used] == '\0' && form->count > 0;
}

eqp_status eqp_randomness_check_form(const char *form, eqp_error *error)
{
    randomness_form parsed;
    if (parse_form(form, &parsed)) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "\"%s\" is not a form of randomness", form);
    eqp_hint(error, "choose numbers, numbers:6 (six of them), hex, or hex:128 (128 digits)");
    return EQP_USAGE;
}

/* Blanks and punctuation, which mean nothing; letters and other bytes are refused. */
static bool separates(char byte)
{
    return byte > 0 && strchr(" \t\n\r,;:.-/+|", byte) != NULL;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static const char *take_numbers(const char *value, uint64_t *numbers, size_t *count)
{
    *count = 0;
    while (*value != '\0') {
        size_t length = strspn(value, "0123456789");
        if (length == 0 && !separates(*value)) return "it holds more than numbers";
        if (length > MOST_DIGITS) return "a number is too long";
        if (length > 0 && *count == MOST_NUMBERS) return "it holds too many numbers";
        if (length > 0) {
            uint64_t number = 0;
            for (size_t i = 0; i < length; i++) number = 10 * number + (uint64_t)(value[i] - '0');
            numbers[(*count)++] = number;
        }
        value += length > 0 ? length : 1;
    }
    return NULL;
}

static const char *write_numbers(const randomness_form *form, const char *value, eqp_buffer *text)
{
    uint64_t numbers[MOST_NUMBERS];
    size_t count;
    const char *wrong = take_numbers(value, numbers, &count);
    if (wrong != NULL) return wrong;
    if (count == 0) return "it holds no number";
    if (form->count > 0 && count != form->count) return "it does not hold as many numbers as were announced";
    qsort(numbers, count, sizeof *numbers, compare);
    for (size_t i = 0; i < count; i++)
        eqp_buffer_printf(text, "%s%llu", i > 0 ? " " : "", (unsigned long long)numbers[i]);
    return NULL;
}

static const char *write_hex(const randomness_form *form, const char *value, eqp_buffer *text)
{
    if (value[0] == '0' && (value[1] == 'x' || value[1] == 'X')) value += 2;
    for (; *value != '\0'; value++) {
        char byte = *value >= 'A' && *value <= 'F' ? (char)(*value + 'a' - 'A') : *value;
        if (is_digit(byte) || (byte >= 'a' && byte <= 'f'))
            eqp_buffer_add(text, &byte, 1);
        else if (!separates(byte))
            return "it holds more than hexadecimal digits";
    }
    if (text->length == 0) return "it holds no digit";
    return form->count > 0 && text->length != form->count
               ? "it does not hold as many digits as were announced"
               : NULL;
}

eqp_status eqp_randomness_canonical(const char *form, const char *value, char **canonical, eqp_error *error)
{
    randomness_form parsed;
    eqp_buffer text = {0};
    *canonical = NULL;
    eqp_status status = eqp_randomness_check_form(form, error);
    if (status != EQP_OK) return status;
    parse_form(form, &parsed);
    const char *wrong = strlen(value) > MOST_BYTES ? "it is too long"
                        : parsed.hex               ? write_hex(&parsed, value, &text)
                                                   : write_numbers(&parsed, value, &text);
    if (wrong == NULL) return eqp_buffer_take(&text, canonical, error);
    eqp_buffer_free(&text);
    eqp_fail(error, EQP_USAGE, "\"%.80s\" is not the announced randomness: %s", value, wrong);
    eqp_hint(error, "the commitment says that its form is %s", form);
    return EQP_USAGE;
}

eqp_status eqp_moment_parse(const char *text, char moment[32], eqp_error *error)
{
    unsigned year, month, day, hour = 0, minute = 0, second = 0;
    int date = 0, clock = 0;
    bool read = sscanf(text, "%4u-%2u-%2u%n", &year, &month, &day, &date) == 3 && date == 10;
    if (read && text[date] != '\0')
        read = (sscanf(text + date, "T%2u:%2u:%2uZ%n", &hour, &minute, &second, &clock) == 3 && clock == 10 &&
                text[date + clock] == '\0') ||
               (sscanf(text + date, "T%2u:%2uZ%n", &hour, &minute, &clock) == 2 && clock == 7 &&
                text[date + clock] == '\0');
    read = read && year >= 2000 && month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 &&
           minute < 60 && second < 60;
    if (!read) {
        eqp_fail(error, EQP_USAGE, "\"%s\" is not a date and time", text);
        eqp_hint(error, "write it like 2026-05-01T20:00Z, in UTC");
        return EQP_USAGE;
    }
    snprintf(moment, 32, "%04u-%02u-%02uT%02u:%02u:%02uZ", year % 10000, month, day, hour, minute, second);
    return EQP_OK;
}
