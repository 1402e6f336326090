/* A comma-separated option as a list of names. */
#include "base/name_list.h"

#include "base/memory.h"

#include <string.h>

void eqp_name_list_free(eqp_name_list *list)
{
    free(list->text);
    free(list->names);
    *list = (eqp_name_list){0};
}

eqp_status eqp_name_list_split(const char *text, eqp_name_list *list, eqp_error *error)
{
    *list = (eqp_name_list){0};
    if (text == NULL) return EQP_OK;
    size_t commas = 0;
    for (const char *c = text; *c != '\0'; c++) commas += *c == ',';
    list->text = eqp_copy_text(text, strlen(text));
    list->names = eqp_alloc(commas + 1, sizeof *list->names);
    if (list->text == NULL || list->names == NULL) return eqp_fail_memory(error);
    char *rest = list->text, *name;
    while ((name = strsep(&rest, ",")) != NULL) {
        name += strspn(name, " ");
        for (size_t end = strlen(name); end > 0 && name[end - 1] == ' '; end--) name[end - 1] = '\0';
        if (*name != '\0') list->names[list->count++] = name;
    }
    return EQP_OK;
}

bool eqp_name_list_holds(const eqp_name_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0) return true;
    return false;
}
