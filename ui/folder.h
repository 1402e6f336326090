/* The folder that is served is the working directory; a file is named by one plain name in it. */
#ifndef UI_FOLDER_H
#define UI_FOLDER_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Valid UTF-8 without slash or control character, not hidden, not like an option. */
bool folder_is_name(const char *name);

/* A regular file that is there and is no link; opened for reading, or -1. */
int folder_open(const char *name, struct stat *about);

/* Whether a command may create or replace `name`: nothing is there, or a regular file that is no link. */
bool folder_may_write(const char *name);

/* Every file that may be named: [{"name", "size", "changed"}], in the order of names. */
json_t *folder_list(void);

/* A file without a name, for what arrives over the wire: nothing is left of it when the program dies. */
int folder_new_file(void);
/* Gives it its name once all of it is there.  An existing file stays unless `replace`; errno says why not. */
bool folder_keep(int file, const char *name, bool replace);

#endif
