/* Reads numbers and texts, decides by an exported rule, and prints one digit a record.  Compiled together
 * with the exported file by c_source.py:   decide-rows KEY < RECORDS > DECISIONS
 *
 * A record is the id and one field a column, numbers first, each ended by a byte 0x1E; a missing field is
 * empty. */
#include RULE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 4096, FIELDS = 1 + EQUIPOISE_NUMBERS + EQUIPOISE_TEXTS, END = 0x1E };

static char fields[FIELDS][LONGEST];

static int read_field(char *field)
{
    int length = 0, c;
    while ((c = getchar()) != EOF && c != END && length < LONGEST - 1) field[length++] = (char)c;
    field[length] = '\0';
    return c == END;
}

static int read_record(void)
{
    for (int i = 0; i < FIELDS; i++)
        if (!read_field(fields[i])) return 0;
    return 1;
}

int main(int count, char **arguments)
{
    double numbers[EQUIPOISE_NUMBERS + 1];
    const char *texts[EQUIPOISE_TEXTS + 1];
    struct equipoise_record record = {numbers, texts};
    if (count != 2) return 2;
    while (read_record()) {
        int readable = 1;
        for (int i = 0; i < EQUIPOISE_NUMBERS; i++) readable &= equipoise_number(fields[1 + i], &numbers[i]);
        for (int i = 0; i < EQUIPOISE_TEXTS; i++) texts[i] = fields[1 + EQUIPOISE_NUMBERS + i];
        printf("%d\n", readable ? equipoise_decide(&record, arguments[1], fields[0]) : -1);
    }
    return 0;
}
