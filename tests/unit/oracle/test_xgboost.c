/* Where XGBoost is looked for, and what is said where it is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "oracle/xgboost.h"

#include <stdlib.h>
#include <string.h>

static void the_variable_alone_counts_where_it_is_set(void **state)
{
    (void)state;
    const eqp_xgboost *xgboost;
    eqp_error error = {0};
    setenv("EQUIPOISE_XGBOOST", "/nonexistent/libxgboost.so", 1);
    assert_int_equal(eqp_xgboost_get(&xgboost, &error), EQP_IO);
    assert_null(xgboost);
    assert_non_null(strstr(error.message, "cannot load XGBoost: /nonexistent/libxgboost.so"));
    assert_non_null(strstr(error.hint, "libxgboost0 (Debian)"));
    assert_non_null(strstr(error.hint, "xgboost (PyPI)"));
    assert_non_null(strstr(error.hint, "EQUIPOISE_XGBOOST"));
}

static void the_library_of_the_system_is_found_after_that(void **state)
{
    (void)state;
    const eqp_xgboost *xgboost, *again;
    setenv("EQUIPOISE_XGBOOST", "", 1);
    assert_int_equal(eqp_xgboost_get(&xgboost, NULL), EQP_OK);
    assert_non_null(xgboost->XGBGetLastError());
    setenv("EQUIPOISE_XGBOOST", "/nonexistent/libxgboost.so", 1); /* too late */
    assert_int_equal(eqp_xgboost_get(&again, NULL), EQP_OK);
    assert_ptr_equal(xgboost, again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_variable_alone_counts_where_it_is_set),
                                       cmocka_unit_test(the_library_of_the_system_is_found_after_that)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
