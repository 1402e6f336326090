/* Boosted scores without walking (M13).
 *
 * What a record answers to all questions about one column depends on one place: between which cuts its number
 * lies, or which of the codes asked for it has.  For each place a table has one mask per tree, the leaves
 * that these answers leave possible.  The masks of all columns together leave one leaf of every tree; the
 * values of these leaves are added up in the order of the trees, so the sum is the same as by walking, to the
 * bit.  There is nothing to guess for the processor: many trees take one step at a time, and a sum need not
 * wait for its last addition, because several records are summed side by side. */
#include "model/forest.h"

#include "base/memory.h"
#include "base/wide.h"

#include <assert.h>
#include <string.h>

enum { MOST_LEAVES = 32, MOST_COLUMNS = 128, LANES = 16 };
static const size_t MOST_BYTES = 1 << 21; /* of masks */

/* ---- making one --------------------------------------------------------------------------------------- */

static uint32_t branch_count(const eqp_score *score)
{
    return score->tree_start[score->tree_count];
}

/* Leaves of a tree are numbered as they come.  False when there are more than a mask holds. */
static bool number_leaves(const eqp_branch *tree, uint32_t size, uint32_t *below, double *value)
{
    size_t count = 0;
    for (uint32_t i = 0; i < size; i++) {
        if (tree[i].feature >= 0) continue;
        if (count == MOST_LEAVES) return false;
        below[i] = 1U << count;
        value[count++] = tree[i].value;
    }
    for (uint32_t i = size; i-- > 0;) /* children come after their parent */
        if (tree[i].feature >= 0) below[i] = below[tree[i].yes] | below[tree[i].no];
    return true;
}

static int compare_cuts(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The cuts of all trees in a number, rising. */
static void list_cuts(const eqp_score *score, eqp_forest_column *column, eqp_arena *arena)
{
    uint32_t count = 0, asked = 0;
    for (uint32_t i = 0; i < branch_count(score); i++)
        asked += score->branches[i].feature == (int32_t)column->feature;
    column->cuts = eqp_take(arena, asked, sizeof *column->cuts);
    if (column->cuts == NULL) return;
    for (uint32_t i = 0; i < branch_count(score); i++)
        if (score->branches[i].feature == (int32_t)column->feature)
            column->cuts[count++] = score->branches[i].cut;
    qsort(column->cuts, count, sizeof *column->cuts, compare_cuts);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || column->cuts[i] > column->cuts[column->cut_count - 1])
            column->cuts[column->cut_count++] = column->cuts[i];
    column->places = column->cut_count + 2;
}

static void list_codes(const eqp_score *score, uint32_t codes, eqp_forest_column *column, eqp_arena *arena)
{
    column->place = eqp_take_zero(arena, codes, sizeof *column->place);
    column->places = 1;
    if (column->place == NULL) return;
    for (uint32_t i = 0; i < branch_count(score); i++) {
        const eqp_branch *branch = &score->branches[i];
        if (branch->feature == (int32_t)column->feature && column->place[branch->code] == 0)
            column->place[branch->code] = (uint16_t)column->places++;
    }
}

static bool answers_yes(const eqp_forest_column *column, const eqp_branch *branch, uint32_t place)
{
    if (column->cuts == NULL) return column->place[branch->code] == place;
    if (place > column->cut_count) return branch->missing_yes;
    return place == 0 || column->cuts[place - 1] < branch->cut;
}

/* Takes away the leaves behind the answers that are not given. */
static void mask_column(const eqp_forest *forest, const eqp_score *score, const uint32_t *below,
                        eqp_forest_column *column)
{
    memset(column->leaves, 0xff, column->places * forest->lanes * sizeof *column->leaves);
    for (uint32_t t = 0; t < score->tree_count; t++)
        for (uint32_t i = score->tree_start[t]; i < score->tree_start[t + 1]; i++) {
            const eqp_branch *branch = &score->branches[i];
            if (branch->feature != (int32_t)column->feature) continue;
            const uint32_t *own = below + score->tree_start[t];
            for (uint32_t place = 0; place < column->places; place++)
                column->leaves[place * forest->lanes + t] &=
                    ~own[answers_yes(column, branch, place) ? branch->no : branch->yes];
        }
}

static bool number_all(const eqp_forest *forest, const eqp_score *score, uint32_t *below)
{
    for (uint32_t t = 0; t < score->tree_count; t++) {
        uint32_t start = score->tree_start[t];
        if (!number_leaves(score->branches + start, score->tree_start[t + 1] - start, below + start,
                           forest->value + (size_t)t * MOST_LEAVES))
            return false;
    }
    return true;
}

