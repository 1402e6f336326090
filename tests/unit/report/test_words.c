/* The words fit the figures: each verdict and headline is said of the documents of which it is true. */
#include "samples.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_MAX (2 * 1024 * 1024)

typedef struct said {
    const char *document;      /* JSON; single quotes for double ones */
    const char *screen, *page; /* are there; NULL: not looked for */
    const char *not_screen, *not_page;
} said;

static eqp_report *report_of(const char *command, const char *rest)
{
    char text[2048];
    snprintf(text, sizeof text, "{'command': '%s', %s}", command, rest);
    for (char *at = text; *at; at++)
        if (*at == '\'') *at = '"';
    eqp_report *report = NULL;
    json_t *document = json_loads(text, 0, NULL);
    if (document == NULL) fail_msg("no JSON: %s", text);
    assert_int_equal(eqp_report_from_json(document, &report, NULL), EQP_OK);
    return report;
}

static char *page_of(const eqp_report *report)
{
    char path[] = "/tmp/equipoise-words-XXXXXX", *text = malloc(PAGE_MAX);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0 && text != NULL);
    close(descriptor);
    assert_int_equal(eqp_report_html(report, path, NULL), EQP_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, PAGE_MAX - 1, file)] = 0;
    fclose(file);
    unlink(path);
    return text;
}

static void check_words(const char *text, const char *words, const char *others)
{
    if (words != NULL && strstr(text, words) == NULL) fail_msg("\"%s\" is not said", words);
    if (others != NULL && strstr(text, others) != NULL) fail_msg("\"%s\" is said", others);
}

static void check_said(const char *command, const said *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        eqp_report *report = report_of(command, list[i].document);
        char *screen, *page = page_of(report);
        assert_int_equal(eqp_report_text(report, false, &screen, NULL), EQP_OK);
        check_words(screen, list[i].screen, list[i].not_screen);
        check_words(page, list[i].page, list[i].not_page);
        eqp_text_free(screen);
        free(page);
        eqp_report_free(report);
    }
}

#define CHECK(command, list) check_said(command, list, sizeof(list) / sizeof *(list))

/* ---- learn -----------------------------------------------------------------------------------------------
 */

#define LEARNED(disclosure, imbalance)                                                                       \
    "'max_disclosure': 0.2, 'limit_curve': [{'max_disclosure': 0, 'imbalance': 0.6}], 'cross_validated': "   \
    "{'disclosure': " #disclosure ", 'disclosure_error': 0.01, 'imbalance': " #imbalance                     \
    ", 'imbalance_error': 0.01, 'yield': 0.1}"
#define BOUND(disclosure, confidence)                                                                        \
    ", 'bound': {'disclosure': " #disclosure ", 'confidence': " #confidence "}"
#define LIMIT(imbalance, at_yield, needed)                                                                   \
    ", 'limit': {'imbalance': " #imbalance ", 'at_yield': " #at_yield ", 'disclosure_for_balance': " #needed \
    "}"
#define REACH(imbalance) ", 'reach': {'imbalance': " #imbalance ", 'standard_error': 0.01}"

static void budgets_hold_as_said(void **state)
{
    (void)state;
    static const said LIST[] = {
        {LEARNED(0.18, 0.3) BOUND(0.19, 0.95), "budget; holds in the population, 95 % confidence",
         "closer to balance, within the budget</h1>", "expectation", "in expectation only"},
        {LEARNED(0, 0.6) BOUND(0, 1), "budget; holds whatever the population",
         "A rule within the budget</h1>", "% confidence", NULL},
        {LEARNED(0.18, 0.3) BOUND(0.23, 0.95), "budget; in expectation (≤ 0.230: 95 % confidence)",
         "within the budget in expectation</h1>", "holds", "holds in the population"},
        {LEARNED(0.21, 0.3) BOUND(0.25, 0.95), "budget; in expectation", "about at the budget</h1>", "holds",
         "holds in the population"},
        {LEARNED(0.21, 0.3) BOUND(0.25, 0.95), NULL, "above the budget, within sampling error", NULL, NULL},
        {LEARNED(0.3, 0.3) BOUND(0.32, 0.95), "budget, EXCEEDED", "but above the budget</h1>", "holds",
         "within sampling error"},
        {LEARNED(0.18, 0.3), "budget; no promise for unseen people", "in expectation only", "holds", NULL},
        {LEARNED(0.18, 0.001) BOUND(0.19, 0.95), NULL, "A balanced cohort, within the budget</h1>", NULL,
         NULL},
        {"'max_disclosure': 0.2, 'train': {'disclosure': 0.2, 'imbalance': 0.3}", "in training",
         "On unseen rows the figures may be worse.", "unseen rows)", "within 0.02 of what any rule"}};
    CHECK("learn", LIST);
}

