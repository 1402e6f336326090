/* Attacks on a model file with the very rows that it was learned from need rows that it was not learned from.
 * So two rules are learned, each from one half of the rows, and each is attacked with both halves: everybody
 * is a member once and a stranger once. */
#include "api/api_release.h"

#include "audit/release.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"
#include "method/methods.h"

#include <math.h>
#include <string.h>

#define SIDES 1.96 /* of a 95 % interval, in standard errors */

typedef struct halves {
    const eqp_training *training;
    const eqp_method *method;
    eqp_learn_options options;
    bool *member; /* of each labelled row */
    size_t *rows; /* of the table, scratch */
} halves;

static void deal(const halves *of, size_t *order, bool first)
{
    size_t rows = of->training->sample->rows;
    eqp_random random = eqp_random_from(of->options.seed, 23);
    eqp_random_permutation(&random, order, rows);
    for (size_t i = 0; i < rows; i++) of->member[order[i]] = (i < rows / 2) == first;
}

static eqp_status learn_half(const halves *of, const eqp_watch *watch, eqp_learning **learning,
                             eqp_error *error)
{
    const eqp_sample *sample = of->training->sample;
    eqp_table *table = NULL;
    eqp_training *half = NULL;
    size_t count = 0;
    *learning = NULL;
    for (size_t i = 0; i < sample->rows; i++)
        if (of->member[i]) of->rows[count++] = sample->row[i];
    eqp_status status = eqp_table_take(of->training->table, of->rows, count, &table, error);
    if (status == EQP_OK)
        status = eqp_training_new(table, of->training->groups, &of->options, of->method->needs(&of->options),
                                  watch, &half, error);
    if (status == EQP_OK) status = eqp_method_learn(of->method, half, &of->options, watch, learning, error);
    eqp_training_free(half);
    eqp_table_free(table);
    return status;
}

static eqp_status attack_half(const halves *of, const eqp_watch *watch, eqp_release *found, eqp_error *error)
{
    eqp_learning *learning;
    eqp_block *block = NULL;
    eqp_status status = learn_half(of, watch, &learning, error);
    if (status == EQP_OK) status = eqp_training_block(of->training, learning->model->encoding, &block, error);
    if (status == EQP_OK)
        status = eqp_release_attack(learning->model, block, of->training->sample, of->member, found, error);
    eqp_block_free(block);
    eqp_learning_free(learning);
    return status;
}

/* Mean of two, which rest on the same people: the errors are not taken for independent. */
static json_t *auc_json(eqp_auc one, eqp_auc other, const eqp_sdc *sdc, double records)
{
    double value = (one.value + other.value) / 2, reach = SIDES * (one.error + other.error) / 2;
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_auc, eqp_sdc_figure(sdc, value, records));
    eqp_json_set_number(&object, FIELD_low, eqp_sdc_figure(sdc, fmax(0, value - reach), records));
    eqp_json_set_number(&object, FIELD_high, eqp_sdc_figure(sdc, fmin(1, value + reach), records));
    return object;
}

static json_t *describe(const halves *of, const eqp_release found[2])
{
    const eqp_sdc *sdc = &of->training->sdc;
    double rows = (double)of->training->sample->rows,
           records = fmin(found[0].fewest, found[1].fewest) * (double)of->training->groups->group_count;
    json_t *release = json_object();
    eqp_json_set_count(&release, FIELD_rows, of->training->sample->rows);
    eqp_json_set(&release, FIELD_membership,
                 auc_json(found[0].membership, found[1].membership, sdc, rows / 2));
    eqp_json_set(&release, FIELD_attribute, auc_json(found[0].members, found[1].members, sdc, records));
    eqp_json_set(&release, FIELD_unseen, auc_json(found[0].others, found[1].others, sdc, records));
    return release;
}

static eqp_status attack_both(halves *of, const eqp_watch *watch, json_t **found, eqp_error *error)
{
    size_t rows = of->training->sample->rows;
    eqp_arena arena = {0};
    size_t *order = eqp_take(&arena, rows, sizeof *order);
    eqp_release release[2];
    of->member = eqp_take(&arena, rows, sizeof *of->member);
    of->rows = eqp_take(&arena, rows, sizeof *of->rows);
    eqp_status status = arena.failed ? eqp_fail_memory(error) : EQP_OK;
    for (size_t half = 0; half < 2 && status == EQP_OK; half++) {
        deal(of, order, half == 0);
        status = attack_half(of, watch, &release[half], error);
    }
    if (status == EQP_OK) *found = describe(of, release);
    eqp_arena_free(&arena);
    return status;
}

eqp_status eqp_release_check(const eqp_training *training, const eqp_model *model,
                             const eqp_learn_options *options, const eqp_watch *watch, json_t **found,
                             eqp_error *error)
{
    halves of = {.training = training};
    *found = NULL;
    eqp_status status = eqp_learn_options_method(options, &of.method, error);
    if (status != EQP_OK) return status;
    of.options = eqp_learn_options_for(of.method, options);
    if (of.method->takes_oracle != NULL) of.options.oracle = model->provenance.oracle;
    status = attack_both(&of, watch, found, error);
    if (status == EQP_DATA && error != NULL && error->hint[0] == '\0')
        eqp_hint(error, "checking the release learns from halves of the records, which are too small here");
    return status;
}
