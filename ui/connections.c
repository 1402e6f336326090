/* The server's own limit is on silence; a client that sends a byte now and then is never silent. */
#include "connections.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum { STRANGER_SECONDS = 5 };

typedef struct stranger {
    int socket;
    bool trusted;
    time_t since;
    struct stranger *next;
} stranger;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static stranger *strangers;

static time_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void add(struct MHD_Connection *connection, void **slot)
{
    const union MHD_ConnectionInfo *socket =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    stranger *made = socket ? calloc(1, sizeof *made) : NULL;
    *slot = made;
    if (made == NULL) return;
    made->socket = socket->connect_fd;
    made->since = seconds_now();
    pthread_mutex_lock(&lock);
    made->next = strangers;
    strangers = made;
    pthread_mutex_unlock(&lock);
}

static void take_out(stranger *gone)
{
    pthread_mutex_lock(&lock);
    for (stranger **at = &strangers; *at; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    free(gone);
}

void connections_notice(void *context, struct MHD_Connection *connection, void **slot,
                        enum MHD_ConnectionNotificationCode what)
{
    (void)context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        add(connection, slot);
    else if (*slot)
        take_out(*slot);
}

void connections_trust(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *context =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    stranger *known = context ? context->socket_context : NULL;
    pthread_mutex_lock(&lock);
    if (known) known->trusted = true;
    pthread_mutex_unlock(&lock);
}

void connections_end_slow(void)
{
    time_t now = seconds_now();
    pthread_mutex_lock(&lock);
    for (stranger *each = strangers; each; each = each->next)
        if (!each->trusted && now - each->since > STRANGER_SECONDS) shutdown(each->socket, SHUT_RDWR);
    pthread_mutex_unlock(&lock);
}
