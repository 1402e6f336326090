/* Numbers and text: correct rounding against the C library, refusal of what is not a number, round trips. */
#include "base/number.h"
#include "base/random.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool parse(const char *text, double *value)
{
    return eqp_number_parse(text, strlen(text), '.', value);
}

static void plain_numbers_have_their_value(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"39", 39},
        {"-7.25", -7.25},
        {"+3", 3},
        {".5", 0.5},
        {"5.", 5},
        {" 12 ", 12},
        {"\t1e3", 1000},
        {"1E-2", 0.01},
        {"007", 7},
        {"1e+05", 1e5},
        {"0e99", 0},
        {"1.5e+003", 1500},
        {"0.1", 0.1},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"4.35", 4.35},
        {"9007199254740993", 9007199254740992.0},
        {"1e-99", 1e-99},
        {"1234567890123456789012345678901234567890e99", 1.23456789012345678901234567890123456789e138},
        {".0000000000000000000000000000000000000001e-99", 1e-139}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = NAN;
        assert_true(parse(cases[i].text, &value));
        assert_true(value == cases[i].value);
    }
}

static void negative_zero_becomes_zero(void **state)
{
    (void)state;
    double value;
    assert_true(parse("-0.0", &value));
    assert_false(signbit(value));
}

static void other_text_is_no_number(void **state)
{
    (void)state;
    static const char *const cases[] = {"",
                                        " ",
                                        "nan",
                                        "NaN",
                                        "inf",
                                        "-inf",
                                        "infinity",
                                        "1e999",
                                        "1e100",
                                        "1e-100",
                                        "0e100",
                                        "1e0001",
                                        "12345678901234567890123456789012345678901",
                                        ".00000000000000000000000000000000000000001",
                                        "1e99999999999999999999",
                                        "12\n",
                                        "\r12",
                                        "10e",
                                        "7e-",
                                        "0x1p3",
                                        "1,5",
                                        "1.2.3",
                                        "--1",
                                        "1e",
                                        "1e+",
                                        "e5",
                                        ".",
                                        "-",
                                        "+.e1",
                                        "1 2",
                                        "12a",
                                        "1_0",
                                        ("\xc2\xa0"
                                         "1"),
                                        "1d5",
                                        "1e5.0",
                                        "1f"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        if (parse(cases[i], &value)) fail_msg("\"%s\" was taken for a number", cases[i]);
    }
    double value;
    assert_false(eqp_number_parse("1\0", 2, '.', &value));
}

/* Exponents that no integer holds: nothing times them is nothing, and one over them is too. */
static void exponents_without_bounds(void **state)
{
    (void)state;
    static const char *const zeros[] = {"0e99999999999999999999", "1e-99999999999999999999", "123e-100400",
                                        "0.00e-99999999999"};
    double value;
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        assert_true(eqp_number_read_back(zeros[i], strlen(zeros[i]), &value) && value == 0);
    assert_false(eqp_number_read_back("123456e100400", 13, &value));
}

static void decimal_comma_is_an_option(void **state)
{
    (void)state;
    double value;
    assert_true(eqp_number_parse("12,5", 4, ',', &value));
    assert_true(value == 12.5);
    assert_false(eqp_number_parse("12.5", 4, ',', &value));
}

/* Random digit strings of every length, with a point anywhere and any exponent, against the C library. */
static void random_decimals_round_as_the_c_library_does(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(1, 0);
    for (int trial = 0; trial < 200000; trial++) {
        char text[80];
        size_t digits = 1 + eqp_random_below(&random, 25), point = eqp_random_below(&random, 30), length = 0;
        for (size_t i = 0; i < digits; i++) {
            if (i == point) text[length++] = '.';
            text[length++] = (char)('0' + eqp_random_below(&random, 10));
        }
        int exponent = (int)eqp_random_below(&random, 60) - 30;
        if (trial % 10 == 0) exponent *= 12;
        snprintf(text + length, sizeof text - length, "e%d", exponent);
        double expected = strtod(text, NULL), value = 0;
        assert_int_equal(eqp_number_read_back(text, strlen(text), &value), isfinite(expected));
        if (isfinite(expected)) assert_true(value == expected);
        assert_int_equal(parse(text, &value), abs(exponent) <= 99);
        if (abs(exponent) <= 99) assert_true(value == expected);
    }
}

/* 1 + 2^-53 lies half-way between two doubles; one more digit far behind decides. */
static void digits_far_behind_decide_a_tie(void **state)
{
    (void)state;
    const char *half = "1.00000000000000011102230246251565404236316680908203125";
    size_t length = strlen(half), padding = 5000;
    char *text = malloc(length + padding + 2);
    assert_non_null(text);
    memcpy(text, half, length);
    memset(text + length, '0', padding);
    double value;
    assert_true(eqp_number_read_back(text, length + padding, &value));
    assert_true(value == 1.0);
    text[length + padding] = '1';
    assert_true(eqp_number_read_back(text, length + padding + 1, &value));
    assert_true(value == 1.0 + 0x1p-52);
    free(text);
}

static double random_double(eqp_random *random)
{
    for (;;) {
        uint64_t bits = eqp_random_bits(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value) && value != 0) return value;
    }
}

static void printing_reads_back_exactly(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(2, 0);
    for (int trial = 0; trial < 50000; trial++) {
        char text[32];
        double value = random_double(&random), again;
        if (trial % 3 == 0) value = round(eqp_random_normal(&random) * 1e6) / 1e3;
        size_t length = eqp_number_print(value, text);
        assert_int_equal(length, strlen(text));
        assert_true(eqp_number_read_back(text, length, &again) && again == value);
    }
}

