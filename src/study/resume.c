/* Comparison: finished trials as lines of JSON. */
#include "study/resume.h"

#include "base/journal.h"
#include "base/json.h"
#include "base/memory.h"
#include "draw/digest.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- what binds finished parts to their data and options ---------------------------------------------- */

static void add_word(eqp_buffer *text, const char *name, const char *value)
{
    eqp_buffer_printf(text, "%s=%s\n", name, value != NULL ? value : "");
}

static void add_number(eqp_buffer *text, const char *name, double value)
{
    eqp_buffer_printf(text, "%s=%.17g\n", name, value);
}

static void add_options(eqp_buffer *text, const eqp_learn_options *o)
{
    for (size_t i = 0; i < o->sensitive_count; i++) add_word(text, "sensitive", o->sensitive[i]);
    add_word(text, "weight", o->weight);
    add_word(text, "features", o->features);
    add_word(text, "ignore", o->ignore);
    add_word(text, "oracle", o->oracle);
    add_word(text, "solver", o->solver);
    add_word(text, "prefer", o->prefer);
    add_number(text, "min_yield", o->min_yield);
    add_number(text, "spread", o->spread);
    add_number(text, "confidence", o->confidence);
    eqp_buffer_printf(text, "%d %d %d %zu %zu %zu %llu\n", o->intersect, o->strict, o->relaxed, o->min_leaf,
                      o->max_height, o->max_leaves, (unsigned long long)o->seed);
}

static void add_groups(eqp_buffer *text, const eqp_groups *groups)
{
    for (size_t k = 0; k < groups->group_count; k++) {
        add_word(text, "group", groups->groups[k].value);
        add_number(text, "target", groups->groups[k].target);
    }
}

eqp_status eqp_study_digest(const eqp_table *table, const eqp_groups *groups,
                            const eqp_study_options *options, const eqp_axis *budgets, char digest[65],
                            eqp_error *error)
{
    eqp_buffer text = {0};
    add_word(&text, "version", eqp_version());
    add_word(&text, "data", eqp_table_digest(table));
    add_word(&text, "label", options->label);
    add_groups(&text, groups);
    add_options(&text, &options->learn);
    for (size_t i = 0; i < budgets->count; i++) add_number(&text, "budget", budgets->values[i]);
    eqp_status status = text.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) eqp_digest_of(text.bytes, text.length, digest);
    eqp_buffer_free(&text);
    return status;
}

struct eqp_resume {
    eqp_journal journal; /* its path is NULL where nothing is kept */
    json_t *trials;      /* as read when the file was opened */
};

/* ---- reading ----------------------------------------------------------------------------------------- */

static eqp_status not_ours(const eqp_resume *resume, size_t line, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, resume->journal.path, line, 0, "the finished parts belong to another study");
    eqp_hint(error, "give another file, or remove it to start over");
    return EQP_DATA;
}

static eqp_status read_line(eqp_resume *resume, size_t line, const char *text, size_t length,
                            const char *study, eqp_error *error)
{
    json_t *entry = eqp_json_load(text, length, 0, NULL);
    const char *bound = json_string_value(eqp_field_value(entry, FIELD_study));
    bool ours = line > 1 ? json_is_object(entry) : bound != NULL && strcmp(bound, study) == 0;
    if (ours && line > 1) ours = json_array_append(resume->trials, entry) == 0;
    bool short_of_memory = errno == ENOMEM;
    json_decref(entry);
    if (!ours && short_of_memory) return eqp_fail_memory(error);
    return ours ? EQP_OK : not_ours(resume, line, error);
}

/* Reads whole lines and drops what follows the last of them. */
static eqp_status read_lines(eqp_resume *resume, const char *study, eqp_error *error)
{
    const char *line;
    size_t at = 0, after = 0, count = 0, length;
    bool whole;
    eqp_status status = EQP_OK;
    while (status == EQP_OK && eqp_journal_next(&resume->journal, &at, &line, &length, &whole) && whole) {
        status = read_line(resume, ++count, line, length, study, error);
        after = at;
    }
    if (status == EQP_OK && count == 0) status = not_ours(resume, 1, error);
    return status == EQP_OK ? eqp_journal_cut(&resume->journal, after, error) : status;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

/* Takes the entry over. */
static eqp_status append(eqp_resume *resume, json_t *entry, eqp_error *error)
{
    char *text = eqp_json_dump(entry, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(entry);
    eqp_status status =
        text != NULL ? eqp_journal_add(&resume->journal, text, error) : eqp_fail_memory(error);
    free(text);
    return status;
}

static eqp_status write_study(eqp_resume *resume, const char *study, eqp_error *error)
{
    json_t *entry = json_object();
    eqp_json_set_text(&entry, FIELD_study, study);
    return append(resume, entry, error);
}

eqp_status eqp_resume_keep(eqp_resume *resume, size_t seed, const char *contender, const eqp_trial *trial,
                           eqp_error *error)
{
    if (resume->journal.path == NULL) return EQP_OK;
    json_t *entry = json_object(), *values = json_array();
    for (size_t i = 0; i < trial->budgets * eqp_trial_stride(trial); i++)
        eqp_json_append(&values, eqp_json_number(trial->values[i]));
    eqp_json_set_count(&entry, FIELD_seed, seed);
    eqp_json_set_text(&entry, FIELD_method, contender);
    eqp_json_set(&entry, FIELD_values, values);
    return append(resume, entry, error);
}

/* ---- looking up -------------------------------------------------------------------------------------- */

static bool is_trial(const json_t *entry, size_t seed, const char *contender)
{
    return json_integer_value(eqp_field_value(entry, FIELD_seed)) == (json_int_t)seed &&
           strcmp(eqp_field_text(entry, FIELD_method), contender) == 0;
}

bool eqp_resume_find(const eqp_resume *resume, size_t seed, const char *contender, eqp_trial *trial)
{
    size_t count = trial->budgets * eqp_trial_stride(trial);
    for (size_t i = 0; i < json_array_size(resume->trials); i++) {
        const json_t *entry = json_array_get(resume->trials, i),
                     *values = eqp_field_value(entry, FIELD_values);
        if (!is_trial(entry, seed, contender) || json_array_size(values) != count) continue;
        for (size_t j = 0; j < count; j++) {
            const json_t *value = json_array_get(values, j);
            trial->values[j] = json_is_number(value) ? json_number_value(value) : NAN;
        }
        return true;
    }
    return false;
}

/* ---- opening ----------------------------------------------------------------------------------------- */

static eqp_status open_file(eqp_resume *resume, const char *path, const char *study, eqp_error *error)
{
    eqp_status status = eqp_journal_open(path, &resume->journal, error);
    if (status != EQP_OK) return status;
    return resume->journal.text.length == 0 ? write_study(resume, study, error)
                                            : read_lines(resume, study, error);
}

eqp_status eqp_resume_open(const char *path, const char study[65], eqp_resume **resume, eqp_error *error)
{
    *resume = NULL;
    eqp_resume *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->trials = json_array();
    eqp_status status = made->trials != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK && path != NULL) status = open_file(made, path, study, error);
    if (status == EQP_OK) *resume = made;
    if (status != EQP_OK) eqp_resume_close(made);
    return status;
}

void eqp_resume_close(eqp_resume *resume)
{
    if (resume == NULL) return;
    eqp_journal_close(&resume->journal);
    json_decref(resume->trials);
    free(resume);
}
