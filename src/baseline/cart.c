/* Growing and pruning a classification tree.  Each number's rows are sorted once; a node owns the same range
 * of every sorted array, and a split partitions them stably, so that a level of the tree costs one pass. */
#include "baseline/cart.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct candidate {
    double gain; /* larger is better: sum of squared class masses over mass, both sides */
    eqp_question question;
    uint32_t feature, code;
    double cut;
} candidate;

typedef struct grower {
    const eqp_encoding *encoding;
    const eqp_block *block;
    const uint32_t *class_of;
    const double *weight;
    size_t classes, rows;
    const eqp_cart_options *options;
    eqp_arena arena;     /* of the arrays below */
    uint32_t **order;    /* [feature]: rows sorted by value (numbers), in any order otherwise NULL */
    uint32_t *all;       /* rows, for level counts */
    uint32_t *spare;     /* rows, for partitions */
    uint8_t *goes_yes;   /* rows */
    double *left, *here; /* classes each */
    double *by_code;     /* (most codes) × classes */
    size_t *code_rows;   /* (most codes) */
    eqp_cart *cart;
} grower;

static double value_of(const grower *g, size_t feature, uint32_t row)
{
    double value = g->block->numbers[feature][row];
    return isnan(value) ? g->encoding->features[feature].mean : value;
}

/* Sum over classes of m_k² / m for a side and for its complement within the node. */
static double two_sided(const grower *g, double left_mass, double mass)
{
    double left = 0, right = 0, right_mass = mass - left_mass;
    for (size_t k = 0; k < g->classes; k++) {
        double other = g->here[k] - g->left[k];
        left += g->left[k] * g->left[k];
        right += other * other;
    }
    return (left_mass > 0 ? left / left_mass : 0) + (right_mass > 0 ? right / right_mass : 0);
}

static void consider(candidate *best, double gain, eqp_question question, size_t feature, uint32_t code,
                     double cut)
{
    if (gain > best->gain * (1 + 1e-12)) *best = (candidate){gain, question, (uint32_t)feature, code, cut};
}

static bool sides_large_enough(const grower *g, size_t left, size_t rows)
{
    return left >= g->options->min_leaf && rows - left >= g->options->min_leaf;
}

static void best_cut(const grower *g, size_t feature, size_t begin, size_t end, double mass, candidate *best)
{
    const uint32_t *order = g->order[feature];
    double left_mass = 0;
    memset(g->left, 0, g->classes * sizeof *g->left);
    for (size_t i = begin; i + 1 < end; i++) {
        uint32_t row = order[i];
        left_mass += g->weight[row];
        g->left[g->class_of[row]] += g->weight[row];
        double here = value_of(g, feature, row), next = value_of(g, feature, order[i + 1]);
        if (here == next || !sides_large_enough(g, i + 1 - begin, end - begin)) continue;
        double middle = here / 2 + next / 2;
        consider(best, two_sided(g, left_mass, mass), EQP_ASK_BELOW, feature, 0,
                 middle > here ? middle : next);
    }
}

static void best_missing(const grower *g, size_t feature, size_t begin, size_t end, double mass,
                         candidate *best)
{
    double left_mass = 0;
    size_t left_rows = 0;
    memset(g->left, 0, g->classes * sizeof *g->left);
    for (size_t i = begin; i < end; i++) {
        uint32_t row = g->all[i];
        if (!isnan(g->block->numbers[feature][row])) continue;
        left_rows++;
        left_mass += g->weight[row];
        g->left[g->class_of[row]] += g->weight[row];
    }
    if (left_rows > 0 && sides_large_enough(g, left_rows, end - begin))
        consider(best, two_sided(g, left_mass, mass), EQP_ASK_MISSING, feature, 0, 0);
}

static void best_level(const grower *g, size_t feature, size_t begin, size_t end, double mass,
                       candidate *best)
{
    const uint32_t *code = g->block->codes[feature];
    uint32_t codes = g->encoding->features[feature].slots;
    memset(g->by_code, 0, codes * g->classes * sizeof *g->by_code);
    memset(g->code_rows, 0, codes * sizeof *g->code_rows);
    for (size_t i = begin; i < end; i++) {
        uint32_t row = g->all[i];
        g->code_rows[code[row]]++;
        g->by_code[code[row] * g->classes + g->class_of[row]] += g->weight[row];
    }
    for (uint32_t c = 0; c < codes; c++) {
        if (g->code_rows[c] == 0 || !sides_large_enough(g, g->code_rows[c], end - begin)) continue;
        double left_mass = 0;
        memcpy(g->left, g->by_code + c * g->classes, g->classes * sizeof *g->left);
        for (size_t k = 0; k < g->classes; k++) left_mass += g->left[k];
        consider(best, two_sided(g, left_mass, mass), EQP_ASK_LEVEL, feature, c, 0);
    }
}

