/* Freeing nothing is legal, whatever it would have been. */
#include "audit/audit.h"
#include "study/compare.h"
#include "study/frontier.h"
#include "study/resume.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void freeing_nothing_is_legal(void **state)
{
    (void)state;
    eqp_table_free(NULL);
    eqp_model_free(NULL);
    eqp_report_free(NULL);
    eqp_text_free(NULL);
    eqp_audit_result_free(NULL);
    eqp_privacy_free(NULL);
    eqp_audited_free(NULL);
    eqp_comparison_free(NULL);
    eqp_frontier_result_free(NULL);
    eqp_resume_close(NULL);
}

/* Every status has an exit code of the program; lack of memory and being stopped have that of input and
 * output. */
static void every_status_has_an_exit_code(void **state)
{
    (void)state;
    assert_int_equal(eqp_exit_code(EQP_OK), 0);
    assert_int_equal(eqp_exit_code(EQP_USAGE), 2);
    assert_int_equal(eqp_exit_code(EQP_DATA), 3);
    assert_int_equal(eqp_exit_code(EQP_IO), 4);
    assert_int_equal(eqp_exit_code(EQP_INFEASIBLE), 5);
    assert_int_equal(eqp_exit_code(EQP_MEMORY), 4);
    assert_int_equal(eqp_exit_code(EQP_CANCELLED), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(freeing_nothing_is_legal),
                                       cmocka_unit_test(every_status_has_an_exit_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
