/* The first records of a file, looked at before it is read: which delimiter, and is the first line a header?
 */
#ifndef EQP_TABLE_BEGINNING_H
#define EQP_TABLE_BEGINNING_H

#include "table/index.h"

typedef struct eqp_beginning {
    const char *source;
    eqp_cell bytes;       /* from the header on, as far as the file was read */
    size_t header_length; /* its line end included */
    uint64_t line;        /* of the header */
    bool at_end;          /* the bytes are the whole rest of the file */
} eqp_beginning;

/* The comma, semicolon or tab that the header holds most often; another one, or "|" "^" "~", only where that
 * gives all of the first records as many cells as the header and the first choice does not. */
char eqp_delimiter_detect(const eqp_beginning *beginning);

/* EQP_DATA when the lines before the table are not part of it, or the delimiter has several characters: the
 * message says where the table seems to begin. */
eqp_status eqp_beginning_check(const eqp_beginning *beginning, char delimiter, eqp_error *error);

#endif