/* Fills the node's class, mass and impurity from its rows; g->here keeps its class masses. */
static void weigh(const grower *g, size_t begin, size_t end, eqp_cart_node *node)
{
    double squares = 0;
    memset(g->here, 0, g->classes * sizeof *g->here);
    node->mass = 0;
    for (size_t i = begin; i < end; i++) g->here[g->class_of[g->all[i]]] += g->weight[g->all[i]];
    for (size_t k = 0; k < g->classes; k++) {
        node->mass += g->here[k];
        squares += g->here[k] * g->here[k];
        if (g->here[k] > g->here[node->class_of]) node->class_of = (uint32_t)k;
    }
    node->impurity = node->mass > 0 ? node->mass - squares / node->mass : 0;
}

static candidate best_question(const grower *g, size_t begin, size_t end, const eqp_cart_node *node)
{
    candidate best = {.gain = node->mass - node->impurity, .question = EQP_ASK_NOTHING};
    for (size_t f = 0; f < g->encoding->feature_count; f++) {
        switch (g->encoding->features[f].kind) {
        case EQP_FEATURE_NUMBER:
            best_cut(g, f, begin, end, node->mass, &best);
            best_missing(g, f, begin, end, node->mass, &best);
            break;
        case EQP_FEATURE_LEVELS:
            best_level(g, f, begin, end, node->mass, &best);
            break;
        case EQP_FEATURE_BINS:
            break; /* the number itself is asked */
        }
    }
    return best;
}

static bool answers_yes(const grower *g, const candidate *asked, uint32_t row)
{
    switch (asked->question) {
    case EQP_ASK_BELOW:
        return value_of(g, asked->feature, row) < asked->cut;
    case EQP_ASK_LEVEL:
        return g->block->codes[asked->feature][row] == asked->code;
    case EQP_ASK_MISSING:
        return isnan(g->block->numbers[asked->feature][row]);
    case EQP_ASK_NOTHING:
        break;
    }
    return false;
}

/* Rows that answer yes first, each side in its old order. */
static size_t partition_rows(const grower *g, uint32_t *rows, size_t begin, size_t end)
{
    size_t yes = begin, no = 0;
    for (size_t i = begin; i < end; i++) {
        if (g->goes_yes[rows[i]])
            rows[yes++] = rows[i];
        else
            g->spare[no++] = rows[i];
    }
    memcpy(rows + yes, g->spare, no * sizeof *rows);
    return yes;
}

static size_t divide(const grower *g, const candidate *asked, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) g->goes_yes[g->all[i]] = answers_yes(g, asked, g->all[i]);
    for (size_t f = 0; f < g->encoding->feature_count; f++)
        if (g->order[f] != NULL) partition_rows(g, g->order[f], begin, end);
    return partition_rows(g, g->all, begin, end);
}

static bool add_node(eqp_cart *cart, uint32_t *index)
{
    eqp_cart_node *nodes = eqp_reserve(cart->nodes, &cart->capacity, cart->count + 1, sizeof *nodes);
    if (nodes == NULL) return false;
    cart->nodes = nodes;
    *index = (uint32_t)cart->count++;
    nodes[*index] = (eqp_cart_node){.question = EQP_ASK_NOTHING};
    return true;
}

static eqp_status ask(const grower *g, eqp_error *error)
{
    return eqp_watch_step(g->options->watch, "learning", 0, error);
}

/* Depth is bounded by the options, so recursion is too. */
static eqp_status grow(grower *g, size_t begin, size_t end, size_t depth, uint32_t *index, eqp_error *error)
{
    eqp_status status = ask(g, error);
    if (status != EQP_OK) return status;
    if (!add_node(g->cart, index)) return eqp_fail_memory(error);
    eqp_cart_node *node = &g->cart->nodes[*index];
    weigh(g, begin, end, node);
    if (depth == g->options->max_depth || end - begin < 2 * g->options->min_leaf || node->impurity <= 0)
        return EQP_OK;
    candidate best = best_question(g, begin, end, node);
    if (best.question == EQP_ASK_NOTHING) return EQP_OK;

    size_t middle = divide(g, &best, begin, end);
    uint32_t yes, no;
    status = grow(g, begin, middle, depth + 1, &yes, error);
    if (status == EQP_OK) status = grow(g, middle, end, depth + 1, &no, error);
    if (status != EQP_OK) return status;
    node = &g->cart->nodes[*index]; /* growing may have moved the array */
    node->question = best.question;
    node->feature = best.feature;
    node->code = best.code;
    node->cut = best.cut;
    node->yes = yes;
    node->no = no;
    return EQP_OK;
}

