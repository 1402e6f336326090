/* Doubles compared as doubles (cmocka of Debian 12 compares floats). */
#ifndef EQP_TEST_AUDIT_NEAR_H
#define EQP_TEST_AUDIT_NEAR_H

#include <math.h>

#define assert_near(found, expected, tolerance) assert_true(fabs((found) - (expected)) <= (tolerance))

#endif
