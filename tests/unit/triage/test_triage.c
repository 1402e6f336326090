/* Triage: planted copies of the group are found, honest columns stay, kinds are told apart. */
#include "base/random.h"
#include "triage/triage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "../encode/hand_table.h"

enum { ROWS = 6000 };

typedef struct world {
    eqp_table *table;
    eqp_random random;
    int group[ROWS];
    eqp_labels *labels;
    eqp_groups *groups;
    eqp_sample *sample;
    eqp_triage *triage;
} world;

static const char *const GROUPS[] = {"asian", "black", "other", "white"};

static eqp_column *add_texts(world *w, const char *name, const char *(*value)(world *, size_t))
{
    const char **values = calloc(ROWS, sizeof *values);
    char **own = calloc(ROWS, sizeof *own);
    for (size_t row = 0; row < ROWS; row++) {
        const char *text = value(w, row);
        values[row] = own[row] = text != NULL ? strdup(text) : NULL;
    }
    eqp_column *column = hand_texts(w->table, name, values);
    for (size_t row = 0; row < ROWS; row++) free(own[row]);
    free(own);
    free(values);
    return column;
}

static eqp_column *add_numbers(world *w, const char *name, double (*value)(world *, size_t))
{
    double *values = calloc(ROWS, sizeof *values);
    for (size_t row = 0; row < ROWS; row++) values[row] = value(w, row);
    eqp_column *column = hand_numbers(w->table, name, values);
    free(values);
    return column;
}

static const char *group_text(world *w, size_t row)
{
    return GROUPS[w->group[row]];
}

/* Shares of 5, 15, 2 and 78 %. */
static world *new_world(uint64_t seed)
{
    world *w = calloc(1, sizeof *w);
    w->table = hand_table(ROWS, 40);
    w->random = eqp_random_from(seed, 1);
    for (size_t row = 0; row < ROWS; row++) {
        double u = eqp_random_unit(&w->random);
        w->group[row] = u < 0.05 ? 0 : u < 0.2 ? 1 : u < 0.22 ? 2 : 3;
    }
    add_texts(w, "race", group_text);
    return w;
}

static void run_triage(world *w, const eqp_learn_options *with)
{
    static const char *const SENSITIVE[] = {"race"};
    eqp_learn_options options = *with;
    options.sensitive = SENSITIVE;
    options.sensitive_count = 1;
    options.max_disclosure = 0.2;
    assert_int_equal(eqp_labels_read(w->table, SENSITIVE, 1, &w->labels, NULL), EQP_OK);
    assert_int_equal(eqp_groups_find(w->labels, false, &w->groups, NULL), EQP_OK);
    assert_int_equal(eqp_sample_new(w->groups, w->labels, NULL, &w->sample, NULL), EQP_OK);
    assert_int_equal(eqp_triage_new(w->table, w->sample, &options, NULL, &w->triage, NULL), EQP_OK);
}

static const eqp_column_finding *finding_of(const world *w, const char *name)
{
    for (size_t c = 0; c < w->triage->column_count; c++)
        if (strcmp(w->triage->columns[c].column->name, name) == 0) return &w->triage->columns[c];
    fail_msg("no column %s", name);
    return NULL;
}

static void end_world(world *w)
{
    eqp_triage_free(w->triage);
    eqp_sample_free(w->sample);
    eqp_groups_free(w->groups);
    eqp_labels_free(w->labels);
    eqp_table_free(w->table);
    free(w);
}

/* ---- copies ---------------------------------------------------------------------------------------------
 */

static double recoded(world *w, size_t row)
{
    static const double CODES[] = {7, 3, 11, 5};
    return CODES[w->group[row]];
}

static double share_noisy; /* of the cells that say another group, or perhaps the same */

static const char *noisy(world *w, size_t row)
{
    bool other = eqp_random_unit(&w->random) < share_noisy;
    return GROUPS[other ? eqp_random_below(&w->random, 4) : (size_t)w->group[row]];
}

static bool coin[ROWS];

static const char *first_half(world *w, size_t row)
{
    coin[row] = eqp_random_unit(&w->random) < 0.5;
    return coin[row] ? GROUPS[w->group[row]] : "x";
}

static const char *second_half(world *w, size_t row)
{
    return coin[row] ? "x" : GROUPS[w->group[row]];
}

static double is_black(world *w, size_t row)
{
    return w->group[row] == 1;
}

static double sum_of_indicators(world *w, size_t row)
{
    return (w->group[row] == 0) + (w->group[row] == 1) + (w->group[row] == 2);
}

