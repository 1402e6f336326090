/* Any bytes as a certificate, checked against a model and as the guide to its records: a verdict or a
 * message. */
#include "base/buffer.h"
#include "fuzz.h"

#include <string.h>

static eqp_model *model;
static char records[32];

/* Two groups that one number tells apart a little. */
static void prepare(void)
{
    eqp_buffer text = {0};
    eqp_table *table = NULL;
    eqp_learn_options options;
    eqp_report *report = NULL;
    const char *const sensitive[] = {"g"};
    eqp_buffer_text(&text, "g,x\n");
    for (int i = 0; i < 200; i++)
        eqp_buffer_printf(&text, "%c,%d\n", i % 3 == 0 ? 'a' : 'b', i * 7 % 50 + i % 3);
    fuzz_file(text.bytes, text.length, records);
    eqp_buffer_free(&text);
    must_hold(eqp_table_read(records, NULL, NULL, &table, NULL) == EQP_OK, "the records can be read");
    eqp_learn_options_init(&options);
    options.sensitive = sensitive;
    options.sensitive_count = 1;
    must_hold(eqp_learn(table, &options, NULL, &model, &report, NULL) == EQP_OK, "a rule can be learned");
    eqp_report_free(report);
    eqp_table_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    eqp_error error = {0};
    eqp_report *report = NULL;
    eqp_table *table = NULL;
    char path[32];
    if (model == NULL) prepare();
    int file = fuzz_file(bytes, length, path);
    eqp_status status = eqp_certificate_check(path, model, NULL, NULL, &report, &error);
    must_hold(status == EQP_OK || error.message[0] != '\0', "a verdict or a message");
    error.message[0] = '\0';
    status = eqp_certificate_read_table(path, records, NULL, &table, &error);
    must_hold(status == EQP_OK || error.message[0] != '\0', "a table or a message");
    close(file);
    eqp_report_free(report);
    eqp_table_free(table);
    return 0;
}
