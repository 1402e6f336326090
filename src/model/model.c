/* Models as objects: made from parts or from text, always through the same checks. */
#include "base/memory.h"
#include "base/name_list.h"
#include "model/model_format.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void eqp_provenance_clear(eqp_provenance *provenance)
{
    free(provenance->version);
    free(provenance->method);
    free(provenance->oracle);
    free(provenance->solver);
    free(provenance->protect);
    *provenance = (eqp_provenance){0};
}

static char *copy_word(const char *word)
{
    return eqp_copy_text(word ? word : "", word ? strlen(word) : 0);
}

static eqp_status copy_provenance(const eqp_provenance *from, eqp_provenance *to, eqp_error *error)
{
    *to = *from;
    to->version = copy_word(from->version ? from->version : eqp_version());
    to->method = copy_word(from->method);
    to->oracle = copy_word(from->oracle);
    to->solver = copy_word(from->solver);
    to->protect = copy_word(from->protect);
    return to->version && to->method && to->oracle && to->solver && to->protect ? EQP_OK
                                                                                : eqp_fail_memory(error);
}

static eqp_status check_parts(const eqp_model *model, eqp_error *error)
{
    eqp_status status = eqp_provenance_check(&model->provenance, error);
    if (status == EQP_OK) status = eqp_encoding_check(model->encoding, error);
    if (status == EQP_OK) status = eqp_groups_check(model->groups, model->encoding, error);
    return status != EQP_OK ? status : eqp_rule_check(model->rule, model->encoding, error);
}

/* Checks, then cells, text and digest. */
static eqp_status complete(eqp_model *model, eqp_error *error)
{
    eqp_status status = check_parts(model, error);
    if (status == EQP_OK) status = eqp_groups_complete(model->groups, error);
    return status == EQP_OK ? eqp_model_compose(model, error) : status;
}

static void free_parts(eqp_encoding *encoding, eqp_groups *groups, eqp_rule *rule)
{
    eqp_encoding_free(encoding);
    eqp_groups_free(groups);
    eqp_rule_free(rule);
}

eqp_status eqp_model_new(eqp_encoding *encoding, eqp_groups *groups, eqp_rule *rule,
                         const eqp_provenance *provenance, eqp_model **model, eqp_error *error)
{
    *model = NULL;
    eqp_model *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) {
        free_parts(encoding, groups, rule);
        return eqp_fail_memory(error);
    }
    made->encoding = encoding;
    made->groups = groups;
    made->rule = rule;
    eqp_status status = copy_provenance(provenance, &made->provenance, error);
    if (status == EQP_OK) status = complete(made, error);
    if (status == EQP_OK) *model = made;
    if (status != EQP_OK) eqp_model_free(made);
    return status;
}

static eqp_status read_model(const char *json, size_t length, eqp_model *model, eqp_error *error)
{
    char stored[65] = "";
    eqp_status status = eqp_model_read(json, length, &model->encoding, &model->groups, &model->rule,
                                       &model->provenance, stored, error);
    if (status == EQP_OK) status = complete(model, error);
    if (status != EQP_OK || strcmp(stored, model->digest) == 0) return status;
    eqp_fail(error, EQP_DATA, "the model was changed after it was written: its digest does not match");
    eqp_hint(error, "get the file again from where it was made");
    return EQP_DATA;
}

eqp_status eqp_model_parse(const char *json, size_t length, eqp_model **model, eqp_error *error)
{
    *model = NULL;
    eqp_model *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    eqp_status status = read_model(json, length, made, error);
    if (status == EQP_OK) *model = made;
    if (status != EQP_OK) eqp_model_free(made);
    return status;
}

eqp_status eqp_model_load(const char *path, eqp_model **model, eqp_error *error)
{
    *model = NULL;
    eqp_buffer text = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return eqp_fail_errno(error, "open", path);
    eqp_status status = eqp_buffer_read(&text, file, path, EQP_MODEL_MAX_BYTES, error);
    close(file);
    if (status == EQP_OK) status = eqp_model_parse(text.bytes, text.length, model, error);
    eqp_buffer_free(&text);
    if (status == EQP_DATA && error != NULL) snprintf(error->file, sizeof error->file, "%s", path);
    return status;
}

eqp_status eqp_model_allow_shift(eqp_model *model, const char *columns, eqp_error *error)
{
    char *copy = columns != NULL ? eqp_copy_text(columns, strlen(columns)) : NULL;
    eqp_name_list names;
    if (columns != NULL && copy == NULL) return eqp_fail_memory(error);
    free(model->allowed_shift);
    model->allowed_shift = copy;
    eqp_status status = eqp_name_list_split(columns, &names, error);
    for (size_t i = 0; i < names.count && status == EQP_OK; i++) {
        bool known = false;
        for (size_t f = 0; f < model->encoding->feature_count; f++)
            known = known || strcmp(model->encoding->features[f].name, names.names[i]) == 0;
        if (!known) status = eqp_fail(error, EQP_USAGE, "the model has no column \"%s\"", names.names[i]);
    }
    eqp_name_list_free(&names);
    return status;
}

void eqp_model_free(eqp_model *model)
{
    if (model == NULL) return;
    free_parts(model->encoding, model->groups, model->rule);
    eqp_provenance_clear(&model->provenance);
    free(model->text);
    free(model->allowed_shift);
    free(model);
}