static void prospects_are_as_said(void **state)
{
    (void)state;
    static const said LIST[] = {
        {LEARNED(0.18, 0.3) LIMIT(0.1, 0.1, 0.5) REACH(0.295), "a larger budget would gain nothing",
         "Whatever the budget, these columns reach an imbalance of about 0.295", "limit at this yield", NULL},
        {LEARNED(0.18, 0.3) LIMIT(0.1, 0.28, 0.5) REACH(0.1), "limit at this yield", NULL,
         "would gain nothing", "within 0.02 of what any rule"},
        {LEARNED(0.18, 0.3) LIMIT(0, 0, 0.15), "this budget allows full balance (0.150 would be enough)",
         NULL, "these columns reach", "Whatever the budget"},
        {LEARNED(0.18, 0.3) LIMIT(0.29, 0.29, 0.5), NULL, "within 0.02 of what any rule can reach",
         "allows full balance", NULL},
        {LEARNED(0.3, 0.3) BOUND(0.4, 0.95) LIMIT(0.29, 0.29, 0.5), NULL, NULL, NULL,
         "within 0.02 of what any rule can reach"}};
    CHECK("learn", LIST);
}

/* ---- audit -----------------------------------------------------------------------------------------------
 */

#define AUDITED(measured, upper, certified)                                                                  \
    "'rows': 900, 'budget': 0.2, 'imbalance': {}, 'yield': {}, 'disclosure': {'measured': " #measured        \
    ", 'upper': " #upper ", 'confidence': 0.95, 'suppressed': true}, 'certified': " #certified
#define JOINT(disclosure, upper)                                                                             \
    ", 'joint': {'disclosure': " #disclosure ", 'upper': " #upper ", 'budget': 0.2, 'models': [{}, {}]}"
#define DRIFT(psi, moved)                                                                                    \
    "'rows': 900, 'moved': " #moved ", 'drift': {'psi': " #psi ", 'psi_critical': 0.01, 'advice': 'as is'}"
#define WHITE_BOX(disclosure, lower)                                                                         \
    ", 'attacker': {'asking_again': 0}, 'white_box': {'rows': 40, 'disclosure': " #disclosure                \
    ", 'lower': " #lower "}"

static void audits_are_as_said(void **state)
{
    (void)state;
    static const said LIST[] = {
        {AUDITED(0.1, 0.15, true), " CERTIFIED", "Certified: the rule keeps its budget", "NOT CERTIFIED",
         "Do not use the rule"},
        {AUDITED(0.1, 0.15, true), NULL, "The rule may be used within this budget.", "needs about", NULL},
        {AUDITED(0.3, 0.35, false), "ABOVE THE BUDGET", "Disclosure is above the budget", "CERTIFIED",
         "may be used"},
        {AUDITED(0.3, 0.35, false), NULL, "Do not use the rule with this budget.", NULL, NULL},
        {AUDITED(0.1, 0.25, false), "NOT CERTIFIED: too few rows",
         "Within the budget as measured, not certified: too few rows", "ABOVE", "may be used"},
        {AUDITED(0.1, 0.25, false), NULL, "Audit again with more labelled rows.", "needs about", NULL},
        {AUDITED(0.1, 0.25, false) ", 'labels_needed': 1000, 'attempt': 2",
         "a certificate at this budget needs about 1,000 labelled rows", "needs about 1,000 labelled rows",
         NULL, NULL},
        {AUDITED(0.1, 0.25, false) ", 'attempt': 2", "attempt 2 with this model or these rows", NULL, NULL,
         NULL},
        {AUDITED(null, null, false), "NOT CERTIFIED", "Too few people: the figures are withheld", "ABOVE",
         "may be used"},
        {AUDITED(null, null, false), NULL, "Nobody can tell", NULL, NULL},
        {AUDITED(0.1, null, false), NULL, "A bound for the population is withheld", NULL, NULL}};
    CHECK("audit", LIST);
}

