/* The head of a file: what it is not (UTF-16, a web page, a workbook), the header, delimiter, names. */
#ifndef EQP_TABLE_HEADER_H
#define EQP_TABLE_HEADER_H

#include "table/index.h"

typedef struct eqp_header {
    size_t start, end; /* of the header record, line end included, within the first bytes of the file */
    uint64_t line, next_line; /* where it begins; where the records begin */
} eqp_header;

/* EQP_DATA when the first bytes show that this is another kind of file. */
eqp_status eqp_header_check(const char *source, eqp_cell bytes, eqp_error *error);
/* Passes over a byte-order mark and blank lines; false when the header does not end within the bytes. */
bool eqp_header_find(eqp_cell bytes, bool at_end, eqp_header *header);
/* Sets delimiter (as given, or detected when 0), column count and names.  `prologue` holds the bytes up to
 * the end of the header and a line feed beyond. */
eqp_status eqp_header_parse(const eqp_header *header, eqp_cell prologue, char delimiter, eqp_layout *layout,
                            char ***names, eqp_error *error);
void eqp_header_free(char **names, size_t count);

/* The column of that name, or EQP_DATA: no column "Race"; did you mean "race"?  Fails too when several have
 * that name. */
eqp_status eqp_column_require(const eqp_layout *layout, const char *const *names, const char *name,
                              size_t *column, eqp_error *error);

#endif
