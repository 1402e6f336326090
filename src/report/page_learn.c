/* The summary of a learned rule. */
#include "report/finding.h"
#include "report/page.h"
#include "report/shown.h"

#include <math.h>
#include <stdio.h>

/* The imbalance without any rule: the limit curve where nothing may be disclosed. */
static double imbalance_now(const json_t *document)
{
    const json_t *first = eqp_field_entry(document, 0, FIELD_limit_curve);
    return eqp_field_number(first, FIELD_max_disclosure) == 0 ? eqp_field_number(first, FIELD_imbalance)
                                                              : NAN;
}

static void write_headline(const json_t *document, eqp_buffer *out)
{
    double now = imbalance_now(document),
           reached = eqp_field_number(eqp_learned_figures(document), FIELD_imbalance);
    double gained = 100 * (now - reached) / now;
    static const char *const STANDINGS[] = {"within the budget", "within the budget in expectation",
                                            "about at the budget", "but above the budget"};
    const char *budget =
        eqp_learned_unseen(document) ? STANDINGS[eqp_budget_kept(document)] : "on the training rows";
    if (gained >= 99.5)
        eqp_page_headline(out, "A balanced cohort, %s", budget);
    else if (gained > 0.5)
        eqp_page_headline(out, "A cohort %s %% closer to balance, %s", eqp_decimal(gained, 0).text, budget);
    else
        eqp_page_headline(out, "A rule %s", budget);
}

static void write_cards(const json_t *document, eqp_buffer *out)
{
    const json_t *figures = eqp_learned_figures(document);
    double yield = eqp_field_number(figures, FIELD_yield),
           limit = eqp_field_number(document, FIELD_limit, FIELD_imbalance);
    double above = eqp_field_number(figures, FIELD_imbalance) - limit;
    static const eqp_tone TONES[] = {EQP_TONE_GOOD, EQP_TONE_PLAIN, EQP_TONE_PLAIN, EQP_TONE_BAD};
    char holds[80];
    snprintf(holds, sizeof holds, "holds in the population with %.8s %% confidence",
             eqp_confidence(eqp_field_number(document, FIELD_bound, FIELD_confidence)).text);
    const char *const verdicts[] = {holds, "in expectation only", "above the budget, within sampling error",
                                    "above the budget"};
    eqp_budget_standing standing = eqp_budget_kept(document);
    bool unseen = eqp_learned_unseen(document),
         near = unseen && standing <= EQP_BUDGET_EXPECTED && above < 0.02;
    char note[160];
    eqp_page_open(out, "cards");
    snprintf(note, sizeof note, "budget %.20s",
             eqp_decimal(eqp_field_number(document, FIELD_max_disclosure), 3).text);
    eqp_page_card(out, "disclosure", eqp_learned_disclosure(document).text, note,
                  unseen ? TONES[standing] : EQP_TONE_PLAIN,
                  unseen ? verdicts[standing] : "on training rows only");
    snprintf(note, sizeof note, "limit %.20s, without a rule %.20s", eqp_decimal(limit, 3).text,
             eqp_decimal(imbalance_now(document), 3).text);
    eqp_page_card(out, "imbalance", eqp_estimate(figures, FIELD_imbalance, FIELD_imbalance_error).text, note,
                  near ? EQP_TONE_GOOD : EQP_TONE_PLAIN,
                  near     ? "within 0.02 of what any rule can reach"
                  : unseen ? ""
                           : "on training rows only");
    snprintf(note, sizeof note, "1 in %.20s candidates is accepted", eqp_decimal(1 / yield, 0).text);
    eqp_page_card(out, "yield", eqp_percent(yield).text, note, EQP_TONE_PLAIN, "");
    eqp_page_close(out);
}

/* The group whose share moves most, down or up; the count of groups when there is none. */
static size_t largest_move(const json_t *document, double direction)
{
    size_t count = eqp_field_count(document, FIELD_groups), largest = count;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *group = eqp_field_entry(document, i, FIELD_groups);
        double move =
            direction * (eqp_field_number(group, FIELD_cohort) - eqp_field_number(group, FIELD_base_rate));
        if (move > most) {
            most = move;
            largest = i;
        }
    }
    return largest;
}

