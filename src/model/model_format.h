/* The model as text (docs/model-format.md): what writing, reading and checking share.
 *
 *     model --model_text.c--> canonical JSON --save--> file
 *     file --model_load.c--> JSON --member.c--> parts --check.c--> model
 *
 * Nothing in a file is trusted: reading checks types and members, check.c indices, orders, ranges and sums.
 */
#ifndef EQP_MODEL_MODEL_FORMAT_H
#define EQP_MODEL_MODEL_FORMAT_H

#include "base/buffer.h"
#include "model/rule.h"

#define EQP_MODEL_FORMAT    "equipoise-model"
#define EQP_MODEL_VERSION   1
#define EQP_MODEL_MAX_BYTES ((size_t)64 << 20)
#define EQP_MODEL_MAX_DEPTH 64 /* of a router's tree and of a boosted tree: one draw, one step per level */
/* An audit puts every row into every leaf and component, and finds every feature's column by name. */
#define EQP_MODEL_MAX_LEAF       10000 /* leaves of a router */
#define EQP_MODEL_MAX_COMPONENTS 10000 /* of all nodes together; and as many scores */
#define EQP_MODEL_MAX_FEATURES   40000 /* a column is four at most */
#define EQP_MODEL_MAX_WORD       4096  /* bytes of a name, level or group value */
#define EQP_WEIGHT_SLACK         1e-9  /* weights of a node, and target shares, sum to 1 within this */

/* How a file names the kinds of features and of routers, by their constants. */
#define EQP_FEATURE_KINDS 3
#define EQP_ROUTERS       3
extern const char *const eqp_feature_kind_names[EQP_FEATURE_KINDS];
extern const char *const eqp_date_part_names[EQP_DATE_PARTS]; /* "" for none */
extern const char *const eqp_router_names[EQP_ROUTERS];

/* Writes text, digest and id of a model from its parts. */
eqp_status eqp_model_compose(eqp_model *model, eqp_error *error);

/* The parts of a parsed file; each is NULL on failure. */
eqp_status eqp_model_read(const char *json, size_t length, eqp_encoding **encoding, eqp_groups **groups,
                          eqp_rule **rule, eqp_provenance *provenance, char digest[65], eqp_error *error);

/* Whether the parts make a model that can be evaluated on any encoded row; EQP_DATA says what is wrong. */
eqp_status eqp_encoding_check(const eqp_encoding *encoding, eqp_error *error);
eqp_status eqp_groups_check(const eqp_groups *groups, const eqp_encoding *encoding, eqp_error *error);
eqp_status eqp_rule_check(const eqp_rule *rule, const eqp_encoding *encoding, eqp_error *error);
eqp_status eqp_provenance_check(const eqp_provenance *provenance, eqp_error *error);
void eqp_provenance_clear(eqp_provenance *provenance); /* frees what it holds */

#endif
