/* The audit of rule and quotas together. */
#include "api/quota_audit.h"

#include "base/json.h"
#include "base/memory.h"
#include "select/quotas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUTINGS  16 /* draws of every row's leaf over which chances are averaged */
#define TOLERANCE 1e-9

/* Sets of rows and how many of each group are in them. */
typedef struct row_sets {
    eqp_type_list list;
    double *rows, *hits; /* [set], [set × groups + group] */
    size_t capacity;
} row_sets;

typedef struct quota_work {
    const eqp_audit_result *result;
    eqp_quotas *quotas;
    eqp_labels *labels; /* the quota columns as texts */
    uint32_t *under;    /* labelled rows × features: which quota */
    double *chance;     /* labelled rows: of a seat */
    row_sets columns, page;
    size_t size;
} quota_work;

/* The largest shift of a group's share by membership of a set, and how many rows are behind it. */
typedef struct told_shift {
    double shift, rows;
    size_t group;
} told_shift;

/* ---- who comes under which quota ------------------------------------------------------------------------
 */

static eqp_status fail_unknown(const quota_work *work, size_t feature, const char *value, eqp_error *error)
{
    eqp_fail(error, EQP_DATA, "the quotas have no line for \"%s: %.60s\", which a labelled row has",
             work->quotas->features[feature], value);
    eqp_hint(error, "every value needs a line, if only 0 to the number of seats");
    return EQP_DATA;
}

static eqp_status place_rows(quota_work *work, eqp_error *error)
{
    const eqp_sample *sample = work->result->sample;
    size_t features = work->quotas->feature_count;
    work->under = eqp_alloc(sample->rows, features * sizeof *work->under);
    work->chance = eqp_alloc_zero(sample->rows, sizeof *work->chance);
    if (work->under == NULL || work->chance == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < sample->rows; i++)
        for (size_t f = 0; f < features; f++) {
            uint32_t code = work->labels->codes[f][sample->row[i]];
            const char *value = code == EQP_NO_CODE ? "" : eqp_dictionary_text(work->labels->texts[f], code);
            size_t q = 0;
            while (q < work->quotas->count && (work->quotas->quotas[q].feature != f ||
                                               strcmp(work->quotas->quotas[q].value, value) != 0))
                q++;
            if (q == work->quotas->count) return fail_unknown(work, f, value, error);
            work->under[i * features + f] = (uint32_t)q;
        }
    return EQP_OK;
}

/* ---- chances --------------------------------------------------------------------------------------------
 */

static eqp_status add_to_set(const quota_work *work, row_sets *sets, size_t i, uint32_t leaf,
                             eqp_error *error)
{
    const eqp_sample *sample = work->result->sample;
    const eqp_groups *groups = sample->groups;
    uint32_t set;
    eqp_status status = eqp_type_find(&sets->list, work->quotas,
                                      work->under + i * work->quotas->feature_count, leaf, 1, &set, error);
    if (status != EQP_OK) return status;
    if (set >= sets->capacity) {
        size_t capacity = 2 * sets->capacity + 64, before = sets->capacity;
        double *rows = eqp_resize(sets->rows, capacity, sizeof *rows);
        if (rows != NULL) sets->rows = rows;
        double *hits = eqp_resize(sets->hits, capacity * groups->group_count, sizeof *hits);
        if (hits != NULL) sets->hits = hits;
        if (rows == NULL || hits == NULL) return eqp_fail_memory(error);
        memset(rows + before, 0, (capacity - before) * sizeof *rows);
        memset(hits + before * groups->group_count, 0,
               (capacity - before) * groups->group_count * sizeof *hits);
        sets->capacity = capacity;
    }
    double mass = sample->weight[i] * (double)sample->rows / ROUTINGS;
    eqp_members of = eqp_members_of(groups, sample->cell[i]);
    sets->rows[set] += mass;
    for (size_t m = 0; m < of.count; m++) sets->hits[set * groups->group_count + of.group[m]] += mass;
    return EQP_OK;
}

/* Types and leaves of one routing; those who cannot be accepted have no type. */
static eqp_status route_rows(quota_work *work, unsigned routing, eqp_type_list *types, uint32_t *type,
                             eqp_error *error)
{
    const eqp_audit_result *result = work->result;
    const eqp_rule *rule = result->model->rule;
    char purpose[32];
    eqp_key key;
    eqp_drawer drawer;
    eqp_status status = EQP_OK;
    snprintf(purpose, sizeof purpose, "quotas %u", routing);
    eqp_key_derive(&result->audited->key, purpose, &key);
    eqp_drawer_init(&drawer, &key, result->model->id);
    for (size_t i = 0; i < result->sample->rows && status == EQP_OK; i++) {
        const eqp_row_id *id = &result->audited->id[i];
        uint32_t leaf = eqp_rule_outcome(result->model->encoding, rule, &drawer, result->block,
                                         result->sample->row[i], id->text, id->length)
                            .leaf;
        bool never = !(rule->accept[leaf] > 0);
        type[i] = UINT32_MAX;
        status = add_to_set(work, &work->columns, i, 0, error);
        if (status == EQP_OK) status = add_to_set(work, &work->page, i, never ? UINT32_MAX : leaf, error);
        if (status != EQP_OK || never) continue;
        status = eqp_type_find(types, work->quotas, work->under + i * work->quotas->feature_count, leaf,
                               rule->accept[leaf], &type[i], error);
        if (status == EQP_OK) types->types[type[i]].people++;
    }
    return status;
}

