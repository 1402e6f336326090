/* Comparison: from the seeds' values to a mean and an interval. */
#include "study/interval.h"

#include <math.h>
#include <stdlib.h>

static const double TAIL = 0.025;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

eqp_interval eqp_interval_of(double *values, size_t count)
{
    size_t known = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            values[known++] = values[i];
        }
    if (known == 0) return (eqp_interval){NAN, NAN, NAN};
    qsort(values, known, sizeof *values, by_value);
    return (eqp_interval){sum / (double)known, quantile(values, known, TAIL),
                          quantile(values, known, 1 - TAIL)};
}
