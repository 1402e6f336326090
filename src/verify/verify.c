/* Verifying a draw: everything that was committed to is compared, the draw is repeated, and its people are
 * compared with those of the published files, by id. */
#include "verify/verify.h"

#include "base/memory.h"
#include "table/source.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_BYTES ((size_t)1 << 34)

/* ---- people -------------------------------------------------------------------------------------------- */

/* The first who is in the file but not among these entries of the ranking, or the other way round. */
static void compare_people(const eqp_dictionary *ids, const eqp_cohort *cohort, size_t first, size_t count,
                           const char *path, const char *what, eqp_committed *committed)
{
    size_t found = 0;
    for (size_t i = first; i < first + count; i++) {
        const eqp_ranked *entry = &cohort->ranking.entries[i];
        if (eqp_dictionary_find(ids, entry->bytes, entry->name_length) != EQP_NO_CODE)
            found++;
        else
            eqp_committed_note(committed, "\"%.*s\" is among the %s of the draw, but not in \"%.200s\"",
                               (int)(entry->name_length < 100 ? entry->name_length : 100), entry->bytes, what,
                               path);
    }
    if (found < eqp_dictionary_size(ids))
        eqp_committed_note(committed, "\"%.200s\" holds %zu who are not among the %s of the draw", path,
                           eqp_dictionary_size(ids) - found, what);
}

/* Alternates are asked in the order in which they stand. */
static void compare_order(const eqp_dictionary *ids, const eqp_cohort *cohort, const char *path,
                          eqp_committed *committed)
{
    for (size_t i = 0; i < cohort->stats.alternates && committed->difference[0] == '\0'; i++) {
        const eqp_ranked *entry = &cohort->ranking.entries[cohort->stats.selected + i];
        if (eqp_dictionary_find(ids, entry->bytes, entry->name_length) != i)
            eqp_committed_note(committed, "the alternates in \"%.200s\" are not in rank order", path);
    }
}

/* A file that names somebody twice does not hold so many people. */
static eqp_status read_people(const char *path, eqp_committed *committed, eqp_dictionary **ids,
                              eqp_error *error)
{
    size_t records;
    eqp_status status = eqp_ids_read(path, committed->options.filter.id, ids, &records, error);
    if (status == EQP_OK && records > eqp_dictionary_size(*ids))
        eqp_committed_note(committed, "\"%.200s\" names somebody more than once", path);
    return status;
}

/* Those who declined by the log must be those who are said to have. */
static void compare_declines(const eqp_cohort *cohort, eqp_committed *committed)
{
    for (size_t i = 0; i < cohort->ranking.count; i++) {
        const eqp_ranked *entry = &cohort->ranking.entries[i];
        if (entry->seat != EQP_DECLINED || entry->round > committed->new_rounds) continue;
        if (eqp_dictionary_find(committed->given[entry->round - 1], entry->bytes, entry->name_length) ==
            EQP_NO_CODE)
            eqp_committed_note(
                committed, "\"%.*s\" declined in round %u according to the log, but is not on the list given",
                (int)(entry->name_length < 100 ? entry->name_length : 100), entry->bytes, entry->round);
    }
}

/* ---- bytes --------------------------------------------------------------------------------------------- */

static eqp_status keep_bytes(void *context, const void *bytes, size_t length, eqp_error *error)
{
    eqp_buffer *text = context;
    eqp_buffer_add(text, bytes, length);
    return text->failed ? eqp_fail_memory(error) : EQP_OK;
}

