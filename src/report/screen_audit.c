/* The screen after an audit: what was measured and certified, what someone learns of a person, what next. */
#include "report/finding.h"
#include "report/screen.h"
#include "report/shown.h"

#include <math.h>
#include <stdio.h>

static void show_what_was_read(eqp_screen *screen, const json_t *document)
{
    double rows = eqp_field_number(document, FIELD_rows), attempt = eqp_field_number(document, FIELD_attempt);
    char names[200] = "";
    for (size_t i = 0, used = 0; i < eqp_field_count(document, FIELD_sensitive) && used < sizeof names; i++) {
        const char *name = json_string_value(eqp_field_entry(document, i, FIELD_sensitive));
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", name ? name : "");
    }
    eqp_screen_wrapped(screen, "%s rows labelled by \"%s\"; they must be independent of training",
                       eqp_count(rows).text, names);
    if (attempt > 1)
        eqp_screen_line(screen,
                        "attempt %s with this model or these rows: the certificate must pass a stricter test",
                        eqp_count(attempt).text);
}

/* ---- figures ------------------------------------------------------------------------------------------- */

static void add_verdict(eqp_grid *grid, const json_t *document)
{
    double budget = eqp_field_number(document, FIELD_budget);
    bool exceeded = eqp_field_number(document, FIELD_disclosure, FIELD_measured) > budget;
    bool certified = eqp_field_is_true(document, FIELD_certified);
    bool about = eqp_field_is_true(document, FIELD_about);
    if (!isfinite(budget))
        eqp_grid_cell(grid, "%s", "");
    else
        eqp_grid_cell(grid, "%s",
                      exceeded    ? "ABOVE THE BUDGET"
                      : about     ? "not what the model was made for"
                      : certified ? "CERTIFIED"
                                  : "NOT CERTIFIED: too few rows");
    if (isfinite(budget)) eqp_grid_tone(grid, certified && !exceeded ? EQP_TONE_GOOD : EQP_TONE_BAD);
}

static void add_bounded(eqp_grid *grid, const json_t *document, eqp_field name)
{
    const json_t *figure = eqp_field_value(document, name);
    double upper = eqp_field_number(figure, FIELD_upper);
    eqp_grid_cell(grid, "%s", eqp_field_name(name));
    eqp_grid_cell(grid, "%s", eqp_audit_figure(figure, FIELD_measured, 3).text);
    eqp_grid_cell(grid, isfinite(upper) ? "≤ %s" : "%s", eqp_audit_figure(figure, FIELD_upper, 3).text);
}

static void add_yield(eqp_grid *grid, const json_t *document)
{
    eqp_grid_cell(grid, "yield");
    eqp_grid_cell(grid, "%s", eqp_percent(eqp_field_number(document, FIELD_yield, FIELD_measured)).text);
    eqp_grid_cell(grid, "%s – %s", eqp_points(eqp_field_number(document, FIELD_yield, FIELD_low)).text,
                  eqp_percent(eqp_field_number(document, FIELD_yield, FIELD_high)).text);
    eqp_grid_cell(grid, "%s", "");
    eqp_grid_cell(grid, "%s", "");
}

static void show_figures(eqp_screen *screen, const json_t *document)
{
    double confidence = eqp_field_number(document, FIELD_disclosure, FIELD_confidence);
    eqp_grid grid;
    eqp_grid_begin(&grid, "lllll", "|measured|certified (%s %%)|budget|", eqp_confidence(confidence).text);
    add_bounded(&grid, document, FIELD_disclosure);
    eqp_grid_cell(&grid, "%s", eqp_decimal(eqp_field_number(document, FIELD_budget), 3).text);
    add_verdict(&grid, document);
    if (eqp_field_is_known(document, FIELD_max_ratio)) {
        add_bounded(&grid, document, FIELD_ratio);
        eqp_grid_cell(&grid, "%s", eqp_decimal(eqp_field_number(document, FIELD_max_ratio), 2).text);
        eqp_grid_cell(&grid, "%s", "of a share to its base rate");
    }
    if (*eqp_field_text(document, FIELD_model_id)) { /* a proxy column accepts nobody */
        add_bounded(&grid, document, FIELD_imbalance);
        eqp_grid_cell(&grid, "%s", "");
        eqp_grid_cell(&grid, "%s", "");
        add_yield(&grid, document);
    }
    eqp_screen_gap(screen);
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
}

