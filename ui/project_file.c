/* The file is replaced whole or not at all, and a stale tab is refused. */
#include "project_file.h"

#include "failure.h"
#include "folder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char FORMAT[] = "equipoise-project";
enum { VERSION = 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_project(const json_t *project)
{
    const char *format = json_string_value(json_object_get(project, "format"));
    return format && strcmp(format, FORMAT) == 0 &&
           json_integer_value(json_object_get(project, "version")) == VERSION &&
           json_is_integer(json_object_get(project, "revision")) &&
           json_is_object(json_object_get(project, "choices"));
}

static json_t *new_project(json_int_t revision, json_t *choices)
{
    return json_pack("{s:s, s:i, s:I, s:o}", "format", FORMAT, "version", VERSION, "revision", revision,
                     "choices", choices);
}

eqp_status project_read(json_t **project, eqp_error *error)
{
    struct stat about;
    *project = NULL;
    if (access(PROJECT_FILE, F_OK) != 0 && errno == ENOENT) {
        *project = new_project(0, json_object());
        return *project ? EQP_OK : fail(error, EQP_MEMORY, "not enough memory");
    }
    int file = folder_open(PROJECT_FILE, &about);
    json_t *found = file >= 0 ? json_loadfd(file, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (file >= 0) close(file);
    if (is_project(found)) {
        *project = found;
        return EQP_OK;
    }
    json_decref(found);
    fail(error, EQP_DATA, "\"%s\" is not a project file", PROJECT_FILE);
    remedy(error, "move it away to start again");
    return EQP_DATA;
}

static eqp_status write_project(json_t *project, eqp_error *error)
{
    char *text = project ? json_dumps(project, JSON_INDENT(1)) : NULL;
    if (text == NULL) return fail(error, EQP_MEMORY, "not enough memory");
    eqp_status status = folder_may_write(PROJECT_FILE)
                            ? eqp_file_write(PROJECT_FILE, text, error)
                            : fail(error, EQP_IO, "\"%s\" cannot be written", PROJECT_FILE);
    free(text);
    return status;
}

eqp_status project_write(const json_t *choices, json_int_t *revision, eqp_error *error)
{
    json_t *old, *new = NULL;
    pthread_mutex_lock(&lock);
    eqp_status status = project_read(&old, error);
    json_int_t kept = json_integer_value(json_object_get(old, "revision"));
    if (status == EQP_OK && kept != *revision)
        status = fail(error, EQP_INFEASIBLE, "another tab has changed the project");
    if (status == EQP_OK) {
        new = new_project(kept + 1, json_deep_copy(choices));
        status = write_project(new, error);
    }
    if (status == EQP_OK) *revision = kept + 1;
    json_decref(old);
    json_decref(new);
    pthread_mutex_unlock(&lock);
    return status;
}
