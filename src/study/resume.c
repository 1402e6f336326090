/* Comparison: finished trials as lines of JSON. */
#include "study/resume.h"

#include "base/buffer.h"
#include "base/json.h"
#include "base/memory.h"
#include "draw/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

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
    add_number(text, "min_yield", o->min_yield);
    add_number(text, "spread", o->spread);
    add_number(text, "confidence", o->confidence);
    eqp_buffer_printf(text, "%d %d %zu %zu %zu %llu\n", o->intersect, o->strict, o->min_leaf, o->max_height,
                      o->max_leaves, (unsigned long long)o->seed);
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
    const char *path; /* NULL: nothing is kept */
    int file;
    json_t *trials; /* as read when the file was opened */
};

/* ---- reading ----------------------------------------------------------------------------------------- */

static eqp_status read_all(int file, const char *path, char **text, size_t *length, eqp_error *error)
{
    size_t capacity = 0;
    ssize_t got = 1;
    *text = NULL;
    *length = 0;
    while (got > 0) {
        char *larger = eqp_reserve(*text, &capacity, *length + 65536, 1);
        if (larger == NULL) return eqp_fail_memory(error);
        *text = larger;
        got = read(file, *text + *length, capacity - *length);
        if (got < 0 && errno != EINTR) return eqp_fail_errno(error, "read", path);
        if (got > 0) *length += (size_t)got;
    }
    return EQP_OK;
}

static eqp_status not_ours(const eqp_resume *resume, size_t line, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, resume->path, line, 0, "the finished parts are of another study");
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
static eqp_status read_lines(eqp_resume *resume, const char *text, size_t length, const char *study,
                             eqp_error *error)
{
    size_t start = 0, line = 0;
    eqp_status status = EQP_OK;
    while (start < length && status == EQP_OK) {
        const char *end = memchr(text + start, '\n', length - start);
        if (end == NULL) break;
        size_t taken = (size_t)(end - text) - start;
        status = read_line(resume, ++line, text + start, taken, study, error);
        start += taken + 1;
    }
    if (status == EQP_OK && line == 0 && length > 0) status = not_ours(resume, 1, error);
    if (status == EQP_OK && start < length && ftruncate(resume->file, (off_t)start) != 0)
        status = eqp_fail_errno(error, "shorten", resume->path);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

/* Takes the entry over. */
static eqp_status append(const eqp_resume *resume, json_t *entry, eqp_error *error)
{
    char *text = eqp_json_dump(entry, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(entry);
    if (text == NULL) return eqp_fail_memory(error);
    size_t length = strlen(text);
    text[length] = '\n'; /* in place of the final 0: one write, one line */
    ssize_t written = write(resume->file, text, length + 1);
    free(text);
    if (written >= 0) errno = ENOSPC; /* the reason when less than the line was written */
    return written == (ssize_t)(length + 1) ? EQP_OK : eqp_fail_errno(error, "write", resume->path);
}

static eqp_status write_study(const eqp_resume *resume, const char *study, eqp_error *error)
{
    json_t *entry = json_object();
    eqp_json_set_text(&entry, FIELD_study, study);
    return append(resume, entry, error);
}

eqp_status eqp_resume_keep(eqp_resume *resume, size_t seed, const char *contender, const eqp_trial *trial,
                           eqp_error *error)
{
    if (resume->path == NULL) return EQP_OK;
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

static eqp_status open_file(eqp_resume *resume, const char *study, eqp_error *error)
{
    char *text = NULL;
    size_t length = 0;
    resume->file = open(resume->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (resume->file < 0) return eqp_fail_errno(error, "open", resume->path);
    eqp_status status = read_all(resume->file, resume->path, &text, &length, error);
    if (status == EQP_OK && length == 0) status = write_study(resume, study, error);
    if (status == EQP_OK) status = read_lines(resume, text, length, study, error);
    free(text);
    return status;
}

eqp_status eqp_resume_open(const char *path, const char study[65], eqp_resume **resume, eqp_error *error)
{
    *resume = NULL;
    eqp_resume *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->file = -1;
    made->path = path;
    made->trials = json_array();
    eqp_status status = made->trials != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK && path != NULL) status = open_file(made, study, error);
    if (status == EQP_OK) *resume = made;
    if (status != EQP_OK) eqp_resume_close(made);
    return status;
}

void eqp_resume_close(eqp_resume *resume)
{
    if (resume == NULL) return;
    if (resume->file >= 0) close(resume->file);
    json_decref(resume->trials);
    free(resume);
}
