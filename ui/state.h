/* What the page needs to begin, and what it is told when something changes. */
#ifndef UI_STATE_H
#define UI_STATE_H

#include <jansson.h>

/* {"version", "folder", "project", "files", "results": [actions], "dialects", "job"} */
json_t *state_whole(void);
/* {"job", "revision", "files"}: the part that moves. */
json_t *state_moving(void);

#endif
