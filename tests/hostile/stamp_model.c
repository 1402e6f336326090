/* Gives a model that was made by hand its digest, as whoever wants to do harm would.
 *
 *     stamp-model FROM TO     a text that is not a model is copied as it is
 */
#include "base/buffer.h"
#include "base/output.h"
#include "model/model_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *stamped(const char *text, size_t length)
{
    eqp_encoding *encoding;
    eqp_groups *groups;
    eqp_rule *rule;
    eqp_provenance provenance;
    eqp_model *model = NULL;
    char digest[65], *made = NULL;
    if (eqp_model_read(text, length, &encoding, &groups, &rule, &provenance, digest, NULL) == EQP_OK) {
        if (eqp_model_new(encoding, groups, rule, &provenance, &model, NULL) == EQP_OK)
            eqp_model_text(model, &made, NULL);
    } else {
        eqp_encoding_free(encoding);
        eqp_groups_free(groups);
        eqp_rule_free(rule);
    }
    eqp_provenance_clear(&provenance);
    eqp_model_free(model);
    return made;
}

int main(int count, char **words)
{
    char *text = NULL;
    if (count != 3 || eqp_file_read(words[1], &text, NULL) != EQP_OK) return 2;
    char *made = stamped(text, strlen(text));
    const char *written = made != NULL ? made : text;
    int failed = eqp_output_text(words[2], written, strlen(written), NULL) != EQP_OK;
    free(made);
    free(text);
    return failed;
}
