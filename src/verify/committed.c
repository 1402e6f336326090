/* A draw that was committed to: everything it depends on is taken from the commitment, and whatever was
 * committed to is compared with what is there. */
#include "base/clock.h"
#include "base/memory.h"
#include "verify/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) void eqp_committed_note(eqp_committed *committed, const char *format,
                                                              ...)
{
    va_list arguments;
    if (committed->difference[0] != '\0') return;
    va_start(arguments, format);
    vsnprintf(committed->difference, sizeof committed->difference, format, arguments);
    va_end(arguments);
}

eqp_status eqp_committed_refuse(const eqp_committed *committed, eqp_error *error)
{
    if (committed->difference[0] == '\0') return EQP_OK;
    eqp_fail(error, EQP_DATA, "%s", committed->difference);
    eqp_hint(error, "a draw is made exactly as it was committed to, or not at all");
    return EQP_DATA;
}

static const char *text_of(const eqp_committed *committed, eqp_field field)
{
    return json_string_value(eqp_field_value(committed->commitment.document, field));
}

static size_t count_of(const eqp_committed *committed, eqp_field field)
{
    json_int_t count = json_integer_value(eqp_field_value(committed->commitment.document, field));
    return count > 0 ? (size_t)count : 0;
}

static char character_of(const eqp_committed *committed, eqp_field field)
{
    const char *text = text_of(committed, field);
    return text != NULL ? text[0] : '\0';
}

/* ---- the files that it names --------------------------------------------------------------------------- */

/* A file of that name beside the commitment, or where the program was called. */
static eqp_status find_beside(const char *commitment, const char *name, char **path, eqp_error *error)
{
    const char *slash = strrchr(commitment, '/');
    size_t folder = slash != NULL ? (size_t)(slash + 1 - commitment) : 0;
    eqp_buffer text = {0};
    if (folder > 0) eqp_buffer_add(&text, commitment, folder);
    eqp_buffer_text(&text, name);
    if (!text.failed && access(text.bytes, F_OK) != 0 && access(name, F_OK) == 0) {
        text.length = 0;
        eqp_buffer_text(&text, name);
    }
    return eqp_buffer_take(&text, path, error);
}

static eqp_status find_model(const eqp_model *model, const char *path, eqp_committed *committed,
                             eqp_error *error)
{
    const char *name = text_of(committed, FIELD_model_file);
    char *file = NULL;
    committed->model = model;
    if (model != NULL) return EQP_OK;
    if (name == NULL || *name == '\0' || strchr(name, '/') != NULL) {
        eqp_fail(error, EQP_USAGE, "the commitment does not say which file holds the model");
        eqp_hint(error, "name it with --model FILE");
        return EQP_USAGE;
    }
    eqp_status status = find_beside(path, name, &file, error);
    if (status == EQP_OK) status = eqp_model_load(file, &committed->loaded, error);
    if (status != EQP_OK) eqp_hint(error, "the commitment names \"%s\"; --model FILE says where it is", name);
    free(file);
    committed->model = committed->loaded;
    return status;
}

static eqp_status find_log(const char *given, const char *path, const eqp_key *key, eqp_committed *committed,
                           eqp_error *error)
{
    const char *name = text_of(committed, FIELD_log), *digest = text_of(committed, FIELD_digest);
    eqp_status status = EQP_OK;
    if (name == NULL && given != NULL)
        return eqp_fail(error, EQP_USAGE, "the commitment names no log (option \"--log\")");
    if (name == NULL) return EQP_OK;
    if (given != NULL)
        committed->log = eqp_copy_text(given, strlen(given));
    else
        status = find_beside(path, name, &committed->log, error);
    if (status == EQP_OK && committed->log == NULL) status = eqp_fail_memory(error);
    if (status == EQP_OK && access(committed->log, F_OK) != 0) {
        eqp_committed_note(committed, "the log \"%.200s\", which the commitment names, is missing", name);
        return EQP_OK;
    }
    if (status == EQP_OK) status = eqp_log_read(committed->log, key, digest, &committed->story, error);
    if (status == EQP_OK && committed->story.lines <= count_of(committed, FIELD_draws))
        eqp_committed_note(committed, "the log \"%.200s\" was cut off: it lacks the line of this commitment",
                           name);
    return status;
}

