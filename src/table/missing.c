/* Which cells count as missing. */
#include "table/missing.h"

#include "base/memory.h"

eqp_status eqp_missing_init(eqp_missing *missing, const char *marks, eqp_error *error)
{
    if (marks == NULL) marks = EQP_DEFAULT_MARKS;
    size_t length = strlen(marks), most = 1;
    for (size_t i = 0; i < length; i++) most += marks[i] == ',';
    *missing =
        (eqp_missing){.marks = eqp_copy_text(marks, length), .lengths = eqp_alloc(most, sizeof(size_t))};
    if (missing->marks == NULL || missing->lengths == NULL) {
        eqp_missing_free(missing);
        return eqp_fail_memory(error);
    }
    for (char *mark = missing->marks, *end; missing->count < most; mark = end + 1) {
        end = strchrnul(mark, ',');
        size_t size = (size_t)(end - mark);
        *end = '\0';
        missing->lengths[missing->count++] = size;
        missing->by_first[(unsigned char)*mark / 64] |= UINT64_C(1) << (unsigned char)*mark % 64;
    }
    return EQP_OK;
}

void eqp_missing_free(eqp_missing *missing)
{
    free(missing->marks);
    free(missing->lengths);
    *missing = (eqp_missing){0};
}

bool eqp_missing_matches(const eqp_missing *missing, const char *text, size_t length)
{
    const char *mark = missing->marks;
    for (size_t i = 0; i < missing->count; mark += missing->lengths[i++] + 1)
        if (missing->lengths[i] == length && memcmp(mark, text, length) == 0) return true;
    return length == 0;
}
