/* Any bytes as a model: refused, or a model that survives writing and reading, explaining and exporting.  The
 * digest is not looked at, so that the fuzzer reaches what stands behind it. */
#include "fuzz.h"
#include "model/model_format.h"

#include <string.h>

static void survives_writing(const eqp_model *model)
{
    char *text = NULL, *again = NULL;
    eqp_model *read = NULL;
    must_hold(eqp_model_text(model, &text, NULL) == EQP_OK, "a model can be written");
    must_hold(eqp_model_parse(text, strlen(text), &read, NULL) == EQP_OK, "a written model can be read");
    must_hold(eqp_model_text(read, &again, NULL) == EQP_OK && strcmp(text, again) == 0, "writing is stable");
    eqp_text_free(text);
    eqp_text_free(again);
    eqp_model_free(read);
}

static void use(const eqp_model *model)
{
    static const char *const dialects[] = {"sqlite", "postgresql", "c"};
    char *text = NULL;
    must_hold(eqp_model_explain(model, &text, NULL) == EQP_OK, "a model can be explained");
    eqp_text_free(text);
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        eqp_export_options options;
        eqp_error error = {0};
        eqp_export_options_init(&options);
        options.dialect = dialects[i];
        eqp_status status = eqp_export(model, &options, &text, &error);
        must_hold(status == EQP_OK || error.message[0] != '\0', "an export or a message");
        eqp_text_free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    eqp_encoding *encoding;
    eqp_groups *groups;
    eqp_rule *rule;
    eqp_provenance provenance;
    eqp_model *model = NULL;
    eqp_error error = {0};
    char digest[65];
    eqp_status status =
        eqp_model_read((const char *)bytes, length, &encoding, &groups, &rule, &provenance, digest, &error);
    if (status == EQP_OK) {
        status = eqp_model_new(encoding, groups, rule, &provenance, &model, &error);
    } else {
        eqp_encoding_free(encoding);
        eqp_groups_free(groups);
        eqp_rule_free(rule);
    }
    eqp_provenance_clear(&provenance);
    must_hold(status == EQP_OK || error.message[0] != '\0', "a model or a message");
    if (model != NULL) {
        survives_writing(model);
        use(model);
    }
    eqp_model_free(model);
    return 0;
}