static double jittered(world *w, size_t row)
{
    return w->group[row] + 0.2 * eqp_random_unit(&w->random);
}

static void planted_copies_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        world *w = new_world(seed);
        const eqp_learn_options options = {0};
        add_texts(w, "exact", group_text);
        add_numbers(w, "recoded", recoded);
        share_noisy = 0.01;
        add_texts(w, "noisy1", noisy);
        share_noisy = 0.05;
        add_texts(w, "noisy5", noisy);
        add_texts(w, "left_half", first_half);
        add_texts(w, "right_half", second_half);
        add_numbers(w, "is_black", is_black);
        add_numbers(w, "minority", sum_of_indicators);
        add_numbers(w, "jittered", jittered);
        run_triage(w, &options);
        const char *const alone[] = {"exact",    "recoded",  "noisy1",  "noisy5",
                                     "is_black", "minority", "jittered"};
        for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
            assert_int_equal(finding_of(w, alone[i])->reason, EQP_REASON_DETERMINES);
        assert_int_equal(finding_of(w, "left_half")->reason, EQP_REASON_PAIR);
        assert_int_equal(finding_of(w, "right_half")->reason, EQP_REASON_PAIR);
        end_world(w);
    }
}

static void kept_copies_are_used(void **state)
{
    (void)state;
    world *w = new_world(3);
    const eqp_learn_options options = {.keep = "recoded"};
    add_texts(w, "exact", group_text);
    add_numbers(w, "recoded", recoded);
    run_triage(w, &options);
    assert_int_equal(finding_of(w, "recoded")->reason, EQP_REASON_NONE);
    assert_true(finding_of(w, "recoded")->strong);
    assert_int_equal(finding_of(w, "exact")->reason, EQP_REASON_DETERMINES);
    end_world(w);
}

/* ---- honest columns -------------------------------------------------------------------------------------
 */

static const char *language(world *w, size_t row)
{
    static const double FOREIGN[] = {0.6, 0.05, 0.3, 0.02};
    return eqp_random_unit(&w->random) < FOREIGN[w->group[row]] ? "foreign" : "english";
}

/* Where people of a group live together: four of twenty districts are mostly one group's. */
static const char *district(world *w, size_t row)
{
    static const char *const NAMES[] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9"};
    bool together = eqp_random_unit(&w->random) < 0.6;
    return NAMES[together && w->group[row] == 1 ? eqp_random_below(&w->random, 2)
                                                : 2 + eqp_random_below(&w->random, 8)];
}

static double income(world *w, size_t row)
{
    return floor(30000 + 8000 * eqp_random_normal(&w->random) + (w->group[row] == 3 ? 800 : 0));
}

static const char *many_levels(world *w, size_t row)
{
    static char text[16];
    (void)row;
    snprintf(text, sizeof text, "v%zu", eqp_random_below(&w->random, 250));
    return text;
}

static void honest_columns_are_kept(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        world *w = new_world(seed);
        const eqp_learn_options options = {0};
        add_texts(w, "language", language);
        add_texts(w, "district", district);
        add_numbers(w, "income", income);
        run_triage(w, &options);
        assert_int_equal(finding_of(w, "language")->reason, EQP_REASON_NONE);
        assert_int_equal(finding_of(w, "district")->reason, EQP_REASON_NONE);
        assert_int_equal(finding_of(w, "income")->reason, EQP_REASON_NONE);
        assert_true(finding_of(w, "language")->strong && finding_of(w, "district")->strong);
        assert_false(finding_of(w, "income")->strong);
        end_world(w);
    }
}

/* 250 levels of about 24 people each: the largest shift in the sample is a third, and says nothing. */
static void chance_is_not_disclosure(void **state)
{
    (void)state;
    double sum = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        world *w = new_world(seed);
        const eqp_learn_options options = {0};
        add_texts(w, "chance", many_levels);
        run_triage(w, &options);
        sum += finding_of(w, "chance")->disclosure;
        end_world(w);
    }
    assert_true(sum / 10 < 0.12);
}

/* ---- kinds ----------------------------------------------------------------------------------------------
 */

static double register_number(world *w, size_t row)
{
    (void)w;
    return 500000 + (double)(row / 2);
}

static double scattered_number(world *w, size_t row)
{
    static double drawn;
    if (row % 2 == 0) drawn = (double)eqp_random_below(&w->random, 190000000);
    return drawn;
}

