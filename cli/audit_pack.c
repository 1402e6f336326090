/* The folder of an officer's pack: made, checked, filled. */
#include "audit_pack.h"

#include "failure.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char CERTIFICATE[] = "audit.certificate", LOG[] = "equipoise-attempts.log";

/* Files of an earlier pack would seem to belong to this one. */
static eqp_status need_empty(const char *directory, eqp_error *error)
{
    DIR *folder = opendir(directory);
    if (folder == NULL) return fail_errno(error, "open", directory);
    size_t entries = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        entries += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    if (entries == 0) return EQP_OK;
    fail(error, EQP_USAGE, "the folder \"%s\" is not empty", directory);
    remedy(error, "a pack needs a folder of its own; name a new one");
    return EQP_USAGE;
}

static eqp_status name_files(audit_pack *pack, eqp_error *error)
{
    size_t length = strlen(pack->directory);
    while (length > 1 && pack->directory[length - 1] == '/') length--;
    size_t parent = length;
    while (parent > 0 && pack->directory[parent - 1] != '/') parent--;
    if (asprintf(&pack->certificate, "%.*s/%s", (int)length, pack->directory, CERTIFICATE) < 0)
        pack->certificate = NULL;
    if (asprintf(&pack->attempt_log, "%.*s%s", (int)parent, pack->directory, LOG) < 0)
        pack->attempt_log = NULL;
    return pack->certificate != NULL && pack->attempt_log != NULL
               ? EQP_OK
               : fail(error, EQP_MEMORY, "not enough memory");
}

eqp_status audit_pack_begin(audit_pack *pack, eqp_audit_options *options, eqp_error *error)
{
    if (pack->directory == NULL) return EQP_OK;
    if (options->certificate != NULL)
        return fail(error, EQP_USAGE, "a pack contains its own certificate; leave out \"--certificate\"");
    eqp_status status = name_files(pack, error);
    if (status == EQP_OK && mkdir(pack->directory, 0777) != 0 && errno != EEXIST)
        status = fail_errno(error, "make the folder", pack->directory);
    if (status == EQP_OK) status = need_empty(pack->directory, error);
    if (status != EQP_OK) return status;
    options->certificate = pack->certificate;
    if (options->attempt_log == NULL) options->attempt_log = pack->attempt_log;
    return EQP_OK;
}

/* The command as it was typed, in quotes where a shell would need them. */
static char *spell_command(const invocation *call)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) return NULL;
    fputs("equipoise audit", out);
    for (size_t i = 0; i < call->argument_count; i++) {
        const char *word = call->arguments[i];
        bool plain = *word && strcspn(word, " \t\n\"'\\$`*?[]{}()<>|&;!#~") == strlen(word);
        fputc(' ', out);
        if (!plain) fputc('\'', out);
        for (; *word; word++) fputs(!plain && *word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, out);
        if (!plain) fputc('\'', out);
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed) return text;
    free(text);
    return NULL;
}

/* Whether figures were drawn as PNG: it takes a program that need not be there. */
static bool has_png(const char *directory)
{
    DIR *folder = opendir(directory);
    bool found = false;
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        found = found || (length > 4 && strcmp(entry->d_name + length - 4, ".png") == 0);
    }
    if (folder != NULL) closedir(folder);
    return found;
}

void audit_pack_note(const audit_pack *pack, const screen_settings *screen)
{
    if (pack->directory == NULL) return;
    screen_note(screen, "wrote %s", pack->directory);
    if (!has_png(pack->directory))
        screen_note(screen, "its figures are SVG only: rsvg-convert (Debian package librsvg2-bin), which "
                            "draws them as PNG, is not installed");
}

eqp_status audit_pack_fill(const audit_pack *pack, const eqp_report *report, const invocation *call,
                           eqp_error *error)
{
    if (pack->directory == NULL) return EQP_OK;
    char *command = spell_command(call);
    if (command == NULL) return fail(error, EQP_MEMORY, "not enough memory");
    eqp_status status = eqp_report_pack(report, pack->directory, pack->certificate, command, error);
    free(command);
    return status;
}

void audit_pack_free(audit_pack *pack)
{
    free(pack->certificate);
    free(pack->attempt_log);
}