/* Bottom up: a node keeps its children only if they pay for their leaves.  Children have larger indices. */
static eqp_status prune(eqp_cart *cart, double price, eqp_error *error)
{
    double *cost = eqp_alloc(cart->count, sizeof *cost);
    if (cost == NULL) return eqp_fail_memory(error);
    for (size_t i = cart->count; i-- > 0;) {
        eqp_cart_node *node = &cart->nodes[i];
        cost[i] = node->impurity + price;
        if (node->question == EQP_ASK_NOTHING) continue;
        double kept = cost[node->yes] + cost[node->no];
        if (cost[i] <= kept)
            node->question = EQP_ASK_NOTHING;
        else
            cost[i] = kept;
    }
    free(cost);
    return EQP_OK;
}

typedef struct sorted_value {
    double value;
    uint32_t row;
} sorted_value;

static int compare_values(const void *a, const void *b)
{
    const sorted_value *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static eqp_status sort_numbers(grower *g, eqp_error *error)
{
    sorted_value *values = eqp_alloc(g->rows, sizeof *values);
    eqp_status status = values != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t f = 0; status == EQP_OK && f < g->encoding->feature_count; f++) {
        if (g->encoding->features[f].kind != EQP_FEATURE_NUMBER) continue;
        g->order[f] = eqp_take(&g->arena, g->rows, sizeof **g->order);
        status = g->order[f] != NULL ? ask(g, error) : eqp_fail_memory(error);
        if (status != EQP_OK) break;
        for (uint32_t i = 0; i < g->rows; i++) values[i] = (sorted_value){value_of(g, f, i), i};
        qsort(values, g->rows, sizeof *values, compare_values);
        for (size_t i = 0; i < g->rows; i++) g->order[f][i] = values[i].row;
    }
    free(values);
    return status;
}

static eqp_status prepare(grower *g, eqp_error *error)
{
    size_t most_codes = 1;
    eqp_arena *arena = &g->arena;
    for (size_t f = 0; f < g->encoding->feature_count; f++)
        if (g->encoding->features[f].slots > most_codes) most_codes = g->encoding->features[f].slots;
    g->order = eqp_take_zero(arena, g->encoding->feature_count, sizeof *g->order);
    g->all = eqp_take(arena, g->rows, sizeof *g->all);
    g->spare = eqp_take(arena, g->rows, sizeof *g->spare);
    g->goes_yes = eqp_take(arena, g->rows, 1);
    g->left = eqp_take(arena, g->classes, sizeof *g->left);
    g->here = eqp_take(arena, g->classes, sizeof *g->here);
    g->by_code = eqp_take(arena, most_codes, g->classes * sizeof *g->by_code);
    g->code_rows = eqp_take(arena, most_codes, sizeof *g->code_rows);
    if (arena->failed) return eqp_fail_memory(error);
    for (uint32_t i = 0; i < g->rows; i++) g->all[i] = i;
    return sort_numbers(g, error);
}

eqp_status eqp_cart_fit(const eqp_encoding *encoding, const eqp_block *block, const uint32_t *class_of,
                        size_t classes, const double *weight, const eqp_cart_options *options,
                        eqp_cart **cart, eqp_error *error)
{
    *cart = NULL;
    if (block->rows > UINT32_MAX) return eqp_fail(error, EQP_DATA, "too many rows for a classification tree");
    grower g = {.encoding = encoding,
                .block = block,
                .class_of = class_of,
                .weight = weight,
                .classes = classes,
                .rows = block->rows,
                .options = options,
                .cart = eqp_alloc_zero(1, sizeof *g.cart)};
    uint32_t root;
    eqp_status status = g.cart != NULL ? prepare(&g, error) : eqp_fail_memory(error);
    if (status == EQP_OK) status = grow(&g, 0, g.rows, 0, &root, error);
    if (status == EQP_OK && options->prune > 0) status = prune(g.cart, options->prune, error);
    eqp_arena_free(&g.arena);
    if (status == EQP_OK)
        *cart = g.cart;
    else
        eqp_cart_free(g.cart);
    return status;
}

void eqp_cart_free(eqp_cart *cart)
{
    if (cart == NULL) return;
    free(cart->nodes);
    free(cart);
}
