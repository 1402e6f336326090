/* Connections that have not yet shown the link or the cookie: whoever takes long about it is shown out. */
#ifndef UI_CONNECTIONS_H
#define UI_CONNECTIONS_H

#include <microhttpd.h>

/* Of the server: a connection begins or ends. */
void connections_notice(void *context, struct MHD_Connection *connection, void **slot,
                        enum MHD_ConnectionNotificationCode what);
/* This one has passed the gate. */
void connections_trust(struct MHD_Connection *connection);
/* Ends those that have been strangers for too long, however busy they look. */
void connections_end_slow(void);

#endif
