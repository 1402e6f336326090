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

static bool is_jointly_above(const json_t *document)
{
    const json_t *joint = eqp_field_value(document, FIELD_joint);
    return eqp_field_number(joint, FIELD_disclosure) > eqp_field_number(joint, FIELD_budget);
}

static bool is_above_with_quotas(const json_t *document)
{
    const json_t *quotas = eqp_field_value(document, FIELD_quotas);
    return json_is_object(quotas) && !eqp_field_is_true(quotas, FIELD_pass);
}

/* ---- drift alone --------------------------------------------------------------------------------------- */

static void summarise_drift(const json_t *document, eqp_buffer *out)
{
    double psi = eqp_field_number(document, FIELD_drift, FIELD_psi),
           critical = eqp_field_number(document, FIELD_drift, FIELD_psi_critical);
    bool moved = eqp_field_is_true(document, FIELD_moved);
    char note[120];
    eqp_page_headline(out, moved ? "The candidates have changed since the rule was learned"
                                 : "The candidates have not changed by as much as matters");
    snprintf(note, sizeof note, "by chance up to %.20s", eqp_threshold(critical).text);
    eqp_page_open(out, "cards");
    eqp_page_card(out, "stability index of the leaves", eqp_significant(psi).text, note,
                  moved ? EQP_TONE_BAD : EQP_TONE_GOOD, moved ? "moved" : "not moved");
    eqp_page_close(out);
    eqp_page_open(out, "answers");
    eqp_page_answer(
        out, "What happened?",
        "%s rows without labels were sent through the rule and compared with what it was learned from.",
        eqp_count(eqp_field_number(document, FIELD_rows)).text);
    eqp_page_answer(out, "Is it good?", "%s.", eqp_field_text(document, FIELD_drift, FIELD_advice));
    eqp_page_answer(out, "What next?", "%s",
                    moved ? "Audit with labelled rows, and learn again if the figures have moved."
                          : "Disclosure itself can only be checked with labelled rows.");
    eqp_page_close(out);
}

/* ---- with labels --------------------------------------------------------------------------------------- */

static void write_headline(const json_t *document, eqp_buffer *out)
{
    if (is_above_budget(document))
        eqp_page_headline(out, "Disclosure is above the budget");
    else if (is_jointly_above(document))
        eqp_page_headline(out, "Together the models disclose more than the budget");
    else if (is_above_with_quotas(document))
        eqp_page_headline(out, "With these quotas, being selected is not known to keep the budget");
    else if (!eqp_field_is_known(document, FIELD_disclosure, FIELD_measured))
        eqp_page_headline(out, "Too few people: the figures are withheld");
    else if (eqp_field_is_true(document, FIELD_certified))
        eqp_page_headline(out, "Certified: the rule keeps its budget");
    else
        eqp_page_headline(out, "Within the budget as measured, not certified: too few rows");
}

/* "certified ≤ 0.214", or that the bound is withheld. */
static void describe_upper(const json_t *figure, char *text, size_t size)
{
    bool known = eqp_field_is_known(figure, FIELD_upper);
    snprintf(text, size, known ? "certified ≤ %.20s" : "bound: %.20s",
             eqp_audit_figure(figure, FIELD_upper, 3).text);
}

static void write_cards(const json_t *document, eqp_buffer *out)
{
    bool certified = eqp_field_is_true(document, FIELD_certified), above = is_above_budget(document);
    const json_t *disclosure = eqp_field_value(document, FIELD_disclosure),
                 *imbalance = eqp_field_value(document, FIELD_imbalance);
    char bound[80], note[160];
    eqp_page_open(out, "cards");
    describe_upper(disclosure, bound, sizeof bound);
    snprintf(note, sizeof note, "%s, budget %.20s", bound,
             eqp_decimal(eqp_field_number(document, FIELD_budget), 3).text);
    eqp_page_card(out, "disclosure", eqp_audit_figure(disclosure, FIELD_measured, 3).text, note,
                  certified && !above ? EQP_TONE_GOOD : EQP_TONE_BAD,
                  above       ? "above the budget"
                  : certified ? "certified"
                              : "not certified");
    describe_upper(imbalance, bound, sizeof bound);
    eqp_page_card(out, "imbalance", eqp_audit_figure(imbalance, FIELD_measured, 3).text, bound,
                  EQP_TONE_PLAIN, "");
    snprintf(note, sizeof note, "%.20s – %.20s",
             eqp_points(eqp_field_number(document, FIELD_yield, FIELD_low)).text,
             eqp_percent(eqp_field_number(document, FIELD_yield, FIELD_high)).text);
    eqp_page_card(out, "yield", eqp_percent(eqp_field_number(document, FIELD_yield, FIELD_measured)).text,
                  note, EQP_TONE_PLAIN, "");
    eqp_page_close(out);
}

