/* Direct learner: the rules found so far.  Nothing here is allocated while a program is solved. */
#include "direct/pool.h"

#include "base/platform.h"
#include "base/wide.h"

#include <string.h>

enum { WORD = 64 };

/* ---- rows -------------------------------------------------------------------------------------------- */

static double shared_weight(const double *weight, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (weight[i] != weight[0]) return 0;
    return weight[0];
}

static eqp_status fill_rows(eqp_direct_rows *rows, const eqp_sample *sample, const size_t *order,
                            eqp_error *error)
{
    size_t all = rows->count + rows->held, cells = sample->groups->cell_count;
    eqp_arena *arena = &rows->arena;
    double total = 0, *cell_mass = eqp_take_zero(arena, cells, sizeof *cell_mass);
    rows->row = eqp_take(arena, all, sizeof *rows->row);
    rows->cell = eqp_take(arena, all, sizeof *rows->cell);
    rows->weight = eqp_take(arena, all, sizeof *rows->weight);
    rows->base_rate = eqp_take(arena, sample->groups->group_count, sizeof *rows->base_rate);
    if (arena->failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < all; i++) {
        rows->row[i] = order[i];
        rows->cell[i] = sample->cell[order[i]];
        rows->weight[i] = sample->weight[order[i]];
    }
    for (size_t i = 0; i < rows->count; i++) total += rows->weight[i];
    for (size_t i = 0; i < rows->count; i++) {
        rows->weight[i] /= total;
        cell_mass[rows->cell[i]] += rows->weight[i];
    }
    eqp_groups_sum(sample->groups, cell_mass, rows->base_rate);
    rows->equal = shared_weight(rows->weight, rows->count);
    return EQP_OK;
}

eqp_status eqp_direct_rows_new(const eqp_sample *sample, const size_t *order, size_t count, size_t held,
                               eqp_direct_rows **rows, eqp_error *error)
{
    *rows = NULL;
    eqp_direct_rows *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->groups = sample->groups;
    made->count = count;
    made->held = held;
    eqp_status status = fill_rows(made, sample, order, error);
    if (status == EQP_OK) *rows = made;
    if (status != EQP_OK) eqp_direct_rows_free(made);
    return status;
}

void eqp_direct_rows_free(eqp_direct_rows *rows)
{
    if (rows == NULL) return;
    eqp_arena_free(&rows->arena);
    free(rows->chance);
    free(rows);
}

/* ---- pool -------------------------------------------------------------------------------------------- */

static size_t row_count(const eqp_direct_pool *pool)
{
    return pool->rows->count + pool->rows->held;
}

static size_t word_count(const eqp_direct_pool *pool)
{
    return (pool->rows->count + WORD - 1) / WORD;
}

static eqp_status allocate(eqp_direct_pool *pool, eqp_error *error)
{
    size_t capacity = pool->capacity, groups = pool->rows->groups->group_count;
    size_t cells = pool->rows->groups->cell_count;
    eqp_arena *arena = &pool->arena;
    pool->chosen = eqp_take(arena, capacity, row_count(pool));
    pool->bits = eqp_take(arena, capacity * word_count(pool), sizeof *pool->bits);
    pool->listed = eqp_take(arena, pool->rows->count, sizeof *pool->listed);
    pool->mass = eqp_take(arena, capacity * groups, sizeof *pool->mass);
    pool->expected = eqp_take(arena, capacity * groups, sizeof *pool->expected);
    pool->total = eqp_take(arena, capacity, sizeof *pool->total);
    pool->bond = eqp_take(arena, capacity * pool->rows->bonds + 1, sizeof *pool->bond);
    pool->overlap = eqp_take(arena, capacity * capacity, sizeof *pool->overlap);
    pool->rules = eqp_take_zero(arena, capacity, sizeof *pool->rules);
    pool->cell_mass = eqp_take(arena, 5 * cells, sizeof *pool->cell_mass); /* with its lanes */
    pool->directions = eqp_take(arena, capacity * cells, sizeof *pool->directions);
    return arena->failed ? eqp_fail_memory(error) : EQP_OK;
}

eqp_status eqp_direct_pool_new(const eqp_direct_rows *rows, size_t capacity, eqp_direct_pool **pool,
                               eqp_error *error)
{
    *pool = NULL;
    eqp_direct_pool *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->rows = rows;
    made->capacity = capacity;
    if (allocate(made, error) != EQP_OK) {
        eqp_direct_pool_free(made);
        return EQP_MEMORY;
    }
    memset(eqp_direct_pool_next(made), 1, row_count(made));
    eqp_direct_pool_add(made, &(eqp_direct_rule){.always = true});
    *pool = made;
    return EQP_OK;
}

