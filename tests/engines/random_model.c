/* A model with another rule over the columns of a learned one (random_rule.h says which):
 *
 *     random-model MODEL deep|argmax|trees:N OUTPUT */
#include "random_rule.h"

#include "model/model_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    if (count != 4) return fputs("usage: random-model MODEL deep|argmax|trees:N OUTPUT\n", stderr), 2;
    eqp_error error = {0};
    eqp_model *model = NULL;
    eqp_random random = eqp_random_from(strlen(arguments[2]), 0);
    eqp_status status = eqp_model_load(arguments[1], &model, &error);
    if (status == EQP_OK) {
        eqp_rule_free(model->rule);
        model->rule = random_rule(model->encoding, arguments[2], &random);
        free(model->text); /* that of the learned rule */
        status = eqp_model_compose(model, &error);
        if (status == EQP_OK) status = eqp_model_save(model, arguments[3], &error);
    }
    if (status != EQP_OK) fprintf(stderr, "random-model: %s\n", error.message);
    eqp_model_free(model);
    return eqp_exit_code(status);
}