/* Whether the figures are good, as far as they may be told. */
static void write_judgement(const json_t *document, eqp_buffer *out)
{
    const json_t *disclosure = eqp_field_value(document, FIELD_disclosure);
    double confidence = eqp_field_number(disclosure, FIELD_confidence);
    if (!eqp_field_is_known(disclosure, FIELD_measured))
        eqp_page_answer(out, "Is it good?",
                        "Nobody can tell: the figures rest on so few people that they are withheld.");
    else if (!eqp_field_is_known(disclosure, FIELD_upper))
        eqp_page_answer(out, "Is it good?",
                        "Measured, the outcome changes the probability of any group by at most %s. A bound "
                        "for the population is withheld because it rests on few people.",
                        eqp_audit_figure(disclosure, FIELD_measured, 3).text);
    else
        eqp_page_answer(
            out, "Is it good?",
            "Measured, the outcome changes the probability of any group by at most %s. With %s %% "
            "confidence it is at most %s in the population; the budget is %s.",
            eqp_audit_figure(disclosure, FIELD_measured, 3).text, eqp_confidence(confidence).text,
            eqp_audit_figure(disclosure, FIELD_upper, 3).text,
            eqp_decimal(eqp_field_number(document, FIELD_budget), 3).text);
}

static void write_answers(const json_t *document, eqp_buffer *out)
{
    eqp_page_open(out, "answers");
    eqp_page_answer(out, "What happened?",
                    "The rule was applied to %s labelled rows, and its figures were counted again. They hold "
                    "for rows that were not used in training.",
                    eqp_count(eqp_field_number(document, FIELD_rows)).text);
    write_judgement(document, out);
    if (is_above_budget(document))
        eqp_page_answer(out, "What next?",
                        "Do not use the rule with this budget. Learn again with a smaller one, or with "
                        "`--confidence`.");
    else if (is_jointly_above(document))
        eqp_page_answer(
            out, "What next?",
            "Do not release the outcomes of all these models about the same people. Release fewer, or "
            "learn them with smaller budgets and audit them together again.");
    else if (is_above_with_quotas(document))
        eqp_page_answer(out, "What next?",
                        "Do not draw a panel with these quotas. Take quotas on columns that tell less, or "
                        "audit them on more labelled rows.");
    else if (eqp_field_is_true(document, FIELD_certified))
        eqp_page_answer(out, "What next?",
                        "The rule may be used within this budget. Audit again when the candidates change.");
    else if (!eqp_field_is_known(document, FIELD_labels_needed))
        eqp_page_answer(out, "What next?", "Audit again with more labelled rows.");
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

static void add_outcome(eqp_buffer *out, const json_t *attacker, eqp_field outcome, const char *how)
{
    char text[400] = "withheld";
    double ratio = eqp_field_number(attacker, FIELD_odds_ratio);
    bool with_odds = outcome == FIELD_accepted && ratio > 0;
    if (eqp_field_is_known(attacker, FIELD_group))
        snprintf(text, sizeof text, "%.150s: %.20s → %.20s%s%.20s%s", eqp_field_text(attacker, FIELD_group),
                 eqp_audit_share(attacker, FIELD_prior).text, eqp_audit_share(attacker, outcome).text,
                 with_odds ? " (odds × " : "", with_odds ? eqp_decimal(ratio, 1).text : "",
                 with_odds ? ")" : "");
    add_fact(out, how, text);
}

/* How the figure of the model file came about, and what it is worth. */
static void add_white_box(eqp_buffer *out, const json_t *document)
{
    const json_t *box = eqp_field_value(document, FIELD_white_box);
    char text[500];
    if (!json_is_object(box)) return;
    int used = snprintf(text, sizeof text, "%s", eqp_audit_with_model(document).text);
    if (eqp_field_is_known(box, FIELD_disclosure) && used > 0)
        snprintf(text + used, sizeof text - (size_t)used,
                 " (%.160s%s%.80s). The largest shift found in any pattern of the file's tests and any tail "
                 "of its "
                 "scores; not a limit.",
                 eqp_field_text(box, FIELD_set), eqp_field_is_known(box, FIELD_group) ? "; " : "",
                 eqp_field_text(box, FIELD_group));
    add_fact(out, "with the model file", text);
}

static void add_releases(eqp_buffer *out, const json_t *attacker)
{
    char text[400] = "withheld";
    if (!(eqp_field_number(attacker, FIELD_releases) > 1)) return;
    if (eqp_field_is_known(attacker, FIELD_composed_group))
        snprintf(
            text, sizeof text,
            "%.150s: %.20s → %.20s, if their outcomes were independent given the group. Auditing the models "
            "together measures what they really tell.",
            eqp_field_text(attacker, FIELD_composed_group),
            eqp_percent(eqp_field_number(attacker, FIELD_composed_prior)).text,
            eqp_percent(eqp_field_number(attacker, FIELD_composed)).text);
    add_fact(out, "from all releases together", text);
}

static void add_joint(eqp_buffer *out, const json_t *document)
{
    const json_t *joint = eqp_field_value(document, FIELD_joint);
    char text[400];
    if (!json_is_object(joint)) return;
    snprintf(text, sizeof text, "up to %.20s; certified ≤ %.20s, budget %.20s (outcomes %.20s%s%.100s)",
             eqp_audit_figure(joint, FIELD_disclosure, 3).text, eqp_audit_figure(joint, FIELD_upper, 3).text,
             eqp_decimal(eqp_field_number(joint, FIELD_budget), 3).text, eqp_field_text(joint, FIELD_pattern),
             eqp_field_is_known(joint, FIELD_group) ? "; " : "", eqp_field_text(joint, FIELD_group));
    add_fact(out, "from the outcomes of all models", text);
}

static void add_quotas(eqp_buffer *out, const json_t *document)
{
    const json_t *quotas = eqp_field_value(document, FIELD_quotas);
    char text[400];
    if (!json_is_object(quotas)) return;
    snprintf(
        text, sizeof text,
        "up to %.20s, budget %.20s; the quota columns alone %.20s, a ticket on the page of the draw %.20s",
        eqp_audit_figure(quotas, FIELD_disclosure, 3).text,
        eqp_decimal(eqp_field_number(quotas, FIELD_budget), 3).text,
        eqp_audit_figure(quotas, FIELD_columns, 3).text, eqp_audit_figure(quotas, FIELD_page, 3).text);
    add_fact(out, "from being selected, with quotas", text);
}

static void write_attacker(const json_t *document, eqp_buffer *out)
{
    const json_t *attacker = eqp_field_value(document, FIELD_attacker);
    if (!json_is_object(attacker)) return;
    bool nothing = !(eqp_field_number(attacker, FIELD_asking_again) > 0);
    eqp_buffer_text(out, "<div class=\"attacker\"><h2>What someone could learn about a person</h2><table>\n");
    add_outcome(out, attacker, FIELD_accepted, "from being accepted");
    add_outcome(out, attacker, FIELD_rejected, "from being rejected");
    add_fact(out, "by asking again",
             nothing ? "nothing more" : eqp_audit_figure(attacker, FIELD_asking_again, 3).text);
    add_white_box(out, document);
    add_releases(out, attacker);
    add_joint(out, document);
    add_quotas(out, document);
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