void eqp_direct_pool_free(eqp_direct_pool *pool)
{
    if (pool == NULL) return;
    eqp_arena_free(&pool->arena);
    free(pool);
}

uint8_t *eqp_direct_pool_next(eqp_direct_pool *pool)
{
    return pool->count < pool->capacity ? pool->chosen + pool->count * row_count(pool) : NULL;
}

/* ---- sums over the rows that a rule chooses ---------------------------------------------------------- */

/* Eight choices as the bits of a byte: the factor brings byte k to bit 56 + k. */
static uint64_t pack_eight(const uint8_t *chosen)
{
    uint64_t eight;
    memcpy(&eight, chosen, sizeof eight);
    return le64toh(eight) * UINT64_C(0x0102040810204080) >> 56;
}

/* The choices of rows learned from as bits. */
static void pack_bits(const uint8_t *chosen, size_t count, uint64_t *bits)
{
    memset(bits, 0, (count + WORD - 1) / WORD * sizeof *bits);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) bits[i / WORD] |= pack_eight(chosen + i) << i % WORD;
    for (; i < count; i++) bits[i / WORD] |= (uint64_t)chosen[i] << i % WORD;
}

static size_t list_rows(const uint64_t *bits, size_t words, uint32_t *listed)
{
    size_t count = 0;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left != 0; left &= left - 1)
            listed[count++] = (uint32_t)(w * WORD + (size_t)__builtin_ctzll(left));
    return count;
}

/* Lanes keep sums of neighbouring rows apart, so that they need not wait for each other. */
enum { LANES = 4 };

static void sum_labels(eqp_direct_pool *pool, size_t column, size_t count)
{
    const eqp_direct_rows *rows = pool->rows;
    size_t cells = rows->groups->cell_count;
    double *lane = pool->cell_mass + cells;
    memset(lane, 0, LANES * cells * sizeof *lane);
    for (size_t n = 0; n < count; n++) {
        uint32_t i = pool->listed[n];
        lane[n % LANES * cells + rows->cell[i]] += rows->weight[i];
    }
    pool->total[column] = 0;
    for (size_t e = 0; e < cells; e++) {
        pool->cell_mass[e] = lane[e] + lane[cells + e] + lane[2 * cells + e] + lane[3 * cells + e];
        pool->total[column] += pool->cell_mass[e];
    }
    eqp_groups_sum(rows->groups, pool->cell_mass, pool->mass + column * rows->groups->group_count);
}

/* From the cell masses by labels, and the rows listed. */
static void sum_bonds(eqp_direct_pool *pool, size_t column, size_t count)
{
    const eqp_direct_rows *rows = pool->rows;
    for (size_t b = 0; b < rows->bonds; b++) {
        const eqp_bond *bond = &rows->bond[b];
        double sum = 0;
        for (size_t e = 0; e < rows->groups->cell_count; e++) sum += bond->cell[e] * pool->cell_mass[e];
        for (size_t n = 0; n < count && bond->excess != NULL; n++)
            sum += rows->weight[pool->listed[n]] * eqp_bond_excess(rows, bond, pool->listed[n]);
        pool->bond[column * rows->bonds + b] = sum;
    }
}

