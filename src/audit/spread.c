/* How the chance of being accepted is spread over people. */
#include "audit/audit.h"

#include "base/json.h"
#include "base/order.h"

#include <math.h>

/* Nearest rank, so that every figure is the chance of somebody. */
static double quantile(const double *sorted, size_t count, double share)
{
    return sorted[(size_t)fmin((double)count - 1, floor(share * (double)count))];
}

eqp_spread eqp_spread_of(double *chance, size_t count)
{
    if (count == 0) return (eqp_spread){NAN, {NAN, NAN, NAN}, NAN, NAN, NAN};
    double sum = 0, ranked = 0, none = 0;
    eqp_sort_numbers(chance, count);
    for (size_t i = 0; i < count; i++) {
        sum += chance[i];
        ranked += (double)(i + 1) * chance[i];
        none += chance[i] <= 0;
    }
    double rows = (double)count;
    return (eqp_spread){.least = chance[0],
                        .quartile = {quantile(chance, count, 0.25), quantile(chance, count, 0.5),
                                     quantile(chance, count, 0.75)},
                        .most = chance[count - 1],
                        .none = none / rows,
                        .gini = sum > 0 ? 2 * ranked / (rows * sum) - (rows + 1) / rows : 0};
}

json_t *eqp_spread_json(const eqp_spread *spread, const eqp_sdc *sdc, double rows)
{
    const eqp_field names[] = {FIELD_least, FIELD_most, FIELD_none, FIELD_gini};
    const double figures[] = {spread->least, spread->most, spread->none, spread->gini};
    json_t *object = json_object(), *quartiles = json_array();
    for (size_t q = 0; q < 3; q++)
        eqp_json_append(&quartiles, eqp_json_number(eqp_sdc_figure(sdc, spread->quartile[q], rows)));
    for (size_t i = 0; i < 4; i++) {
        eqp_json_set_number(&object, names[i], eqp_sdc_figure(sdc, figures[i], rows));
        if (i == 0) eqp_json_set(&object, FIELD_quartiles, quartiles);
    }
    return object;
}
