/* The option parser by itself: every way to write an option, every type, the end of options, odd bytes. */
#include "command_options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct record {
    bool flag, other;
    const char *text, *choice;
    text_list list, names;
    double real, share;
    share_list shares;
    size_t count;
    unsigned attempt;
    uint64_t seed;
    char character;
} record;

#define AT(field) offsetof(record, field)

static const option_spec table[] = {
    {"flag", 'f', OPTION_FLAG, AT(flag), NULL, NULL, NULL, "a flag"},
    {"other", 'g', OPTION_FLAG, AT(other), NULL, NULL, NULL, "another"},
    {"text", 't', OPTION_TEXT, AT(text), "TEXT", NULL, "fallback", "a text"},
    {"choice", 0, OPTION_CHOICE, AT(choice), "NAME", "one,two,three", "two", "a choice"},
    {"list", 'l', OPTION_LIST, AT(list), "COL", NULL, NULL, "a list"},
    {"names", 0, OPTION_NAMES, AT(names), "LIST", NULL, NULL, "names"},
    {"real", 0, OPTION_REAL, AT(real), "X", NULL, "1.5", "a number"},
    {"share", 0, OPTION_SHARE, AT(share), "X", NULL, NULL, "a share"},
    {"shares", 0, OPTION_SHARES, AT(shares), "LIST", NULL, NULL, "shares"},
    {"count", 'n', OPTION_COUNT, AT(count), "N", NULL, NULL, "a count"},
    {"attempt", 0, OPTION_UNSIGNED, AT(attempt), "N", NULL, NULL, "an attempt"},
    {"seed", 0, OPTION_SEED, AT(seed), "N", NULL, NULL, "a seed"},
    {"character", 0, OPTION_CHARACTER, AT(character), "C", NULL, NULL, "a character"},
    {0}};

static const option_section sections[] = {{"All", table, 0}, {0}};

enum { MOST = 12, LONGEST = 64 };

typedef struct parsed {
    char bytes[MOST][LONGEST];
    record settings;
    operand_list operands;
    eqp_status status;
    eqp_error error;
} parsed;

static void parse_words(parsed *p, size_t count, const char *const *words)
{
    char *arguments[MOST];
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i < count; i++) {
        strcpy(p->bytes[i], words[i]);
        arguments[i] = p->bytes[i];
    }
    p->status = options_parse(sections, "try", arguments, count, &p->settings, &p->operands, &p->error);
}

#define PARSE(p, ...)                                                                                        \
    parse_words(p, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

static void release(parsed *p)
{
    options_free(sections, &p->settings, &p->operands);
}

static void every_way_to_write_a_value(void **state)
{
    (void)state;
    parsed p;
    static const char *const ways[][2] = {{"--text=v", NULL}, {"--text", "v"}, {"-t", "v"}, {"-tv", NULL}};
    for (size_t i = 0; i < 4; i++) {
        parse_words(&p, ways[i][1] ? 2 : 1, ways[i]);
        assert_int_equal(p.status, EQP_OK);
        assert_string_equal(p.settings.text, "v");
        release(&p);
    }
}

static void values_land_where_the_table_says(void **state)
{
    (void)state;
    parsed p;
    PARSE(&p, "-fgn", "7", "--share", "0.25", "--shares", "0,0.5,1", "--list", "a,b", "-lc", "--names=x,y");
    assert_int_equal(p.status, EQP_OK);
    assert_true(p.settings.flag && p.settings.other);
    assert_int_equal(p.settings.count, 7);
    assert_true(p.settings.share == 0.25 && p.settings.real == 1.5);
    assert_int_equal(p.settings.shares.count, 3);
    assert_true(p.settings.shares.values[1] == 0.5);
    assert_int_equal(p.settings.list.count, 2);
    assert_string_equal(p.settings.list.items[0], "a,b");
    assert_int_equal(p.settings.names.count, 2);
    assert_string_equal(p.settings.names.items[1], "y");
    assert_string_equal(p.settings.choice, "two");
    release(&p);
    PARSE(&p, "--seed=18446744073709551615", "--attempt", "3", "--character", "tab");
    assert_int_equal(p.status, EQP_OK);
    assert_true(p.settings.seed == UINT64_MAX && p.settings.attempt == 3 && p.settings.character == '\t');
    release(&p);
}

static void operands_and_the_end_of_options(void **state)
{
    (void)state;
    parsed p;
    PARSE(&p, "a", "--flag", "-", "--", "--flag", "-x", "--");
    assert_int_equal(p.status, EQP_OK);
    assert_int_equal(p.operands.count, 5);
    assert_string_equal(p.operands.items[1], "-");
    assert_string_equal(p.operands.items[2], "--flag");
    assert_string_equal(p.operands.items[4], "--");
    release(&p);
}

/* A value may look like an option; the option before it has asked for it. */
static void a_value_is_taken_as_it_stands(void **state)
{
    (void)state;
    parsed p;
    PARSE(&p, "--text", "--flag", "-t", "--");
    assert_int_equal(p.status, EQP_OK);
    assert_string_equal(p.settings.text, "--");
    assert_false(p.settings.flag);
    release(&p);
}

static void help_stops_the_parser(void **state)
{
    (void)state;
    parsed p;
    PARSE(&p, "-fh", "--nonsense");
    assert_int_equal(p.status, EQP_OK);
    assert_true(p.operands.help && !p.operands.full_help);
    release(&p);
    PARSE(&p, "--help", "--nonsense");
    assert_true(p.status == EQP_OK && p.operands.full_help);
    release(&p);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const nonsense[] = {"--flag=1",
                                           "--txt",
                                           "--text",
                                           "-t",
                                           "-z",
                                           "--=",
                                           "--share=1.01",
                                           "--share=-0.1",
                                           "--share=nan",
                                           "--share=1e",
                                           "--share= 1",
                                           "--share=inf",
                                           "--real=-1",
                                           "--count=-1",
                                           "--count=1.0",
                                           "--count=",
                                           "--count=0x10",
                                           "--seed=",
                                           "--attempt=0",
                                           "--choice=o",
                                           "--choice=one,two",
                                           "--choice=",
                                           "--shares=1,",
                                           "--shares=",
                                           "--character=",
                                           "--character=ab",
                                           "--attempt=4294967296",
                                           "--seed=18446744073709551616"};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        parsed p;
        parse_words(&p, 1, nonsense + i);
        assert_int_equal(p.status, EQP_USAGE);
        assert_true(p.error.message[0] != '\0');
        release(&p);
    }
}

/* Whatever the bytes, the parser ends, and either accepts or says why not. */
static void random_words_do_no_harm(void **state)
{
    (void)state;
    static const char bits[] = "--=-tflnh,.1e\t\xffsharetextnamesseed";
    srand(1);
    for (int round = 0; round < 20000; round++) {
        char words[4][LONGEST];
        const char *pointers[4];
        for (int w = 0; w < 4; w++) {
            int length = rand() % 12;
            for (int i = 0; i < length; i++) words[w][i] = bits[rand() % (int)(sizeof bits - 1)];
            words[w][length] = '\0';
            pointers[w] = words[w];
        }
        parsed p;
        parse_words(&p, 4, pointers);
        assert_true(p.status == EQP_OK || (p.status == EQP_USAGE && p.error.message[0]));
        release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_a_value),      cmocka_unit_test(values_land_where_the_table_says),
        cmocka_unit_test(operands_and_the_end_of_options), cmocka_unit_test(a_value_is_taken_as_it_stands),
        cmocka_unit_test(help_stops_the_parser),           cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(random_words_do_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
