/* A whole table through a model: chances and outcomes, the same as a stream of the same records gets. */
#include "base/memory.h"
#include "base/threads.h"
#include "encode/known_cells.h"
#include "model/identity.h"

#define BATCH 256 /* rows evaluated at a time */
#define CHUNK 4096

/* ---- chances ----------------------------------------------------------------------------------------- */

static eqp_status find_chances(const eqp_model *model, const eqp_block *block, double *chance,
                               eqp_error *error)
{
    const eqp_rule *rule = model->rule;
    double *leaves = eqp_alloc(rule->leaf_count, BATCH * sizeof *leaves);
    double *scratch = eqp_alloc(eqp_rule_scratch(rule, BATCH), sizeof *scratch);
    eqp_status status = leaves != NULL && scratch != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t first = 0; first < block->rows && status == EQP_OK; first += BATCH) {
        size_t count = block->rows - first < BATCH ? block->rows - first : BATCH;
        eqp_rule_leaves(model->encoding, rule, block, first, count, leaves, scratch);
        for (size_t i = 0; i < count; i++)
            chance[first + i] = eqp_rule_chance(rule, leaves + i * rule->leaf_count);
    }
    free(leaves);
    free(scratch);
    return status;
}

eqp_status eqp_model_probabilities(const eqp_model *model, const eqp_table *table, double *probability,
                                   eqp_error *error)
{
    eqp_block *block;
    eqp_status status = eqp_block_from_table(model->encoding, table, &block, error);
    if (status != EQP_OK) return status;
    status = eqp_block_check(model->encoding, block, model->allowed_shift, table->source, error);
    if (status == EQP_OK) status = find_chances(model, block, probability, error);
    eqp_block_free(block);
    return status;
}

/* ---- outcomes ---------------------------------------------------------------------------------------- */

typedef struct deciding {
    eqp_block *block;
    eqp_identity *identity;
    eqp_runner *runner;
    bool *accepted;
} deciding;

typedef struct chunk_ids {
    eqp_buffer text;
    size_t start[CHUNK];
    uint32_t length[CHUNK];
    eqp_outcome outcome[CHUNK];
} chunk_ids;

static eqp_status name_rows(const deciding *decide, size_t first, size_t count, chunk_ids *ids,
                            eqp_error *error)
{
    for (size_t i = 0; i < count; i++) {
        ids->start[i] = ids->text.length;
        eqp_status status = eqp_identity_add(decide->identity, first + i, &ids->text, error);
        if (status != EQP_OK) return status;
        ids->length[i] = (uint32_t)(ids->text.length - ids->start[i]);
    }
    return EQP_OK;
}

static eqp_status decide_chunk(void *context, size_t index, eqp_error *error)
{
    const deciding *decide = context;
    size_t first = index * CHUNK, rows = decide->block->rows;
    size_t count = rows - first < CHUNK ? rows - first : CHUNK;
    chunk_ids *ids = eqp_alloc_zero(1, sizeof *ids);
    if (ids == NULL) return eqp_fail_memory(error);
    eqp_status status = name_rows(decide, first, count, ids, error);
    if (status == EQP_OK) {
        const char *text = ids->text.bytes ? ids->text.bytes : "";
        eqp_runner_outcomes(decide->runner, decide->block, first, count, text, ids->start, ids->length,
                            ids->outcome);
        for (size_t i = 0; i < count; i++)
            decide->accepted[first + i] = eqp_runner_accepts(decide->runner, ids->outcome[i]);
    }
    eqp_buffer_free(&ids->text);
    free(ids);
    return status;
}

eqp_status eqp_model_decide(const eqp_model *model, const eqp_table *table, const char *id,
                            const eqp_key *key, size_t threads, bool *accepted, eqp_error *error)
{
    deciding decide = {.accepted = accepted};
    eqp_status status = eqp_block_from_table(model->encoding, table, &decide.block, error);
    if (status == EQP_OK)
        status = eqp_block_check(model->encoding, decide.block, model->allowed_shift, table->source, error);
    if (status == EQP_OK) status = eqp_identity_new(model, table, id, &decide.identity, error);
    if (status == EQP_OK) status = eqp_runner_new(model, key, &decide.runner, error);
    if (status == EQP_OK)
        status = eqp_parallel((table->rows + CHUNK - 1) / CHUNK, threads, decide_chunk, &decide, error);
    eqp_runner_free(decide.runner);
    eqp_identity_free(decide.identity);
    eqp_block_free(decide.block);
    return status;
}