static int compare_lines(const void *left, const void *right)
{
    const eqp_cell *a = left, *b = right;
    int order = memcmp(a->bytes, b->bytes, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* The lines without their ends, the header first, all others in one order. */
static eqp_cell *lines_of(const eqp_buffer *text, size_t *count)
{
    size_t most = 1;
    for (size_t i = 0; i < text->length; i++) most += text->bytes[i] == '\n';
    eqp_cell *lines = eqp_alloc(most, sizeof *lines);
    *count = 0;
    for (size_t at = 0; lines != NULL && at < text->length;) {
        const char *begin = text->bytes + at, *end = memchr(begin, '\n', text->length - at);
        size_t length = end != NULL ? (size_t)(end - begin) : text->length - at;
        at += length + 1;
        if (length > 0 && begin[length - 1] == '\r') length--;
        if (length > 0) lines[(*count)++] = (eqp_cell){begin, length};
    }
    if (lines != NULL && *count > 1) qsort(lines + 1, *count - 1, sizeof *lines, compare_lines);
    return lines;
}

/* A file with the pool's columns must hold the pool's cells; one with other columns is not looked at. */
static eqp_status compare_cells(const eqp_buffer *written, const eqp_buffer *given, bool *same,
                                eqp_error *error)
{
    size_t ours, theirs;
    eqp_cell *drawn = lines_of(written, &ours), *published = lines_of(given, &theirs);
    eqp_status status = drawn == NULL || published == NULL ? eqp_fail_memory(error) : EQP_OK;
    *same = true;
    if (status == EQP_OK && ours > 0 && theirs > 0 && compare_lines(&drawn[0], &published[0]) == 0) {
        *same = ours == theirs;
        for (size_t i = 1; i < ours && *same; i++) *same = compare_lines(&drawn[i], &published[i]) == 0;
    }
    free(drawn);
    free(published);
    return status;
}

/* Whether the file is also what select writes, to the last byte; if not, it is not wrong for that, but it is
 * said when cells differ: an id may be beside another person's name. */
static eqp_status compare_bytes(const char *path, const eqp_cohort *cohort, eqp_verification *verification,
                                eqp_error *error)
{
    eqp_buffer written = {0}, given = {0};
    eqp_sink sink = {keep_bytes, &written};
    eqp_status status = eqp_cohort_write_selected(cohort, &sink, error);
    if (status == EQP_OK) status = eqp_source_read_all(path, MAX_BYTES, &given, error);
    verification->same_bytes = status == EQP_OK && written.length == given.length &&
                               memcmp(written.bytes, given.bytes, written.length) == 0;
    if (status == EQP_OK) status = compare_cells(&written, &given, &verification->same_cells, error);
    eqp_buffer_free(&written);
    eqp_buffer_free(&given);
    return status;
}

/* The page is a function of commitment, key, randomness, pool and rounds, byte for byte. */
static eqp_status compare_page(const eqp_model *model, const eqp_key *key, const char *input,
                               const eqp_draw_options *options, eqp_committed *committed, eqp_error *error)
{
    eqp_buffer made = {0}, given = {0};
    eqp_cohort cohort = {0};
    eqp_draw_options own = *options;
    if (committed->story.rounds > 0) own.declined_count = 0; /* they are in the log */
    eqp_status status = eqp_publish_run(model, key, input, &own, &made, NULL, &cohort, error);
    if (status == EQP_OK) status = eqp_source_read_all(options->page, MAX_BYTES, &given, error);
    if (status == EQP_OK &&
        (made.length != given.length || memcmp(made.bytes, given.bytes, made.length) != 0))
        eqp_committed_note(committed, "\"%.200s\" is not the page of this draw", options->page);
    eqp_cohort_clear(&cohort);
    eqp_buffer_free(&made);
    eqp_buffer_free(&given);
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static eqp_status compare_files(const eqp_draw_options *options, const eqp_cohort *cohort,
                                eqp_committed *committed, eqp_verification *verification, eqp_error *error)
{
    eqp_dictionary *ids = NULL;
    eqp_status status = read_people(options->selected, committed, &ids, error);
    if (status == EQP_OK)
        compare_people(ids, cohort, 0, cohort->stats.selected, options->selected, "selected", committed);
    eqp_dictionary_free(ids);
    if (status == EQP_OK && committed->difference[0] == '\0')
        status = compare_bytes(options->selected, cohort, verification, error);
    if (status != EQP_OK || options->alternates_file == NULL) return status;
    status = read_people(options->alternates_file, committed, &ids, error);
    if (status != EQP_OK) return status;
    compare_people(ids, cohort, cohort->stats.selected, cohort->stats.alternates, options->alternates_file,
                   "alternates", committed);
    compare_order(ids, cohort, options->alternates_file, committed);
    eqp_dictionary_free(ids);
    return EQP_OK;
}

/* Declines that are given are those of the log, where there is one; they are not counted twice. */
static void match_rounds(eqp_committed *committed, const eqp_draw_options *options)
{
    size_t logged = committed->story.rounds;
    if (logged == 0 || options->declined_count == 0) return;
    if (options->declined_count != logged)
        eqp_committed_note(committed, "the log has %zu rounds of declines, but %zu were given", logged,
                           options->declined_count);
    for (size_t i = 0; i < logged && committed->difference[0] == '\0'; i++)
        if (eqp_dictionary_size(committed->story.declined[i]) != eqp_dictionary_size(committed->given[i]))
            eqp_committed_note(committed, "the declines of round %zu are not those of the log", i + 1);
    committed->rounds = logged;
}

/* A pipe would be empty when it is opened a second time, or wait for a writer for ever. */
static bool is_regular(const char *input)
{
    struct stat found;
    return input != NULL && strcmp(input, "-") != 0 && (stat(input, &found) != 0 || S_ISREG(found.st_mode));
}

eqp_status eqp_verify_run(const eqp_model *model, const eqp_key *key, const char *input,
                          const eqp_draw_options *options, eqp_verification *verification, eqp_error *error)
{
    eqp_committed committed;
    eqp_cohort cohort = {0};
    *verification = (eqp_verification){0};
    if (options->selected == NULL) return eqp_fail(error, EQP_USAGE, "no result given");
    if (!is_regular(input)) return eqp_fail(error, EQP_USAGE, "the pool is read twice, so it must be a file");
    eqp_status status = eqp_committed_open(model, key, input, options, &committed, error);
    const json_t *document = committed.commitment.document;
    verification->draws = (uint64_t)json_integer_value(eqp_field_value(document, FIELD_draws));
    verification->foreseen = json_string_value(eqp_field_value(document, FIELD_randomness)) == NULL;
    if (status == EQP_OK && committed.difference[0] == '\0') match_rounds(&committed, options);
    if (status == EQP_OK && committed.difference[0] == '\0') {
        committed.options.selected = committed.options.alternates_file = NULL;
        status = eqp_committed_draw(&committed, key, input, false, false, NULL, &cohort, error);
        if (status == EQP_DATA || status == EQP_INFEASIBLE) { /* declines that the draw does not have */
            eqp_committed_note(&committed, "the draw cannot be repeated: %.400s",
                               error != NULL ? error->message : "it fails");
            if (error != NULL) *error = (eqp_error){0};
            status = EQP_OK;
        } else if (status == EQP_OK) {
            if (committed.story.rounds > 0) compare_declines(&cohort, &committed);
            status = compare_files(options, &cohort, &committed, verification, error);
        }
        if (status == EQP_OK && options->page != NULL && committed.difference[0] == '\0')
            status = compare_page(model, key, input, options, &committed, error);
    }
    verification->records = cohort.stats.records.read;
    verification->rounds = committed.rounds;
    verification->reordered = committed.reordered;
    verification->page = options->page != NULL;
    const char *first = committed.story.randomness;
    if (first != NULL && committed.randomness != NULL && strcmp(first, committed.randomness) != 0)
        snprintf(verification->first, sizeof verification->first, "%s", first);
    strcpy(verification->difference, committed.difference);
    eqp_cohort_clear(&cohort);
    eqp_committed_clear(&committed);
    return status;
}