/* ---- what was committed to ----------------------------------------------------------------------------- */

static eqp_status take_quotas(eqp_committed *committed, eqp_error *error)
{
    const json_t *list = eqp_field_value(committed->commitment.document, FIELD_quotas);
    eqp_status status = EQP_OK;
    if (!json_is_array(list)) return EQP_OK;
    committed->quotas = eqp_alloc_zero(1, sizeof *committed->quotas);
    if (committed->quotas == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < json_array_size(list) && status == EQP_OK; i++) {
        const json_t *one = json_array_get(list, i);
        eqp_quota like = {.value = (char *)eqp_field_text(one, FIELD_value),
                          .min = (size_t)json_integer_value(eqp_field_value(one, FIELD_min)),
                          .max = (size_t)json_integer_value(eqp_field_value(one, FIELD_max)),
                          .min_flex = (size_t)json_integer_value(eqp_field_value(one, FIELD_min_flex)),
                          .max_flex = (size_t)json_integer_value(eqp_field_value(one, FIELD_max_flex))};
        status = eqp_quotas_add(committed->quotas, eqp_field_text(one, FIELD_feature), &like, error);
    }
    return status;
}

static eqp_status take_options(const eqp_draw_options *given, eqp_committed *committed, eqp_error *error)
{
    eqp_select_options *options = &committed->options;
    const char *draws = text_of(committed, FIELD_drawn_by);
    options->filter.id = text_of(committed, FIELD_id);
    options->filter.permanent = draws != NULL && strcmp(draws, "permanent") == 0;
    options->filter.read.missing = text_of(committed, FIELD_missing);
    options->filter.read.decimal = character_of(committed, FIELD_decimal);
    options->filter.read.delimiter = character_of(committed, FIELD_delimiter);
    options->filter.excel_safe = given->excel_safe;
    options->filter.threads = given->threads;
    options->size = count_of(committed, FIELD_size);
    options->alternates = count_of(committed, FIELD_alternates);
    options->one_per = text_of(committed, FIELD_one_per);
    options->avoid = given->avoid;
    options->selected = given->selected;
    options->alternates_file = given->alternates_file;
    options->remaining = given->remaining;
    if (options->filter.id == NULL || options->size == 0)
        return eqp_fail(error, EQP_DATA, "the commitment lacks its id column or its size");
    return take_quotas(committed, error);
}

static void compare_keys(const eqp_key *key, eqp_committed *committed)
{
    eqp_key ranks;
    char whole[65], ranking[65];
    eqp_key_commitment(key, whole);
    eqp_rank_key(key, NULL, &ranks);
    eqp_key_commitment(&ranks, ranking);
    explicit_bzero(&ranks, sizeof ranks);
    if (strcmp(whole, eqp_field_text(committed->commitment.document, FIELD_key_commitment)) != 0 ||
        strcmp(ranking, eqp_field_text(committed->commitment.document, FIELD_ranking_commitment)) != 0)
        eqp_committed_note(committed, "the commitment is to another key");
}

static eqp_status compare_randomness(const char *value, eqp_committed *committed, eqp_error *error)
{
    const char *source = text_of(committed, FIELD_randomness),
               *form = text_of(committed, FIELD_randomness_form);
    const char *moment = text_of(committed, FIELD_randomness_time);
    char now[32];
    eqp_clock_utc(now);
    if (source == NULL && value != NULL)
        eqp_committed_note(committed, "public randomness was given, but the commitment announces none");
    if (source == NULL) return EQP_OK;
    if (value == NULL) {
        eqp_committed_note(
            committed, "the commitment announces public randomness (\"%.200s\"), but none was given", source);
        return EQP_OK;
    }
    if (moment != NULL && strcmp(now, moment) < 0)
        eqp_committed_note(committed, "the announced randomness is not known before %s", moment);
    return eqp_randomness_canonical(form != NULL ? form : "numbers", value, &committed->randomness, error);
}

