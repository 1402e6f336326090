/* The white box: what someone learns of a person's group who holds the model file, and so can compute every
 * test, score and chance in it.
 *
 *     rows --tests, leaf, chance--> sets of rows: joint patterns of the tests, likeliest leaves
 *          --each score, sorted---> sets of rows: both tails, of every size
 *     sets --shift.h--------------> the largest shift, and bounds
 *
 * It is a finding, not a limit: someone could put the scores together in yet another way. */
#ifndef EQP_AUDIT_WHITE_BOX_H
#define EQP_AUDIT_WHITE_BOX_H

#include "audit/shift.h"
#include "audit/thinning.h"
#include "base/sdc.h"
#include "model/rule.h"

#include <jansson.h>

/* Tests of a rule that are looked at jointly: the first so many that are not constant. */
#define EQP_JOINT_TESTS 64

typedef struct eqp_white_box {
    eqp_shift found;     /* the largest shift */
    double lower, upper; /* NaN: not asked for */
    double rows;         /* looked at: labelled; with design weights, those that thinning keeps */
    eqp_arena arena;     /* of the arrays below */
    double *group_rows;  /* of them in each group */
    size_t score_count;
    eqp_shift
        *scores; /* the largest shift in the tails of each score; the last is the chance of acceptance */
    size_t test_count;
    uint32_t tests[EQP_JOINT_TESTS]; /* the components behind the tests */
} eqp_white_box;

/* `error` is the chance with which each bound may fail; NaN where no bounds are wanted, as on rows that
 * learning has seen. */
eqp_status eqp_white_box_new(const eqp_model *model, const eqp_block *block, const eqp_audited *audited,
                             double error, size_t threads, const eqp_watch *watch, eqp_white_box **white_box,
                             eqp_error *error_record);
void eqp_white_box_free(eqp_white_box *white_box);

/* {"disclosure", "lower", "upper", "rows", "group", "share", "set"}; figures on small counts are rounded or
 * left out.  `group_hidden` may be NULL. */
json_t *eqp_white_box_json(const eqp_white_box *white_box, const eqp_groups *groups, const eqp_sdc *sdc);

#endif
