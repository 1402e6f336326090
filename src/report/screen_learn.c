/* The screen after learning: group shares, the three figures beside what is allowed and possible. */
#include "report/finding.h"
#include "report/screen.h"
#include "report/shown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_WIDTH  24
#define NAMES_SHOWN 13 /* columns; all of them are in the report and the JSON */

/* Names as far as there is place for them, then how many more there are. */
static void add_name(const json_t *document, size_t index, char *names, size_t size)
{
    const char *name = json_string_value(eqp_field_entry(document, index, FIELD_columns));
    size_t count = eqp_field_count(document, FIELD_columns), length = strlen(names);
    if (index > NAMES_SHOWN || name == NULL) return;
    if (index == NAMES_SHOWN) {
        snprintf(names + length, size - length, " and %zu more", count - NAMES_SHOWN);
        return;
    }
    char shown[128];
    eqp_text_shorten(name, 30, shown, sizeof shown);
    snprintf(names + length, size - length, "%s %s", index == 0 ? ":" : ",", shown);
}

static void show_what_was_read(eqp_screen *screen, const json_t *document)
{
    double unlabelled = eqp_field_number(document, FIELD_rows_unlabelled);
    size_t columns = eqp_field_count(document, FIELD_columns);
    char left_out[96] = "", names[900] = "";
    if (unlabelled > 0)
        snprintf(left_out, sizeof left_out, " (%s without a group left out)", eqp_count(unlabelled).text);
    for (size_t i = 0; i < columns; i++) add_name(document, i, names, sizeof names);
    eqp_screen_wrapped(screen, "read %s rows%s, %zu column%s used%s",
                       eqp_count(eqp_field_number(document, FIELD_rows)).text, left_out, columns,
                       columns == 1 ? "" : "s", names);
}

/* Shares of groups are compared with each other: one decimal for all, however small. */
static void add_share(eqp_grid *grid, double share)
{
    eqp_grid_cell(grid, "%s %%", eqp_decimal(100 * share, 1).text);
}

static void add_group(eqp_grid *grid, const json_t *document, size_t index)
{
    const json_t *group = eqp_field_entry(document, index, FIELD_groups);
    double error = eqp_field_number(group, FIELD_cohort_error);
    eqp_grid_cell(grid, "%s", eqp_group_named(document, index).text);
    add_share(grid, eqp_field_number(group, FIELD_base_rate));
    add_share(grid, eqp_field_number(group, FIELD_target));
    eqp_grid_cell(grid, "%5s %%%s%s", eqp_decimal(100 * eqp_field_number(group, FIELD_cohort), 1).text,
                  isfinite(error) ? "  ± " : "", isfinite(error) ? eqp_decimal(100 * error, 1).text : "");
}

static void show_groups(eqp_screen *screen, const json_t *document)
{
    size_t order[EQP_GROUPS_SHOWN], count = eqp_groups_shown(document, order);
    eqp_grid grid;
    eqp_grid_begin(&grid, "lrrl", "group|share now|target|in the cohort (%s rows)",
                   eqp_learned_unseen(document) ? "unseen" : "training");
    for (size_t i = 0; i < count; i++) add_group(&grid, document, order[i]);
    eqp_screen_grid(screen, &grid, NAME_WIDTH);
    if (count < eqp_field_count(document, FIELD_groups))
        eqp_screen_line(screen, "… and %zu more groups, closer to their targets",
                        eqp_field_count(document, FIELD_groups) - count);
    eqp_screen_gap(screen);
}