static void printing_is_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-3, "-3"},
                 {0.1, "0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {1e300, "1e+300"},
                 {123456, "123456"},
                 {5e-324, "5e-324"},
                 {-0.0, "-0"},
                 {0.1 + 0.2, "0.30000000000000004"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        eqp_number_print(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

/* What printing means, by the C library alone. */
static void print_by_trial(double value, char text[40])
{
    for (int precision = fabs(value) < 0x1p-1022 ? 1 : 15; precision <= 17; precision++) {
        snprintf(text, 40, "%.*g", precision, value);
        if (strtod(text, NULL) == value) return;
    }
}

static void assert_printed_as_by_trial(double value)
{
    char text[32], expected[40];
    print_by_trial(value, expected);
    bool whole = fabs(value) < 1e15 && value == trunc(value);
    if (whole) snprintf(expected, sizeof expected, "%.0f", value);
    eqp_number_print(value, text);
    assert_string_equal(text, expected);
}

/* Where integers print and where the C library does, of few digits and of many, at powers of two and of ten
 * and beside them, and half-way between decimals. */
static void printing_is_that_of_the_c_library(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    for (int power = -1080; power <= 1020; power++) assert_printed_as_by_trial(ldexp(1, power));
    for (int power = -20; power <= 20; power++) {
        double ten = pow(10, power);
        assert_printed_as_by_trial(nextafter(ten, 0));
        assert_printed_as_by_trial(ten);
        assert_printed_as_by_trial(nextafter(ten, INFINITY));
        assert_printed_as_by_trial(nextafter(ldexp(1, 3 * power), 0));
    }
    for (int trial = 0; trial < 60000; trial++) {
        double wide = pow(10, 28 * eqp_random_unit(&random) - 12);
        assert_printed_as_by_trial(trial % 2 == 0 ? wide : -wide);
        assert_printed_as_by_trial(random_double(&random));
        assert_printed_as_by_trial((double)eqp_random_below(&random, 1 << 20) * 0x1p-15 + trial % 1000);
        assert_printed_as_by_trial(1e12 + (double)eqp_random_below(&random, 1 << 20) * 0x1p-13);
        assert_printed_as_by_trial((double)eqp_random_below(&random, 100000) / 1e5);
    }
}

static void assert_short_agrees(const char *text, size_t length, char decimal)
{
    double fast = NAN, full = NAN;
    bool whole = eqp_is_short_whole(text, length);
    if (eqp_number_parse_short(text, length, decimal, &fast)) {
        assert_true(eqp_number_parse(text, length, decimal, &full));
        assert_memory_equal(&fast, &full, sizeof fast);
    } else {
        assert_false(whole);
    }
    bool digits = length > 0 && length <= 8;
    for (size_t i = 0; i < length; i++) digits &= text[i] >= '0' && text[i] <= '9';
    assert_int_equal(whole, digits && (text[0] != '0' || length == 1));
}

/* Cells lie side by side, so that digits, points and signs follow behind the end. */
static void short_numbers_are_read_as_long_ones_are(void **state)
{
    (void)state;
    static const char alphabet[] = "00123456789012345678901234567899..--+, e\n\xb0\xff";
    eqp_random random = eqp_random_from(7, 0);
    for (int round = 0; round < 400000; round++) {
        char text[24];
        size_t letters = round % 2 == 0 ? 34 : sizeof alphabet - 1;
        for (size_t i = 0; i < sizeof text; i++) text[i] = alphabet[eqp_random_below(&random, letters)];
        assert_short_agrees(text, eqp_random_below(&random, 12), round % 3 == 0 ? ',' : '.');
    }
}

static void common_cells_are_short_numbers(void **state)
{
    (void)state;
    static const char *const cells[] = {"0",   "-1",    "39", "123456", "12345678",
                                        "1.5", "-0.25", ".5", "5.",     "0.000001"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char text[16] = {0};
        double value;
        strcpy(text, cells[i]);
        assert_true(eqp_number_parse_short(text, strlen(text), '.', &value));
        assert_true(value == strtod(text, NULL));
    }
}

/* Where the system has no locale with a decimal comma, one is made for this process. */
static bool speak_german(void)
{
    char folder[] = "/tmp/equipoise-locale-XXXXXX", command[160];
    if (setlocale(LC_ALL, "de_DE.UTF-8") != NULL) return true;
    if (mkdtemp(folder) == NULL) return false;
    snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null", folder);
    bool made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0;
    bool spoken = made && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && spoken;
}

static void the_locale_has_no_effect(void **state)
{
    (void)state;
    if (!speak_german()) skip();
    double value;
    char text[32];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
    assert_true(parse("1.2345678901234567890123", &value));
    assert_true(value == 1.2345678901234567);
    eqp_number_print(0.5, text);
    assert_string_equal(text, "0.5");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers_have_their_value),
        cmocka_unit_test(negative_zero_becomes_zero),
        cmocka_unit_test(other_text_is_no_number),
        cmocka_unit_test(exponents_without_bounds),
        cmocka_unit_test(decimal_comma_is_an_option),
        cmocka_unit_test(random_decimals_round_as_the_c_library_does),
        cmocka_unit_test(digits_far_behind_decide_a_tie),
        cmocka_unit_test(printing_reads_back_exactly),
        cmocka_unit_test(printing_is_short),
        cmocka_unit_test(printing_is_that_of_the_c_library),
        cmocka_unit_test(short_numbers_are_read_as_long_ones_are),
        cmocka_unit_test(common_cells_are_short_numbers),
        cmocka_unit_test(the_locale_has_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