static eqp_status compare_avoided(const eqp_key *key, const eqp_draw_options *given, eqp_committed *committed,
                                  eqp_error *error)
{
    const char *committed_to = text_of(committed, FIELD_avoided_digest);
    eqp_dictionary *ids = NULL;
    size_t records;
    char digest[65] = "";
    if (committed_to == NULL && given->avoid != NULL)
        eqp_committed_note(committed, "the commitment does not leave out an earlier cohort");
    if (committed_to != NULL && given->avoid == NULL)
        eqp_committed_note(committed,
                           "the commitment leaves out an earlier cohort; name it with --avoid FILE");
    if (committed_to == NULL || given->avoid == NULL) return EQP_OK;
    eqp_status status = eqp_ids_read(given->avoid, committed->options.filter.id, &ids, &records, error);
    if (status == EQP_OK) status = eqp_ids_digest(ids, digest, error);
    eqp_digest_seal(key, digest);
    eqp_dictionary_free(ids);
    if (status == EQP_OK && strcmp(digest, committed_to) != 0)
        eqp_committed_note(committed, "\"%.200s\" does not hold the ids that the commitment leaves out",
                           given->avoid);
    return status;
}

static eqp_status compare_pool(const eqp_key *key, const char *input, eqp_committed *committed,
                               eqp_error *error)
{
    const json_t *document = committed->commitment.document;
    const eqp_filter_options *filter = &committed->options.filter;
    eqp_lottery lottery;
    eqp_pool_digests digests;
    eqp_lottery_init(&lottery, key, NULL, eqp_draws_name(committed->model, filter));
    eqp_status status =
        eqp_pool_digest(input, filter->read.delimiter, filter->id, &lottery, false, &digests, error);
    explicit_bzero(&lottery, sizeof lottery);
    if (status != EQP_OK) return status;
    eqp_digest_seal(key, digests.bytes);
    eqp_digest_seal(key, digests.records);
    if (strcmp(digests.records, eqp_field_text(document, FIELD_records_digest)) != 0)
        eqp_committed_note(committed, "the pool \"%.200s\" is not the one that was committed to", input);
    if (strcmp(digests.tickets, eqp_field_text(document, FIELD_tickets_digest)) != 0)
        eqp_committed_note(committed, "the tickets of the pool are not those that were committed to");
    committed->reordered = strcmp(digests.bytes, eqp_field_text(document, FIELD_input_digest)) != 0;
    return EQP_OK;
}

/* ---- declines ------------------------------------------------------------------------------------------ */

