/* Adult-like records with a group that the other columns know something of: 6 numbers, 8 texts, the group.
 *
 *     bench-people ROWS > FILE
 *
 * Five groups of very different sizes; each column leans with the group, none tells it. */
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBERS = 6, TEXTS = 8, GROUPS = 5 };

static const double shares[GROUPS] = {0.855, 0.096, 0.031, 0.010, 0.008};
static const unsigned levels[TEXTS] = {8, 16, 7, 14, 6, 2, 41, 5};

static unsigned draw_group(eqp_random *random)
{
    double u = eqp_random_unit(random);
    unsigned group = 0;
    while (group < GROUPS - 1 && u >= shares[group]) u -= shares[group++];
    return group;
}

static void write_row(eqp_random *random)
{
    unsigned group = draw_group(random);
    for (int c = 0; c < NUMBERS; c++) {
        double lean = 0.4 * (double)((group * (unsigned)(c + 3)) % 5);
        printf("%.0f,", floor(50 + 10 * (eqp_random_normal(random) + lean)));
    }
    for (int c = 0; c < TEXTS; c++) {
        double u = eqp_random_unit(random);
        unsigned level = (unsigned)(u * u * levels[c]); /* some levels are frequent */
        if (eqp_random_below(random, 4) == 0) level = (level + group * (unsigned)(c + 1)) % levels[c];
        printf("v%u,", level);
    }
    printf("g%u\n", group);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: bench-people ROWS > FILE\n", stderr);
        return 2;
    }
    eqp_random random = eqp_random_from(1, 0);
    for (int c = 0; c < NUMBERS + TEXTS; c++) printf("%c%d,", c < NUMBERS ? 'n' : 't', c);
    puts("group");
    for (long left = atol(argv[1]); left > 0; left--) write_row(&random);
    return ferror(stdout) != 0;
}
