/* The white box as JSON: figures no finer than the rounding base of the disclosure control, and no group
 * named that rests on few people. */
#include "audit/audit.h"
#include "audit/white_box.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>

/* Few people: of the group in the set, of the others in it, or of the group outside. */
bool eqp_shift_rests_on_few(const eqp_shift *shift, const double *group_rows, const eqp_sdc *sdc)
{
    double hits = shift->hits, least = fmin(fmin(hits, shift->rows - hits), group_rows[shift->group] - hits);
    return least < sdc->threshold + sdc->base;
}

/* "components 1, 3 and 4 jointly"; numbers are those of the model file. */
static void name_tests(const eqp_white_box *box, uint64_t tests, char *text, size_t size)
{
    int left = __builtin_popcountll(tests), named = 0;
    size_t used = (size_t)snprintf(text, size, "components ");
    if (left > 8) { /* only beginnings are that long */
        snprintf(text + used, size - used, "1 to %u jointly", box->tests[left - 1] + 1);
        return;
    }
    for (size_t t = 0; t < box->test_count && left > 0; t++) {
        if (!(tests << t >> 63)) continue;
        left--;
        used += (size_t)snprintf(text + used, size - used, "%s%u",
                                 named++ == 0 ? ""
                                 : left > 0   ? ", "
                                              : " and ",
                                 box->tests[t] + 1);
    }
    snprintf(text + used, size - used, " jointly");
}

static void name_set(const eqp_white_box *box, const eqp_set *set, char *text, size_t size)
{
    bool low = set->kind == EQP_SET_LOW;
    if (set->kind == EQP_SET_TESTS)
        name_tests(box, set->tests, text, size);
    else if (set->kind == EQP_SET_LEAF)
        snprintf(text, size, "leaf %zu the likeliest", set->index + 1);
    else if (set->index + 1 < box->score_count)
        snprintf(text, size, "%s values of score %zu", low ? "lowest" : "highest", set->index + 1);
    else
        snprintf(text, size, "%s chances of acceptance", low ? "lowest" : "highest");
}

json_t *eqp_white_box_json(const eqp_white_box *white_box, const eqp_groups *groups, const eqp_sdc *sdc)
{
    const eqp_shift *found = &white_box->found;
    bool known = !isnan(found->disclosure);
    char set[160] = "";
    if (known) name_set(white_box, &found->set, set, sizeof set);
    bool told = known && !eqp_shift_rests_on_few(found, white_box->group_rows, sdc);
    json_t *object = json_object();
    double disclosure = eqp_sdc_figure(sdc, found->disclosure, found->rows);
    eqp_json_set_number(&object, FIELD_disclosure, disclosure);
    if (!isnan(white_box->upper)) {
        eqp_json_set_number(&object, FIELD_lower,
                            -eqp_sdc_figure_up(sdc, -white_box->lower, found->rows)); /* down */
        eqp_json_set_number(&object, FIELD_upper, eqp_sdc_figure_up(sdc, white_box->upper, found->rows));
    }
    eqp_json_set(&object, FIELD_rows,
                 known ? json_integer((json_int_t)eqp_sdc_floor(sdc, found->rows)) : json_null());
    eqp_json_set_text(&object, FIELD_group, told ? groups->groups[found->group].value : NULL);
    eqp_json_set_number(&object, FIELD_share,
                        told ? eqp_sdc_figure(sdc, found->hits / found->rows, found->rows) : NAN);
    eqp_json_set_text(&object, FIELD_set, known ? set : NULL);
    eqp_json_set_bool(&object, FIELD_suppressed, known && isnan(disclosure));
    return object;
}