/* Those of the log, then the files that were given. */
static eqp_status take_rounds(const eqp_draw_options *given, eqp_committed *committed, eqp_error *error)
{
    size_t most = committed->story.rounds + given->declined_count;
    eqp_status status = EQP_OK;
    committed->declined = eqp_alloc_zero(most, sizeof *committed->declined);
    committed->given = eqp_alloc_zero(given->declined_count, sizeof *committed->given);
    if (committed->declined == NULL || committed->given == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < committed->story.rounds; i++)
        committed->declined[committed->rounds++] = committed->story.declined[i];
    for (size_t i = 0; i < given->declined_count && status == EQP_OK; i++) {
        eqp_dictionary *ids = NULL;
        size_t records;
        status = eqp_ids_read(given->declined[i], committed->options.filter.id, &ids, &records, error);
        if (status == EQP_OK && eqp_dictionary_size(ids) == 0)
            status = eqp_fail_at(error, EQP_DATA, given->declined[i], 0, 0, "the list of declines is empty");
        if (status != EQP_OK) {
            eqp_dictionary_free(ids);
            return status;
        }
        committed->given[committed->new_rounds++] = ids;
        committed->declined[committed->rounds++] = ids;
    }
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

eqp_status eqp_committed_open(const eqp_model *model, const eqp_key *key, const char *input,
                              const eqp_draw_options *options, eqp_committed *committed, eqp_error *error)
{
    *committed = (eqp_committed){0};
    if (options->commitment == NULL) return eqp_fail(error, EQP_USAGE, "no commitment given");
    if (input == NULL || strcmp(input, "-") == 0)
        return eqp_fail(error, EQP_USAGE, "the pool is read twice, so it must be a file");
    eqp_status status = eqp_commitment_read(options->commitment, &committed->commitment, error);
    if (status == EQP_OK && !committed->commitment.intact)
        eqp_committed_note(committed, "the commitment was changed: its digest is wrong");
    if (status == EQP_OK) compare_keys(key, committed);
    if (status == EQP_OK) status = find_model(model, options->commitment, committed, error);
    if (status == EQP_OK && strcmp(committed->model->digest,
                                   eqp_field_text(committed->commitment.document, FIELD_model_digest)) != 0)
        eqp_committed_note(committed, "the commitment is to the model %.16s, not to %.16s",
                           eqp_field_text(committed->commitment.document, FIELD_model_digest),
                           committed->model->digest);
    if (status == EQP_OK) status = take_options(options, committed, error);
    if (status == EQP_OK) status = compare_randomness(options->randomness, committed, error);
    if (status == EQP_OK && committed->difference[0] == '\0')
        status = find_log(options->log, options->commitment, key, committed, error);
    if (status == EQP_OK) status = compare_avoided(key, options, committed, error);
    if (status == EQP_OK && committed->difference[0] == '\0')
        status = compare_pool(key, input, committed, error);
    if (status == EQP_OK && committed->difference[0] == '\0') status = take_rounds(options, committed, error);
    return status;
}

void eqp_committed_clear(eqp_committed *committed)
{
    for (size_t i = 0; i < committed->new_rounds; i++) eqp_dictionary_free(committed->given[i]);
    free(committed->given);
    free(committed->declined);
    eqp_log_story_clear(&committed->story);
    eqp_commitment_clear(&committed->commitment);
    eqp_model_free(committed->loaded);
    eqp_quotas_free(committed->quotas);
    free(committed->randomness);
    free(committed->log);
    *committed = (eqp_committed){0};
}

eqp_status eqp_committed_draw(const eqp_committed *committed, const eqp_key *key, const char *input,
                              bool files, bool whole, const eqp_watch *watch, eqp_cohort *cohort,
                              eqp_error *error)
{
    eqp_selection selection = {.model = committed->model,
                               .key = key,
                               .input = input,
                               .options = &committed->options,
                               .randomness = committed->randomness,
                               .quotas = committed->quotas,
                               .declined = (const eqp_dictionary *const *)committed->declined,
                               .rounds = committed->rounds,
                               .whole = whole || committed->rounds > 0};
    return files ? eqp_select_run(&selection, watch, cohort, error)
                 : eqp_select_draw(&selection, watch, cohort, error);
}

/* ---- the log ------------------------------------------------------------------------------------------- */

static json_t *event_of(const eqp_committed *committed, const char *event, const char *seats,
                        const eqp_cohort *cohort, uint32_t round)
{
    json_t *object = json_object(), *declined = json_array();
    for (size_t i = 0; i < cohort->ranking.count; i++) {
        const eqp_ranked *entry = &cohort->ranking.entries[i];
        if (round > 0 && entry->seat == EQP_DECLINED && entry->round == round)
            eqp_json_append(&declined, eqp_json_text(entry->ticket.digits));
    }
    eqp_json_set_text(&object, FIELD_event, event);
    eqp_json_set_text(&object, FIELD_commitment, text_of(committed, FIELD_digest));
    eqp_json_set_text(&object, FIELD_randomness_value, committed->randomness);
    eqp_json_set_text(&object, FIELD_selected, seats);
    eqp_json_set(&object, FIELD_declined, declined);
    return object;
}

eqp_status eqp_committed_log(eqp_committed *committed, const eqp_key *key, const char *event,
                             const eqp_cohort *cohort, eqp_error *error)
{
    char seats[65];
    uint64_t before;
    if (committed->log == NULL) return EQP_OK;
    eqp_status status = eqp_seats_digest(cohort, seats, error);
    if (status == EQP_OK && committed->new_rounds == 0)
        return eqp_log_add(committed->log, key, event_of(committed, event, seats, cohort, 0), &before, error);
    for (size_t i = committed->rounds - committed->new_rounds; i < committed->rounds && status == EQP_OK; i++)
        status = eqp_log_add(
            committed->log, key,
            event_of(committed, event, i + 1 == committed->rounds ? seats : NULL, cohort, (uint32_t)(i + 1)),
            &before, error);
    return status;
}