/* The columns that trees ask about, with their places.  False when there are too many. */
static bool list_columns(const eqp_encoding *encoding, const eqp_score *score, eqp_forest *forest,
                         eqp_arena *arena)
{
    uint8_t *asked = eqp_take_zero(arena, encoding->feature_count, sizeof *asked);
    size_t places = 0;
    if (asked == NULL) return false;
    for (uint32_t i = 0; i < branch_count(score); i++)
        if (score->branches[i].feature >= 0) asked[score->branches[i].feature] = 1;
    for (uint32_t f = 0; f < encoding->feature_count && !arena->failed; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (!asked[f]) continue;
        if (forest->column_count == MOST_COLUMNS) return false;
        eqp_forest_column *column = &forest->columns[forest->column_count++];
        *column = (eqp_forest_column){.feature = f};
        if (feature->kind == EQP_FEATURE_NUMBER)
            list_cuts(score, column, arena);
        else
            list_codes(score, feature->slots, column, arena);
        places += column->places;
    }
    return places <= MOST_BYTES / (forest->lanes * sizeof(uint32_t));
}

eqp_forest *eqp_forest_new(const eqp_encoding *encoding, const eqp_score *score, eqp_arena *arena)
{
    size_t trees = score->tree_count;
    eqp_forest *forest = eqp_take_zero(arena, 1, sizeof *forest);
    uint32_t *below = eqp_take(arena, branch_count(score), sizeof *below);
    if (arena->failed) return NULL;
    *forest = (eqp_forest){.first = score->terms[0],
                           .trees = trees,
                           .lanes = (trees + LANES - 1) / LANES * LANES,
                           .columns = eqp_take(arena, MOST_COLUMNS, sizeof *forest->columns),
                           .value = eqp_take(arena, trees, MOST_LEAVES * sizeof *forest->value)};
    if (arena->failed || !number_all(forest, score, below) || !list_columns(encoding, score, forest, arena))
        return NULL;
    for (size_t c = 0; c < forest->column_count; c++) {
        eqp_forest_column *column = &forest->columns[c];
        column->leaves = eqp_take(arena, column->places, forest->lanes * sizeof *column->leaves);
        if (arena->failed) return NULL;
        mask_column(forest, score, below, column);
    }
    return forest;
}

/* ---- records ------------------------------------------------------------------------------------------ */

/* How many of the rising cuts are at most `value`, a number: halves without branches. */
static inline uint32_t cuts_below(const double *cuts, uint32_t count, double value)
{
    uint32_t at = 0;
    while (count > 1) {
        uint32_t half = count / 2;
        at += (cuts[at + half - 1] <= value) * half;
        count -= half;
    }
    return at + (cuts[at] <= value);
}

static inline uint32_t find_place(const eqp_forest_column *column, const eqp_block *block, size_t row)
{
    if (column->cuts == NULL) return column->place[block->codes[column->feature][row]];
    double value = block->numbers[column->feature][row];
    return value == value ? cuts_below(column->cuts, column->cut_count, value) : column->cut_count + 1;
}

/* One mask per tree, as wide as vectors get. */
typedef uint32_t lane_masks __attribute__((vector_size(LANES * sizeof(uint32_t))));

static inline void mask_leaves(const eqp_forest *forest, const uint32_t *const *leaves, size_t first,
                               lane_masks *left)
{
    *left = ~(lane_masks){0};
    for (size_t c = 0; c < forest->column_count; c++) *left &= *(const lane_masks *)(leaves[c] + first);
}

EQP_WIDE void eqp_forest_rows(const eqp_forest *const *forests, const eqp_block *block, const size_t *row,
                              double *score)
{
    enum { ROWS = EQP_FOREST_ROWS };
    const uint32_t *leaves[ROWS][MOST_COLUMNS];
    double sum[ROWS];
    size_t trees = forests[0]->trees;
    for (size_t r = 0; r < ROWS; r++) {
        const eqp_forest *forest = forests[r];
        sum[r] = forest->first;
        for (size_t c = 0; c < forest->column_count; c++)
            leaves[r][c] =
                forest->columns[c].leaves + find_place(&forest->columns[c], block, row[r]) * forest->lanes;
    }
    for (size_t first = 0; first < trees; first += LANES) {
        lane_masks left[ROWS];
        size_t count = trees - first < LANES ? trees - first : LANES;
        for (size_t r = 0; r < ROWS; r++) mask_leaves(forests[r], leaves[r], first, &left[r]);
        for (size_t lane = 0; lane < count; lane++)
            for (size_t r = 0; r < ROWS; r++)
                sum[r] +=
                    forests[r]->value[(first + lane) * MOST_LEAVES + (size_t)__builtin_ctz(left[r][lane])];
    }
    memcpy(score, sum, sizeof sum);
}
