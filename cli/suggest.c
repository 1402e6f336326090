/* Restricted Damerau–Levenshtein distance: insertions, deletions, replacements, neighbours swapped. */
#include "suggest.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t edit_distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= m; i++) d[i][0] = i;
    for (size_t j = 0; j <= n; j++) d[0][j] = j;
    for (size_t i = 1; i <= m; i++)
        for (size_t j = 1; j <= n; j++) {
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

/* One slip in short words, up to a third of the letters in longer ones. */
suggestion suggestion_for(const char *typed, size_t length)
{
    return (suggestion){typed, length, length < 6 ? 1 : length / 3, NULL};
}

void suggestion_consider(suggestion *near, const char *name)
{
    size_t length = strlen(name);
    if (length > LONGEST || near->length > LONGEST) return;
    size_t distance = edit_distance(near->typed, near->length, name, length);
    if (distance > near->distance || (near->name && distance == near->distance)) return;
    near->distance = distance;
    near->name = name;
}
