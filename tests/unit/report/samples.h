/* The sample documents of these tests, one for each kind of report. */
#ifndef EQP_TEST_REPORT_SAMPLES_H
#define EQP_TEST_REPORT_SAMPLES_H

#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const SAMPLES[] = {"learn",   "training", "tree",    "audit",    "drift",    "frontier",
                                      "compare", "filter",   "select",  "merge",    "plan",     "commit",
                                      "verify",  "mismatch", "hostile", "together", "withheld", "dial"};
#define SAMPLE_COUNT (sizeof SAMPLES / sizeof *SAMPLES)

static inline eqp_report *read_sample(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, EQP_TEST_FOLDER "/samples/%s.json", name);
    eqp_report *report = NULL;
    assert_int_equal(eqp_report_from_json(json_load_file(path, 0, NULL), &report, NULL), EQP_OK);
    return report;
}

#endif
