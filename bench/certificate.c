/* How often the certificate succeeds (M11), by simulation: 8 leaves, 4 groups, confidence 95 %, budget 0.10.
 * Prints the table of docs/audit.md; `certificate 2000` draws so many samples a line. */
#include "../tests/unit/audit/simulated.h"

#include <stdio.h>
#include <stdlib.h>

#define BUDGET 0.10
#define ERROR  0.05

static void print_line(const char *name, const population *people, size_t rows, size_t samples)
{
    pass_rates passed = simulate(people, rows, BUDGET, ERROR, samples, 1);
    printf("%-26s %6.3f %9zu %14.1f %% %22.1f %%\n", name, true_disclosure(people), rows, 100 * passed.exact,
           100 * passed.hoeffding);
}

int main(int argc, char **argv)
{
    size_t samples = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    const size_t sizes[] = {8000, 16000, 32000};
    population within = even_population(0.05), one_at = single_population(BUDGET),
               all_at = even_population(BUDGET);
    printf("budget %.2f, confidence 95 %%, %zu samples a line\n\n", BUDGET, samples);
    printf("%-26s %6s %9s %16s %24s\n", "population", "true", "rows", "certified", "Hoeffding + union bound");
    for (size_t s = 0; s < 3; s++) print_line("within the budget", &within, sizes[s], samples);
    for (size_t s = 0; s < 3; s++) print_line("one cell at the budget", &one_at, sizes[s], samples);
    for (size_t s = 0; s < 3; s++) print_line("every leaf at the budget", &all_at, sizes[s], samples);
    return 0;
}
