/* The draw seen from outside: the figures are counted here from two files, not taken from any report. */
#include "print_outcome.h"

#include "failure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 4, GROUP_FIELD = 12, NAME_BYTES = 16, LINE_BYTES = 512, BAR_CELLS = 24 };

typedef struct tally {
    char names[GROUPS][NAME_BYTES]; /* as they are met; shown by size */
    size_t all[GROUPS], accepted[GROUPS];
    unsigned char *group; /* of each record, by its number */
    size_t records;
} tally;

/* Records are numbered from 1 after one letter: "C000042". */
static size_t record_number(const char *line)
{
    return strtoull(line + 1, NULL, 10);
}

static bool read_group(const char *line, char name[NAME_BYTES])
{
    for (int field = 0; field < GROUP_FIELD; field++) {
        line = strchr(line, ',');
        if (line++ == NULL) return false;
    }
    size_t length = strcspn(line, ",");
    if (length >= NAME_BYTES) return false;
    memcpy(name, line, length);
    name[length] = '\0';
    return true;
}

static size_t group_index(tally *count, const char *name)
{
    for (size_t k = 0; k < GROUPS; k++) {
        if (count->names[k][0] == '\0') strcpy(count->names[k], name);
        if (strcmp(count->names[k], name) == 0) return k;
    }
    return GROUPS;
}

static eqp_status note_record(tally *count, const char *line, eqp_error *error)
{
    char name[NAME_BYTES];
    if ((count->records & (count->records - 1)) == 0) { /* grow to twice as many */
        unsigned char *larger = realloc(count->group, 2 * count->records + 1);
        if (larger == NULL) return fail(error, EQP_MEMORY, "not enough memory");
        count->group = larger;
    }
    size_t k = read_group(line, name) ? group_index(count, name) : GROUPS;
    if (k == GROUPS)
        return fail(error, EQP_DATA, "record %zu has no group of the demonstration", count->records + 1);
    count->group[count->records++] = (unsigned char)k;
    count->all[k]++;
    return EQP_OK;
}

static eqp_status note_accepted(tally *count, const char *line, eqp_error *error)
{
    size_t number = record_number(line);
    if (number == 0 || number > count->records)
        return fail(error, EQP_DATA, "an accepted record is not a candidate");
    count->accepted[count->group[number - 1]]++;
    return EQP_OK;
}

static eqp_status each_line(const char *path, eqp_status (*note)(tally *, const char *, eqp_error *),
                            tally *count, eqp_error *error)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    if (file == NULL) return fail_errno(error, "open", path);
    eqp_status status = EQP_OK;
    bool header = true;
    for (; status == EQP_OK && fgets(line, sizeof line, file) != NULL; header = false)
        if (!header) status = note(count, line, error);
    fclose(file);
    return status;
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

typedef struct figures {
    double before[GROUPS], after[GROUPS], rejected[GROUPS];
    double candidates, accepted;
    double disclosure, imbalance;
} figures;

static figures measure(const tally *count)
{
    figures f = {0};
    double squares = 0;
    for (size_t k = 0; k < GROUPS; k++) {
        f.candidates += (double)count->all[k];
        f.accepted += (double)count->accepted[k];
    }
    for (size_t k = 0; k < GROUPS; k++) {
        f.before[k] = (double)count->all[k] / f.candidates;
        f.after[k] = (double)count->accepted[k] / f.accepted;
        f.rejected[k] = (double)(count->all[k] - count->accepted[k]) / (f.candidates - f.accepted);
        double moved = fmax(fabs(f.after[k] - f.before[k]), fabs(f.rejected[k] - f.before[k]));
        f.disclosure = fmax(f.disclosure, moved);
        squares += (f.after[k] - 1.0 / GROUPS) * (f.after[k] - 1.0 / GROUPS);
    }
    f.imbalance = sqrt(squares);
    return f;
}

/* Eighths of a cell, so that small shares differ too. */
static void draw_bar(double share, bool pad)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    long length = lround(share * 8 * BAR_CELLS), cells = 0;
    for (; cells < length / 8; cells++) fputs("█", stdout);
    fputs(eighths[length % 8], stdout);
    if (pad) printf("%*s", (int)(BAR_CELLS - cells - (length % 8 > 0)), "");
}

/* The n-th largest group among all candidates. */
static size_t nth_by_size(const figures *f, size_t n)
{
    for (size_t k = 0; k < GROUPS; k++) {
        size_t larger = 0;
        for (size_t l = 0; l < GROUPS; l++)
            larger += f->before[l] > f->before[k] || (f->before[l] == f->before[k] && l < k);
        if (larger == n) return k;
    }
    return 0;
}

static void draw_shares(const tally *count, const figures *f)
{
    printf("%-8s %-34s %s\n", "", "all candidates", "accepted");
    for (size_t n = 0; n < GROUPS; n++) {
        size_t k = nth_by_size(f, n);
        printf("%-8s %5.1f %%  ", count->names[k], 100 * f->before[k]);
        draw_bar(f->before[k], true);
        printf("  %5.1f %%  ", 100 * f->after[k]);
        draw_bar(f->after[k], false);
        putchar('\n');
    }
}

static void draw_figures(const figures *f, double budget)
{
    double before = 0;
    for (size_t k = 0; k < GROUPS; k++)
        before += (f->before[k] - 1.0 / GROUPS) * (f->before[k] - 1.0 / GROUPS);
    printf("\ndisclosure  %.3f     budget %.3f: how far an outcome may move what is known\n", f->disclosure,
           budget);
    printf("imbalance   %.3f     %.3f among all candidates; 0 is full balance\n", f->imbalance, sqrt(before));
    printf("yield       %4.1f %%    1 in %.0f candidates is accepted\n", 100 * f->accepted / f->candidates,
           f->candidates / f->accepted);
}

eqp_status outcome_draw(const char *truth, const char *accepted, double budget, eqp_error *error)
{
    tally count = {0};
    eqp_status status = each_line(truth, note_record, &count, error);
    if (status == EQP_OK) status = each_line(accepted, note_accepted, &count, error);
    if (status == EQP_OK) {
        figures f = measure(&count);
        draw_shares(&count, &f);
        draw_figures(&f, budget);
    }
    free(count.group);
    return status;
}
