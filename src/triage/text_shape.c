/* Triage of texts: what one cell looks like. */
#include "base/number.h"
#include "base/truth.h"
#include "triage/triage.h"

#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of other alphabets count as letters. */
static bool is_letter(char c)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_mail(const char *text, size_t length)
{
    const char *at = memchr(text, '@', length);
    if (at == NULL || at == text || memchr(text, ' ', length) != NULL) return false;
    size_t behind = length - (size_t)(at - text) - 1;
    const char *point = memchr(at + 1, '.', behind);
    return point != NULL && point > at + 1 && point < text + length - 1;
}

/* 7 to 15 digits with marks between them; without any mark it is a number, whatever it numbers. */
static bool is_phone(const char *text, size_t length)
{
    size_t digits = 0, marks = 0;
    for (size_t i = 0; i < length; i++) {
        if (is_digit(text[i]))
            digits++;
        else if (strchr("+()-/. ", text[i]) != NULL)
            marks++;
        else
            return false;
    }
    return digits >= 7 && digits <= 15 && marks > 0;
}

/* Digits in groups of three parted by `mark`, then perhaps a decimal sign and digits. */
static bool is_grouped(const char *text, size_t length, char mark, char decimal)
{
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+'), group = 0, groups = 0;
    for (; at < length && (is_digit(text[at]) || text[at] == mark); at++) {
        if (is_digit(text[at])) {
            group++;
            continue;
        }
        if (group == 0 || group > 3 || (groups > 0 && group != 3)) return false;
        groups++;
        group = 0;
    }
    if (groups == 0 || group != 3) return false;
    if (at == length) return true;
    if (text[at++] != decimal || at == length) return false;
    while (at < length && is_digit(text[at])) at++;
    return at == length;
}

static bool is_comma_number(const char *text, size_t length)
{
    double number;
    return eqp_number_parse(text, length, ',', &number) || eqp_number_parse(text, length, '.', &number) ||
           is_grouped(text, length, '.', ',') || is_grouped(text, length, ',', '.') ||
           is_grouped(text, length, '\'', '.') || is_grouped(text, length, ' ', ',');
}

static unsigned date_shapes(const char *text, size_t length)
{
    eqp_date_parts parts;
    unsigned shapes = 0;
    if (!is_digit(text[0]) || !eqp_date_read(text, length, &parts)) return 0;
    if (eqp_date_fits(&parts, EQP_YEAR_FIRST)) shapes |= EQP_SHAPE_YEAR_FIRST;
    if (eqp_date_fits(&parts, EQP_DAY_FIRST)) shapes |= EQP_SHAPE_DAY_FIRST;
    if (eqp_date_fits(&parts, EQP_MONTH_FIRST)) shapes |= EQP_SHAPE_MONTH_FIRST;
    if (shapes != 0 && parts.has_time) shapes |= EQP_SHAPE_TIME;
    return shapes;
}

static bool is_letters(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_letter(text[i]) && strchr(" -'.,", text[i]) == NULL) return false;
    return true;
}

unsigned eqp_text_shapes(const char *text, size_t length, size_t *words)
{
    *words = 1;
    for (size_t i = 1; i < length; i++) *words += text[i] != ' ' && text[i - 1] == ' ';
    if (length == 0) return 0;
    unsigned shapes = date_shapes(text, length);
    if (is_mail(text, length)) shapes |= EQP_SHAPE_MAIL;
    if (shapes == 0 && is_phone(text, length)) shapes |= EQP_SHAPE_PHONE;
    if (shapes == 0 && is_comma_number(text, length)) shapes |= EQP_SHAPE_COMMA_NUMBER;
    if (eqp_truth(text, length) >= 0) shapes |= EQP_SHAPE_TRUTH;
    if (is_letters(text, length)) shapes |= EQP_SHAPE_LETTERS;
    return shapes;
}

const char *eqp_text_unit(const char *text, size_t length)
{
    double number;
    size_t at = 0, digits;
    while (at < length && (is_digit(text[at]) || strchr("+-.,", text[at]) != NULL)) at++;
    digits = at;
    if (!eqp_number_parse(text, digits, '.', &number) && !is_comma_number(text, digits)) return NULL;
    while (at < length && text[at] == ' ') at++;
    if (at == length || !(is_letter(text[at]) || strchr("%$", text[at]) != NULL)) return NULL;
    for (size_t i = at; i < length; i++)
        if (is_digit(text[i])) return NULL; /* a code, such as 0042CF10A */
    return text + at;
}