static const char *surname(world *w, size_t row)
{
    static char text[16];
    (void)row;
    size_t drawn = eqp_random_below(&w->random, 3000);
    for (size_t i = 0; i < 6; i++, drawn /= 7) text[i] = (char)('a' + (drawn + i) % 26);
    text[6] = '\0';
    return text;
}

static const char *day_first(world *w, size_t row)
{
    static char text[16];
    (void)row;
    snprintf(text, sizeof text, "%02zu.%02zu.%zu", 1 + eqp_random_below(&w->random, 28),
             1 + eqp_random_below(&w->random, 12), 1950 + eqp_random_below(&w->random, 50));
    return text;
}

static const char *month_first(world *w, size_t row)
{
    static char text[16];
    (void)row;
    snprintf(text, sizeof text, "%zu/%zu/%zu", 1 + eqp_random_below(&w->random, 12),
             1 + eqp_random_below(&w->random, 28), 1950 + eqp_random_below(&w->random, 50));
    return text;
}

static const char *zoned_time(world *w, size_t row)
{
    static char text[32];
    (void)row;
    snprintf(text, sizeof text, "2023-%02zu-%02zuT%02zu:30:00+01:00", 1 + eqp_random_below(&w->random, 12),
             1 + eqp_random_below(&w->random, 28), eqp_random_below(&w->random, 24));
    return text;
}

static const char *yes_no(world *w, size_t row)
{
    (void)row;
    return eqp_random_unit(&w->random) < 0.5 ? "Yes" : "No";
}

static const char *comma_number(world *w, size_t row)
{
    static char text[16];
    (void)row;
    snprintf(text, sizeof text, "1.%03zu,%02zu", eqp_random_below(&w->random, 1000),
             eqp_random_below(&w->random, 100));
    return text;
}

static const char *mail(world *w, size_t row)
{
    static char text[32];
    snprintf(text, sizeof text, "p%zu@example.org", row + eqp_random_below(&w->random, 3));
    return text;
}

static const char *phone(world *w, size_t row)
{
    static char text[32];
    (void)row;
    snprintf(text, sizeof text, "+49 30 %07zu", eqp_random_below(&w->random, 9999999));
    return text;
}

static const char *remark(world *w, size_t row)
{
    static char text[64];
    snprintf(text, sizeof text, "called on day %zu about case %zu", eqp_random_below(&w->random, 999), row);
    return text;
}

static double empty(world *w, size_t row)
{
    (void)w, (void)row;
    return NAN;
}

static double same(world *w, size_t row)
{
    (void)w, (void)row;
    return 7;
}

static double seconds(world *w, size_t row)
{
    (void)row;
    return 1.5e9 + (double)eqp_random_below(&w->random, 100000000);
}

static double distance(world *w, size_t row)
{
    (void)row;
    return (double)eqp_random_below(&w->random, 50000);
}

static const char *weight_in_kilograms(world *w, size_t row)
{
    static char text[24];
    (void)row;
    snprintf(text, sizeof text, "%zu.%zu kg", 40 + eqp_random_below(&w->random, 60),
             eqp_random_below(&w->random, 2));
    return text;
}

/* A few values, or not all with the unit: levels. */
static const char *stars(world *w, size_t row)
{
    static const char *const TEXTS[] = {"1 stars", "2 stars", "3 stars", "4 stars", "5 stars"};
    (void)row;
    return TEXTS[eqp_random_below(&w->random, 5)];
}

static const char *block_of_street(world *w, size_t row)
{
    static char text[24];
    (void)row;
    snprintf(text, sizeof text, "%zu%c", 1 + eqp_random_below(&w->random, 30),
             (char)('A' + eqp_random_below(&w->random, 3)));
    return text;
}

