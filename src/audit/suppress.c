/* Complementary suppression as a search for cheap cycles.
 *
 * A suppressed number is protected when a cycle of suppressed numbers through it lets it rise or fall by
 * EQP_SMALL_COUNT: numbers passed against the direction of flow fall by as much, so they must be that large.
 * Where no such cycle exists yet, the cheapest one is made by suppressing the smallest numbers that close it
 * (Dijkstra, the cost of a number still printed being its value).  Suppressing more only widens intervals, so
 * what is protected stays so. */
#include "audit/audit.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Nodes: start, end, then rows, then columns.  Arcs lie in one matrix, flow[from * nodes + to]. */
typedef struct network {
    size_t rows, columns, nodes;
    eqp_arena arena;  /* of the arrays below */
    double *flow;     /* of each arc; 0 where there is none, and zeros are printed */
    bool *hidden;     /* arc is suppressed */
    bool *fixed;      /* arc is known from elsewhere */
    double *distance; /* of the search */
    size_t *previous;
    bool *settled;
} network;

#define START 0
#define END   1

static size_t row_node(size_t row)
{
    return 2 + row;
}
static size_t column_node(const network *net, size_t column)
{
    return 2 + net->rows + column;
}

static bool network_alloc(network *net, size_t rows, size_t columns)
{
    *net = (network){.rows = rows, .columns = columns, .nodes = rows + columns + 2};
    size_t arcs = net->nodes * net->nodes;
    net->flow = eqp_take_zero(&net->arena, arcs, sizeof(double));
    net->hidden = eqp_take_zero(&net->arena, arcs, sizeof(bool));
    net->fixed = eqp_take_zero(&net->arena, arcs, sizeof(bool));
    net->distance = eqp_take(&net->arena, net->nodes, sizeof(double));
    net->previous = eqp_take(&net->arena, net->nodes, sizeof(size_t));
    net->settled = eqp_take(&net->arena, net->nodes, sizeof(bool));
    return !net->arena.failed;
}

static void network_fill(network *net, const double *counts, bool row_totals_known)
{
    for (size_t i = 0; i < net->rows; i++) {
        size_t total = START * net->nodes + row_node(i);
        net->fixed[total] = row_totals_known;
        for (size_t j = 0; j < net->columns; j++) {
            double count = counts[i * net->columns + j];
            net->flow[row_node(i) * net->nodes + column_node(net, j)] = count;
            net->flow[total] += count;
            net->flow[column_node(net, j) * net->nodes + END] += count;
        }
    }
}

/* What it costs to let an arc take part in a cycle: nothing when hidden, else the number that is lost. */
static double arc_cost(const network *net, size_t arc)
{
    if (!(net->flow[arc] > 0) || net->fixed[arc]) return INFINITY;
    return net->hidden[arc] ? 0 : net->flow[arc];
}

/* The arc for one step of a cycle that lifts numbers along the arcs and lowers them, by at least `leeway`,
 * against. */
static size_t step_arc(const network *net, size_t from, size_t to, double leeway)
{
    size_t along = from * net->nodes + to, against = to * net->nodes + from;
    if (net->flow[against] < leeway) return along;
    return arc_cost(net, along) <= arc_cost(net, against) ? along : against;
}

static size_t nearest_unsettled(const network *net)
{
    size_t nearest = SIZE_MAX;
    double distance = INFINITY;
    for (size_t node = 0; node < net->nodes; node++) {
        if (net->settled[node] || net->distance[node] >= distance) continue;
        nearest = node;
        distance = net->distance[node];
    }
    return nearest;
}

/* The cheapest path between the ends of an arc, not over the arc itself. */
static double cheapest_path(network *net, size_t from, size_t to, double leeway)
{
    memset(net->settled, 0, net->nodes * sizeof *net->settled);
    for (size_t node = 0; node < net->nodes; node++) net->distance[node] = INFINITY;
    net->distance[from] = 0;
    for (size_t at; (at = nearest_unsettled(net)) != SIZE_MAX && at != to;) {
        net->settled[at] = true;
        for (size_t next = 0; next < net->nodes; next++) {
            if (net->settled[next] || (at == from && next == to)) continue;
            double distance = net->distance[at] + arc_cost(net, step_arc(net, at, next, leeway));
            if (distance >= net->distance[next]) continue;
            net->distance[next] = distance;
            net->previous[next] = at;
        }
    }
    return net->distance[to];
}

static void hide_path(network *net, size_t from, size_t to, double leeway)
{
    for (size_t node = to; node != from; node = net->previous[node])
        net->hidden[step_arc(net, net->previous[node], node, leeway)] = true;
}

static void hide_everything(network *net)
{
    for (size_t arc = 0; arc < net->nodes * net->nodes; arc++)
        net->hidden[arc] = net->flow[arc] > 0 && !net->fixed[arc];
}

/* Closes the cheapest cycle that lets the number rise, or fall, by `leeway`; false when there is none. */
static bool close_cycle(network *net, size_t tail, size_t head, double leeway)
{
    bool can_fall = net->flow[tail * net->nodes + head] >= leeway;
    double rising = cheapest_path(net, head, tail, leeway);
    double falling = can_fall ? cheapest_path(net, tail, head, leeway) : INFINITY;
    if (isinf(rising) && isinf(falling)) return false;
    if (falling <= rising) {
        hide_path(net, tail, head, leeway);
    } else {
        cheapest_path(net, head, tail, leeway);
        hide_path(net, head, tail, leeway);
    }
    return true;
}