static void several_models_are_as_said(void **state)
{
    (void)state;
    static const said LIST[] = {
        {AUDITED(0.1, 0.15, true) JOINT(0.4, 0.5), "ABOVE THE BUDGET",
         "Together the models disclose more than the budget", NULL, "The rule may be used"},
        {AUDITED(0.1, 0.15, true) JOINT(0.4, 0.5), NULL, "Do not release the outcomes of all these models",
         NULL, NULL},
        {AUDITED(0.1, 0.15, true) JOINT(0.1, 0.19), "what the outcomes of 2 models tell together",
         "Certified: the rule keeps its budget", "NOT", NULL},
        {AUDITED(0.1, 0.15, true) JOINT(0.1, 0.3), "NOT CERTIFIED: too few rows", NULL, NULL, NULL},
        {AUDITED(0.1, 0.15, true) JOINT(null, 0.1), "NOT KNOWN: too few rows", NULL, NULL, NULL}};
    CHECK("audit", LIST);
}

static void files_and_drift_are_as_said(void **state)
{
    (void)state;
    static const said LIST[] = {
        {DRIFT(0.3, true), "rows, without labels", "The candidates have changed", NULL, "have not changed"},
        {DRIFT(0.02, false), NULL, "have not changed by as much as matters", NULL, "have changed"}};
    CHECK("drift", LIST);
    static const said FILES[] = {
        {AUDITED(0.1, 0.15, true) WHITE_BOX(0.4, 0.3), "up to 0.400 in 40 rows, certified ≥ 0.300",
         "not a limit", NULL, NULL},
        {AUDITED(0.1, 0.15, true) WHITE_BOX(0.4, -0.1), "up to 0.400 in 40 rows", NULL, "certified ≥", NULL},
        {AUDITED(0.1, 0.15, true) WHITE_BOX(0, -0.1), "nothing more", NULL, "up to", NULL},
        {AUDITED(0.1, 0.15, true) ", 'attacker': {}, 'white_box': {'disclosure': null}",
         "not known: too few rows", NULL, "up to", NULL}};
    CHECK("audit", FILES);
}

/* ---- studies ---------------------------------------------------------------------------------------------
 */

#define METHOD(name, disclosure, imbalance)                                                                  \
    "{'name': '" #name "', 'points': [{'max_disclosure': 0.2, 'test': {'disclosure': {'mean': " #disclosure  \
    "}, 'imbalance': {'mean': " #imbalance                                                                   \
    "}, 'yield': {'mean': 0.1}}, 'by_seed': {'test': [[0, " #imbalance ", 0], [0, " #imbalance               \
    "1, 0], [0, " #imbalance ", 0]]}}]}"

/* The same with an imbalance of its own for each of three splits. */
#define SPLITS(name, mean, first, second, third)                                                             \
    "{'name': '" #name "', 'points': [{'max_disclosure': 0.2, 'test': {'disclosure': {'mean': 0.1}, "        \
    "'imbalance': {'mean': " #mean "}}, 'by_seed': {'test': [[0, " #first ", 0], [0, " #second               \
    ", 0], [0, " #third ", 0]]}}]}"

static void comparisons_are_as_said(void **state)
{
    (void)state;
    static const said LIST[] = {
        {"'methods': [" METHOD(near, 0.19, 0.3) ", " METHOD(far, 0.3, 0.1) "]", "0.100!",
         "On unseen rows, near is best at 1 of 1 budgets, beyond chance", "0.300!",
         "All methods keep their budgets"},
        {"'methods': [" METHOD(near, 0.19, 0.3) ", " METHOD(far, 0.3, 0.1) "]", NULL,
         "Somewhere above their budget: far", NULL, NULL},
        {"'methods': [" METHOD(one, 0.1, 0.2) ", " METHOD(two, 0.1, 0.2) "]", "~ not beyond chance",
         "2 methods side by side", NULL, "is best at"},
        {"'methods': [" METHOD(near, 0.19, 0.3) ", " METHOD(far, 0.2, 0.1) "]", NULL,
         "far is best at 1 of 1 budgets, beyond chance", "0.100!", "Somewhere above"},
        {"'methods': [" SPLITS(lucky, 0.2, 0.2, 0.2, 0.2) ", " SPLITS(other, 0.257, 0.3, 0.22, 0.25) "]",
         "~ not beyond chance", "2 methods side by side", NULL, "is best at"},
        {"'methods': [" METHOD(far, 0.3, 0.1) "]", "none", "1 methods side by side", NULL, "is best at"}};
    CHECK("compare", LIST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_hold_as_said),        cmocka_unit_test(prospects_are_as_said),
        cmocka_unit_test(audits_are_as_said),          cmocka_unit_test(several_models_are_as_said),
        cmocka_unit_test(files_and_drift_are_as_said), cmocka_unit_test(comparisons_are_as_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
