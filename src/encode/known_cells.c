/* Counting cells that a model does not know, and refusing columns that hold hardly anything else. */
#include "encode/known_cells.h"

#include "base/memory.h"
#include "base/name_list.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS_NAMED = 6 };

eqp_status eqp_cell_counts_new(const eqp_encoding *encoding, eqp_cell_counts *counts, eqp_error *error)
{
    *counts = (eqp_cell_counts){0};
    counts->missing = eqp_alloc_zero(encoding->feature_count, sizeof *counts->missing);
    counts->unseen = eqp_alloc_zero(encoding->feature_count, sizeof *counts->unseen);
    return counts->missing != NULL && counts->unseen != NULL ? EQP_OK : eqp_fail_memory(error);
}

void eqp_cell_counts_clear(const eqp_encoding *encoding, eqp_cell_counts *counts)
{
    counts->rows = 0;
    memset(counts->missing, 0, encoding->feature_count * sizeof *counts->missing);
    memset(counts->unseen, 0, encoding->feature_count * sizeof *counts->unseen);
}

void eqp_cell_counts_free(eqp_cell_counts *counts)
{
    free(counts->missing);
    free(counts->unseen);
    *counts = (eqp_cell_counts){0};
}

static uint32_t count_code(const uint32_t *codes, size_t rows, uint32_t code)
{
    uint32_t count = 0;
    for (size_t i = 0; i < rows; i++) count += codes[i] == code;
    return count;
}

void eqp_cell_counts_add(const eqp_encoding *encoding, const eqp_block *block, size_t rows,
                         eqp_cell_counts *counts)
{
    counts->rows += rows;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (eqp_feature_repeats(encoding, f)) continue;
        if (block->codes[f] == NULL) {
            counts->missing[f] += eqp_count_missing(block->numbers[f], rows);
            continue;
        }
        counts->missing[f] += count_code(block->codes[f], rows, EQP_MISSING(feature));
        if (feature->part == EQP_NO_PART) /* a month that few were born in was seen */
            counts->unseen[f] += count_code(block->codes[f], rows, EQP_OTHER(feature));
    }
}

void eqp_cell_counts_merge(const eqp_encoding *encoding, const eqp_cell_counts *more, eqp_cell_counts *counts)
{
    counts->rows += more->rows;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        counts->missing[f] += more->missing[f];
        counts->unseen[f] += more->unseen[f];
    }
}

/* ---- refusing ---------------------------------------------------------------------------------------------
 */

double eqp_unknown_share(const eqp_feature *feature)
{
    double expected = feature->missing_share;
    if (feature->kind == EQP_FEATURE_LEVELS && feature->part == EQP_NO_PART && feature->shares != NULL)
        expected += feature->shares[EQP_OTHER(feature)];
    return expected;
}

/* Share of the cells that training would not have let expect. */
static double shift_of(const eqp_feature *feature, const eqp_cell_counts *counts, size_t f)
{
    double unknown = (double)(counts->missing[f] + counts->unseen[f]) / (double)counts->rows;
    return unknown - eqp_unknown_share(feature);
}

typedef struct complaint {
    size_t count;
    eqp_buffer columns, names; /* with figures; for the option */
} complaint;

static void add_column(complaint *c, const eqp_feature *feature, const eqp_cell_counts *counts, size_t f)
{
    double rows = (double)counts->rows;
    const char *between = c->count > 0 ? ", " : "";
    if (c->count++ >= COLUMNS_NAMED) return;
    eqp_buffer_printf(&c->columns, "%s\"%s\" (%.0f %% missing, %.0f %% unseen)", between, feature->name,
                      100 * (double)counts->missing[f] / rows, 100 * (double)counts->unseen[f] / rows);
    eqp_buffer_printf(&c->names, "%s%s", c->count > 1 ? "," : "", feature->name);
}

static eqp_status complain(complaint *c, const char *source, eqp_error *error)
{
    char more[40] = "";
    if (c->columns.failed || c->names.failed) return eqp_fail_memory(error);
    if (c->count > COLUMNS_NAMED) snprintf(more, sizeof more, " and %zu more", c->count - COLUMNS_NAMED);
    eqp_fail_at(error, EQP_DATA, source, 0, 0, "%s hold%s almost nothing that the model knows: %s%s",
                c->count == 1 ? "a column" : "columns", c->count == 1 ? "s" : "", c->columns.bytes, more);
    eqp_hint(error, "are values written differently than in training? --allow-shift \"%s\" goes on anyway",
             c->names.bytes);
    return EQP_DATA;
}

