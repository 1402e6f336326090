/* The joint audit as JSON, as discreetly as the white box. */
#include "audit/audit.h"

#include "base/json.h"

#include <math.h>

double eqp_joint_measured(const eqp_joint *joint, const eqp_sdc *sdc)
{
    return eqp_sdc_figure(sdc, joint->found.disclosure, joint->found.rows);
}

double eqp_joint_upper(const eqp_joint *joint, const eqp_sdc *sdc)
{
    return eqp_sdc_figure_up(sdc, joint->upper, joint->found.rows);
}

static void set_disclosure(json_t **object, const eqp_shift *shift, const eqp_sdc *sdc)
{
    double disclosure = eqp_sdc_figure(sdc, shift->disclosure, shift->rows);
    eqp_json_set_number(object, FIELD_disclosure, disclosure);
    eqp_json_set_bool(object, FIELD_suppressed, !isnan(shift->disclosure) && isnan(disclosure));
}

static json_t *models_json(const eqp_joint *joint, const eqp_sdc *sdc)
{
    json_t *list = json_array();
    for (size_t t = 0; t < joint->model_count; t++) {
        json_t *model = json_object();
        eqp_json_set_text(&model, FIELD_model_id, joint->models[t]->id);
        eqp_json_set_number(&model, FIELD_budget, joint->models[t]->provenance.max_disclosure);
        set_disclosure(&model, &joint->single[t], sdc);
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

json_t *eqp_joint_json(const eqp_joint *joint, const eqp_groups *groups, const eqp_sdc *sdc)
{
    const eqp_shift *found = &joint->found;
    bool known = !isnan(found->disclosure),
         told = known && !eqp_shift_rests_on_few(found, joint->group_rows, sdc);
    char pattern[EQP_JOINT_MODELS + 1];
    spell_pattern(joint, pattern);
    json_t *object = json_object();
    eqp_json_set(&object, FIELD_models, models_json(joint, sdc));
    eqp_json_set_number(&object, FIELD_budget, joint->budget);
    set_disclosure(&object, found, sdc);
    eqp_json_set_number(&object, FIELD_upper, eqp_joint_upper(joint, sdc));
    eqp_json_set(&object, FIELD_rows,
                 known ? json_integer((json_int_t)eqp_sdc_floor(sdc, found->rows)) : json_null());
    eqp_json_set_text(&object, FIELD_group, told ? groups->groups[found->group].value : NULL);
    eqp_json_set_number(&object, FIELD_share,
                        told ? eqp_sdc_figure(sdc, found->hits / found->rows, found->rows) : NAN);
    eqp_json_set_text(&object, FIELD_pattern, known ? pattern : NULL);
    eqp_json_set_count(&object, FIELD_patterns, joint->patterns);
    return object;
}