/* A method without a bound promises nothing for unseen people, and says so. */
static void add_disclosure(eqp_grid *grid, const json_t *document)
{
    double bound = eqp_field_number(document, FIELD_bound, FIELD_disclosure);
    double confidence = eqp_field_number(document, FIELD_bound, FIELD_confidence);
    eqp_budget_standing standing = eqp_budget_kept(document);
    eqp_grid_cell(grid, "disclosure");
    eqp_grid_cell(grid, "%s", eqp_learned_disclosure(document).text);
    eqp_grid_cell(grid, "%s", eqp_decimal(eqp_field_number(document, FIELD_max_disclosure), 3).text);
    if (standing == EQP_BUDGET_HOLDS && confidence >= 1)
        eqp_grid_cell(grid, "budget; holds whatever the population");
    else if (standing == EQP_BUDGET_HOLDS)
        eqp_grid_cell(grid, "budget; holds in the population, %s %% confidence",
                      eqp_confidence(confidence).text);
    else if (standing == EQP_BUDGET_BROKEN)
        eqp_grid_cell(grid, "budget, EXCEEDED");
    else if (isfinite(bound))
        eqp_grid_cell(grid, "budget; in expectation (≤ %s: %s %% confidence)", eqp_decimal(bound, 3).text,
                      eqp_confidence(confidence).text);
    else
        eqp_grid_cell(grid, "budget; no promise for unseen people");
    if (standing == EQP_BUDGET_HOLDS) eqp_grid_tone(grid, EQP_TONE_GOOD);
    if (standing == EQP_BUDGET_BROKEN) eqp_grid_tone(grid, EQP_TONE_BAD);
}

static void add_limit(eqp_grid *grid, double limit, const char *meaning)
{
    eqp_grid_cell(grid, " ");
    eqp_grid_cell(grid, " ");
    eqp_grid_cell(grid, "%s", eqp_decimal(limit, 3).text);
    eqp_grid_cell(grid, "%s", meaning);
}

/* Beside what was reached: what no rule beats, and what none of this yield does. */
static void add_imbalance(eqp_grid *grid, const json_t *document, const json_t *figures)
{
    double limit = eqp_field_number(document, FIELD_limit, FIELD_imbalance);
    double at_yield = eqp_field_number(document, FIELD_limit, FIELD_at_yield);
    eqp_grid_cell(grid, "imbalance");
    eqp_grid_cell(grid, "%s", eqp_estimate(figures, FIELD_imbalance, FIELD_imbalance_error).text);
    eqp_grid_cell(grid, "%s", eqp_decimal(limit, 3).text);
    eqp_grid_cell(grid, "limit: no rule within it does better");
    if (at_yield > limit + 5e-4) add_limit(grid, at_yield, "limit at this yield");
}

static void add_yield(eqp_grid *grid, const json_t *figures)
{
    double yield = eqp_field_number(figures, FIELD_yield);
    eqp_grid_cell(grid, "yield");
    eqp_grid_cell(grid, "%s", eqp_percent(yield).text);
    eqp_grid_cell(grid, "1 in %s", eqp_decimal(1 / yield, 1 / yield < 9.95 ? 1 : 0).text);
    eqp_grid_cell(grid, "candidates is accepted");
}

static void add_ratio(eqp_grid *grid, const json_t *document, const json_t *figures)
{
    double asked = eqp_field_number(document, FIELD_max_ratio);
    double bound = eqp_field_number(document, FIELD_bound, FIELD_ratio);
    bool holds = bound <= 1.005 * asked; /* as rounded */
    if (!isfinite(asked)) return;
    eqp_grid_cell(grid, "ratio");
    eqp_grid_cell(grid, "%s%s", holds ? "≤ " : "",
                  eqp_decimal(holds ? bound : eqp_field_number(figures, FIELD_ratio), 2).text);
    eqp_grid_cell(grid, "%s", eqp_decimal(asked, 2).text);
    if (holds)
        eqp_grid_cell(grid, "of a share to its base rate; %s %% confidence",
                      eqp_confidence(eqp_field_number(document, FIELD_bound, FIELD_confidence)).text);
    else
        eqp_grid_cell(grid, "of a share to its base rate; in expectation");
    if (holds) eqp_grid_tone(grid, EQP_TONE_GOOD);
}

static void add_least_chance(eqp_grid *grid, const json_t *document, const json_t *figures)
{
    double asked = eqp_field_number(document, FIELD_min_chance);
    if (!isfinite(asked)) return;
    eqp_grid_cell(grid, "chance");
    eqp_grid_cell(grid, "%s", eqp_percent(eqp_field_number(document, FIELD_chances, FIELD_least)).text);
    eqp_grid_cell(grid, "%s", eqp_percent(asked * eqp_field_number(figures, FIELD_yield)).text);
    eqp_grid_cell(grid, "%s of the yield, for everybody", eqp_percent(asked).text);
}

