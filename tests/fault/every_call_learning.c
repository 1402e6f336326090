/* Learning, studies and their reports when any call fails (walk.h). */
#include "walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

/* ---- learning ------------------------------------------------------------------------------------------ */

static eqp_status learn(const void *wishes, eqp_error *error)
{
    eqp_learn_options options = learn_options(wishes);
    eqp_model *made;
    eqp_report *report;
    eqp_status status = eqp_learn(ground.labelled, &options, &walk_watch, &made, &report, error);
    hand_back(status, report);
    return hand_back_model(status, made);
}

static const learn_wishes LEARN[] = {
    {.name = "learn direct"},
    {.name = "learn direct, two threads", .threads = 2, .min_yield = 0.3},
    {.name = "learn direct, strict", .strict = true, .min_yield = 0.3},
    {.name = "learn direct, weights", .weight = "household", .min_yield = 0.3, .confidence = 0.9},
    {.name = "learn direct, target", .target = "target.csv", .min_yield = 0.3},
    {.name = "learn direct, two attributes", .sensitive = 2, .min_yield = 0.3},
    {.name = "learn direct, combinations", .sensitive = 2, .intersect = true, .min_yield = 0.3},
    {.name = "learn direct, stump", .oracle = "stump", .min_yield = 0.3},
    {.name = "learn tree", .method = "tree", .min_yield = 0.3, .min_leaf = 2},
    {.name = "learn ground.tree, leaf chosen", .method = "tree", .oracle = "stump"},
    {.name = "learn ground.tree, prc, game",
     .method = "tree",
     .oracle = "prc",
     .solver = "game",
     .min_leaf = 2},
    {.name = "learn ground.tree, boost", .method = "tree", .oracle = "boost", .min_leaf = 8, .max_height = 1},
    {.name = "learn qp-logit", .method = "qp-logit"},
    {.name = "learn qp-cart", .method = "qp-cart"},
    {.name = "learn naive-cart", .method = "naive-cart"},
    {.name = "learn proxy", .proxy = "region"},
    {.name = "learn proxy, number", .proxy = "income"},
};

static void test_learn(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof LEARN / sizeof *LEARN; i++) walk(LEARN[i].name, learn, &LEARN[i]);
}

/* ---- studies ------------------------------------------------------------------------------------------- */

static eqp_status trace_frontier(const void *wishes, eqp_error *error)
{
    static const double YIELDS[] = {0.2, 0.4};
    eqp_study_options options = study_options();
    (void)wishes;
    options.yields = YIELDS;
    options.yield_count = 2;
    eqp_report *report;
    eqp_status status = eqp_frontier(ground.labelled, &options, &walk_watch, &report, error);
    return hand_back(status, report);
}

static eqp_status compare(const void *wishes, eqp_error *error)
{
    eqp_study_options options = study_options();
    options.budget_count = 1;
    options.methods = wishes;
    options.label = strcmp(wishes, "direct") == 0 ? "score" : "admitted";
    options.resume = "resume.json";
    eqp_report *report;
    unlink("resume.json");
    eqp_status status = eqp_compare(ground.labelled, &options, &walk_watch, &report, error);
    return hand_back(status, report);
}

static eqp_status pick(const void *wishes, eqp_error *error)
{
    (void)wishes;
    eqp_model *made;
    eqp_status status = eqp_frontier_model(eqp_report_json(ground.frontier), 1, &made, error);
    return hand_back_model(status, made);
}

static void test_studies(void **state)
{
    (void)state;
    walk("frontier", trace_frontier, NULL);
    walk("pick", pick, NULL);
    static const char *const METHODS[] = {"direct", "tree:stump", "qp-logit", "naive-cart", "smote"};
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) walk(METHODS[i], compare, METHODS[i]);
}

/* ---- reports ------------------------------------------------------------------------------------------- */

static eqp_status show(const void *wishes, eqp_error *error)
{
    const eqp_report *report = wishes;
    char *text;
    eqp_status status = eqp_report_text(report, true, &text, error);
    hand_back_text(status, text);
    if (status == EQP_OK) status = eqp_report_html(report, "page.html", error);
    if (status == EQP_OK) status = eqp_report_figures(report, ".", error);
    return status;
}

static void test_reports(void **state)
{
    (void)state;
    walk("show learning", show, ground.learned);
    walk("show audit", show, ground.audited);
    walk("show frontier", show, ground.frontier);
    walk("show comparison", show, ground.compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learn),
        cmocka_unit_test(test_studies),
        cmocka_unit_test(test_reports),
    };
    return cmocka_run_group_tests(tests, ground_prepare, ground_clear);
}
