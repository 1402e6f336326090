/* Triage of a sensitive column: whether its cells hold several groups each. */
#include "triage/triage.h"

#include "base/memory.h"

#include <string.h>

/* A column of more texts is no attribute, however its texts are parted. */
enum { MOST_TEXTS = 4096, FEWEST_COMBINED = 2 };

typedef struct parts_seen {
    eqp_dictionary *parts;
    size_t texts[MOST_TEXTS]; /* that hold each part */
    size_t combined;          /* texts of several parts */
    bool failed, alone;       /* memory was short; a part of a combined text is in no other text */
} parts_seen;

static void see_part(parts_seen *seen, const char *text, size_t length, bool combined, bool count)
{
    while (length > 0 && *text == ' ') text++, length--;
    while (length > 0 && text[length - 1] == ' ') length--;
    if (length == 0) return;
    uint32_t part = eqp_dictionary_add(seen->parts, text, length);
    seen->failed = seen->failed || part >= MOST_TEXTS;
    if (seen->failed) return;
    if (count)
        seen->texts[part]++;
    else
        seen->alone = seen->alone || (combined && seen->texts[part] < 2);
}

static void see_texts(parts_seen *seen, const eqp_dictionary *levels, char separator, bool count)
{
    for (uint32_t code = 0; code < eqp_dictionary_size(levels) && !seen->failed; code++) {
        const char *text = eqp_dictionary_text(levels, code), *end = text + strlen(text);
        bool combined = strchr(text, separator) != NULL;
        seen->combined += combined && count;
        while (text <= end) {
            const char *stop = strchr(text, separator);
            if (stop == NULL) stop = end;
            see_part(seen, text, (size_t)(stop - text), combined, count);
            text = stop + 1;
        }
    }
}

static bool parts_by(const eqp_dictionary *levels, char separator)
{
    parts_seen *seen = eqp_alloc_zero(1, sizeof *seen);
    bool found = false;
    if (seen != NULL) seen->parts = eqp_dictionary_new();
    if (seen != NULL && seen->parts != NULL) {
        see_texts(seen, levels, separator, true);
        see_texts(seen, levels, separator, false);
        found = !seen->failed && !seen->alone && seen->combined >= FEWEST_COMBINED &&
                eqp_dictionary_size(seen->parts) < eqp_dictionary_size(levels);
    }
    if (seen != NULL) eqp_dictionary_free(seen->parts);
    free(seen);
    return found;
}

char eqp_column_separator(const eqp_column *column)
{
    static const char SEPARATORS[] = "|;,/+&";
    if (column->kind != EQP_TEXT || eqp_dictionary_size(column->levels) > MOST_TEXTS) return 0;
    for (const char *separator = SEPARATORS; *separator != '\0'; separator++)
        if (parts_by(column->levels, *separator)) return *separator;
    return 0;
}

char eqp_triage_separator(const eqp_triage *triage, const eqp_column_finding *finding)
{
    bool read_so = triage->groups == NULL || triage->groups->separator != NULL;
    if (read_so || finding->reason != EQP_REASON_SENSITIVE) return 0;
    return eqp_column_separator(finding->column);
}
