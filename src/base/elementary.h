/* exp and log in plain double arithmetic of a fixed order.  Those of the C library use fused multiplication
 * where the processor has it, and then differ in the last bit; what is learned must not. */
#ifndef EQP_BASE_ELEMENTARY_H
#define EQP_BASE_ELEMENTARY_H

/* With a relative error below 2^-51; 0 and infinity where the C library gives them. */
double eqp_exp(double x);
/* The same, for x > 0. */
double eqp_log(double x);

#endif