static void kinds_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *(*text)(world *, size_t);
        double (*number)(world *, size_t);
        eqp_column_kind kind;
        eqp_reason reason;
    } COLUMNS[] = {
        {"register", NULL, register_number, EQP_COLUMN_IDENTIFIER, EQP_REASON_PERSONAL},
        {"patient_nbr", NULL, scattered_number, EQP_COLUMN_IDENTIFIER, EQP_REASON_PERSONAL},
        {"distance", NULL, distance, EQP_COLUMN_NUMBER, EQP_REASON_NONE},
        {"family", surname, NULL, EQP_COLUMN_NAMES, EQP_REASON_PERSONAL},
        {"mail", mail, NULL, EQP_COLUMN_MAIL, EQP_REASON_PERSONAL},
        {"phone", phone, NULL, EQP_COLUMN_PHONE, EQP_REASON_PERSONAL},
        {"remark", remark, NULL, EQP_COLUMN_TEXT, EQP_REASON_PERSONAL},
        {"born", day_first, NULL, EQP_COLUMN_DATE, EQP_REASON_NONE},
        {"seen", month_first, NULL, EQP_COLUMN_DATE, EQP_REASON_NONE},
        {"arrived", zoned_time, NULL, EQP_COLUMN_TIME, EQP_REASON_NONE},
        {"stamp", NULL, seconds, EQP_COLUMN_TIME, EQP_REASON_NONE},
        {"smokes", yes_no, NULL, EQP_COLUMN_TRUTH, EQP_REASON_NONE},
        {"amount", comma_number, NULL, EQP_COLUMN_NUMBER, EQP_REASON_COMMAS},
        {"weight", weight_in_kilograms, NULL, EQP_COLUMN_NUMBER, EQP_REASON_UNITS},
        {"rating", stars, NULL, EQP_COLUMN_LEVELS, EQP_REASON_NONE},
        {"block", block_of_street, NULL, EQP_COLUMN_LEVELS, EQP_REASON_NONE},
        {"blank", NULL, empty, EQP_COLUMN_EMPTY, EQP_REASON_EMPTY},
        {"same", NULL, same, EQP_COLUMN_CONSTANT, EQP_REASON_CONSTANT},
        {"ward", many_levels, NULL, EQP_COLUMN_LEVELS, EQP_REASON_NONE},
    };
    world *w = new_world(1);
    const eqp_learn_options options = {0};
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        if (COLUMNS[i].text != NULL)
            add_texts(w, COLUMNS[i].name, COLUMNS[i].text);
        else
            add_numbers(w, COLUMNS[i].name, COLUMNS[i].number);
    }
    run_triage(w, &options);
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        const eqp_column_finding *finding = finding_of(w, COLUMNS[i].name);
        if (finding->kind != COLUMNS[i].kind || finding->reason != COLUMNS[i].reason)
            fail_msg("%s is %s (%s)", COLUMNS[i].name, eqp_column_kind_name(finding->kind),
                     eqp_reason_text(finding->reason));
    }
    assert_int_equal(finding_of(w, "born")->order, EQP_DAY_FIRST);
    assert_int_equal(finding_of(w, "seen")->order, EQP_MONTH_FIRST);
    assert_int_equal(finding_of(w, "arrived")->order, EQP_YEAR_FIRST);
    end_world(w);
}

/* Of group 1 nobody comes after May. */
static const char *visit(world *w, size_t row)
{
    static char text[16];
    size_t month =
        w->group[row] == 1 ? 1 + eqp_random_below(&w->random, 5) : 1 + eqp_random_below(&w->random, 12);
    size_t day = 1 + eqp_random_below(&w->random, 28);
    snprintf(text, sizeof text, "2020-%02zu-%02zu", month, day);
    return text;
}

static void parts_of_dates_are_used_where_they_help(void **state)
{
    (void)state;
    world *w = new_world(11);
    const eqp_learn_options options = {.max_disclosure = 0.2};
    add_texts(w, "visited", visit);
    add_texts(w, "born", day_first);
    run_triage(w, &options);
    eqp_date_use visited = eqp_finding_date_use(finding_of(w, "visited")),
                 born = eqp_finding_date_use(finding_of(w, "born"));
    assert_true(visited.order == EQP_YEAR_FIRST && visited.parts[EQP_PART_MONTH]);
    assert_true(born.order == EQP_DAY_FIRST && !born.parts[EQP_PART_MONTH] && !born.parts[EQP_PART_WEEKDAY]);
    end_world(w);
}

static void several_groups_in_a_cell_are_seen(void **state)
{
    (void)state;
    static const char *const CELLS[][6] = {
        {"Black|Hispanic", "Black", "Hispanic", "White", "White | Black", "White"},
        {"Asian/Pacific", "Black/African", "White", "White", "Other", "Other"},
        {"a", "b", "c", "a", "b", "c"},
        {"a;b", "a", "b", "c", "c", "b; c"}};
    static const char EXPECTED[] = {'|', 0, 0, ';'};
    eqp_table *table = hand_table(6, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(eqp_column_separator(hand_texts(table, "x", CELLS[i])), EXPECTED[i]);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_groups_in_a_cell_are_seen),
        cmocka_unit_test(planted_copies_are_found),
        cmocka_unit_test(kept_copies_are_used),
        cmocka_unit_test(honest_columns_are_kept),
        cmocka_unit_test(chance_is_not_disclosure),
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(parts_of_dates_are_used_where_they_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
