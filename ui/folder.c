/* Plain names only: no path can leave a folder whose entries are the only words there are. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 200, MOST_FILES = 2000 };

bool folder_is_name(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > LONGEST_NAME || name[0] == '.' || name[0] == '-') return false;
    for (const char *at = name; *at; at++)
        if (*at == '/' || *at == '\\' || (unsigned char)*at < 0x20 || *at == 0x7f) return false;
    json_t *text = json_string(name); /* refuses what is not UTF-8 */
    json_decref(text);
    return text != NULL;
}

int folder_open(const char *name, struct stat *about)
{
    if (!folder_is_name(name)) return -1;
    int file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return -1;
    if (fstat(file, about) == 0 && S_ISREG(about->st_mode)) return file;
    close(file);
    return -1;
}

bool folder_may_write(const char *name)
{
    struct stat about;
    if (!folder_is_name(name)) return false;
    if (lstat(name, &about) != 0) return errno == ENOENT;
    return S_ISREG(about.st_mode);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_listed(const struct dirent *entry)
{
    return folder_is_name(entry->d_name);
}

json_t *folder_list(void)
{
    struct dirent **entries = NULL;
    int count = scandir(".", &entries, is_listed, by_name);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        struct stat about;
        if (json_array_size(list) < MOST_FILES && lstat(entries[i]->d_name, &about) == 0 &&
            S_ISREG(about.st_mode))
            json_array_append_new(list, json_pack("{s:s, s:I, s:I}", "name", entries[i]->d_name, "size",
                                                  (json_int_t)about.st_size, "changed",
                                                  (json_int_t)about.st_mtime));
        free(entries[i]);
    }
    free(entries);
    return list;
}

int folder_new_file(void)
{
    return open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
}

/* A link to a nameless file cannot replace another; so it gets a name of its own and is renamed. */
static bool replace_by(const char *link, const char *name)
{
    char beside[64];
    snprintf(beside, sizeof beside, ".equipoise-%ld", (long)getpid());
    unlink(beside);
    if (linkat(AT_FDCWD, link, AT_FDCWD, beside, AT_SYMLINK_FOLLOW) != 0) return false;
    if (rename(beside, name) == 0) return true;
    int reason = errno;
    unlink(beside);
    errno = reason;
    return false;
}

bool folder_keep(int file, const char *name, bool replace)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (!folder_may_write(name)) return errno = EACCES, false;
    if (fsync(file) != 0) return false;
    if (replace) return replace_by(link, name);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}
