/* The joint audit as JSON, as discreetly as the white box. */
#include "audit/audit.h"

#include "base/json.h"

#include <math.h>

static double record_of(const eqp_joint *joint, const eqp_shift *shift, const bool *group_hidden)
{
    if (isnan(shift->disclosure)) return 0;
    if (group_hidden != NULL && group_hidden[shift->group]) return 1 / shift->rows;
    return eqp_shift_record(shift, joint->group_rows);
}

double eqp_joint_upper(const eqp_joint *joint)
{
    return eqp_round_rate_up(joint->upper, record_of(joint, &joint->found, NULL));
}

static void set_disclosure(json_t **object, const eqp_shift *shift, double record)
{
    double disclosure = eqp_round_rate(shift->disclosure, record);
    eqp_json_set_number(object, FIELD_disclosure, disclosure);
    eqp_json_set_bool(object, FIELD_suppressed, !isnan(shift->disclosure) && isnan(disclosure));
}

static json_t *models_json(const eqp_joint *joint, const bool *group_hidden)
{
    json_t *list = json_array();
    for (size_t t = 0; t < joint->model_count; t++) {
        double record = record_of(joint, &joint->single[t], group_hidden);
        json_t *model = json_object();
        eqp_json_set_text(&model, FIELD_model_id, joint->models[t]->id);
        eqp_json_set_number(&model, FIELD_budget, joint->models[t]->provenance.max_disclosure);
        set_disclosure(&model, &joint->single[t], record);
        eqp_json_append(&list, model);
    }
    return list;
}

/* One mark a model, in their order: 1 accepted, 0 rejected, - either. */
static void spell_pattern(const eqp_joint *joint, char *text)
{
    for (size_t t = 0; t < joint->model_count; t++)
        text[t] = !(joint->found.set.tests >> t & 1) ? '-' : joint->found.set.index >> t & 1 ? '1' : '0';
    text[joint->model_count] = 0;
}

json_t *eqp_joint_json(const eqp_joint *joint, const eqp_groups *groups, const bool *group_hidden)
{
    const eqp_shift *found = &joint->found;
    double record = record_of(joint, found, group_hidden);
    bool known = !isnan(found->disclosure), told = known && record == 0;
    char pattern[EQP_JOINT_MODELS + 1];
    spell_pattern(joint, pattern);
    json_t *object = json_object();
    eqp_json_set(&object, FIELD_models, models_json(joint, group_hidden));
    eqp_json_set_number(&object, FIELD_budget, joint->budget);
    set_disclosure(&object, found, record);
    eqp_json_set_number(&object, FIELD_upper, eqp_joint_upper(joint));
    eqp_json_set(&object, FIELD_rows, known ? json_integer((json_int_t)round(found->rows)) : json_null());
    eqp_json_set_text(&object, FIELD_group, told ? groups->groups[found->group].value : NULL);
    eqp_json_set_number(&object, FIELD_share, told ? eqp_round_rate(found->hits / found->rows, 0) : NAN);
    eqp_json_set_text(&object, FIELD_pattern, known ? pattern : NULL);
    eqp_json_set_count(&object, FIELD_patterns, joint->patterns);
    return object;
}
