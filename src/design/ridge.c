/* Ridge systems by Cholesky: (G + ridge · trace(G)/width · I) B = R, G the Gram matrix of a design.
 *
 * One-hot columns with an intercept are collinear by construction, so the ridge is what makes the
 * factorisation exist; relative to the trace it does not depend on the scale of the weights. */
#include "design/design.h"

#include "base/memory.h"
#include "solve/cholesky.h"

#include <string.h>

static double trace(const double *matrix, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++) sum += matrix[i * width + i];
    return sum;
}

static eqp_status fail_solving(size_t width, eqp_error *error)
{
    eqp_fail(error, EQP_DATA, "the normal equations of %zu coefficients cannot be solved", width);
    eqp_hint(error, "a column may hold values too large to square");
    return EQP_DATA;
}

eqp_status eqp_ridge_solve(const double *gram, size_t width, double ridge, double *factor, double *right,
                           size_t columns, eqp_error *error)
{
    double sum = trace(gram, width);
    double added = sum > 0 ? ridge * sum / (double)width : 1.0;

    if (factor != gram) memcpy(factor, gram, width * width * sizeof *factor);
    for (size_t i = 0; i < width; i++) factor[i * width + i] += added;
    if (!eqp_cholesky(factor, width)) return fail_solving(width, error);
    return eqp_solve_again(factor, width, right, columns, error);
}

static void solve_line(const double *factor, size_t width, double *line)
{
    eqp_cholesky_forward(factor, width, line);
    eqp_cholesky_backward(factor, width, line);
}

/* Each right side as a line of its own. */
eqp_status eqp_solve_again(const double *factor, size_t width, double *right, size_t columns,
                           eqp_error *error)
{
    if (columns == 1) solve_line(factor, width, right);
    if (columns <= 1) return EQP_OK;
    double *line = eqp_alloc(width, sizeof *line);
    if (line == NULL) return eqp_fail_memory(error);
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < width; i++) line[i] = right[i * columns + c];
        solve_line(factor, width, line);
        for (size_t i = 0; i < width; i++) right[i * columns + c] = line[i];
    }
    free(line);
    return EQP_OK;
}