eqp_status eqp_cell_counts_check(const eqp_encoding *encoding, const eqp_cell_counts *counts,
                                 const char *allowed, const char *source, eqp_error *error)
{
    complaint c = {0};
    eqp_name_list pass;
    if (counts->rows < EQP_SHIFT_ROWS) return EQP_OK;
    eqp_status status = eqp_name_list_split(allowed, &pass, error);
    for (size_t f = 0; f < encoding->feature_count && status == EQP_OK; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (eqp_feature_repeats(encoding, f) || eqp_name_list_holds(&pass, feature->name)) continue;
        if (shift_of(feature, counts, f) > EQP_SHIFT_MOST) add_column(&c, feature, counts, f);
    }
    if (status == EQP_OK && c.count > 0) status = complain(&c, source, error);
    eqp_buffer_free(&c.columns);
    eqp_buffer_free(&c.names);
    eqp_name_list_free(&pass);
    return status;
}

eqp_status eqp_block_check(const eqp_encoding *encoding, const eqp_block *block, const char *allowed,
                           const char *source, eqp_error *error)
{
    eqp_cell_counts counts;
    eqp_status status = eqp_cell_counts_new(encoding, &counts, error);
    if (status == EQP_OK) {
        eqp_cell_counts_add(encoding, block, block->rows, &counts);
        status = eqp_cell_counts_check(encoding, &counts, allowed, source, error);
    }
    eqp_cell_counts_free(&counts);
    return status;
}

/* ---- telling ----------------------------------------------------------------------------------------------
 */

/* The column with most cells after those with more, or with as many and before it; SIZE_MAX: there is none.
 */
static size_t next_most(const eqp_encoding *encoding, const uint64_t *cells, size_t last)
{
    size_t best = SIZE_MAX;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        bool told = last != SIZE_MAX && (cells[f] > cells[last] || (cells[f] == cells[last] && f <= last));
        if (cells[f] > 0 && !told && (best == SIZE_MAX || cells[f] > cells[best])) best = f;
    }
    return best;
}

void eqp_cells_describe(const eqp_encoding *encoding, const uint64_t *cells, char text[EQP_CELLS_TEXT])
{
    size_t length = 0, last = SIZE_MAX;
    text[0] = '\0';
    for (size_t shown = 0; shown < COLUMNS_NAMED; shown++) {
        last = next_most(encoding, cells, last);
        if (last == SIZE_MAX) return;
        int more = snprintf(text + length, EQP_CELLS_TEXT - length, "%s%s (%llu)", shown > 0 ? ", " : "",
                            encoding->features[last].name, (unsigned long long)cells[last]);
        if (more < 0 || (size_t)more >= EQP_CELLS_TEXT - length) { /* names may be long: as many as fit */
            text[length] = '\0';
            return;
        }
        length += (size_t)more;
    }
}

/* ---- columns that are not there ---------------------------------------------------------------------------
 */

/* "age.2" may be the second of several columns "age": whoever looks for it finds out. */
static bool is_among(const char *name, const char *const *names, size_t count)
{
    const char *point = strrchr(name, '.');
    size_t length = point != NULL ? (size_t)(point - name) : 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0 ||
            (length > 0 && strncmp(names[i], name, length) == 0 && names[i][length] == '\0'))
            return true;
    return false;
}

eqp_status eqp_encoding_check_names(const eqp_encoding *encoding, const char *const *names, size_t count,
                                    const char *source, eqp_error *error)
{
    eqp_buffer absent = {0};
    size_t found = 0;
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const char *name = encoding->features[f].name;
        if (eqp_feature_repeats(encoding, f) || is_among(name, names, count)) continue;
        if (found++ < COLUMNS_NAMED) eqp_buffer_printf(&absent, "%s\"%s\"", found > 1 ? ", " : "", name);
    }
    eqp_status status = EQP_OK;
    if (absent.failed)
        status = eqp_fail_memory(error);
    else if (found > COLUMNS_NAMED)
        status = eqp_fail_at(error, EQP_DATA, source, 0, 0, "no columns %s and %zu more", absent.bytes,
                             found - COLUMNS_NAMED);
    else if (found > 1)
        status = eqp_fail_at(error, EQP_DATA, source, 0, 0, "no columns %s", absent.bytes);
    eqp_buffer_free(&absent);
    return status;
}
