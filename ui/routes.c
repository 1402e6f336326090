/* One row per address.  Bodies are small documents, or a file on its way into the folder. */
#include "routes.h"

#include "assets.h"
#include "equipoise.h"
#include "events.h"
#include "failure.h"
#include "file_columns.h"
#include "folder.h"
#include "job.h"
#include "project_file.h"
#include "reply.h"
#include "state.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DOCUMENT = 256 << 10 };
#define MOST_UPLOAD (2ULL << 30)

typedef struct route {
    const char *method, *path;
    bool prefix; /* a name follows */
    uint64_t most_body;
    bool keeps_file; /* the body is a file */
    enum MHD_Result (*answer)(request *asked);
} route;

struct request {
    struct MHD_Connection *connection;
    const route *route;
    char name[256]; /* what follows the prefix */
    char *body;
    uint64_t length;
    int file;
    bool too_long, broken;
};

static volatile bool quit_wanted;

bool routes_quit_wanted(void)
{
    return quit_wanted;
}

/* What a status of the library is called on the web. */
static enum MHD_Result refuse(request *asked, const eqp_error *error)
{
    unsigned code = error->status == EQP_INFEASIBLE ? MHD_HTTP_CONFLICT
                    : error->status == EQP_USAGE || error->status == EQP_DATA
                        ? MHD_HTTP_UNPROCESSABLE_CONTENT
                        : MHD_HTTP_INTERNAL_SERVER_ERROR;
    return reply_refusal(asked->connection, code, error->message, error->hint);
}

static enum MHD_Result answer_state(request *asked)
{
    return reply_json(asked->connection, MHD_HTTP_OK, state_whole());
}

static enum MHD_Result answer_events(request *asked)
{
    return events_listen(asked->connection);
}

static enum MHD_Result answer_columns(request *asked)
{
    eqp_error error = {0};
    json_t *columns;
    if (columns_of_file(asked->name, &columns, &error) != EQP_OK) return refuse(asked, &error);
    return reply_json(asked->connection, MHD_HTTP_OK, columns);
}

static enum MHD_Result answer_result(request *asked)
{
    json_t *result = job_result(asked->name);
    if (result) return reply_json(asked->connection, MHD_HTTP_OK, result);
    return reply_refusal(asked->connection, MHD_HTTP_NOT_FOUND, "there are no results yet", "");
}

/* ---- files ------------------------------------------------------------------------------------------- */

/* Pages and texts that are made to be looked at.  Records stay where they are, and so do keys. */
static const char *shown_type(const char *name)
{
    static const char *const texts[] = {".json", ".model", ".certificate", ".sql", ".c", ".log"};
    const char *ending = strrchr(name, '.');
    if (ending == NULL) return NULL;
    if (strcmp(ending, ".html") == 0) return "text/html; charset=utf-8";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(ending, texts[i]) == 0) return "text/plain; charset=utf-8";
    return NULL;
}

/* Whatever its name and mode, a key is not shown: a short file with 64 hexadecimal digits in a row. */
static bool holds_key(int file)
{
    enum { KEY_DIGITS = 64, KEY_FILE_BYTES = 512 };
    char text[KEY_FILE_BYTES + 1];
    ssize_t count = pread(file, text, sizeof text, 0);
    size_t row = 0, longest = 0;
    for (ssize_t i = 0; i < count; i++) {
        row = isxdigit((unsigned char)text[i]) ? row + 1 : 0;
        if (row > longest) longest = row;
    }
    explicit_bzero(text, sizeof text);
    return count < 0 || (count <= KEY_FILE_BYTES && longest >= KEY_DIGITS);
}

static enum MHD_Result answer_file(request *asked)
{
    struct stat about;
    const char *type = shown_type(asked->name);
    int file = type ? folder_open(asked->name, &about) : -1;
    if (file < 0) return reply_text(asked->connection, MHD_HTTP_NOT_FOUND, "there is no such page\n");
    if (!holds_key(file)) return reply_boxed(asked->connection, type, file, about.st_size);
    close(file);
    return reply_text(asked->connection, MHD_HTTP_FORBIDDEN, "a key is not shown\n");
}