/* ---- the attacker's view ------------------------------------------------------------------------------- */

/* A number is an amount of disclosure, a text is said as it is, null means nothing. */
static void add_leak(eqp_grid *grid, const json_t *attacker, eqp_field field, const char *how)
{
    const json_t *value = eqp_field_value(attacker, field);
    eqp_grid_cell(grid, "  %s", how);
    if (json_is_string(value))
        eqp_grid_cell(grid, "%s", json_string_value(value));
    else if (json_is_number(value) && json_number_value(value) > 0)
        eqp_grid_cell(grid, "up to %s", eqp_decimal(json_number_value(value), 3).text);
    else
        eqp_grid_cell(grid, "nothing more");
}

static void add_outcome(eqp_grid *grid, const json_t *attacker, eqp_field outcome)
{
    double ratio = eqp_field_number(attacker, FIELD_odds_ratio);
    char group[128];
    if (!eqp_field_is_known(attacker, FIELD_group)) {
        eqp_grid_cell(grid, "withheld");
        return;
    }
    eqp_text_shorten(eqp_field_text(attacker, FIELD_group), 20, group, sizeof group);
    if (outcome == FIELD_accepted && isfinite(ratio))
        eqp_grid_cell(grid, "%s: %s → %s (odds × %s)", group, eqp_audit_share(attacker, FIELD_prior).text,
                      eqp_audit_share(attacker, outcome).text, eqp_decimal(ratio, 1).text);
    else
        eqp_grid_cell(grid, "%s: %s → %s", group, eqp_audit_share(attacker, FIELD_prior).text,
                      eqp_audit_share(attacker, outcome).text);
}

/* What releases would tell if they were independent given the group; several models are measured instead. */
static void add_releases(eqp_grid *grid, const json_t *attacker)
{
    double releases = eqp_field_number(attacker, FIELD_releases);
    char group[128];
    if (!(releases > 1)) return;
    eqp_text_shorten(eqp_field_text(attacker, FIELD_composed_group), 20, group, sizeof group);
    eqp_grid_cell(grid, "  from %s releases", eqp_count(releases).text);
    if (!eqp_field_is_known(attacker, FIELD_composed_group))
        eqp_grid_cell(grid, "withheld");
    else
        eqp_grid_cell(grid, "%s: %s → %s if independent", group,
                      eqp_percent(eqp_field_number(attacker, FIELD_composed_prior)).text,
                      eqp_percent(eqp_field_number(attacker, FIELD_composed)).text);
}

static void show_attacker(eqp_screen *screen, const json_t *document)
{
    const json_t *attacker = eqp_field_value(document, FIELD_attacker);
    if (!json_is_object(attacker)) return;
    eqp_grid grid;
    eqp_grid_begin(&grid, "ll", "  from being accepted");
    add_outcome(&grid, attacker, FIELD_accepted);
    eqp_grid_cell(&grid, "  from being rejected");
    add_outcome(&grid, attacker, FIELD_rejected);
    add_leak(&grid, attacker, FIELD_asking_again, "by asking again");
    if (json_is_object(eqp_field_value(document, FIELD_white_box))) {
        eqp_grid_cell(&grid, "  with the model file");
        eqp_grid_cell(&grid, "%s", eqp_audit_with_model(document).text);
    }
    add_releases(&grid, attacker);
    eqp_screen_gap(screen);
    eqp_screen_line(screen, "what someone learns about a person");
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
}

