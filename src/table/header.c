/* The head of a file. */
#include "table/reader.h"

#include "base/memory.h"

#include <string.h>
#include <strings.h>

static bool begins(eqp_cell bytes, const char *with, size_t length)
{
    return bytes.length >= length && memcmp(bytes.bytes, with, length) == 0;
}

static bool looks_like_utf16(eqp_cell bytes)
{
    if (begins(bytes, "\xff\xfe", 2) || begins(bytes, "\xfe\xff", 2)) return true;
    return bytes.length >= 2 && (bytes.bytes[0] == '\0') != (bytes.bytes[1] == '\0');
}

static bool looks_like_html(eqp_cell bytes)
{
    while (bytes.length > 0 && strchr(" \t\r\n", bytes.bytes[0]) != NULL) bytes.bytes++, bytes.length--;
    return (bytes.length >= 9 && strncasecmp(bytes.bytes, "<!doctype", 9) == 0) ||
           (bytes.length >= 5 && strncasecmp(bytes.bytes, "<html", 5) == 0);
}

static eqp_cell without_mark(eqp_cell bytes)
{
    return begins(bytes, "\xef\xbb\xbf", 3) ? (eqp_cell){bytes.bytes + 3, bytes.length - 3} : bytes;
}

static eqp_status fail_kind(const char *source, const char *what, const char *remedy, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, source, 1, 1, "the file is %s", what);
    eqp_hint(error, "%s", remedy);
    return EQP_DATA;
}

eqp_status eqp_header_check(const char *source, eqp_cell bytes, eqp_error *error)
{
    if (looks_like_utf16(bytes))
        return fail_kind(source, "UTF-16, not UTF-8", "save it as CSV in UTF-8", error);
    if (looks_like_html(without_mark(bytes)))
        return fail_kind(source, "a web page (HTML), not CSV", "download the data itself", error);
    if (begins(bytes, "PK\x03\x04", 4))
        return fail_kind(source, "a workbook or zip archive, not CSV", "save the table as CSV, or unpack it",
                         error);
    if (begins(bytes, "PAR1", 4))
        return fail_kind(source, "Parquet, not CSV", "write it as CSV, or use the Python package", error);
    return EQP_OK;
}

/* Bytes of the blank line that stands here: 0 when there is none. */
static size_t blank_line(eqp_cell bytes, size_t at)
{
    if (at < bytes.length && bytes.bytes[at] == '\n') return 1;
    return at + 1 < bytes.length && bytes.bytes[at] == '\r' && bytes.bytes[at + 1] == '\n' ? 2 : 0;
}

bool eqp_header_find(eqp_cell bytes, bool at_end, eqp_header *header)
{
    bool inside = false;
    *header = (eqp_header){.start = bytes.length - without_mark(bytes).length, .line = 1};
    for (size_t blank; (blank = blank_line(bytes, header->start)) > 0; header->start += blank) header->line++;
    header->next_line = header->line;
    for (header->end = header->start; header->end < bytes.length;) {
        char byte = bytes.bytes[header->end++];
        inside ^= byte == '"';
        header->next_line += byte == '\n';
        if (byte == '\n' && !inside) return true;
    }
    return at_end && header->end > header->start;
}

/* The candidate that occurs most often outside quotes; a comma when none does. */
static char detect_delimiter(const char *bytes, size_t length)
{
    static const char candidates[] = ",;\t";
    size_t found[3] = {0}, best = 0;
    bool inside = false;
    for (size_t i = 0; i < length; i++) {
        inside ^= bytes[i] == '"';
        const char *candidate = inside || bytes[i] == '\0' ? NULL : strchr(candidates, bytes[i]);
        if (candidate != NULL) found[candidate - candidates]++;
    }
    for (size_t i = 1; i < 3; i++)
        if (found[i] > found[best]) best = i;
    return candidates[best];
}

/* A carriage return that ends no line, outside quotes: the sign of line ends that are not understood. */
static bool has_lone_return(const char *bytes, size_t length)
{
    bool inside = false;
    for (size_t i = 0; i < length; i++) {
        inside ^= bytes[i] == '"';
        if (bytes[i] == '\r' && !inside && i + 1 < length && bytes[i + 1] != '\n') return true;
    }
    return false;
}

static eqp_status copy_name(eqp_cell field, eqp_buffer *scratch, char **name, eqp_error *error)
{
    eqp_cell value;
    if (!eqp_cell_value(field, scratch, &value)) return eqp_fail_memory(error);
    *name = eqp_copy_text(value.bytes, value.length);
    return *name != NULL ? EQP_OK : eqp_fail_memory(error);
}

static eqp_status copy_names(const eqp_chunk *record, const eqp_index *index, char **names, eqp_error *error)
{
    eqp_buffer scratch = {0};
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < index->columns && status == EQP_OK; i++)
        status = copy_name(eqp_index_field(record, index, 0, i), &scratch, &names[i], error);
    eqp_buffer_free(&scratch);
    return status;
}

eqp_status eqp_header_parse(const eqp_header *header, eqp_cell prologue, char delimiter, eqp_layout *layout,
                            char ***names, eqp_error *error)
{
    char *bytes = (char *)prologue.bytes + header->start;
    eqp_chunk record = {.bytes = bytes, .length = header->end - header->start, .first_line = header->line};
    record.ends_open = bytes[record.length - 1] != '\n';
    if (has_lone_return(bytes, record.length)) {
        eqp_fail_at(error, EQP_DATA, layout->source, header->line, 1,
                    "a carriage return without a line feed");
        eqp_hint(error, "every line must end in a line feed; convert the line ends");
        return EQP_DATA;
    }
    size_t columns;
    eqp_index index = {0};
    layout->delimiter = delimiter != '\0' ? delimiter : detect_delimiter(bytes, record.length);
    eqp_status status = eqp_record_walk(layout, &record, &columns, error);
    if (status != EQP_OK) return status;
    layout->columns = columns;
    *names = eqp_alloc_zero(columns, sizeof **names);
    status =
        *names != NULL ? eqp_index_build_carefully(&index, layout, &record, error) : eqp_fail_memory(error);
    if (status == EQP_OK) status = copy_names(&record, &index, *names, error);
    eqp_index_free(&index);
    return status;
}

void eqp_header_free(char **names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++) free(names[i]);
    free(names);
}