/* Tables that the page itself writes may be written again; whatever else was brought in stays. */
static bool may_replace(const char *name)
{
    static const char *const own[] = {"target.csv", "quotas.csv", "declined-*.csv"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (fnmatch(own[i], name, 0) == 0) return true;
    return false;
}

static enum MHD_Result answer_upload(request *asked)
{
    bool replace = may_replace(asked->name);
    if (!folder_is_name(asked->name) || strcmp(asked->name, PROJECT_FILE) == 0)
        return reply_refusal(asked->connection, MHD_HTTP_UNPROCESSABLE_CONTENT,
                             "a file with that name cannot be added", "rename it");
    if (asked->broken)
        return reply_refusal(asked->connection, MHD_HTTP_INSUFFICIENT_STORAGE,
                             "the file cannot be written to the folder", "");
    if (folder_keep(asked->file, asked->name, replace)) {
        events_tell();
        return reply_json(asked->connection, MHD_HTTP_CREATED, json_pack("{s:s}", "name", asked->name));
    }
    if (errno == EEXIST)
        return reply_refusal(asked->connection, MHD_HTTP_CONFLICT, "there is already a file with that name",
                             "rename one of them; nothing was replaced");
    return reply_refusal(asked->connection, MHD_HTTP_UNPROCESSABLE_CONTENT,
                         "the file cannot be kept in the folder", "");
}

/* ---- choices and commands ---------------------------------------------------------------------------- */

static json_t *read_body(const request *asked)
{
    json_t *document =
        json_loadb(asked->body ? asked->body : "", asked->length, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(document)) return document;
    json_decref(document);
    return NULL;
}

static enum MHD_Result refuse_body(request *asked)
{
    return reply_refusal(asked->connection, MHD_HTTP_BAD_REQUEST, "the request is not valid", "");
}

static enum MHD_Result answer_project(request *asked)
{
    eqp_error error = {0};
    json_t *body = read_body(asked), *choices = json_object_get(body, "choices");
    json_int_t revision = json_integer_value(json_object_get(body, "revision"));
    enum MHD_Result sent;
    if (!json_is_object(choices))
        sent = refuse_body(asked);
    else if (project_write(choices, &revision, &error) != EQP_OK)
        sent = refuse(asked, &error);
    else {
        events_tell();
        sent = reply_json(asked->connection, MHD_HTTP_OK, json_pack("{s:I}", "revision", revision));
    }
    json_decref(body);
    return sent;
}

/* Not yet is an answer like any other: {"command"}, or {"message", "hint"} of what is missing. */
static enum MHD_Result answer_command(request *asked)
{
    eqp_error error = {0};
    order wanted;
    json_t *body = read_body(asked), *answer;
    const char *action = json_string_value(json_object_get(body, "action"));
    json_t *choices = json_object_get(body, "choices");
    if (action == NULL || !json_is_object(choices)) {
        json_decref(body);
        return refuse_body(asked);
    }
    if (order_make(action, choices, &wanted, &error) == EQP_OK) {
        char *line = order_line(&wanted);
        answer = json_pack("{s:s}", "command", line ? line : "");
        free(line);
        order_free(&wanted);
    } else {
        answer = json_pack("{s:s, s:s}", "message", error.message, "hint", error.hint);
    }
    json_decref(body);
    return reply_json(asked->connection, MHD_HTTP_OK, answer);
}

static enum MHD_Result answer_run(request *asked)
{
    eqp_error error = {0};
    order wanted;
    json_t *body = read_body(asked);
    const char *action = json_string_value(json_object_get(body, "action"));
    json_t *choices = json_object_get(body, "choices");
    bool good = action && json_is_object(choices);
    eqp_status status = good ? order_make(action, choices, &wanted, &error) : EQP_USAGE;
    if (status == EQP_OK) status = job_start(&wanted, &error);
    json_decref(body);
    if (!good) return refuse_body(asked);
    if (status != EQP_OK) return refuse(asked, &error);
    return reply_json(asked->connection, MHD_HTTP_ACCEPTED, job_snapshot());
}

static enum MHD_Result answer_cancel(request *asked)
{
    job_cancel();
    return reply_json(asked->connection, MHD_HTTP_OK, json_object());
}

static enum MHD_Result answer_quit(request *asked)
{
    quit_wanted = true;
    return reply_json(asked->connection, MHD_HTTP_OK, json_object());
}

/* ---- the table --------------------------------------------------------------------------------------- */

static const route routes[] = {
    {"GET", "/api/state", false, 0, false, answer_state},
    {"GET", "/api/events", false, 0, false, answer_events},
    {"GET", "/api/results/", true, 0, false, answer_result},
    {"GET", "/api/columns/", true, 0, false, answer_columns},
    {"GET", "/files/", true, 0, false, answer_file},
    {"PUT", "/api/files/", true, MOST_UPLOAD, true, answer_upload},
    {"PUT", "/api/project", false, MOST_DOCUMENT, false, answer_project},
    {"POST", "/api/command", false, MOST_DOCUMENT, false, answer_command},
    {"POST", "/api/run", false, MOST_DOCUMENT, false, answer_run},
    {"POST", "/api/cancel", false, MOST_DOCUMENT, false, answer_cancel},
    {"POST", "/api/quit", false, MOST_DOCUMENT, false, answer_quit},
};

static const route *find_route(const char *method, const char *path, const char **name)
{
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        size_t length = strlen(routes[i].path);
        if (strcmp(routes[i].method, method) != 0 || strncmp(routes[i].path, path, length) != 0) continue;
        if (path[length] != '\0' && !routes[i].prefix) continue;
        *name = path + length;
        return &routes[i];
    }
    return NULL;
}