static void describe_moves(const json_t *document, char *text, size_t size)
{
    size_t down = largest_move(document, -1), up = largest_move(document, 1);
    text[0] = 0;
    if (down == eqp_field_count(document, FIELD_groups) || up == eqp_field_count(document, FIELD_groups))
        return;
    const json_t *falls = eqp_field_entry(document, down, FIELD_groups),
                 *rises = eqp_field_entry(document, up, FIELD_groups);
    snprintf(text, size,
             " In the accepted cohort the share of %s falls from %s to %s, that of %s rises from %s to %s.",
             eqp_group_named(document, down).text, eqp_percent(eqp_field_number(falls, FIELD_base_rate)).text,
             eqp_percent(eqp_field_number(falls, FIELD_cohort)).text, eqp_group_named(document, up).text,
             eqp_percent(eqp_field_number(rises, FIELD_base_rate)).text,
             eqp_percent(eqp_field_number(rises, FIELD_cohort)).text);
}

/* Everyone's chance, and what was asked for besides the budget. */
static void write_chances(const json_t *document, eqp_buffer *out)
{
    const json_t *chances = eqp_field_value(document, FIELD_chances),
                 *figures = eqp_learned_figures(document);
    double ratio = eqp_field_number(document, FIELD_max_ratio);
    double distortion = eqp_field_number(document, FIELD_max_distortion);
    char shares[160] = "", moved[200] = "";
    if (!json_is_object(chances)) return;
    if (isfinite(ratio))
        snprintf(shares, sizeof shares,
                 " A group's share and its base rate differ by a factor of %.20s at most; %.20s was allowed.",
                 eqp_decimal(eqp_field_number(figures, FIELD_ratio), 2).text, eqp_decimal(ratio, 2).text);
    if (isfinite(distortion))
        snprintf(moved, sizeof moved,
                 " Within a group a protected column moves by %.40s standard deviations at most; %.20s was "
                 "allowed.",
                 eqp_estimate(figures, FIELD_distortion, FIELD_distortion_error).text,
                 eqp_decimal(distortion, 3).text);
    eqp_page_answer(
        out, "Does everybody have a chance?",
        "Chances of acceptance go from %s to %s; half of the people have %s or less, %s have none. The "
        "Gini index of the chances is %s.%s%s",
        eqp_percent(eqp_field_number(chances, FIELD_least)).text,
        eqp_percent(eqp_field_number(chances, FIELD_most)).text,
        eqp_percent(json_number_value(eqp_field_entry(chances, 1, FIELD_quartiles))).text,
        eqp_percent(eqp_field_number(chances, FIELD_none)).text,
        eqp_decimal(eqp_field_number(chances, FIELD_gini), 2).text, shares, moved);
}

/* How well the file keeps its rows to itself, where that was tried. */
static void write_release(const json_t *document, eqp_buffer *out)
{
    const json_t *release = eqp_field_value(document, FIELD_release);
    if (!json_is_object(release)) return;
    eqp_page_answer(
        out, "May the model file be handed on?",
        "%s With a file of this kind, people it was learned from can be told apart from others with an AUC "
        "of %s (%s – %s), and groups with %s for them and %s for others; 0.5 is guessing.",
        eqp_release_tells(document)
            ? "No: it tells who was among the people it was learned from. Keep it, or learn with linear "
              "scores or a publishable rule."
            : "An attack on it found nothing beyond chance about who was among the people it was learned "
              "from.",
        eqp_decimal(eqp_field_number(release, FIELD_membership, FIELD_auc), 3).text,
        eqp_decimal(eqp_field_number(release, FIELD_membership, FIELD_low), 3).text,
        eqp_decimal(eqp_field_number(release, FIELD_membership, FIELD_high), 3).text,
        eqp_decimal(eqp_field_number(release, FIELD_attribute, FIELD_auc), 3).text,
        eqp_decimal(eqp_field_number(release, FIELD_unseen, FIELD_auc), 3).text);
}

#define STRONG_NAMED 6

static double alone(const json_t *document, size_t column)
{
    return eqp_field_number(eqp_field_entry(document, column, FIELD_strong), FIELD_disclosure);
}

/* The columns that disclose most by themselves, the first of equal ones first; returns how many. */
static size_t find_strongest(const json_t *document, size_t order[STRONG_NAMED])
{
    size_t kept = 0;
    for (size_t i = 0; i < eqp_field_count(document, FIELD_strong); i++) {
        size_t at = kept < STRONG_NAMED ? kept++ : STRONG_NAMED;
        for (; at > 0 && alone(document, i) > alone(document, order[at - 1]); at--)
            if (at < STRONG_NAMED) order[at] = order[at - 1];
        if (at < STRONG_NAMED) order[at] = i;
    }
    return kept;
}

