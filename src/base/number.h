/* Numbers and text, without the locale: the same bytes mean the same double on every machine. */
#ifndef EQP_BASE_NUMBER_H
#define EQP_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* The whole of `text` as a finite decimal number: optional sign, digits with an optional point (`decimal`),
 * optional exponent; blanks around it are allowed.  Correctly rounded.  False for anything else: "nan",
 * "inf", "0x1p3", "1,5", "1e999", "".  −0.0 becomes 0.0.  `text` need not end in 0. */
bool eqp_number_parse(const char *text, size_t length, char decimal, double *value);

/* The shortest decimal that reads back as the same double (powers of two may get one digit more); at most 32
 * bytes with the final 0. */
size_t eqp_number_print(double value, char text[32]);

/* 17 significant digits and an exponent, so that no SQL engine takes it for a DECIMAL (M13). */
size_t eqp_number_print_exact(double value, char text[32]);

#endif