static enum MHD_Result answer_elsewhere(struct MHD_Connection *connection, const char *method,
                                        const char *path)
{
    const asset *part = asset_find(path);
    if (strcmp(method, "GET") != 0)
        return reply_refusal(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "nothing here accepts that request",
                             "");
    if (part) return reply_asset(connection, part->type, part->text, part->length);
    return reply_text(connection, MHD_HTTP_NOT_FOUND, "there is no such page\n");
}

static bool announces_too_much(struct MHD_Connection *connection, uint64_t most)
{
    const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    return length && strtoull(length, NULL, 10) > most;
}

static enum MHD_Result refuse_length(struct MHD_Connection *connection)
{
    return reply_refusal(connection, MHD_HTTP_CONTENT_TOO_LARGE, "that is more than can be taken at once",
                         "");
}

request *request_begin(struct MHD_Connection *connection, const char *method, const char *path,
                       enum MHD_Result *answer)
{
    const char *name = "";
    const route *found = find_route(method, path, &name);
    if (found == NULL) return *answer = answer_elsewhere(connection, method, path), NULL;
    if (announces_too_much(connection, found->most_body)) return *answer = refuse_length(connection), NULL;
    request *made = calloc(1, sizeof *made);
    if (made == NULL) return *answer = MHD_NO, NULL;
    made->connection = connection;
    made->route = found;
    made->file = found->keeps_file ? folder_new_file() : -1;
    made->broken = found->keeps_file && made->file < 0;
    if (strlen(name) < sizeof made->name) strcpy(made->name, name);
    *answer = MHD_YES;
    return made;
}

static bool write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

void request_take(request *asked, const char *bytes, size_t count)
{
    if (asked->length + count > asked->route->most_body) asked->too_long = true;
    if (asked->too_long || asked->broken) return;
    if (asked->route->keeps_file) {
        asked->broken = !write_all(asked->file, bytes, count);
    } else {
        char *grown = realloc(asked->body, asked->length + count);
        if (grown == NULL) {
            asked->too_long = true;
            return;
        }
        asked->body = grown;
        memcpy(asked->body + asked->length, bytes, count);
    }
    asked->length += count;
}

enum MHD_Result request_answer(request *asked)
{
    return asked->too_long ? refuse_length(asked->connection) : asked->route->answer(asked);
}

void request_free(request *asked)
{
    if (asked == NULL) return;
    if (asked->file >= 0) close(asked->file);
    free(asked->body);
    free(asked);
}