static void add_distortion(eqp_grid *grid, const json_t *document, const json_t *figures)
{
    double asked = eqp_field_number(document, FIELD_max_distortion);
    if (!isfinite(asked)) return;
    eqp_grid_cell(grid, "distortion");
    eqp_grid_cell(grid, "%s", eqp_estimate(figures, FIELD_distortion, FIELD_distortion_error).text);
    eqp_grid_cell(grid, "%s", eqp_decimal(asked, 3).text);
    eqp_grid_cell(grid, "standard deviations in a group; in expectation");
}

static void show_figures(eqp_screen *screen, const json_t *document)
{
    const json_t *figures = eqp_learned_figures(document);
    eqp_grid grid;
    eqp_grid_begin(&grid, "llll", "|%s|allowed|", eqp_learned_unseen(document) ? "reached" : "in training");
    add_disclosure(&grid, document);
    add_ratio(&grid, document, figures);
    add_imbalance(&grid, document, figures);
    add_yield(&grid, figures);
    add_least_chance(&grid, document, figures);
    add_distortion(&grid, document, figures);
    eqp_screen_grid(screen, &grid, NAME_WIDTH);
    eqp_screen_gap(screen);
}

/* The yield that was taken and those beside it, with the reason. */
static void show_yields(eqp_screen *screen, const json_t *document)
{
    enum { BESIDE = 2 };
    size_t count = eqp_field_count(document, FIELD_yields);
    double index = eqp_field_number(document, FIELD_yield_chosen);
    if (count < 2 || !(index >= 0 && index < (double)count)) return;
    size_t chosen = (size_t)index, first = chosen > BESIDE ? chosen - BESIDE : 0;
    eqp_grid grid;
    eqp_grid_begin(&grid, "rlll", "yields tried|imbalance|disclosure|");
    for (size_t i = first; i < count && i <= chosen + BESIDE; i++) {
        const json_t *tried = eqp_field_entry(document, i, FIELD_yields);
        eqp_grid_cell(&grid, "%s %%", eqp_decimal(100 * eqp_field_number(tried, FIELD_yield), 2).text);
        const json_t *figures = eqp_field_value(tried, FIELD_cross_validated);
        eqp_grid_cell(&grid, "%s", eqp_estimate(figures, FIELD_imbalance, FIELD_imbalance_error).text);
        eqp_grid_cell(&grid, "%s", eqp_decimal(eqp_field_number(figures, FIELD_disclosure), 3).text);
        eqp_grid_cell(&grid, "%s", i == chosen ? "taken" : " ");
    }
    eqp_screen_grid(screen, &grid, NAME_WIDTH);
    eqp_screen_wrapped(screen, "%s", eqp_field_text(document, FIELD_yield_reason));
    const json_t *taken = eqp_field_entry(document, chosen, FIELD_yields);
    double luck = eqp_field_number(eqp_learned_figures(document), FIELD_imbalance) -
                  eqp_field_number(taken, FIELD_cross_validated, FIELD_imbalance);
    if (fabs(luck) > 0.0005)
        eqp_screen_wrapped(screen, "reached: each fifth of the rows, by what the other four choose");
    eqp_screen_gap(screen);
}

/* The first budget of the curve beyond the one in use, to show what more budget would buy. */
static const json_t *next_budget(const json_t *document)
{
    double budget = eqp_field_number(document, FIELD_max_disclosure);
    for (size_t i = 0; i < eqp_field_count(document, FIELD_limit_curve); i++) {
        const json_t *point = eqp_field_entry(document, i, FIELD_limit_curve);
        if (eqp_field_number(point, FIELD_max_disclosure) > budget + 0.099) return point;
    }
    return NULL;
}

