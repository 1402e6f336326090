/* Nothing is remembered here: the state is the folder. */
#include "state.h"

#include "equipoise.h"
#include "folder.h"
#include "job.h"
#include "project_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static json_t *folder_title(void)
{
    char path[PATH_MAX];
    const char *slash = getcwd(path, sizeof path) ? strrchr(path, '/') : NULL;
    json_t *name = slash ? json_string(slash[1] ? slash + 1 : slash) : NULL;
    return name ? name : json_string("");
}

static json_t *finished_actions(void)
{
    json_t *list = json_array();
    for (size_t i = 0; recipe_name(i); i++) {
        char path[96];
        if (snprintf(path, sizeof path, ".equipoise/%s.json", recipe_name(i)) > 0 && access(path, R_OK) == 0)
            json_array_append_new(list, json_string(recipe_name(i)));
    }
    return list;
}

static json_t *dialects(void)
{
    json_t *list = json_array();
    for (size_t i = 0; eqp_option_choice("dialect", i, NULL); i++)
        json_array_append_new(list, json_string(eqp_option_choice("dialect", i, NULL)));
    return list;
}

json_t *state_whole(void)
{
    eqp_error error = {0};
    json_t *project;
    if (project_read(&project, &error) != EQP_OK)
        return json_pack("{s:s, s:s, s:s}", "version", eqp_version(), "message", error.message, "hint",
                         error.hint);
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "version", eqp_version(), "folder",
                     folder_title(), "project", project, "files", folder_list(), "results",
                     finished_actions(), "dialects", dialects(), "job", job_snapshot());
}

json_t *state_moving(void)
{
    json_t *project;
    if (project_read(&project, NULL) != EQP_OK) project = NULL;
    json_int_t revision = json_integer_value(json_object_get(project, "revision"));
    json_decref(project);
    return json_pack("{s:o, s:I, s:o}", "job", job_snapshot(), "revision", revision, "files", folder_list());
}
