/* A reader with a linear program, who knows every printed cell, every printed total, the grand total, and
 * that counts are not negative; CLP gives the least and largest value of each number that is not printed. */
#ifndef EQP_TEST_AUDIT_READER_H
#define EQP_TEST_AUDIT_READER_H

#include "audit/audit.h"

#include <coin/Clp_C_Interface.h>
#include <math.h>

typedef struct crosstab {
    size_t rows, columns;
    double counts[144];
    bool row_totals_known;
} crosstab;

/* Numbers of the table in a line: cells, row totals, column totals. */
static inline size_t number_count(const crosstab *table)
{
    return table->rows * table->columns + table->rows + table->columns;
}

static inline double number_at(const crosstab *table, size_t number)
{
    size_t cells = table->rows * table->columns;
    double sum = 0;
    if (number < cells) return table->counts[number];
    if (number < cells + table->rows) {
        const double *row = table->counts + (number - cells) * table->columns;
        for (size_t j = 0; j < table->columns; j++) sum += row[j];
    } else {
        size_t j = number - cells - table->rows;
        for (size_t i = 0; i < table->rows; i++) sum += table->counts[i * table->columns + j];
    }
    return sum;
}

static inline bool is_hidden(const eqp_suppression *suppression, size_t number)
{
    size_t cells = suppression->rows * suppression->columns;
    if (number < cells) return suppression->cell[number];
    if (number < cells + suppression->rows) return suppression->row[number - cells];
    return suppression->column[number - cells - suppression->rows];
}

/* Σ of chosen numbers = right, as one more row of the reader's program. */
static inline void add_equation(Clp_Simplex *program, const int *columns, const double *factors, int count,
                                double right)
{
    CoinBigIndex starts[2] = {0, count};
    Clp_addRows(program, 1, &right, &right, starts, columns, factors);
}

static inline Clp_Simplex *readers_program(const crosstab *table, const eqp_suppression *suppression)
{
    Clp_Simplex *program = Clp_newModel();
    size_t numbers = number_count(table), cells = table->rows * table->columns;
    int columns[160];
    double factors[160], total = 0;
    Clp_setLogLevel(program, 0);
    for (size_t v = 0; v < numbers; v++) {
        double value = number_at(table, v), low = is_hidden(suppression, v) ? 0 : value;
        double high = is_hidden(suppression, v) ? 1e300 : value;
        CoinBigIndex starts[2] = {0, 0};
        Clp_addColumns(program, 1, &low, &high, NULL, starts, NULL, NULL);
    }
    for (size_t i = 0; i < table->rows; i++) {
        for (size_t j = 0; j < table->columns; j++)
            columns[j] = (int)(i * table->columns + j), factors[j] = 1;
        columns[table->columns] = (int)(cells + i), factors[table->columns] = -1;
        add_equation(program, columns, factors, (int)table->columns + 1, 0);
    }
    for (size_t j = 0; j < table->columns; j++) {
        for (size_t i = 0; i < table->rows; i++) columns[i] = (int)(i * table->columns + j), factors[i] = 1;
        columns[table->rows] = (int)(cells + table->rows + j), factors[table->rows] = -1;
        add_equation(program, columns, factors, (int)table->rows + 1, 0);
    }
    for (size_t i = 0; i < table->rows; i++) {
        columns[i] = (int)(cells + i), factors[i] = 1;
        total += number_at(table, cells + i);
    }
    add_equation(program, columns, factors, (int)table->rows, total);
    return program;
}

static inline double extreme(Clp_Simplex *program, size_t number, double direction)
{
    double objective[200] = {0};
    objective[number] = 1;
    Clp_chgObjCoefficients(program, objective);
    Clp_setObjSense(program, direction);
    int status = Clp_primal(program, 0);
    if (status == 2) return INFINITY;
    assert_int_equal(status, 0);
    return Clp_objectiveValue(program);
}

/* The narrowest interval that the reader gets for a suppressed number. */
static inline double narrowest(const crosstab *table, const eqp_suppression *suppression)
{
    double width = INFINITY;
    Clp_Simplex *program = readers_program(table, suppression);
    for (size_t v = 0; v < number_count(table); v++) {
        if (!is_hidden(suppression, v)) continue;
        width = fmin(width, extreme(program, v, -1) - extreme(program, v, 1));
    }
    Clp_deleteModel(program);
    return width;
}

static inline void assert_small_hidden(const crosstab *table, const eqp_suppression *suppression)
{
    size_t cells = table->rows * table->columns;
    for (size_t v = 0; v < number_count(table); v++) {
        double value = number_at(table, v);
        bool known = table->row_totals_known && v >= cells && v < cells + table->rows;
        if (value > 0 && value < EQP_SMALL_COUNT && !known) assert_true(is_hidden(suppression, v));
        if (known || value == 0) assert_false(is_hidden(suppression, v));
    }
}

#endif