/* ---- several models ------------------------------------------------------------------------------------ */

static void add_joint_verdict(eqp_grid *grid, const json_t *joint)
{
    double budget = eqp_field_number(joint, FIELD_budget), upper = eqp_field_number(joint, FIELD_upper),
           disclosure = eqp_field_number(joint, FIELD_disclosure);
    bool exceeded = disclosure > budget;
    eqp_grid_cell(grid, "%s",
                  exceeded                ? "ABOVE THE BUDGET"
                  : !isfinite(disclosure) ? "NOT KNOWN: too few rows"
                  : upper <= budget       ? "CERTIFIED"
                                          : "NOT CERTIFIED: too few rows");
    eqp_grid_tone(grid, upper <= budget && !exceeded ? EQP_TONE_GOOD : EQP_TONE_BAD);
}

static void show_joint(eqp_screen *screen, const json_t *document)
{
    const json_t *joint = eqp_field_value(document, FIELD_joint);
    size_t count = eqp_field_count(joint, FIELD_models);
    if (count == 0) return;
    double upper = eqp_field_number(joint, FIELD_upper);
    eqp_grid grid;
    eqp_grid_begin(&grid, "lllll", "  model|outcome|certified|budget|");
    for (size_t t = 0; t < count; t++) {
        const json_t *model = eqp_field_entry(joint, t, FIELD_models);
        eqp_grid_cell(&grid, "  %s", eqp_field_text(model, FIELD_model_id));
        eqp_grid_cell(&grid, "%s", eqp_audit_figure(model, FIELD_disclosure, 3).text);
        eqp_grid_cell(&grid, "%s", "");
        eqp_grid_cell(&grid, "%s", eqp_decimal(eqp_field_number(model, FIELD_budget), 3).text);
        eqp_grid_cell(&grid, "%s", "");
    }
    eqp_grid_cell(&grid, "  all together");
    eqp_grid_cell(&grid, "%s", eqp_audit_figure(joint, FIELD_disclosure, 3).text);
    eqp_grid_cell(&grid, isfinite(upper) ? "≤ %s" : "%s", eqp_audit_figure(joint, FIELD_upper, 3).text);
    eqp_grid_cell(&grid, "%s", eqp_decimal(eqp_field_number(joint, FIELD_budget), 3).text);
    add_joint_verdict(&grid, joint);
    eqp_screen_gap(screen);
    eqp_screen_line(screen, "what the outcomes of %s models tell together", eqp_count((double)count).text);
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
}

/* ---- distortion, drift, what next ---------------------------------------------------------------------- */

static const json_t *largest_distortion(const json_t *document)
{
    const json_t *largest = NULL;
    for (size_t i = 0; i < eqp_field_count(document, FIELD_distortion); i++) {
        const json_t *entry = eqp_field_entry(document, i, FIELD_distortion);
        double size = fabs(eqp_field_number(entry, FIELD_standardised_difference));
        bool within_group = *eqp_field_text(entry, FIELD_group) != 0;
        if (!within_group || !isfinite(size)) continue;
        if (!largest || size > fabs(eqp_field_number(largest, FIELD_standardised_difference)))
            largest = entry;
    }
    return largest;
}

static void show_distortion(eqp_screen *screen, const json_t *document)
{
    const json_t *largest = largest_distortion(document);
    if (!largest) return;
    eqp_screen_wrapped(screen, "within-group distortion: largest in \"%s\" (%s, %s sd)",
                       eqp_field_text(largest, FIELD_feature), eqp_field_text(largest, FIELD_group),
                       eqp_decimal(fabs(eqp_field_number(largest, FIELD_standardised_difference)), 2).text);
}

