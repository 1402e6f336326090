/* The log of draws: one JSON object per line, each with the digest of the line before it.  Whoever removes or
 * changes a line breaks the chain behind it; whoever cuts lines off the end contradicts the number of draws
 * in the commitments that were published. */
#include "base/json.h"
#include "draw/digest.h"
#include "verify/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define NO_LINE "0000000000000000000000000000000000000000000000000000000000000000"

typedef struct log_chain {
    const char *path;
    int file;
    eqp_buffer text;
    uint64_t lines;
    char last[65]; /* digest of the last line */
} log_chain;

static eqp_status read_log(log_chain *chain, eqp_error *error)
{
    char piece[4096];
    for (;;) {
        ssize_t length = read(chain->file, piece, sizeof piece);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0) return eqp_fail_errno(error, "read", chain->path);
        if (length == 0) break;
        eqp_buffer_add(&chain->text, piece, (size_t)length);
    }
    return chain->text.failed ? eqp_fail_memory(error) : EQP_OK;
}

static bool continues_chain(const log_chain *chain, const char *line, size_t length)
{
    json_t *object = eqp_json_load(line, length, 0, NULL);
    const json_t *number = eqp_field_value(object, FIELD_draw);
    bool fits = json_is_integer(number) && (uint64_t)json_integer_value(number) == chain->lines + 1 &&
                strcmp(eqp_field_text(object, FIELD_previous), chain->last) == 0;
    json_decref(object);
    return fits;
}

static eqp_status check_chain(log_chain *chain, eqp_error *error)
{
    strcpy(chain->last, NO_LINE);
    if (chain->text.length == 0) return EQP_OK;
    const char *at = chain->text.bytes, *end = at + chain->text.length;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        errno = 0;
        if (line_end == NULL || !continues_chain(chain, at, (size_t)(line_end - at))) {
            if (errno == ENOMEM) return eqp_fail_memory(error);
            eqp_fail_at(error, EQP_DATA, chain->path, chain->lines + 1, 0,
                        "the log was changed: this line does not continue the one before it");
            eqp_hint(error, "a log is only ever added to, by commit");
            return EQP_DATA;
        }
        eqp_digest_of(at, (size_t)(line_end - at), chain->last);
        chain->lines++;
        at = line_end + 1;
    }
    return EQP_OK;
}

static char *line_of(const log_chain *chain, const eqp_commitment *commitment)
{
    json_t *object = json_object();
    eqp_json_set_count(&object, FIELD_draw, chain->lines + 1);
    eqp_json_set_text(&object, FIELD_previous, chain->last);
    eqp_json_set_text(&object, FIELD_time, commitment->time);
    eqp_json_set_text(&object, FIELD_model_digest, commitment->model_digest);
    eqp_json_set_text(&object, FIELD_input_digest, commitment->input_digest);
    eqp_json_set_text(&object, FIELD_key_commitment, commitment->key_commitment);
    eqp_json_set_text(&object, FIELD_randomness, commitment->randomness);
    char *text = eqp_json_dump(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

/* One write, so that a line is there whole or not at all. */
static eqp_status add_line(log_chain *chain, const eqp_commitment *commitment, eqp_error *error)
{
    char *text = line_of(chain, commitment);
    eqp_buffer line = {0};
    if (text == NULL) return eqp_fail_memory(error);
    eqp_buffer_printf(&line, "%s\n", text);
    free(text);
    eqp_status status = EQP_OK;
    if (line.failed)
        status = eqp_fail_memory(error);
    else if (write(chain->file, line.bytes, line.length) != (ssize_t)line.length || fsync(chain->file) != 0)
        status = eqp_fail_errno(error, "write", chain->path);
    eqp_buffer_free(&line);
    return status;
}

eqp_status eqp_log_add(const char *path, eqp_commitment *commitment, eqp_error *error)
{
    log_chain chain = {.path = path};
    chain.file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (chain.file < 0) return eqp_fail_errno(error, "open", path);
    eqp_status status = EQP_OK;
    while (flock(chain.file, LOCK_EX) != 0 && status == EQP_OK)
        if (errno != EINTR) status = eqp_fail_errno(error, "lock", path);
    if (status == EQP_OK) status = read_log(&chain, error);
    if (status == EQP_OK) status = check_chain(&chain, error);
    if (status == EQP_OK) status = add_line(&chain, commitment, error);
    if (status == EQP_OK) commitment->draws = chain.lines;
    eqp_buffer_free(&chain.text);
    close(chain.file);
    return status;
}
