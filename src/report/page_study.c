/* The summaries of the two studies: frontier and comparison. */
#include "report/finding.h"
#include "report/page.h"
#include "report/shown.h"

#include <stdio.h>

/* ---- frontier ------------------------------------------------------------------------------------------ */

static void write_knee_cards(const json_t *knee, eqp_buffer *out)
{
    const json_t *figures = eqp_learned_figures(knee);
    char note[160];
    eqp_page_open(out, "cards");
    snprintf(note, sizeof note, "at a budget of %.20s",
             eqp_decimal(eqp_field_number(knee, FIELD_max_disclosure), 2).text);
    eqp_page_card(out, "disclosure at the knee",
                  eqp_decimal(eqp_field_number(figures, FIELD_disclosure), 3).text, note, EQP_TONE_PLAIN, "");
    snprintf(note, sizeof note, "limit %.20s", eqp_decimal(eqp_field_number(knee, FIELD_limit), 3).text);
    eqp_page_card(out, "imbalance at the knee",
                  eqp_estimate(figures, FIELD_imbalance, FIELD_imbalance_error).text, note, EQP_TONE_PLAIN,
                  "");
    snprintf(note, sizeof note, "1 in %.20s candidates",
             eqp_decimal(1 / eqp_field_number(figures, FIELD_yield), 0).text);
    eqp_page_card(out, "yield at the knee", eqp_percent(eqp_field_number(figures, FIELD_yield)).text, note,
                  EQP_TONE_PLAIN, "");
    eqp_page_close(out);
}

void eqp_page_frontier(const json_t *document, eqp_buffer *out)
{
    const json_t *knee = eqp_frontier_knee(document);
    double budget = eqp_field_number(knee, FIELD_max_disclosure);
    if (knee)
        eqp_page_headline(out, "A budget of %s has nine tenths of the gain", eqp_decimal(budget, 2).text);
    else
        eqp_page_headline(out, "What each budget buys");
    if (knee) write_knee_cards(knee, out);
    eqp_page_open(out, "answers");
    eqp_page_answer(out, "What happened?",
                    "equipoise learned a rule for each of %zu pairs of budget and least yield, and "
                    "estimated how it does on unseen rows.",
                    eqp_field_count(document, FIELD_points));
    if (eqp_field_is_known(document, FIELD_disclosure_for_balance))
        eqp_page_answer(
            out, "Is it good?",
            "The knee is the smallest budget with nine tenths of the balance that any of them gains. Full "
            "balance needs a budget of at least %s.",
            eqp_decimal(eqp_field_number(document, FIELD_disclosure_for_balance), 3).text);
    else
        eqp_page_answer(
            out, "Is it good?",
            "The knee is the smallest budget with nine tenths of the balance that any of them gains. No "
            "budget buys all of it: groups overlap, and no choice of people has the target shares.");
    if (eqp_field_is_known(document, FIELD_labels)) {
        eqp_more_labels more = eqp_more_labels_of(eqp_field_value(document, FIELD_labels));
        eqp_page_answer(out, "Would more labels help?",
                        "At the knee, %s more labels would bring %s → %s (%s to %s).", more.rows.text,
                        more.now.text, more.then.text, more.low.text, more.high.text);
    }
    eqp_page_answer(
        out, "What next?",
        "Choose a point that you can justify and learn its rule, for the knee with `equipoise learn` and "
        "`--max-disclosure %s` `--min-yield %s`.",
        eqp_decimal(budget, 2).text, eqp_decimal(eqp_field_number(knee, FIELD_min_yield), 3).text);
    eqp_page_close(out);
}

/* ---- comparison ---------------------------------------------------------------------------------------- */

/* At how many budgets above 0 a method is the best that keeps the budget, beyond chance. */
static size_t wins_of(const json_t *document, const json_t *method, const eqp_series *budgets)
{
    size_t wins = 0;
    for (size_t i = 0; i < budgets->count; i++)
        wins += budgets->values[i] > 0 && eqp_clear_winner(document, budgets->values[i]) == method;
    return wins;
}

static const json_t *winner_of(const json_t *document, const eqp_series *budgets, size_t *wins)
{
    const json_t *winner = NULL;
    *wins = 0;
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *method = eqp_field_entry(document, i, FIELD_methods);
        size_t count = wins_of(document, method, budgets);
        if (count <= *wins) continue;
        *wins = count;
        winner = method;
    }
    return winner;
}

static void write_winner_cards(const json_t *document, const eqp_series *budgets, eqp_buffer *out)
{
    eqp_series few = eqp_series_thinned(budgets, 4);
    eqp_page_open(out, "cards");
    for (size_t i = 1; i < few.count; i++) {
        const json_t *best = eqp_best_method(document, few.values[i]);
        const char *nobody = eqp_some_keep(document, few.values[i]) ? "withheld" : "no method keeps it";
        char label[80], note[160];
        snprintf(label, sizeof label, "imbalance within a budget of %.20s",
                 eqp_decimal(few.values[i], 1).text);
        const char *doubt =
            best && eqp_clear_winner(document, few.values[i]) != best ? ", not beyond chance" : "";
        snprintf(note, sizeof note, "%.60s%s; limit %.20s", best ? eqp_method_name(best) : nobody, doubt,
                 eqp_decimal(eqp_limit_at(document, few.values[i]), 3).text);
        eqp_page_card(out, label,
                      eqp_decimal(eqp_field_number(eqp_compared_point(best, few.values[i]), FIELD_test,
                                                   FIELD_imbalance, FIELD_mean),
                                  3)
                          .text,
                      note, EQP_TONE_PLAIN, "");
    }
    eqp_page_close(out);
}

static void name_breakers(const json_t *document, const eqp_series *budgets, char *text, size_t size)
{
    size_t used = 0, breakers = 0;
    text[0] = 0;
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *method = eqp_field_entry(document, i, FIELD_methods);
        bool breaks = false;
        for (size_t j = 0; j < budgets->count; j++)
            breaks |= eqp_breaks_budget(eqp_compared_point(method, budgets->values[j]), budgets->values[j]);
        if (!breaks || used + 64 > size) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%.40s", breakers++ ? ", " : "",
                                 eqp_method_name(method));
    }
}

void eqp_page_compare(const json_t *document, eqp_buffer *out)
{
    eqp_series budgets = eqp_compared_budgets(document);
    size_t wins, above_zero = budgets.count - (budgets.count > 0 && budgets.values[0] <= 0);
    const json_t *winner = winner_of(document, &budgets, &wins);
    char breakers[400];
    name_breakers(document, &budgets, breakers, sizeof breakers);
    if (winner)
        eqp_page_headline(out, "On unseen rows, %s is best at %zu of %zu budgets, beyond chance",
                          eqp_method_name(winner), wins, above_zero);
    else
        eqp_page_headline(out, "%zu methods side by side", eqp_field_count(document, FIELD_methods));
    write_winner_cards(document, &budgets, out);
    eqp_page_open(out, "answers");
    eqp_page_answer(out, "What happened?",
                    "%zu methods learned from half of the rows and were measured on rows that they had not "
                    "seen, %s times with different splits.",
                    eqp_field_count(document, FIELD_methods),
                    eqp_count(eqp_field_number(document, FIELD_seeds)).text);
    eqp_page_answer(out, "Is it good?",
                    "Only methods that keep the budget on unseen rows count as best. %s%s",
                    *breakers ? "Somewhere above their budget: " : "All methods keep their budgets",
                    *breakers ? breakers : ".");
    eqp_page_answer(
        out, "What next?",
        "Choose a budget from the curves, then learn a rule with the method that does best there.");
    eqp_page_close(out);
}
