/* What differs between SQL engines, and nothing else: the rule itself is written once, for all of them. */
#ifndef EQP_EXPORT_DIALECT_H
#define EQP_EXPORT_DIALECT_H

#include "base/buffer.h"

/* How an expression becomes another: the text before and behind it. */
typedef struct eqp_wrap {
    const char *before, *after;
} eqp_wrap;

/* How the columns of a record reach the result beside the values that are worked out from them. */
typedef enum eqp_carry {
    EQP_CARRY_EXCEPT,   /* all columns but those added */
    EQP_CARRY_STRUCT,   /* the record as one value */
    EQP_CARRY_CORRELATE /* a subquery about each row */
} eqp_carry;

typedef enum eqp_escape {
    EQP_ESCAPE_DOUBLE,   /* a quote is written twice, a backslash is a backslash */
    EQP_ESCAPE_E_STRING, /* the same, but texts with backslashes need a prefix */
    EQP_ESCAPE_BACKSLASH /* a backslash before quotes and backslashes, letters for line breaks */
} eqp_escape;

typedef enum eqp_form { EQP_STATEMENT, EQP_VIEW, EQP_FUNCTION, EQP_PREDICATE, EQP_PART, EQP_FORMS } eqp_form;

typedef struct eqp_dialect {
    const char *name;
    char quote;             /* around identifiers */
    eqp_escape identifiers; /* escapes within them */
    eqp_escape texts;       /* escapes within text literals */
    const char *dollar;     /* how a dollar sign is written in a text; NULL: as it is */
    bool substitutes;       /* "${name}" is replaced even in identifiers */

    eqp_wrap text;    /* any column as text that compares bytewise */
    eqp_wrap number;  /* a text that is a number as a correctly rounded double, no error for another; NULL: by
                         whole numbers (sql_values.c) */
    bool guarded;     /* there would be an error, so it is asked first whether the text is a number */
    eqp_wrap matches; /* whether a text matches a pattern: before the text, between; NULL: by GLOB
                         (sql_guard.c) */
    eqp_wrap whole_text; /* a pattern that the whole text must match */
    const char *yes;     /* the constant */
    eqp_wrap literal;    /* digits and an exponent as a double; NULL: as quotient of whole numbers */
    eqp_wrap digest;     /* SHA-256 of a text as 64 lower-case hexadecimal digits */
    eqp_wrap draw;       /* thirteen of those digits, to be compared bytewise */
    eqp_wrap whole;      /* thirteen hexadecimal digits as a whole number */
    eqp_wrap remainder;  /* a % b: before a, between; the end is `remainder_end` */
    const char *remainder_end;
    const char *position;  /* function of a text and a text sought in it: its place, 0 where it is not */
    eqp_wrap fourth;       /* of a whole number that 4 divides */
    eqp_wrap not_a_number; /* around a column that goes through its text: the text of a NaN, NULL if it has
                              none; without an end it needs no column */

    /* A column of doubles or whole numbers need not go through its text, where the engine knows the type
       before it reads a row: around the column, around what is to be done otherwise.  NULL: unknown. */
    eqp_wrap typed, otherwise;
    eqp_wrap as_double; /* such a column as a double; no error for other columns */
    eqp_wrap is_nan;
    eqp_wrap is_finite; /* such a column is not infinite; yes for NULL and NaN */
    /* Values as one constant, and the element behind it at a place counted from 0.  NULL: there is no such
       thing. */
    eqp_wrap array, element;

    eqp_carry carry;
    const char *except;  /* word for "all columns but" */
    eqp_wrap record;     /* the record as one value, and that value as columns */
    const char *barrier; /* ends an inner query so that the engine keeps it by itself, or "" */
    const char *fence;   /* a value that does the same; named eqp_i0, … and asked to be >= 0; or NULL */

    const char *key[EQP_FORMS]; /* what stands for the key in each form; NULL: the form needs the key */
    eqp_wrap view, function;    /* around the name of what is created; NULL: there is no such thing */
    const char *function_end;   /* before its body */
    const char *settings;       /* ends a query; or NULL */
    const char *needs;          /* what must be there or set, said in a comment; or NULL */
    size_t max_bytes;           /* of a statement */
    size_t max_depth;           /* of an expression */
    bool verified;              /* against the engine, by tests/engines */
} eqp_dialect;

/* Names of all that a rule can be exported to, with a line about each: the dialects, then C source and JSON.
 * NULL past the last. */
const char *eqp_dialect_name(size_t index, const char **summary);
/* NULL when there is no such dialect. */
const eqp_dialect *eqp_dialect_find(const char *name);

/* ---- quoting (sql_quote.c) ----------------------------------------------------------------------------- */

void eqp_quote_identifier(const eqp_dialect *dialect, const char *name, eqp_buffer *out);
/* "schema.table": parts between dots are quoted one by one. */
void eqp_quote_table(const eqp_dialect *dialect, const char *name, eqp_buffer *out);
void eqp_quote_text(const eqp_dialect *dialect, const char *text, eqp_buffer *out);
/* The fewest digits that read back as the same double, with an exponent, so that no engine takes it for a
 * DECIMAL (M13). */
void eqp_quote_double(double value, eqp_buffer *out);
/* A double that the engine reads to the last bit (M13). */
void eqp_quote_number(const eqp_dialect *dialect, double value, eqp_buffer *out);

#endif