/* The lottery that select would hold if these rows were the pool. */
static eqp_status add_chances(quota_work *work, unsigned routing, eqp_error *error)
{
    size_t rows = work->result->sample->rows;
    eqp_type_list types = {0};
    eqp_quota_lottery *lottery = NULL;
    uint32_t *type = eqp_alloc(rows, sizeof *type);
    eqp_status status =
        type == NULL ? eqp_fail_memory(error) : route_rows(work, routing, &types, type, error);
    if (status == EQP_OK)
        status = eqp_quota_lottery_new(work->quotas, types.types, types.count, work->size, &lottery, error);
    for (size_t i = 0; i < rows && status == EQP_OK; i++)
        if (type[i] != UINT32_MAX) work->chance[i] += lottery->chance[type[i]] / ROUTINGS;
    eqp_quota_lottery_free(lottery);
    eqp_types_clear(&types);
    free(type);
    return status;
}

/* ---- what they tell -------------------------------------------------------------------------------------
 */

static void compare_set(const quota_work *work, double rows, const double *hits, told_shift *worst)
{
    const eqp_sample *sample = work->result->sample;
    for (size_t k = 0; k < sample->groups->group_count && rows >= EQP_SET_ROWS; k++) {
        double shift = fabs(hits[k] / rows - sample->base_rate[k]);
        if (!(shift <= worst->shift)) *worst = (told_shift){shift, rows, k};
    }
}

static told_shift worst_of(const quota_work *work, const row_sets *sets)
{
    told_shift worst = {.shift = NAN};
    size_t groups = work->result->sample->groups->group_count;
    for (size_t t = 0; t < sets->list.count; t++)
        compare_set(work, sets->rows[t], sets->hits + t * groups, &worst);
    return worst;
}

/* Selected, and not selected. */
static eqp_status worst_of_outcomes(const quota_work *work, told_shift *worst, eqp_error *error)
{
    const eqp_sample *sample = work->result->sample;
    const eqp_groups *groups = sample->groups;
    double *hits = eqp_alloc_zero(2 * groups->group_count, sizeof *hits), rows[2] = {0};
    *worst = (told_shift){.shift = NAN};
    if (hits == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < sample->rows; i++)
        for (size_t outcome = 0; outcome < 2; outcome++) {
            double mass = sample->weight[i] * (double)sample->rows *
                          (outcome == 0 ? work->chance[i] : 1 - work->chance[i]);
            eqp_members of = eqp_members_of(groups, sample->cell[i]);
            rows[outcome] += mass;
            for (size_t m = 0; m < of.count; m++) hits[outcome * groups->group_count + of.group[m]] += mass;
        }
    for (size_t outcome = 0; outcome < 2; outcome++)
        compare_set(work, rows[outcome], hits + outcome * groups->group_count, worst);
    free(hits);
    return EQP_OK;
}

static void set_shift(json_t **object, eqp_field field, const told_shift *told, const eqp_sdc *sdc)
{
    eqp_json_set_number(object, field, eqp_sdc_figure(sdc, told->shift, told->rows));
}

static eqp_status write_findings(const quota_work *work, eqp_audit_result *result, json_t **document,
                                 eqp_error *error)
{
    told_shift outcome, columns = worst_of(work, &work->columns), page = worst_of(work, &work->page);
    eqp_status status = worst_of_outcomes(work, &outcome, error);
    if (status != EQP_OK) return status;
    double measured = eqp_sdc_figure(&result->sdc, outcome.shift, outcome.rows);
    bool within = isnan(result->budget) || measured <= result->budget + TOLERANCE;
    result->pass = result->pass && within;
    json_t *object = json_object();
    eqp_json_set_count(&object, FIELD_size, work->size);
    eqp_json_set_number(&object, FIELD_budget, result->budget);
    set_shift(&object, FIELD_disclosure, &outcome, &result->sdc);
    eqp_json_set_text(&object, FIELD_group,
                      isnan(measured) ? NULL : result->groups->groups[outcome.group].value);
    set_shift(&object, FIELD_columns, &columns, &result->sdc);
    set_shift(&object, FIELD_page, &page, &result->sdc);
    eqp_json_set_bool(&object, FIELD_pass, within);
    *document = object;
    return object != NULL ? EQP_OK : eqp_fail_memory(error);
}

/* ---- the whole ------------------------------------------------------------------------------------------
 */

static void clear_sets(row_sets *sets)
{
    eqp_types_clear(&sets->list);
    free(sets->rows);
    free(sets->hits);
}

eqp_status eqp_quota_audit(const char *quotas, size_t size, eqp_audit_result *result, json_t **document,
                           eqp_error *error)
{
    quota_work work = {.result = result, .size = size};
    *document = NULL;
    if (result->model == NULL || size == 0) {
        eqp_fail(error, EQP_USAGE, "quotas are audited with a model and a number of seats");
        eqp_hint(error, "--model FILE --quotas FILE --size M");
        return EQP_USAGE;
    }
    eqp_status status = eqp_quotas_read(quotas, &work.quotas, error);
    if (status == EQP_OK) status = eqp_quotas_check(work.quotas, size, error);
    if (status == EQP_OK)
        status = eqp_labels_read(result->table, (const char *const *)work.quotas->features,
                                 work.quotas->feature_count, &work.labels, error);
    if (status == EQP_OK) status = place_rows(&work, error);
    for (unsigned routing = 0; routing < ROUTINGS && status == EQP_OK; routing++)
        status = add_chances(&work, routing, error);
    if (status == EQP_OK) status = write_findings(&work, result, document, error);
    eqp_quotas_free(work.quotas);
    eqp_labels_free(work.labels);
    clear_sets(&work.columns);
    clear_sets(&work.page);
    free(work.under);
    free(work.chance);
    return status;
}
