/* The summary of an audit, with what someone could learn about a person. */
#include "report/finding.h"
#include "report/page.h"
#include "report/shown.h"

#include <stdio.h>

static bool is_above_budget(const json_t *document)
{
    return eqp_field_number(document, FIELD_disclosure, FIELD_measured) >
           eqp_field_number(document, FIELD_budget);
}

/* ---- drift alone --------------------------------------------------------------------------------------- */

static void summarise_drift(const json_t *document, eqp_buffer *out)
{
    double psi = eqp_field_number(document, FIELD_drift, FIELD_psi),
           critical = eqp_field_number(document, FIELD_drift, FIELD_psi_critical);
    bool drifts = psi > critical;
    char note[120];
    eqp_page_headline(out,
                      drifts ? "The candidates have changed since the rule was learned" : "No sign of drift");
    snprintf(note, sizeof note, "alarm above %.20s", eqp_significant(critical).text);
    eqp_page_open(out, "cards");
    eqp_page_card(out, "stability index of the leaves", eqp_significant(psi).text, note,
                  drifts ? EQP_TONE_BAD : EQP_TONE_GOOD, drifts ? "above the alarm" : "below the alarm");
    eqp_page_close(out);
    eqp_page_open(out, "answers");
    eqp_page_answer(
        out, "What happened?",
        "%s rows without labels were sent through the rule and compared with what it was learned from.",
        eqp_count(eqp_field_number(document, FIELD_rows)).text);
    eqp_page_answer(out, "Is it good?", "%s.", eqp_field_text(document, FIELD_drift, FIELD_advice));
    eqp_page_answer(
        out, "What next?", "%s",
        drifts ? "Audit with labelled rows, and learn again if the figures have moved."
               : "Nothing needs to be done. Disclosure itself can only be checked with labelled rows.");
    eqp_page_close(out);
}

/* ---- with labels --------------------------------------------------------------------------------------- */

static void write_headline(const json_t *document, eqp_buffer *out)
{
    if (is_above_budget(document))
        eqp_page_headline(out, "Disclosure is above the budget");
    else if (eqp_field_is_true(document, FIELD_certified))
        eqp_page_headline(out, "Certified: the rule keeps its budget");
    else
        eqp_page_headline(out, "Within the budget as measured, not certified: too few rows");
}

static void write_cards(const json_t *document, eqp_buffer *out)
{
    bool certified = eqp_field_is_true(document, FIELD_certified), above = is_above_budget(document);
    char note[160];
    eqp_page_open(out, "cards");
    snprintf(note, sizeof note, "certified ≤ %.20s, budget %.20s",
             eqp_decimal(eqp_field_number(document, FIELD_disclosure, FIELD_upper), 3).text,
             eqp_decimal(eqp_field_number(document, FIELD_budget), 3).text);
    eqp_page_card(out, "disclosure",
                  eqp_decimal(eqp_field_number(document, FIELD_disclosure, FIELD_measured), 3).text, note,
                  certified && !above ? EQP_TONE_GOOD : EQP_TONE_BAD,
                  above       ? "above the budget"
                  : certified ? "certified"
                              : "not certified");
    snprintf(note, sizeof note, "certified ≤ %.20s",
             eqp_decimal(eqp_field_number(document, FIELD_imbalance, FIELD_upper), 3).text);
    eqp_page_card(out, "imbalance",
                  eqp_decimal(eqp_field_number(document, FIELD_imbalance, FIELD_measured), 3).text, note,
                  EQP_TONE_PLAIN, "");
    snprintf(note, sizeof note, "%.20s – %.20s",
             eqp_points(eqp_field_number(document, FIELD_yield, FIELD_low)).text,
             eqp_percent(eqp_field_number(document, FIELD_yield, FIELD_high)).text);
    eqp_page_card(out, "yield", eqp_percent(eqp_field_number(document, FIELD_yield, FIELD_measured)).text,
                  note, EQP_TONE_PLAIN, "");
    eqp_page_close(out);
}