/* More budget is worth asking for only as far as the columns can use it. */
static void show_prospect(eqp_screen *screen, const json_t *document)
{
    double needed = eqp_field_number(document, FIELD_limit, FIELD_disclosure_for_balance);
    double reach = eqp_field_number(document, FIELD_reach, FIELD_imbalance);
    double error = eqp_field_number(document, FIELD_reach, FIELD_standard_error);
    double reached = eqp_field_number(eqp_learned_figures(document), FIELD_imbalance);
    const json_t *next = next_budget(document);
    if (isfinite(reach))
        eqp_screen_line(screen, "whatever the budget, these columns reach about %s",
                        eqp_with_error(reach, error, 3).text);
    if (isfinite(reach) && reached - reach < error)
        eqp_screen_line(screen, "a larger budget would gain nothing that can be measured");
    else if (isfinite(needed) && needed <= eqp_field_number(document, FIELD_max_disclosure))
        eqp_screen_line(screen, "this budget allows full balance (%s would be enough)",
                        eqp_decimal(needed, 3).text);
    else if (next)
        eqp_screen_line(screen, "at a budget of %s the limit is %s",
                        eqp_decimal(eqp_field_number(next, FIELD_max_disclosure), 1).text,
                        eqp_decimal(eqp_field_number(next, FIELD_imbalance), 3).text);
    eqp_screen_line(screen, "± is one standard error");
}

/* What the oracle that was not taken would have given. */
static void show_other(eqp_screen *screen, const json_t *document)
{
    if (!eqp_field_is_known(document, FIELD_other)) return;
    eqp_screen_line(screen, "%s scores would reach an imbalance of %s at a yield of %s",
                    eqp_field_text(document, FIELD_other, FIELD_oracle),
                    eqp_with_error(eqp_field_number(document, FIELD_other, FIELD_imbalance),
                                   eqp_field_number(document, FIELD_other, FIELD_standard_error), 3)
                        .text,
                    eqp_percent(eqp_field_number(document, FIELD_other, FIELD_yield)).text);
}

static void show_rule(eqp_screen *screen, const json_t *document)
{
    double leaves = eqp_field_number(document, FIELD_leaves),
           components = eqp_field_number(document, FIELD_components);
    char size[96] = "";
    if (components > 0)
        snprintf(size, sizeof size, ", %s component%s", eqp_count(components).text,
                 components > 1 ? "s" : "");
    else if (leaves > 0)
        snprintf(size, sizeof size, ", %s leaves", eqp_count(leaves).text);
    eqp_screen_line(screen, "rule: %s, %s%s, learned in %s", eqp_field_text(document, FIELD_method),
                    eqp_field_text(document, FIELD_oracle), size,
                    eqp_seconds(eqp_field_number(document, FIELD_seconds, FIELD_learn)).text);
}

/* How well the file keeps its rows to itself, where that was tried. */
static void show_release(eqp_screen *screen, const json_t *document)
{
    const json_t *release = eqp_field_value(document, FIELD_release);
    if (!json_is_object(release)) return;
    eqp_screen_wrapped(screen,
                       "with a model file of this kind, people it was learned from can be told apart from "
                       "others with an AUC of %s (%s – "
                       "%s), and groups with %s for them and %s for others; 0.5 is guessing",
                       eqp_decimal(eqp_field_number(release, FIELD_membership, FIELD_auc), 3).text,
                       eqp_decimal(eqp_field_number(release, FIELD_membership, FIELD_low), 3).text,
                       eqp_decimal(eqp_field_number(release, FIELD_membership, FIELD_high), 3).text,
                       eqp_decimal(eqp_field_number(release, FIELD_attribute, FIELD_auc), 3).text,
                       eqp_decimal(eqp_field_number(release, FIELD_unseen, FIELD_auc), 3).text);
    if (eqp_release_tells(document))
        eqp_screen_wrapped(screen,
                           "the model file TELLS who was among the people it was learned from: do not "
                           "hand it on, or learn with --oracle linear or --publishable");
}

void eqp_screen_learn(eqp_screen *screen, const json_t *document)
{
    show_what_was_read(screen, document);
    eqp_screen_warnings(screen, document);
    eqp_screen_gap(screen);
    show_groups(screen, document);
    show_figures(screen, document);
    eqp_screen_chances(screen, document);
    show_yields(screen, document);
    show_prospect(screen, document);
    show_rule(screen, document);
    show_other(screen, document);
    show_release(screen, document);
}