static double sum_listed(const uint32_t *listed, size_t count, const eqp_direct_rows *rows,
                         const float *chance)
{
    double lane[LANES] = {0};
    size_t n = 0;
    for (; rows->equal > 0 && n + LANES <= count; n += LANES)
        for (size_t l = 0; l < LANES; l++) lane[l] += (double)chance[listed[n + l]];
    for (size_t l = 0; l < LANES; l++) lane[l] *= rows->equal;
    for (; n < count; n++) lane[n % LANES] += rows->weight[listed[n]] * (double)chance[listed[n]];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static void sum_chances(eqp_direct_pool *pool, size_t column, size_t count)
{
    const eqp_direct_rows *rows = pool->rows;
    size_t K = rows->groups->group_count;
    if (rows->chance == NULL) {
        memcpy(pool->expected + column * K, pool->mass + column * K, K * sizeof *pool->expected);
        return;
    }
    for (size_t e = 0; e < rows->groups->cell_count; e++)
        pool->cell_mass[e] = sum_listed(pool->listed, count, rows, rows->chance + e * rows->count);
    eqp_groups_sum(rows->groups, pool->cell_mass, pool->expected + column * K);
}

EQP_WIDE static size_t count_both(const uint64_t *a, const uint64_t *b, size_t words)
{
    size_t total = 0;
    for (size_t w = 0; w < words; w++) total += (size_t)__builtin_popcountll(a[w] & b[w]);
    return total;
}

/* sum of w_i² over the rows that the new column, listed, shares with another. */
static double overlap_with(const eqp_direct_pool *pool, size_t other, size_t column, size_t count)
{
    const eqp_direct_rows *rows = pool->rows;
    size_t words = word_count(pool);
    const uint64_t *bits = pool->bits + other * words;
    if (rows->equal > 0)
        return (double)count_both(bits, pool->bits + column * words, words) * rows->equal * rows->equal;
    double sum = 0;
    for (size_t n = 0; n < count; n++) {
        uint32_t i = pool->listed[n];
        if (bits[i / WORD] >> (i % WORD) & 1) sum += rows->weight[i] * rows->weight[i];
    }
    return sum;
}

/* ---- columns ----------------------------------------------------------------------------------------- */

static void keep_direction(eqp_direct_pool *pool, size_t column, const double *direction)
{
    size_t cells = pool->rows->groups->cell_count;
    if (direction == NULL) return;
    memmove(pool->directions + column * cells, direction, cells * sizeof *direction);
    pool->rules[column].direction = pool->directions + column * cells;
}

void eqp_direct_pool_add(eqp_direct_pool *pool, const eqp_direct_rule *rule)
{
    size_t column = pool->count;
    uint64_t *bits = pool->bits + column * word_count(pool);
    pool->rules[column] = *rule;
    keep_direction(pool, column, rule->direction);
    pack_bits(pool->chosen + column * row_count(pool), pool->rows->count, bits);
    size_t count = list_rows(bits, word_count(pool), pool->listed);
    sum_labels(pool, column, count);
    sum_bonds(pool, column, count);
    sum_chances(pool, column, count);
    for (size_t j = 0; j <= column; j++) {
        double overlap = overlap_with(pool, j, column, count);
        pool->overlap[j * pool->capacity + column] = pool->overlap[column * pool->capacity + j] = overlap;
    }
    pool->count++;
}

static void move_column(eqp_direct_pool *pool, size_t from, size_t to)
{
    size_t stride = row_count(pool), words = word_count(pool), groups = pool->rows->groups->group_count;
    memcpy(pool->chosen + to * stride, pool->chosen + from * stride, stride);
    memcpy(pool->bits + to * words, pool->bits + from * words, words * sizeof *pool->bits);
    memcpy(pool->mass + to * groups, pool->mass + from * groups, groups * sizeof *pool->mass);
    memcpy(pool->expected + to * groups, pool->expected + from * groups, groups * sizeof *pool->expected);
    memcpy(pool->bond + to * pool->rows->bonds, pool->bond + from * pool->rows->bonds,
           pool->rows->bonds * sizeof *pool->bond);
    pool->total[to] = pool->total[from];
    pool->rules[to] = pool->rules[from];
    keep_direction(pool, to, pool->rules[from].direction);
    for (size_t l = 0; l < pool->count; l++)
        pool->overlap[to * pool->capacity + l] = pool->overlap[from * pool->capacity + l];
    for (size_t l = 0; l < pool->count; l++)
        pool->overlap[l * pool->capacity + to] = pool->overlap[l * pool->capacity + from];
}

void eqp_direct_pool_shrink(eqp_direct_pool *pool, const uint8_t *keep)
{
    size_t kept = 1;
    for (size_t j = 1; j < pool->count; j++) {
        if (!keep[j]) continue;
        if (kept != j) move_column(pool, j, kept);
        kept++;
    }
    pool->count = kept;
}

EQP_WIDE static void add_share(float *restrict mix, const uint8_t *restrict chosen, float share, size_t count)
{
    for (size_t i = 0; i < count; i++) mix[i] += share * (float)chosen[i];
}

void eqp_direct_pool_mix(const eqp_direct_pool *pool, const double *part, size_t first, size_t count,
                         float *mix)
{
    memset(mix, 0, count * sizeof *mix);
    for (size_t j = 0; j < pool->count; j++) {
        const uint8_t *chosen = pool->chosen + j * row_count(pool) + first;
        float share = (float)part[j];
        if (share == 0) continue;
        add_share(mix, chosen, share, count);
    }
}