/* By a full small count if any cycle allows it, else by as much as one does. */
static void protect_arc(network *net, size_t tail, size_t head)
{
    for (double leeway = EQP_SMALL_COUNT; leeway > 0.01; leeway /= 2)
        if (close_cycle(net, tail, head, leeway)) return;
    hide_everything(net);
}

static size_t protect_hidden(network *net)
{
    size_t hidden = 0;
    for (size_t arc = 0; arc < net->nodes * net->nodes; arc++) {
        if (!net->hidden[arc]) continue;
        hidden++;
        protect_arc(net, arc / net->nodes, arc % net->nodes);
    }
    return hidden;
}

/* Complements are protected too, or they would give the small ones away: repeat until no more is hidden. */
static void protect_all(network *net)
{
    size_t before, hidden = 0;
    do {
        before = hidden;
        hidden = protect_hidden(net);
    } while (hidden != before);
}

static void hide_small(network *net)
{
    for (size_t arc = 0; arc < net->nodes * net->nodes; arc++)
        net->hidden[arc] = net->flow[arc] > 0 && net->flow[arc] < EQP_SMALL_COUNT && !net->fixed[arc];
}

static void copy_hidden(const network *net, eqp_suppression *suppression)
{
    for (size_t i = 0; i < net->rows; i++) {
        suppression->row[i] = net->hidden[START * net->nodes + row_node(i)];
        for (size_t j = 0; j < net->columns; j++)
            suppression->cell[i * net->columns + j] =
                net->hidden[row_node(i) * net->nodes + column_node(net, j)];
    }
    for (size_t j = 0; j < net->columns; j++)
        suppression->column[j] = net->hidden[column_node(net, j) * net->nodes + END];
}

static eqp_suppression *suppression_new(size_t rows, size_t columns)
{
    eqp_suppression *suppression = eqp_alloc_zero(1, sizeof *suppression);
    if (suppression == NULL) return NULL;
    suppression->rows = rows;
    suppression->columns = columns;
    suppression->cell = eqp_take_zero(&suppression->arena, rows * columns, sizeof(bool));
    suppression->row = eqp_take_zero(&suppression->arena, rows, sizeof(bool));
    suppression->column = eqp_take_zero(&suppression->arena, columns, sizeof(bool));
    if (!suppression->arena.failed) return suppression;
    eqp_suppression_free(suppression);
    return NULL;
}

eqp_status eqp_suppress(const double *counts, size_t rows, size_t columns, bool row_totals_known,
                        eqp_suppression **suppression, eqp_error *error)
{
    network net;
    bool complete = network_alloc(&net, rows, columns);
    *suppression = complete ? suppression_new(rows, columns) : NULL;
    if (*suppression != NULL) {
        network_fill(&net, counts, row_totals_known);
        hide_small(&net);
        protect_all(&net);
        copy_hidden(&net, *suppression);
    }
    eqp_arena_free(&net.arena);
    return *suppression != NULL ? EQP_OK : eqp_fail_memory(error);
}

void eqp_suppression_free(eqp_suppression *suppression)
{
    if (suppression == NULL) return;
    eqp_arena_free(&suppression->arena);
    free(suppression);
}

/* ---- rounding ------------------------------------------------------------------------------------------ */

#define FINEST_STEP 1e-6
#define COARSEST_STEP                                                                                        \
    0.1 /* of the figure, or of 1 where it is smaller: beyond that a figure says nothing                     \
         */

static double rounding_step(double one_record)
{
    double needed = fmax(3 * one_record, FINEST_STEP);
    double decade = pow(10, floor(log10(needed) + 1e-9));
    double factor = needed <= decade * (1 + 1e-9) ? 1
                    : needed <= 2 * decade        ? 2
                    : needed <= 5 * decade        ? 5
                                                  : 10;
    return factor * decade;
}

/* Divides by the inverse of a small step, so that 0.123 does not print as 0.12300000000000001. */
static double multiple_of(double count, double step)
{
    return step < 1 ? count / round(1 / step) : count * step;
}

static bool is_too_coarse(double step, double rate)
{
    return step > COARSEST_STEP * fmax(1, fabs(rate)) * (1 + 1e-9);
}

double eqp_round_rate(double rate, double one_record)
{
    double step = rounding_step(one_record);
    if (!isfinite(rate) || is_too_coarse(step, rate)) return NAN;
    double rounded = multiple_of(round(rate / step), step);
    return rounded == 0 && one_record > 0 ? NAN : rounded; /* "0" would be read as none */
}

double eqp_round_rate_up(double rate, double one_record)
{
    double step = rounding_step(one_record);
    if (!isfinite(rate) || is_too_coarse(step, rate)) return NAN;
    double rounded = multiple_of(ceil(rate / step - 1e-9), step);
    assert(rounded >= rate - 1e-8 * step - 1e-12 * fabs(rate)); /* an upper bound stays one */
    return rounded;
}