static void name_strong(const json_t *document, eqp_buffer *text)
{
    size_t order[STRONG_NAMED], named = find_strongest(document, order),
                                count = eqp_field_count(document, FIELD_strong);
    for (size_t i = 0; i < named; i++)
        eqp_buffer_printf(text, "%s%s %s", i > 0 ? ", " : "",
                          eqp_field_text(eqp_field_entry(document, order[i], FIELD_strong), FIELD_column),
                          eqp_decimal(alone(document, order[i]), 2).text);
    if (named < count) eqp_buffer_printf(text, " and %zu more", count - named);
}

/* The columns that disclose much by themselves; what else triage noticed is among the notes. */
static void write_columns(const json_t *document, eqp_buffer *out)
{
    eqp_buffer text = {0};
    if (eqp_field_count(document, FIELD_strong) > 0) {
        eqp_buffer strong = {0};
        name_strong(document, &strong);
        if (!strong.failed)
            eqp_buffer_printf(
                &text,
                "By themselves these columns disclose more than the budget: %s. The rule discloses %s.",
                strong.bytes, eqp_learned_disclosure(document).text);
        text.failed = text.failed || strong.failed;
        eqp_buffer_free(&strong);
    }
    if (text.length > 0 && !text.failed) eqp_page_answer(out, "What does it look at?", "%s", text.bytes);
    out->failed = out->failed || text.failed;
    eqp_buffer_free(&text);
}

static void write_next(const json_t *document, eqp_buffer *out)
{
    double reach = eqp_field_number(document, FIELD_reach, FIELD_imbalance);
    char prospect[160] = "";
    if (isfinite(reach))
        snprintf(prospect, sizeof prospect,
                 "Whatever the budget, these columns reach an imbalance of about %.20s. ",
                 eqp_decimal(reach, 3).text);
    eqp_page_answer(
        out, "What next?",
        "%s%s Then use `equipoise filter` or `select` on new records; the sensitive attribute is not needed "
        "there.",
        prospect,
        eqp_budget_kept(document) == EQP_BUDGET_HOLDS
            ? "Audit the rule on labelled rows that it has not seen, to have its disclosure certified."
            : "Learn again with `--confidence 0.95`, or with a smaller budget, before the rule is used.");
}

void eqp_page_learn(const json_t *document, eqp_buffer *out)
{
    const json_t *figures = eqp_learned_figures(document);
    bool holds = eqp_budget_kept(document) == EQP_BUDGET_HOLDS;
    char moves[900], disclosed[80];
    describe_moves(document, moves, sizeof moves);
    snprintf(disclosed, sizeof disclosed, "at most %.20s",
             eqp_decimal(holds ? eqp_field_number(document, FIELD_bound, FIELD_disclosure)
                               : eqp_field_number(figures, FIELD_disclosure),
                         3)
                 .text);
    write_headline(document, out);
    write_cards(document, out);
    eqp_page_open(out, "answers");
    eqp_page_answer(out, "What happened?",
                    "From %s labelled rows equipoise learned a rule that accepts %s of the candidates.%s",
                    eqp_count(eqp_field_number(document, FIELD_rows)).text,
                    eqp_percent(eqp_field_number(figures, FIELD_yield)).text, moves);
    eqp_page_answer(
        out, "Is it good?",
        "Knowing that someone was accepted or rejected changes the probability of any group by %s %s; %s was "
        "allowed. The imbalance is %s; no rule within this budget can go below %s.%s",
        disclosed,
        holds                          ? "in the population, with the confidence stated"
        : eqp_learned_unseen(document) ? "on unseen rows"
                                       : "on the training rows",
        eqp_decimal(eqp_field_number(document, FIELD_max_disclosure), 3).text,
        eqp_field_is_known(figures, FIELD_imbalance)
            ? eqp_decimal(eqp_field_number(figures, FIELD_imbalance), 3).text
            : "withheld",
        eqp_decimal(eqp_field_number(document, FIELD_limit, FIELD_imbalance), 3).text,
        eqp_learned_unseen(document) ? "" : " On unseen rows the figures may be worse.");
    write_columns(document, out);
    write_chances(document, out);
    write_release(document, out);
    write_next(document, out);
    eqp_page_close(out);
}
