/* Audits of the small model: its rows as a table, the usual options, the document and its members.  To be
 * included after cmocka. */
#ifndef EQP_TEST_AUDIT_SMALL_AUDIT_H
#define EQP_TEST_AUDIT_SMALL_AUDIT_H

#include "../encode/hand_table.h"
#include "audit/audit.h"
#include "small_model.h"

#include <stdio.h>

static inline eqp_table *table_of(const small_rows *of)
{
    static const char *const names[] = {"a", "b", "c"};
    static const char *values[MOST_ROWS];
    static const char *halves[MOST_ROWS];
    eqp_table *table = hand_table(of->rows, 4);
    for (size_t i = 0; i < of->rows; i++) {
        values[i] = names[of->cell[i]];
        halves[i] = of->x[i] < 1 ? "low" : "high";
    }
    hand_numbers(table, "x", of->x);
    hand_texts(table, "race", values);
    hand_texts(table, "half", halves);
    strcpy(table->digest, "00000000000000000000000000000000000000000000000000000000000000aa");
    return table;
}

static inline eqp_audit_options labelled_options(void)
{
    static const char *const sensitive[] = {"race"};
    return (eqp_audit_options){.sensitive = sensitive,
                               .sensitive_count = 1,
                               .max_disclosure = NAN,
                               .confidence = 0.95,
                               .attempt = 1,
                               .releases = 1,
                               .sdc = "none"};
}

/* The labelled rows, named by their numbers; to be freed. */
static inline eqp_audited *audited_rows(const eqp_sample *sample, uint64_t seed)
{
    eqp_audited *audited;
    assert_int_equal(eqp_audited_new(sample, NULL, NULL, seed, &audited, NULL), EQP_OK);
    return audited;
}

/* What an audit of the rows counts; to be freed. */
static inline eqp_counts *count_rows(const small_rows *of, uint64_t seed, size_t threads)
{
    eqp_routing routing = {.model = &small_model,
                           .block = &of->block,
                           .rows = of->rows,
                           .leaf_count = SMALL_LEAVES,
                           .accept = small_accept};
    eqp_counts *counts;
    eqp_audited *audited;
    assert_int_equal(eqp_audited_new(&of->sample, NULL, NULL, seed, &audited, NULL), EQP_OK);
    assert_int_equal(eqp_counts_new(&routing, audited, threads, &counts, NULL), EQP_OK);
    eqp_audited_free(audited);
    return counts;
}

static inline json_t *audit_json(const eqp_model *model, const eqp_table *table,
                                 const eqp_audit_options *options)
{
    eqp_audit_result *result;
    eqp_error error = {0};
    assert_int_equal(eqp_audit_run(model, table, options, NULL, &result, &error), EQP_OK);
    json_t *document = eqp_audit_document(result);
    assert_non_null(document);
    eqp_audit_result_free(result);
    return document;
}

/* "disclosure.measured" → the value there. */
static inline const json_t *at(const json_t *document, const char *path)
{
    char key[64];
    while (document != NULL && *path != 0) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        document = json_object_get(document, key);
        path += length + (path[length] == '.');
    }
    return document;
}

static inline double figure(const json_t *document, const char *path)
{
    const json_t *value = at(document, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

#endif
