/* Columns by name, and the name that was perhaps meant: the nearest by edit distance, where case and blanks
 * around count little. */
#include "table/reader.h"
#include "table/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_NAME 64 /* longer names are compared for equality but not measured */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Insertions, deletions, replacements and swaps of neighbours, one row of the table at a time. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][MAX_NAME + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) above[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            bool same = folded(a[i - 1]) == folded(b[j - 1]);
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1]))
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_length];
}

static const char *trimmed(const char *name, size_t *length)
{
    *length = strlen(name);
    while (*length > 0 && strchr(" \t", *name) != NULL) name++, --*length;
    while (*length > 0 && strchr(" \t", name[*length - 1]) != NULL) --*length;
    return name;
}

/* One wrong letter in three is near, and one letter always is, except in names of a single letter. */
const char *eqp_nearest_name(const char *name, const char *const *names, size_t count)
{
    size_t length, best = SIZE_MAX;
    const char *nearest = NULL, *wanted = trimmed(name, &length);
    if (length > MAX_NAME) return NULL;
    for (size_t i = 0; i < count && best > 0; i++) {
        size_t other_length;
        const char *other = trimmed(names[i], &other_length);
        size_t longer = length > other_length ? length : other_length;
        if (other_length > MAX_NAME || longer - smaller(length, other_length) > longer / 3 + 1) continue;
        size_t distance = edit_distance(wanted, length, other, other_length);
        bool near = distance == 0 || (longer > 1 && distance <= (longer < 6 ? 1 : longer / 3));
        if (!near || distance >= best) continue;
        best = distance;
        nearest = names[i];
    }
    return nearest;
}

static eqp_status fail_unknown(const eqp_layout *layout, const char *const *names, const char *name,
                               eqp_error *error)
{
    const char *nearest = eqp_nearest_name(name, names, layout->columns);
    if (nearest != NULL)
        eqp_fail_at(error, EQP_DATA, layout->source, 0, 0, "no column \"%s\"; did you mean \"%s\"?", name,
                    nearest);
    else
        eqp_fail_at(error, EQP_DATA, layout->source, 0, 0, "no column \"%s\"", name);
    if (layout->columns == 1 && layout->delimiter != '\0')
        eqp_hint(error, "with the delimiter \"%s\" the header is one column; choose another with --delimiter",
                 layout->delimiter == '\t' ? "tab" : (char[]){layout->delimiter, '\0'});
    return EQP_DATA;
}

/* "age.2" is the second of several columns "age", where no column has that name itself. */
static bool find_numbered(const eqp_layout *layout, const char *const *names, const char *name,
                          size_t *column)
{
    const char *point = strrchr(name, '.');
    if (point == NULL || point == name || point[1] < '1' || point[1] > '9' || strlen(point) > 6) return false;
    size_t wanted = (size_t)strtoul(point + 1, NULL, 10), length = (size_t)(point - name), found = 0;
    if (strspn(point + 1, "0123456789") != strlen(point + 1)) return false;
    for (size_t i = 0; i < layout->columns; i++)
        if (strncmp(names[i], name, length) == 0 && names[i][length] == '\0' && ++found == wanted)
            *column = i;
    return found > 1 && wanted <= found;
}

eqp_status eqp_column_require(const eqp_layout *layout, const char *const *names, const char *name,
                              size_t *column, eqp_error *error)
{
    size_t found = 0;
    for (size_t i = 0; i < layout->columns; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *column = i;
        found++;
    }
    if (found == 1 && *name != '\0') return EQP_OK;
    if (found == 0 && find_numbered(layout, names, name, column)) return EQP_OK;
    if (found == 0) return fail_unknown(layout, names, name, error);
    if (*name == '\0') return eqp_fail(error, EQP_DATA, "a column without a name cannot be used");
    eqp_fail_at(error, EQP_DATA, layout->source, 0, 0, "%zu columns are named \"%s\"", found, name);
    eqp_hint(error, "the first is \"%s.1\", the second \"%s.2\"", name, name);
    return EQP_DATA;
}
