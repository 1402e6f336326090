/* Which cells count as missing. */
#include "table/missing.h"

#include "base/memory.h"

eqp_status eqp_missing_init(eqp_missing *missing, const char *marks, eqp_error *error)
{
    if (marks == NULL) marks = EQP_DEFAULT_MARKS;
    size_t length = strlen(marks), most = 1;
    for (size_t i = 0; i < length; i++) most += marks[i] == ',';
    *missing = (eqp_missing){.text = eqp_copy_text(marks, length),
                             .marks = eqp_alloc(most, sizeof *missing->marks),
                             .lengths = eqp_alloc(most, sizeof *missing->lengths)};
    if (missing->text == NULL || missing->marks == NULL || missing->lengths == NULL) {
        eqp_missing_free(missing);
        return eqp_fail_memory(error);
    }
    for (char *mark = missing->text, *end; missing->count < most; mark = end + 1) {
        end = mark + strcspn(mark, ",");
        missing->marks[missing->count] = mark;
        missing->lengths[missing->count++] = (size_t)(end - mark);
        *end = '\0';
        missing->by_first[(unsigned char)*mark / 64] |= UINT64_C(1) << (unsigned char)*mark % 64;
    }
    return EQP_OK;
}

void eqp_missing_free(eqp_missing *missing)
{
    free(missing->text);
    free(missing->marks);
    free(missing->lengths);
    *missing = (eqp_missing){0};
}

bool eqp_missing_matches(const eqp_missing *missing, const char *text, size_t length)
{
    for (size_t i = 0; i < missing->count; i++)
        if (missing->lengths[i] == length && memcmp(missing->marks[i], text, length) == 0) return true;
    return length == 0;
}