static void write_answers(const json_t *document, eqp_buffer *out)
{
    double confidence = 100 * eqp_field_number(document, FIELD_disclosure, FIELD_confidence);
    eqp_page_open(out, "answers");
    eqp_page_answer(out, "What happened?",
                    "The rule was applied to %s labelled rows, and its figures were counted anew. They hold "
                    "for rows that were not used in training.",
                    eqp_count(eqp_field_number(document, FIELD_rows)).text);
    eqp_page_answer(out, "Is it good?",
                    "Measured, the outcome changes the probability of any group by at most %s. With %s %% "
                    "confidence it is at most %s in the population; the budget is %s.",
                    eqp_decimal(eqp_field_number(document, FIELD_disclosure, FIELD_measured), 3).text,
                    eqp_decimal(confidence, 0).text,
                    eqp_decimal(eqp_field_number(document, FIELD_disclosure, FIELD_upper), 3).text,
                    eqp_decimal(eqp_field_number(document, FIELD_budget), 3).text);
    if (is_above_budget(document))
        eqp_page_answer(out, "What next?",
                        "Do not use the rule with this budget. Learn again with a smaller one, or with "
                        "`--confidence`.");
    else if (eqp_field_is_true(document, FIELD_certified))
        eqp_page_answer(out, "What next?",
                        "The rule may be used within this budget. Audit again when the candidates change.");
    else
        eqp_page_answer(out, "What next?",
                        "A certificate at this budget needs about %s labelled rows; or certify a larger "
                        "budget.",
                        eqp_count(eqp_field_number(document, FIELD_labels_needed)).text);
    eqp_page_close(out);
}

/* ---- the attacker's view ------------------------------------------------------------------------------- */

static void add_fact(eqp_buffer *out, const char *how, const char *what)
{
    eqp_buffer_text(out, "<tr><th scope=\"row\">");
    eqp_markup_text(out, how);
    eqp_buffer_text(out, "</th><td>");
    eqp_markup_text(out, what);
    eqp_buffer_text(out, "</td></tr>\n");
}

/* A number is an amount of disclosure, a text is said as it is, anything else means nothing. */
static void add_leak(eqp_buffer *out, const json_t *value, const char *how)
{
    char text[120] = "nothing more";
    if (json_is_number(value) && json_number_value(value) > 0)
        snprintf(text, sizeof text, "up to %.20s", eqp_decimal(json_number_value(value), 3).text);
    add_fact(out, how, json_is_string(value) ? json_string_value(value) : text);
}

static void write_attacker(const json_t *document, eqp_buffer *out)
{
    const json_t *attacker = eqp_field_value(document, FIELD_attacker);
    if (!json_is_object(attacker)) return;
    double prior = eqp_field_number(attacker, FIELD_prior),
           releases = eqp_field_number(attacker, FIELD_releases);
    char text[400];
    eqp_buffer_text(out, "<div class=\"attacker\"><h2>What someone could learn about a person</h2><table>\n");
    snprintf(text, sizeof text, "%.150s: %.20s → %.20s (odds × %.20s)", eqp_field_text(attacker, FIELD_group),
             eqp_percent(prior).text, eqp_percent(eqp_field_number(attacker, FIELD_accepted)).text,
             eqp_decimal(eqp_field_number(attacker, FIELD_odds_ratio), 1).text);
    add_fact(out, "from being accepted", text);
    snprintf(text, sizeof text, "%.150s: %.20s → %.20s", eqp_field_text(attacker, FIELD_group),
             eqp_percent(prior).text, eqp_percent(eqp_field_number(attacker, FIELD_rejected)).text);
    add_fact(out, "from being rejected", text);
    add_leak(out, eqp_field_value(attacker, FIELD_asking_again), "by asking again");
    add_leak(out, eqp_field_value(attacker, FIELD_with_model), "with the model file");
    if (releases > 1) {
        snprintf(text, sizeof text, "%.150s: %.20s → %.20s", eqp_field_text(attacker, FIELD_group),
                 eqp_percent(prior).text, eqp_percent(eqp_field_number(attacker, FIELD_composed)).text);
        add_fact(out, "from all releases together", text);
    }
    eqp_buffer_text(out, "</table></div>\n");
}

void eqp_page_audit(const json_t *document, eqp_buffer *out)
{
    if (!eqp_audit_has_labels(document)) {
        summarise_drift(document, out);
        return;
    }
    write_headline(document, out);
    write_cards(document, out);
    write_answers(document, out);
    write_attacker(document, out);
}
