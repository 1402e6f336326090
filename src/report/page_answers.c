/* The answers of a pack: what a data-protection review asks, from the document of an audit and its
 * certificate.
 */
#include "report/pack.h"
#include "report/page.h"
#include "report/shown.h"

#include "report/finding.h"

static void answer_inference(const json_t *document, eqp_buffer *out)
{
    const json_t *disclosure = eqp_field_value(document, FIELD_disclosure);
    eqp_page_answer(out, "What is inferred about a person?",
                    "Only an outcome: whether a record is accepted, and by which leaf of the rule. Whoever "
                    "learns it may think "
                    "differently about the person's group: the probability of any group changes by at most "
                    "%s as measured, and "
                    "in the population by at most %s with %s %% confidence. The budget is %s.",
                    eqp_audit_figure(disclosure, FIELD_measured, 3).text,
                    eqp_audit_figure(disclosure, FIELD_upper, 3).text,
                    eqp_confidence(eqp_field_number(disclosure, FIELD_confidence)).text,
                    eqp_decimal(eqp_field_number(document, FIELD_budget), 3).text);
    eqp_page_answer(out, "What is not inferred?",
                    "The group of a person is neither computed nor stored nor written. The rule does not "
                    "read the sensitive "
                    "columns; decisions need no labels. Whoever holds the model file can compute more than "
                    "outcomes (%s), so "
                    "it stays with those who run the draw.",
                    eqp_audit_with_model(document).text);
}

static void answer_need(const json_t *document, eqp_buffer *out)
{
    eqp_page_answer(
        out, "Why are other data not enough?",
        "How far an outcome moves the probability of a group can only be counted where groups "
        "are known; records "
        "without labels show no more than whether the population has moved. The records that the rule was "
        "learned from are refused because a rule looks best on them. %s labelled records were used.",
        eqp_count(eqp_field_number(document, FIELD_rows)).text);
    if (eqp_field_is_known(document, FIELD_labels_needed))
        eqp_page_answer(
            out, "Would fewer labels be enough?",
            "With the measured rates, about %s labelled records certify this budget in four of five "
            "audits.",
            eqp_count(eqp_field_number(document, FIELD_labels_needed)).text);
}

static void answer_custody(const json_t *certificate, eqp_buffer *out)
{
    const char *holder = eqp_field_text(certificate, FIELD_held_by),
               *until = eqp_field_text(certificate, FIELD_delete_by);
    eqp_page_answer(out, "Who holds the labels?", *holder ? "%s." : "NOT STATED (option `--held-by`).%s",
                    holder);
    eqp_page_answer(out, "When are they deleted?",
                    *until ? "On %s at the latest." : "NOT STATED (option `--delete-by`).%s", until);
    eqp_page_answer(out, "How is the deletion confirmed?",
                    "The certificate names the records by a salted digest that covers no label: %s. Whoever "
                    "deletes them signs "
                    "a statement with that digest and the day.",
                    eqp_field_text(certificate, FIELD_data_digest));
}

static void answer_release(const json_t *document, const json_t *certificate, eqp_buffer *out)
{
    double base = eqp_field_number(document, FIELD_sdc, FIELD_base),
           threshold = eqp_field_number(document, FIELD_sdc, FIELD_threshold);
    const char *signer = eqp_field_text(certificate, FIELD_signer);
    if (base > 0)
        eqp_page_answer(out, "What do these files tell?",
                        "Counts behind them are rounded at random to multiples of %s; counts below %s, zeros "
                        "included, are withheld. Verdicts are taken on what is printed.",
                        eqp_count(base).text, eqp_count(threshold).text);
    else
        eqp_page_answer(out, "What do these files tell?",
                        "EXACT counts: disclosure control was switched off. Do not hand them on.");
    eqp_page_answer(out, "Who vouches for the figures?",
                    *signer ? "The certificate is signed by %s; whoever holds the records can recompute it."
                            : "NOBODY: the certificate is not signed.%s",
                    signer);
    eqp_page_answer(out, "How often was this tried?",
                    "It was attempt %s with this model or these records; later attempts must pass a stricter "
                    "test.",
                    eqp_count(eqp_field_number(certificate, FIELD_attempt)).text);
}

void eqp_page_answers(const json_t *document, const json_t *certificate, eqp_buffer *out)
{
    eqp_page_headline(out, "Answers for a data-protection review");
    eqp_page_open(out, "answers");
    answer_inference(document, out);
    answer_need(document, out);
    answer_custody(certificate, out);
    answer_release(document, certificate, out);
    eqp_page_close(out);
}
