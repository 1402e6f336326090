/* How an unusual file writes its table: other quotes, escapes, line ends and delimiters, blanks around cells,
 * lines before the table.
 *
 * An ordinary file (one character between cells, '"' around them, line feeds) is read as it stands.  Any
 * other is rewritten as an ordinary one in front of the reader (rewrite.h), and only where its first 64 KiB
 * leave no doubt: every record fits, and no other reading of as few oddities gives another table. */
#ifndef EQP_TABLE_HABITS_H
#define EQP_TABLE_HABITS_H

#include "base/buffer.h"

typedef struct eqp_habits {
    char delimiter[3];   /* one or two characters; "": an ordinary file */
    char quote;          /* '"' or '\'' */
    char escape;         /* '\\' before a quote inside quotes, 0 where such a quote is doubled */
    char line_end;       /* '\n', also behind '\r', or '\r' alone */
    bool padded;         /* blanks around cells are not part of them */
    bool preceded;       /* by lines that are not part of the table */
    uint64_t first_line; /* of the table; what stands before it is passed over */
} eqp_habits;

static inline bool eqp_is_ordinary(const eqp_habits *habits)
{
    return habits->delimiter[0] == '\0';
}

/* What stands between cells once the file is rewritten. */
static inline char eqp_plain_delimiter(const eqp_habits *habits)
{
    return habits->delimiter[1] == '\0' && habits->delimiter[0] != ' ' ? habits->delimiter[0] : ',';
}

#define EQP_HABITS_TEXT 256
/* What is unusual, for people: 'the delimiter is "||"; lines end in carriage returns'.  "" when nothing is.
 */
void eqp_habits_explain(const eqp_habits *habits, char text[EQP_HABITS_TEXT]);

struct eqp_beginning;
/* The habits of a file that begins so; ordinary ones where it is, and where it is not clear.  `asked`: the
 * delimiter that was given, or 0. */
eqp_status eqp_habits_find(const struct eqp_beginning *beginning, char asked, eqp_habits *habits,
                           eqp_error *error);

#endif
