/* Prices -> splitting function (M6): the table of kinds and what all kinds do alike. */
#include "oracle/kinds.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

/* The first is the usual one. */
#define ORACLE_ROWS(ROW)                                                                                     \
    ROW(linear)                                                                                              \
    ROW(prc)                                                                                                 \
    ROW(prc_weights)                                                                                         \
    ROW(stump)                                                                                               \
    ROW(boost)                                                                                               \
    ROW(auto)

#define DECLARE(oracle) extern const eqp_oracle_kind eqp_oracle_##oracle;
#define ADDRESS(oracle) &eqp_oracle_##oracle,
ORACLE_ROWS(DECLARE)
static const eqp_oracle_kind *const kinds[] = {ORACLE_ROWS(ADDRESS)};

/* No kind of its own: a method that takes it tries others and keeps one. */
const eqp_oracle_kind eqp_oracle_auto = {
    .name = "auto", .summary = "linear, or boosted if that is better on unseen rows by more than chance"};

bool eqp_oracle_splits(const char *name)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k]->name, name) == 0) return kinds[k]->open != NULL;
    return false;
}

const char *eqp_oracle_name(size_t index, const char **summary)
{
    if (index >= sizeof kinds / sizeof *kinds) return NULL;
    *summary = kinds[index]->summary;
    return kinds[index]->name;
}

static const eqp_oracle_kind *find_kind(const char *name)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k]->name, name) == 0) return kinds[k];
    return NULL;
}

eqp_status eqp_oracle_shared_new(const char *kind, const eqp_design *design, const eqp_block *block,
                                 const double *weight, uint64_t seed, eqp_oracle_shared **shared,
                                 eqp_error *error)
{
    *shared = NULL;
    const eqp_oracle_kind *found = find_kind(kind);
    if (found == NULL) return eqp_fail(error, EQP_USAGE, "unknown oracle \"%s\"", kind);
    eqp_oracle_shared *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    *made = (eqp_oracle_shared){.kind = found, .design = design, .block = block, .seed = seed};
    eqp_status status = found->share ? found->share(made, weight, error) : EQP_OK;
    if (status == EQP_OK) *shared = made;
    if (status != EQP_OK) eqp_oracle_shared_free(made);
    return status;
}

void eqp_oracle_shared_free(eqp_oracle_shared *shared)
{
    if (shared == NULL) return;
    if (shared->kind->unshare) shared->kind->unshare(shared->state);
    free(shared);
}

eqp_status eqp_oracle_new(const eqp_oracle_shared *shared, const eqp_leaf_rows *leaf, eqp_oracle **oracle,
                          eqp_error *error)
{
    *oracle = NULL;
    eqp_oracle *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    *made = (eqp_oracle){.shared = shared, .leaf = *leaf};
    eqp_status status = shared->kind->open(made, error);
    if (status == EQP_OK) *oracle = made;
    if (status != EQP_OK) eqp_oracle_free(made);
    return status;
}

void eqp_oracle_free(eqp_oracle *oracle)
{
    if (oracle == NULL) return;
    oracle->shared->kind->close(oracle->state);
    free(oracle);
}

eqp_status eqp_oracle_best(eqp_oracle *oracle, const double *prices, const double *extra,
                           eqp_splitter **splitter, eqp_error *error)
{
    *splitter = NULL;
    eqp_splitter *made;
    eqp_status status = eqp_progress_add(oracle->leaf.progress, 0, error);
    if (status != EQP_OK) return status;
    status = eqp_splitter_new(&oracle->leaf, oracle->leaf.design->encoding->width, &made, error);
    if (status != EQP_OK) return status;
    status = oracle->shared->kind->best(oracle, prices, extra, made, error);
    if (status == EQP_OK) *splitter = made;
    if (status != EQP_OK) eqp_splitter_free(made);
    return status;
}

eqp_status eqp_oracle_constant(const eqp_oracle *oracle, bool always, eqp_splitter **splitter,
                               eqp_error *error)
{
    const eqp_leaf_rows *leaf = &oracle->leaf;
    size_t rows = eqp_leaf_count(leaf);
    eqp_status status = eqp_splitter_new(leaf, 0, splitter, error);
    if (status != EQP_OK) return status;
    (*splitter)->constant = always ? EQP_SCORE_ALWAYS : EQP_SCORE_NEVER;
    if (!always) return EQP_OK;
    if ((*splitter)->chosen != NULL) memset((*splitter)->chosen, 1, rows);
    for (size_t i = 0; i < rows; i++) (*splitter)->mass[leaf->cell[eqp_leaf_row(leaf, i)]] += leaf->weight[i];
    return EQP_OK;
}
