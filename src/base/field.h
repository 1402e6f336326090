/* The names of all members of our JSON documents, and reading a document by them.  A name stands here once:
 * whoever writes or reads FIELD_imbalance means the member "imbalance", and a misspelled one does not
 * compile.
 *
 * A member that is missing, null or of another kind reads as "not known", so that a screen or a page shows
 * what is there and leaves out what is not. */
#ifndef EQP_BASE_FIELD_H
#define EQP_BASE_FIELD_H

#include <jansson.h>
#include <stdbool.h>

/* clang-format off */
#define EQP_FIELDS(X)                                                                                        \
    X(accept) X(accept_rate) X(accepted) X(advice) X(alternates) X(asking_again) X(at_yield) X(attacker)     \
    X(attempt) X(attribute) X(base_rate) X(below) X(beta_likeness) X(bound) X(budget) X(candidates)          \
    X(candidates_high) X(candidates_low) X(certificate) X(certified) X(chi_square) X(children) X(code)       \
    X(cohort) X(cohort_error) X(column) X(columns) X(command) X(component) X(components) X(composed)         \
    X(cell) X(composed_group) X(composed_prior) X(composition) X(composition_error) X(confidence) X(other)   \
    X(cross_fitted) X(cross_validated) X(cuts) X(data) X(data_digest) X(date) X(decimal) X(degrees)          \
    X(delta_disclosure) X(design_effect) X(difference) X(digest) X(disclosure) X(disclosure_error)           \
    X(disclosure_for_balance) X(distortion) X(downstream) X(draw) X(draws) X(drift) X(duplicate_ids)         \
    X(duplicate_ids_exact) X(effect) X(effective_size) X(efficient) X(feature) X(features) X(format)         \
    X(gap) X(group) X(groups) X(high) X(imbalance) X(imbalance_error) X(in_sample) X(influence)              \
    X(inner_budget) X(input) X(input_bytes) X(input_digest) X(intercept) X(intersect) X(joint)               \
    X(key_commitment) X(kind) X(kkt) X(knee) X(label) X(labels_needed) X(labels_needed_low) X(leaf)          \
    X(learn) X(leaves) X(lemma_splits) X(levels) X(limit) X(limit_curve) X(low) X(lower)                     \
    X(max_disclosure) X(mean) X(measured) X(method) X(methods) X(min_yield) X(missing) X(missing_cells)      \
    X(missing_share) X(model) X(model_digest) X(model_id) X(models) X(name) X(no) X(node) X(nodes)           \
    X(noise) X(odds_ratio) X(oracle) X(oracle_calls) X(outcome) X(p_value) X(parts) X(pass) X(pattern)       \
    X(patterns) X(points) X(previous) X(prior) X(provenance) X(psi) X(psi_critical) X(randomness)            \
    X(ratio) X(reach) X(reachable) X(read) X(records) X(rejected) X(releases) X(router) X(rows)              \
    X(rows_unlabelled) X(rule) X(scale) X(score) X(scores) X(seconds) X(seed) X(seeds) X(selected)           \
    X(sensitive) X(set) X(share) X(shares) X(shift) X(size) X(solver) X(source) X(split) X(splits)           \
    X(spread) X(standard_error) X(standardised_difference) X(strict) X(study) X(suppressed)                  \
    X(suspicious_cells) X(target) X(terms) X(test) X(theorem) X(threshold) X(time) X(total)                  \
    X(total_variation) X(train) X(trees) X(unseen_levels) X(upper) X(value) X(values) X(version)             \
    X(warnings) X(weight) X(white_box) X(with_model) X(within_budget) X(worst_group) X(worst_leaf)           \
    X(about) X(alternates_needed) X(anytime) X(auc) X(avoided) X(avoided_digest) X(base) X(chances)          \
    X(by_seed) X(cluster) X(commitment) X(declined) X(delimiter) X(drawn_by) X(drop_out) X(event)            \
    X(foreseen) X(gini) X(households) X(id) X(invitations) X(invitations_high) X(invitations_low)     \
    X(least) X(least_ratio) X(log) X(log_head) X(mac) X(max) X(max_flex) X(membership) X(min)          \
    X(min_flex) X(model_file) X(most) X(moved) X(none) X(one_per) X(output) X(quartiles) X(quotas)           \
    X(randomness_form) X(randomness_time) X(randomness_value) X(ranking_commitment) X(recomputed)            \
    X(records_digest) X(reordered) X(repeated) X(response) X(round) X(rounds) X(rows_digest) X(salt)         \
    X(same_bytes) X(sdc) X(signature) X(signed) X(signer) X(signer_known) X(tickets) X(tickets_digest)       \
    X(curve) X(forecast) X(labels) X(limits) X(max_distortion) X(max_ratio) X(min_chance) X(price)           \
    X(distortion_error) X(protect) X(delete_by) X(held_by) X(properties) X(release) X(status) X(summary)     \
    X(type) X(unseen) X(determines) X(distinct) X(examples) X(notices) X(pooled) X(reason) X(strong)         \
    X(used) X(reasons) X(with) X(unseen_columns) X(same_cells) X(page) X(permanent) X(bands) X(chance)       \
    X(least_ratio_bound) X(multiple) X(attributes) X(png) X(separator) X(missing_columns) X(part) X(alone)   \
    X(yes) X(yield) X(yield_chosen) X(yield_error) X(yield_high) X(yield_low) X(yield_reason) X(yields)
/* clang-format on */

#define EQP_FIELD_CONSTANT(name) FIELD_##name,
typedef enum eqp_field { FIELD_NONE, EQP_FIELDS(EQP_FIELD_CONSTANT) } eqp_field;

const char *eqp_field_name(eqp_field field);

/* The path to a member: its own name, after those of the objects around it. */
typedef struct eqp_path {
    eqp_field at[4]; /* ends with FIELD_NONE */
} eqp_path;
#define EQP_PATH(...) ((eqp_path){{__VA_ARGS__}})

json_t *eqp_path_value(const json_t *object, eqp_path path);    /* NULL: missing */
double eqp_path_number(const json_t *object, eqp_path path);    /* NaN: not known */
const char *eqp_path_text(const json_t *object, eqp_path path); /* "": not known; owned by the document */
bool eqp_path_is_true(const json_t *object, eqp_path path);
bool eqp_path_is_known(const json_t *object, eqp_path path); /* there, and not null */

/* The same with the path spelled out: eqp_field_number(document, FIELD_limit, FIELD_imbalance). */
#define eqp_field_value(object, ...)    eqp_path_value(object, EQP_PATH(__VA_ARGS__))
#define eqp_field_number(object, ...)   eqp_path_number(object, EQP_PATH(__VA_ARGS__))
#define eqp_field_text(object, ...)     eqp_path_text(object, EQP_PATH(__VA_ARGS__))
#define eqp_field_is_true(object, ...)  eqp_path_is_true(object, EQP_PATH(__VA_ARGS__))
#define eqp_field_is_known(object, ...) eqp_path_is_known(object, EQP_PATH(__VA_ARGS__))

/* Of a list: how many entries it has, and one of them (NULL: not there). */
#define eqp_field_count(object, ...)        json_array_size(eqp_field_value(object, __VA_ARGS__))
#define eqp_field_entry(object, index, ...) json_array_get(eqp_field_value(object, __VA_ARGS__), index)

#endif
