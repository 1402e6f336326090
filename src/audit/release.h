/* May the model file be handed on?  Two attacks on it, by someone who holds the file and people's records:
 *
 *     membership   was this person among those that the rule was learned from?  Record and group are known.
 *     attribute    what is this person's group?  The record is known.
 *
 * Both go by how well the file's numbers fit a group: with z the standardised scores and chance of acceptance
 * of a record, and m_k their mean over group k, fit(z, k) = z·m_k - |m_k|²/2.  A rule that knows its own rows
 * by heart fits their groups better than those of others.  Means are taken over members and others alike, so
 * that a rule that knows nothing by heart gives 0.5. */
#ifndef EQP_AUDIT_RELEASE_H
#define EQP_AUDIT_RELEASE_H

#include "base/order.h"
#include "encode/groups.h"
#include "model/rule.h"

/* How often a value of one set is above one of another, ties half; and its standard error (Hanley, McNeil).
 */
typedef struct eqp_auc {
    double value, error;
} eqp_auc;

/* Of `count` values, those marked against the others; `items` and `spare` hold as many.  NaN where a set is
 * empty.
 */
eqp_auc eqp_auc_of(const double *value, const bool *marked, size_t count, eqp_keyed *items, eqp_keyed *spare);

typedef struct eqp_release {
    eqp_auc membership; /* 0.5: no better than guessing */
    eqp_auc members; /* attribute attack, mean over the groups: on members, and on others; where these are */
    eqp_auc others;  /* alike the file tells nothing of members that it does not tell of everybody */
    double fewest;   /* people of a group on one side, the least that were looked at */
} eqp_release;

/* `member` says of each labelled row whether the model was learned from it.  Groups with fewer than 30 people
 * on either side are left out of the attribute attack. */
eqp_status eqp_release_attack(const eqp_model *model, const eqp_block *block, const eqp_sample *sample,
                              const bool *member, eqp_release *found, eqp_error *error);

#endif