static void show_drift(eqp_screen *screen, const json_t *document)
{
    double psi = eqp_field_number(document, FIELD_drift, FIELD_psi);
    if (!isfinite(psi)) return;
    eqp_screen_wrapped(screen, "drift: stability index %s (by chance up to %s); %s",
                       eqp_significant(psi).text,
                       eqp_threshold(eqp_field_number(document, FIELD_drift, FIELD_psi_critical)).text,
                       eqp_field_text(document, FIELD_drift, FIELD_advice));
}

static void show_next(eqp_screen *screen, const json_t *document)
{
    double needed = eqp_field_number(document, FIELD_labels_needed);
    if (!eqp_field_is_true(document, FIELD_certified) && isfinite(needed))
        eqp_screen_line(screen, "a certificate at this budget needs about %s labelled rows",
                        eqp_count(needed).text);
    bool pass = eqp_field_is_true(document, FIELD_pass);
    if (pass && !eqp_field_is_known(document, FIELD_budget))
        eqp_screen_line(screen, "measured: without a budget there is nothing to pass");
    else if (pass && eqp_field_is_true(document, FIELD_about))
        eqp_screen_line(screen, "measured within the budget: figures, no certificate");
    else
        eqp_screen_verdict(screen, pass, "audit %s", pass ? "passed" : "FAILED");
}

void eqp_screen_chances(eqp_screen *screen, const json_t *document)
{
    const json_t *chances = eqp_field_value(document, FIELD_chances);
    if (!json_is_object(chances)) return;
    double median = json_number_value(eqp_field_entry(chances, 1, FIELD_quartiles));
    eqp_screen_wrapped(screen, "chances of acceptance: from %s to %s, median %s; %s have none; Gini index %s",
                       eqp_percent(eqp_field_number(chances, FIELD_least)).text,
                       eqp_percent(eqp_field_number(chances, FIELD_most)).text, eqp_percent(median).text,
                       eqp_percent(eqp_field_number(chances, FIELD_none)).text,
                       eqp_decimal(eqp_field_number(chances, FIELD_gini), 2).text);
}

void eqp_screen_drift(eqp_screen *screen, const json_t *document)
{
    bool moved = eqp_field_is_true(document, FIELD_moved);
    eqp_screen_line(screen, "%s rows, without labels",
                    eqp_count(eqp_field_number(document, FIELD_rows)).text);
    show_drift(screen, document);
    eqp_screen_verdict(screen, !moved, moved ? "the population HAS MOVED" : "the population has not moved");
}

/* One sentence for every state. */
void eqp_screen_certificate(eqp_screen *screen, const json_t *document)
{
    const json_t *certificate = eqp_field_value(document, FIELD_certificate);
    bool pass = eqp_field_is_true(document, FIELD_pass);
    eqp_screen_wrapped(screen, "the certificate says: %s", eqp_field_text(certificate, FIELD_outcome));
    eqp_screen_line(screen, eqp_field_is_true(document, FIELD_recomputed)
                                ? "its figures were recomputed from the labelled records"
                                : "its figures were not recomputed: no labelled records were compared");
    eqp_screen_line(screen, eqp_field_is_true(document, FIELD_signer_known)
                                ? "it was signed by the signer who was asked for"
                            : eqp_field_is_true(document, FIELD_signed)
                                ? "it is signed; who signed it was not checked (option \"--signer\")"
                                : "it is not signed, or the signature is wrong");
    eqp_screen_verdict(screen, pass, pass ? "certificate verified" : "certificate NOT VERIFIED");
    if (!pass) eqp_screen_wrapped(screen, "%s", eqp_field_text(document, FIELD_difference));
}

void eqp_screen_audit(eqp_screen *screen, const json_t *document)
{
    show_what_was_read(screen, document);
    show_figures(screen, document);
    show_attacker(screen, document);
    show_joint(screen, document);
    eqp_screen_quotas(screen, document);
    eqp_screen_gap(screen);
    eqp_screen_chances(screen, document);
    show_distortion(screen, document);
    show_drift(screen, document);
    eqp_screen_warnings(screen, document);
    show_next(screen, document);
}
