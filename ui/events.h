/* Tells every open tab what has changed, by server-sent events.  An event is the whole state of what moves; a
 * slow tab misses events and gets the latest. */
#ifndef UI_EVENTS_H
#define UI_EVENTS_H

#include <jansson.h>
#include <microhttpd.h>

/* `snapshot` makes the latest event; it is called from any thread. */
void events_open(json_t *(*snapshot)(void));
/* Ends all streams, so that the server can stop. */
void events_close(void);

enum MHD_Result events_listen(struct MHD_Connection *connection);
/* Something has changed. */
void events_tell(void);
/* Now and then, so that tabs that are gone are noticed. */
void events_beat(void);

#endif
